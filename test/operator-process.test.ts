import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createListener } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { newApiKey } from '../src/api-key.ts'
import { connectTo } from './plugins/connection.ts'
import { ask, refusesConnections, run, type Server, scriptPath, startServer } from './start-server.ts'

// A machine that is busy with other things takes its time.
t.setTimeout(180_000)

const key = newApiKey()

const start = (t: Test, env: Record<string, string> = {}, args: string[] = []) =>
  startServer(t, { cwd: t.testdir(), args, env: { API_KEYS: key, DATABASE_URL: 'sqlite::memory:', ...env } })

/** The end of a start that is refused. */
const refusedStart = async (t: Test, env: Record<string, string>, args: string[] = []) => {
  const cwd = t.testdir()
  const server = run(t, process.execPath, [...args, scriptPath('src/server.ts')], { cwd, env: { PORT: '0', ...env } })
  const { code } = await server.ended
  t.notOk(existsSync(join(cwd, 'data', 'animals.db-wal')), 'nothing is left open')
  return { code, ...server.output() }
}

const end = async (server: Server) => {
  server.process.kill('SIGTERM')
  t.strictSame(await server.ended, { code: 0, signal: null })
  return server.output().stdout.split('\n')
}

t.test('operators have an address of their own, on this machine alone, that no other start wants', async t => {
  const [one, other] = [await start(t), await start(t)]
  for (const server of [one, other]) {
    t.match(server.output().stdout, `  operators      ${server.operators}/livez, /readyz, /metrics\n`)
    t.match(server.operators, /^http:\/\/127\.0\.0\.1:\d+$/)
    t.not(server.operators, server.origin)
    t.equal((await ask(server, key, '/v1/pets')).status, 200)
    const metrics = await fetch(`${server.operators}/metrics`).then(response => response.text())
    t.match(metrics, 'http_requests_total{operation="listPets",status="200"} 1\n')
    for (const path of ['/livez', '/readyz']) t.equal((await fetch(server.operators + path)).status, 200)
    for (const path of ['/livez', '/readyz', '/metrics'])
      t.equal((await ask(server, undefined, path)).status, 404, 'not for the public')
  }
})

