import { once } from 'node:events'
import { renameSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { type HealthSources, healthOf, type ServiceState } from '../src/observability/health.ts'
import { Metrics } from '../src/observability/metrics.ts'
import { serviceLog } from '../src/observability/service-log.ts'
import { buildOperatorApp, type OperatorOptions } from '../src/operator-app.ts'
import { issueKey } from '../src/store/issue-key.ts'
import { StoreUnavailable } from '../src/store/store.ts'
import { buildFixtureApp, contract, withKey } from './fixture-app.ts'
import { openFixtureStore } from './fixture-store.ts'
import { openConnection } from './http/connection.ts'
import { namingFaults } from './observability/naming-faults.ts'

const operatorApp = async (t: Test, options: Partial<OperatorOptions & HealthSources> = {}) => {
  const store = options.store ?? openFixtureStore()
  const lines: string[] = []
  const log = serviceLog({ level: 'info', stream: { write: line => void lines.push(line) } })
  const app = await buildOperatorApp({
    limits: contract.limits,
    health: healthOf({ metrics: new Metrics(), state: () => 'running', ...options, store }),
    log,
    ...options
  })
  t.teardown(async () => {
    app.server.closeAllConnections()
    await app.close()
    await store.close()
  })
  return { app, store, lines }
}

const alive = { status: 'alive' }
const ready = { status: 'ready' }
const refused = (message: string) => ({ code: 'service_unavailable', message, status: 503 })

t.test('/livez and /readyz report the state of the service', async t => {
  let state: ServiceState = 'starting'
  const { app, store, lines } = await operatorApp(t, { state: () => state })
  const get = async (url: string) => {
    const { statusCode, headers, payload } = await app.inject({ url })
    t.equal(headers['content-type'], 'application/json')
    t.equal(headers['retry-after'], statusCode === 503 ? '1' : undefined)
    return [statusCode, JSON.parse(payload)]
  }
  t.strictSame(await get('/livez'), [200, alive])
  t.strictSame(await get('/readyz'), [503, refused('The service is starting.')])
  state = 'running'
  t.strictSame(await get('/livez'), [200, alive])
  t.strictSame(await get('/readyz'), [200, ready])
  t.strictSame(await get('/readyz?verbose'), [200, ready])
  state = 'shutting down'
  t.strictSame(await get('/livez'), [200, alive])
  t.strictSame(await get('/readyz'), [503, refused('The service is shutting down.')])
  state = 'running'
  t.strictSame(lines, [], 'probes are not logged')
  await store.close()
  t.strictSame(await get('/livez'), [200, alive])
  t.strictSame(await get('/readyz'), [503, refused('The store is unavailable: the database cannot be read now.')])
  t.equal(lines.length, 1)
  t.match(JSON.parse(lines[0] ?? ''), { level: 40, path: '/readyz', status: 503, err: { type: 'StoreUnavailable' } })
})

t.test('/readyz gives the reason why requests are refused', async t => {
  let reason: string | undefined = 'the heap is full'
  const { app } = await operatorApp(t, { overloadReason: () => reason })
  const refused = await app.inject('/readyz')
  t.equal(refused.statusCode, 503)
  t.equal(refused.json().message, 'The service is overloaded: the heap is full.')
  reason = undefined
  t.equal((await app.inject('/readyz')).statusCode, 200)
})

t.test('/readyz checks the store each time', async t => {
  const own = openFixtureStore()
  let fault: Error | undefined
  const store = { ...own, check: async () => (fault === undefined ? own.check() : Promise.reject(fault)) }
  const { app } = await operatorApp(t, { store })
  const status = async () => (await app.inject({ url: '/readyz' })).statusCode
  t.equal(await status(), 200)
  fault = new StoreUnavailable('the file is gone')
  t.equal(await status(), 503)
  fault = undefined
  t.equal(await status(), 200)
  fault = new TypeError('a bug')
  t.equal(await status(), 500)
})

t.test('only GET and HEAD of these URLs succeed, everything else is a JSON error', async t => {
  const { app } = await operatorApp(t)
  const requests: [string, string, number, string?][] = [
    ['HEAD', '/livez', 200],
    ['HEAD', '/readyz', 200],
    ['HEAD', '/metrics', 200],
    ['OPTIONS', '/metrics', 204],
    ['POST', '/livez', 405, 'method_not_allowed'],
    ['DELETE', '/metrics', 405, 'method_not_allowed'],
    ['QUERY', '/readyz', 405, 'method_not_allowed'],
    ['GET', '/', 404, 'path_not_found'],
    ['GET', '/livez/', 404, 'path_not_found'],
    ['GET', '/v1/things', 404, 'path_not_found'],
    ['POST', '/v1/things', 404, 'path_not_found'],
    ['GET', '/%ff', 400, 'malformed_path']
  ]
  for (const [method, url, status, code] of requests) {
    const { statusCode, payload, headers } = await app.inject({ method: method as 'GET', url })
    t.equal(statusCode, status, `${method} ${url}`)
    if (code === undefined) t.equal(payload, '')
    else t.match(JSON.parse(payload), { code, status })
    if (status === 405) t.equal(headers.allow, 'GET, HEAD, OPTIONS')
  }
  for (const [bytes, status, code] of [
    ['nonsense\r\n\r\n', 400, 'malformed_request'],
    ['GET /livez HTTP/1.1\r\n\r\n', 400, 'malformed_request'],
    ['CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n', 400, 'malformed_request'],
    [`GET /livez HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['POST /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nx', 405, 'method_not_allowed'],
    ['GET /livez HTTP/1.1\r\nHost: localhost\r\nExpect: a miracle\r\n\r\n', 417, 'expectation_failed']
  ] as const) {
    const connection = await openConnection(t, app)
    connection.send(bytes)
    const { status: received, body } = await connection.response()
    t.equal(received, status, bytes.slice(0, 40))
    t.match(JSON.parse(body), { code, status })
  }
})

t.test('every request must use one of its host names or an IP address', async t => {
  const { app } = await operatorApp(t, { names: ['Things.internal', 'fe80::1'] })
  const own = ['localhost', 'LOCALHOST:9464', 'localhost.', hostname(), `${hostname().toUpperCase()}:80`]
  const addresses = ['127.0.0.1', '127.0.0.1:9464', '10.1.2.3:80', '[::1]', '[::1]:9464', '[2001:db8::7]:80']
  const hosts = [...own, ...addresses, 'things.internal', 'THINGS.INTERNAL.:9464', '']
  for (const host of hosts) t.equal((await app.inject({ url: '/metrics', headers: { host } })).statusCode, 200, host)
  const others = [
    'evil.example',
    'evil.example:9464',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'things.internal.evil.example',
    'internal',
    '127.0.0.256',
    '2130706433'
  ]
  for (const host of others) {
    for (const [method, url] of [
      ['GET', '/metrics'],
      ['HEAD', '/livez'],
      ['GET', '/readyz'],
      ['OPTIONS', '/metrics'],
      ['POST', '/metrics'],
      ['GET', '/'],
      ['GET', '/%']
    ] as const) {
      const { statusCode, payload, headers } = await app.inject({ method, url, headers: { host } })
      t.equal(statusCode, 421, `${method} ${url} of ${host}`)
      t.equal(headers['x-content-type-options'], 'nosniff')
      if (method !== 'HEAD') t.match(JSON.parse(payload), { code: 'misdirected_request', status: 421 })
      t.match(payload, method === 'HEAD' ? '' : /not [\w.-]+: use its IP address, .*, or a name in OPERATOR_NAMES\./)
    }
  }
  const connection = await openConnection(t, app)
  connection.send('GET /livez HTTP/1.0\r\n\r\n')
  t.equal((await connection.response()).status, 200, 'a load balancer that speaks HTTP/1.0 sends no host name')
})

t.test('every response has the security headers, even for a path that cannot be decoded', async t => {
  const { app } = await operatorApp(t)
  for (const url of ['/livez', '/metrics', '/', '/nothing', '/%', '/%ff']) {
    const { headers } = await app.inject({ url })
    t.equal(headers['x-content-type-options'], 'nosniff', url)
    t.equal(headers['cache-control'], 'no-store', url)
  }
})

t.test('invalid HTTP and an unknown transfer coding close the connection', async t => {
  const { app, lines } = await operatorApp(t)
  for (const [bytes, expected] of [
    ['DESCRIBE * RTSP/2.0\r\n\r\n', 400],
    ['GET /metrics HTTP/0.9\r\n\r\n', 400],
    ['GET /metrics HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n', 501]
  ] as const) {
    const connection = await openConnection(t, app)
    connection.send(bytes)
    const { status, headers } = await connection.response()
    t.equal(status, expected, bytes)
    t.match(headers, { 'x-content-type-options': 'nosniff', 'x-request-id': /./, connection: 'close' })
    t.equal(await connection.rest(), '')
  }
  t.strictSame(lines, [])
})

t.test('a client that is too slow gets a 408', async t => {
  const { app } = await operatorApp(t, {
    timeouts: { headersMs: 50, requestMs: 100, checkMs: 10, handlerMs: 1000, idleMs: 1000, stalledMs: 1000 }
  })
  const connection = await openConnection(t, app)
  connection.send('GET /livez')
  t.equal((await connection.response()).status, 408)
})

/** Opens this many connections, of which the service may close some; none of them sends anything. */
const openMany = async (t: Test, app: FastifyInstance, count: number) => {
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = new URL(origin)
  const open = new Set<Socket>()
  for (let i = 0; i < count; i++) {
    const socket = connect(Number(port), '127.0.0.1')
      .on('error', () => {})
      .resume()
    t.teardown(() => socket.destroy())
    socket.on('close', () => open.delete(socket))
    open.add(socket)
    await once(socket, 'connect')
  }
  return { origin, open }
}

t.test('connections beyond 50 are closed, which is logged once; the open ones are served', async t => {
  const { app, lines } = await operatorApp(t)
  const { open } = await openMany(t, app, 200)
  while (open.size > 50) await nextTurn()
  await new Promise(resolve => setTimeout(resolve, 50))
  t.equal(open.size, 50)
  const [socket] = open as unknown as [Socket]
  socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const [bytes] = await once(socket, 'data')
  t.match(String(bytes), /^HTTP\/1\.1 200 /)
  t.equal(lines.length, 1)
  t.match(JSON.parse(lines[0] ?? ''), { level: 40, operatorConnections: 50 })
})

t.test('connections that send nothing are closed, so that others can be opened', async t => {
  const { app } = await operatorApp(t, {
    timeouts: { headersMs: 50, requestMs: 100, checkMs: 10, handlerMs: 1000, idleMs: 50, stalledMs: 1000 }
  })
  const { origin, open } = await openMany(t, app, 60)
  while (open.size > 0) await nextTurn()
  // From now on, a slow machine must not lead to a timeout.
  app.server.headersTimeout = app.server.requestTimeout = 600_000
  t.equal((await fetch(`${origin}/livez`)).status, 200)
})

/** Samples by name and labels, as Prometheus reads them (text format 0.0.4). */
const scrape = async (t: Test, app: FastifyInstance) => {
  const { statusCode, headers, payload } = await app.inject({ url: '/metrics' })
  t.equal(statusCode, 200)
  t.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
  const samples = new Map<string, number>()
  const types = new Map<string, string>()
  t.ok(payload.endsWith('\n'))
  for (const line of payload.split('\n').filter(each => each !== '')) {
    const [, typed, type] = /^# TYPE ([a-z_\d]+) (counter|gauge|histogram)$/.exec(line) ?? []
    if (typed !== undefined) {
      t.notOk(types.has(typed), `${typed} occurs once`)
      types.set(typed, type ?? '')
    }
    if (line.startsWith('#')) {
      t.match(line, /^# (HELP|TYPE) [a-z_\d]+ \S/)
      continue
    }
    const [, sample = '', value] = /^([a-z_\d]+(?:\{(?:[a-z]+="[^"\n]*",?)+\})?) (-?[\d.e+-]+|Nan)$/.exec(line) ?? []
    t.ok(sample, line)
    t.notOk(samples.has(sample), `${sample} occurs once`)
    samples.set(sample, Number(value))
    const [name = ''] = sample.split('{')
    t.ok(
      [name, name.replace(/_(bucket|sum|count)$/, '')].some(each => types.has(each)),
      `${name} has a type`
    )
  }
  return { samples, types, payload }
}

t.test('/metrics reports what the service does', async t => {
  const metrics = new Metrics()
  const { app: operators, store } = await operatorApp(t, { metrics, droppedLogLines: () => 3 })
  const app = await buildFixtureApp(t, {
    store,
    metrics,
    handlers: {
      listThings: () => Promise.reject(new StoreUnavailable('locked')),
      createThing: async ({ body }) => {
        await issueKey(store.keys, { name: body.name })
        return { status: 201, body: { id: 2n, ...body } }
      }
    }
  })
  const payload = { name: 'Brick', weight: 7 }
  const create = () => app.inject({ method: 'POST', url: '/v1/things', headers: withKey, payload })
  await create()
  await Promise.all(Array.from({ length: 7 }, create))
  for (let i = 0; i < 3; i++) await app.inject({ url: '/v1/things/1', headers: withKey })
  await app.inject({ url: '/v1/things/9', headers: withKey })
  await app.inject({ url: '/v1/things/1' })
  await app.inject({ url: '/nothing' })
  for (let i = 0; i < 2; i++) await app.inject({ url: '/v1/things', headers: withKey })

  const { samples, types, payload: text } = await scrape(t, operators)
  const expected: Record<string, number> = {
    'http_requests_total{operation="createThing",status="201"}': 8,
    'http_requests_total{operation="getThing",status="200"}': 3,
    'http_requests_total{operation="getThing",status="404"}': 1,
    'http_requests_total{operation="getThing",status="401"}': 1,
    'http_requests_total{operation="listThings",status="503"}': 2,
    'http_requests_total{operation="-",status="404"}': 1,
    'http_request_duration_seconds_bucket{operation="createThing",le="+Inf"}': 8,
    'http_request_duration_seconds_count{operation="createThing"}': 8,
    'http_request_duration_seconds_count{operation="getThing"}': 5,
    store_batch_size_sum: 8,
    store_pending_writes: 0,
    store_failed_commits_total: 0,
    store_errors_total: 2,
    log_dropped_lines_total: 3
  }
  for (const [sample, value] of Object.entries(expected)) t.equal(samples.get(sample), value, sample)
  const commits = samples.get('store_batch_size_count') ?? 0
  t.ok(commits >= 2 && commits < 8, 'creates in one turn share a commit')
  t.ok((samples.get('store_batch_size_bucket{le="1"}') ?? 0) >= 1)
  t.equal(samples.get('store_batch_size_bucket{le="500"}'), commits)

  const keyed = [...samples].filter(([sample]) => sample.startsWith('http_deprecated_requests_total'))
  t.equal(keyed.length, 1)
  t.match(keyed[0]?.[0], /^http_deprecated_requests_total\{operation="getThing",key="env:[\da-f]{12}"\}$/)
  t.equal(keyed[0]?.[1], 4, 'requests without a valid key are not counted')
  t.notOk(text.includes(withKey.authorization.slice(-36)))

  for (const name of ['http_requests_total', 'http_deprecated_requests_total', 'store_errors_total'])
    t.equal(types.get(name), 'counter')
  for (const name of ['http_request_duration_seconds', 'store_batch_size']) t.equal(types.get(name), 'histogram')
  for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes', 'process_open_fds'])
    t.ok((samples.get(name) ?? Number.NaN) >= 0, name)
  t.ok((samples.get('process_cpu_seconds_total') ?? 0) > 0)
})

t.test('metrics are named by the conventions of Prometheus', async t => {
  const { app } = await operatorApp(t)
  // Garbage collections and the like are observed from the first request on.
  await scrape(t, app)
  const { payload, samples } = await scrape(t, app)
  t.strictSame(namingFaults(payload), [])
  t.ok(
    [...samples.keys()].some(sample => sample.startsWith('nodejs_active_resources{')),
    'whose sum prom-client calls nodejs_active_resources_total'
  )
})

t.test('/metrics is rendered once for all requests within a second', async t => {
  let made = 0
  const { app } = await operatorApp(t, { droppedLogLines: () => ++made })
  const get = async () => (await app.inject({ url: '/metrics' })).payload
  const began = performance.now()
  const texts = await Promise.all(Array.from({ length: 20 }, get))
  for (let i = 0; i < 20; i++) texts.push(await get())
  const seconds = (performance.now() - began) / 1000
  t.ok(made <= 1 + seconds, `${made} in ${seconds} s`)
  t.equal(new Set(texts).size, made)
  const before = made
  while (made === before) {
    await nextTurn()
    texts.push(await get())
  }
  t.match(texts.at(-1), `log_dropped_lines_total ${made}\n`, 'and rendered again afterwards')
})

t.test('the buckets of a histogram are cumulative, and include their bounds', async t => {
  const metrics = new Metrics()
  const figures = metrics.of('listThings')
  for (const seconds of [0.0001, 0.0005, 0.00051, 0.3, 10, 11]) figures.countDuration(seconds)
  const { app } = await operatorApp(t, { metrics })
  const { samples } = await scrape(t, app)
  const bucket = (le: string) => samples.get(`http_request_duration_seconds_bucket{operation="listThings",le="${le}"}`)
  t.equal(bucket('0.0005'), 2)
  t.equal(bucket('0.001'), 3)
  t.equal(bucket('0.25'), 3)
  t.equal(bucket('0.5'), 4)
  t.equal(bucket('10'), 5)
  t.equal(bucket('+Inf'), 6)
  t.equal(samples.get('http_request_duration_seconds_count{operation="listThings"}'), 6)
  const sum = samples.get('http_request_duration_seconds_sum{operation="listThings"}') ?? 0
  t.ok(Math.abs(sum - 21.30111) < 1e-9, String(sum))
})

t.test('/metrics reports failed commits and pending writes', async t => {
  const path = join(t.testdir(), 'things.db')
  const { app, store } = await operatorApp(t, { store: openFixtureStore({ path }) })
  const create = () => issueKey(store.keys, { name: 'of a test' })
  // Each time from a new app, since the response is cached for a second.
  const sample = async (name: string) => (await scrape(t, (await operatorApp(t, { store })).app)).samples.get(name)
  const write = create()
  t.equal(await sample('store_pending_writes'), 1)
  await write
  t.equal(await sample('store_pending_writes'), 0)
  t.equal(await sample('store_failed_commits_total'), 0)
  renameSync(path, `${path}.moved`)
  t.equal((await app.inject({ url: '/readyz' })).statusCode, 503)
  await t.rejects(create())
  renameSync(`${path}.moved`, path)
  t.equal((await app.inject({ url: '/readyz' })).statusCode, 200)
  t.equal(await sample('store_failed_commits_total'), 1)
  t.equal(await sample('store_batch_size_count'), 1)
})