const outside = Object.values(networkInterfaces())
  .flatMap(each => each ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

t.test(
  'from other machines the operators’ address is not to be had, unless it is told to',
  outside === undefined ? { skip: 'this machine has no address but its own' } : {},
  async t => {
    const server = await start(t)
    const { port } = new URL(server.operators)
    await t.rejects(fetch(`http://${outside}:${port}/metrics`))
    const open = await start(t, { OPERATOR_HOST: outside ?? '' })
    t.equal((await fetch(`${open.operators}/readyz`)).status, 200)
    t.match(open.operators, outside ?? '')
  }
)

t.test('an operators’ port that is taken is named with its setting, and costs no key', async t => {
  const other = createListener().listen(0, '127.0.0.1')
  t.teardown(() => other.close())
  await new Promise(resolve => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  const { code, stdout, stderr } = await refusedStart(t, { OPERATOR_PORT: String(port) })
  t.equal(code, 1)
  t.match(stderr, new RegExp(`^.*EADDRINUSE.*:${port}: set OPERATOR_HOST or OPERATOR_PORT.*\n$`))
  t.notMatch(stdout, 'ast_live_')
})

t.test('in production the output is a log, line by line', async t => {
  const server = await start(t, { NODE_ENV: 'production' })
  for (let i = 0; i < 50; i++) await ask(server, key, `/v1/pets?limit=${i}`)
  const lines = await end(server)
  t.equal(lines.pop(), '')
  const parsed = lines.map(line => JSON.parse(line))
  t.equal(parsed.filter(({ msg }) => msg === 'request').length, 50)
  t.match(parsed[0], {
    msg: 'the Animal Store runs',
    service: `${server.origin}/v1`,
    operators: server.operators,
    data: 'in memory only'
  })
  t.equal(parsed.at(-1)?.msg, 'ended')
  t.equal(server.output().stderr, '')
})

const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' }).status === 0

t.test(
  'in a terminal the log is for people',
  hasTerminal ? {} : { skip: 'there is no `script` of util-linux here to make a terminal' },
  async t => {
    const command = `exec '${process.execPath}' '${scriptPath('src/server.ts')}'`
    const env = { API_KEYS: key, DATABASE_URL: 'sqlite::memory:' }
    const args = ['-qec', command, '/dev/null']
    const server = await startServer(t, { cwd: t.testdir(), command: 'script', args, env })
    await ask(server, key, '/v1/pets?limit=5')
    const [line = ''] = await server.printed(/^.*GET \/v1\/pets.*$/m)
    t.match(line, /INFO.*GET \/v1\/pets 200 [\d.]+/)
    t.match(line, /"operationId":"listPets"/)
    t.notMatch(server.output().stdout, '"level"')
    server.process.stdin.write('\x03')
    t.equal((await server.ended).code, 0)
  }
)

t.test('nobody has to read the log: requests are answered all the same, and the service ends', async t => {
  const server = await start(t)
  server.process.stdout.pause()
  const connection = await connectTo(t, server.port)
  const path = `/${'x'.repeat(190)}`
  // More than the system keeps for a reader, many times over.
  for (let i = 0; i < 160; i++) {
    connection.send(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(50))
    for (let k = 0; k < 50; k++) if ((await connection.answer()).status !== 404) t.fail('another answer')
  }
  t.equal((await fetch(`${server.operators}/readyz`)).status, 200)
  t.match(await fetch(`${server.operators}/metrics`).then(each => each.text()), 'log_dropped_lines_total 0\n')
  server.process.kill('SIGTERM')
  await refusesConnections(server.port)
  await new Promise(resolve => server.process.once('exit', resolve))
  t.equal(server.process.exitCode, 0)
})

t.test('what was not read in time comes later, whole', async t => {
  const server = await start(t)
  server.process.stdout.pause()
  const connection = await connectTo(t, server.port)
  for (let i = 0; i < 40; i++) {
    connection.send(`GET /${i} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(50))
    for (let k = 0; k < 50; k++) await connection.answer()
  }
  server.process.stdout.resume()
  const lines = (await end(server)).filter(line => line.startsWith('{')).map(line => JSON.parse(line))
  t.equal(lines.filter(({ msg }) => msg === 'request').length, 2000)
})

/** What is sent to a collector of OpenTelemetry (OTLP over HTTP, as JSON). */
interface Span {
  traceId: string
  parentSpanId?: string
  startTimeUnixNano: string
  name: string
  kind: number
  status: { code: number }
  attributes: { key: string; value: Record<string, unknown> }[]
}

const collector = async (t: Test) => {
  const spans: Span[] = []
  let wake = () => {}
  const server = createServer(async (request, response) => {
    const { resourceSpans } = JSON.parse(await text(request))
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans)
    response.end('{}')
    wake()
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await new Promise(resolve => server.once('listening', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: async (count: number) => {
      while (spans.length < count)
        await new Promise<void>(resolve => {
          wake = resolve
        })
      // They come one by one, in any order.
      return spans.toSorted((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)))
    }
  }
}

t.test('OpenTelemetry: each request is a span of the trace that it came with, which the log names too', async t => {
  const { address, spans } = await collector(t)
  const env = { OPENTELEMETRY: 'on', OTEL_EXPORTER_OTLP_ENDPOINT: address }
  const server = await start(t, env, ['--import', pathToFileURL(scriptPath('test/preload-tracing.ts')).href])
  const [traceId, parentId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const all = { authorization: `Bearer ${key}`, ...headers }
    return (await fetch(server.origin + path, { headers: all })).status
  }
  t.equal(await get('/v1/pets?limit=5', { traceparent: `00-${traceId}-${parentId}-01` }), 200)
  t.equal(await get('/v1/pets/9?secret=1'), 400)
  t.equal(await get('/v1/pets', { authorization: `Bearer ${newApiKey()}` }), 401)
  t.equal(await get(`/v1/${key}`), 404)
  t.equal(await get('/v1/store/orders'), 501)
  const found = await spans(5)
  const attributesOf = ({ attributes }: Span) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
  const [first, ...others] = found
  t.match(first, { traceId, parentSpanId: parentId, name: 'GET /v1/pets', kind: 2 })
  t.match(
    found.map(span => [span.name, attributesOf(span)]),
    [
      ['GET /v1/pets', { 'url.path': '/v1/pets', 'http.response.status_code': 200, 'http.route': '/v1/pets' }],
      ['GET /v1/pets/:petId', { 'url.path': '/v1/pets/9', 'http.response.status_code': 400 }],
      ['GET /v1/pets', { 'url.path': '/v1/pets', 'http.response.status_code': 401 }],
      ['GET /v1/*', { 'url.path': '/v1/ast_live_…', 'http.response.status_code': 404 }],
      ['GET /v1/store/orders', { 'http.response.status_code': 501 }]
    ]
  )
  for (const span of others) t.notOk(span.parentSpanId)
  t.equal(new Set(found.map(span => span.traceId)).size, 5)
  t.strictSame(
    found.map(span => span.status.code),
    [0, 0, 0, 0, 2],
    'what a client did wrong is no error of the service'
  )
  for (const secret of ['secret', key.slice(9)]) t.notMatch(JSON.stringify(found), secret)

  const logged = (await end(server)).filter(line => line.includes('"msg":"request"')).map(line => JSON.parse(line))
  t.strictSame(
    logged.map(line => line.traceId),
    found.map(span => span.traceId)
  )
})

t.test('OpenTelemetry that is not there is named with what to do, and nothing is begun', async t => {
  const hooks =
    'import { registerHooks } from "node:module"; registerHooks({ resolve: (name, context, next) => {' +
    'if (name === "@fastify/otel") throw Object.assign(new Error(name), { code: "ERR_MODULE_NOT_FOUND" });' +
    'return next(name, context) } })'
  const missing = ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`]
  for (const [args, reason] of [
    [missing, /^OPENTELEMETRY is on, but @fastify\/otel is not installed: npm install --no-save @fastify\/otel\.\n$/],
    [[], /^OPENTELEMETRY is on, but there is no SDK .*NODE_OPTIONS=--import=@opentelemetry\/[^ ]+\.\n$/]
  ] as const) {
    const { code, stdout, stderr } = await refusedStart(t, { OPENTELEMETRY: 'on' }, [...args])
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, reason)
  }
  t.equal((await ask(await start(t, {}, missing), key, '/v1/pets')).status, 200, 'nobody needs it')
})
