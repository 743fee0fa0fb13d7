import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { digestOf, keyIdOf, newApiKey } from '../../src/api-keys/api-key.ts'
import { Metrics } from '../../src/observability/metrics.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { buildFixtureApp, type FixtureOptions, withKey } from '../fixture-app.ts'
import { openConnection } from '../http/connection.ts'
import { logged } from './logged.ts'

// biome-ignore lint/suspicious/noExplicitAny: log lines may have any fields
type Line = Record<string, any>

/** An app and its log. */
const logging = async (t: Test, options: FixtureOptions = {}) => {
  const lines: Line[] = []
  let wake = () => {}
  const stream = {
    write: (text: string) => {
      t.match(text, /^\{.*\}\n$/, 'each entry is one line')
      lines.push(JSON.parse(text))
      wake()
    }
  }
  const app = await buildFixtureApp(t, { logger: { level: 'info', stream }, ...options })
  return {
    app,
    lines,
    /** The last line, once there are this many. */
    line: async (count: number): Promise<Line> => {
      while (lines.length < count)
        await new Promise<void>(resolve => {
          wake = resolve
        })
      t.equal(lines.length, count)
      return lines[count - 1] as Line
    }
  }
}

const brick = { name: 'Brick', weight: 7 }

/** The number of requests by status. */
const countsOf = (metrics: Metrics, operation: string) =>
  Object.fromEntries([...(metrics.of(operation).statuses?.entries() ?? [])].filter(([, count]) => count > 0))
const newIdForm = /^[\da-f]{32}$/

t.test('each request has one line, with what is known about it', async t => {
  const { app, lines } = await logging(t)
  const begun = Date.now()
  const requests: [InjectOptions, number, string?][] = [
    [{ url: '/v1/things?limit=5', headers: withKey }, 200, 'listThings'],
    [{ method: 'HEAD', url: '/v1/things', headers: withKey }, 200, 'listThings'],
    [{ method: 'POST', url: '/v1/things', headers: withKey, payload: brick }, 201, 'createThing'],
    [{ url: '/v1/things/1', headers: withKey }, 200, 'getThing'],
    [{ url: '/v1/things/9', headers: withKey }, 404, 'getThing'],
    [{ url: '/v1/things/x', headers: withKey }, 400, 'getThing'],
    [{ url: '/v1/plans', headers: withKey }, 501, 'listPlans'],
    [{ url: '/v1/things' }, 401, 'listThings'],
    [{ method: 'TRACE', url: '/v1/things', headers: withKey }, 405],
    [{ method: 'OPTIONS', url: '/v1/things' }, 204],
    [{ url: '/v1/nothing', headers: withKey }, 404],
    [{ url: '/v1/%ff', headers: withKey }, 400],
    [{ url: '/%ff' }, 400],
    [{ url: '/docs/' }, 200],
    [{ url: '/' }, 302]
  ]
  for (const [request, status, operationId] of requests) {
    const response = await app.inject(request)
    const line = lines.pop() as Line
    t.strictSame(lines, [], 'one line')
    const { method = 'GET', url, headers } = request
    t.match(line, { level: 30, msg: 'request', method, path: String(url).split('?')[0], status }, String(url))
    t.equal(response.statusCode, status)
    t.equal(line.operationId, operationId)
    t.equal(line.requestId, response.headers['x-request-id'])
    t.match(line.requestId, newIdForm)
    t.ok(line.time >= begun && line.time <= Date.now())
    t.ok(line.durationMs > 0 && line.durationMs <= Date.now() - begun + 1, line.durationMs)
    if (headers === undefined) t.notOk('keyId' in line)
    else t.match(line.keyId, /^env:[\da-f]{12}$/)
    t.notOk('aborted' in line)
  }
})

t.test(
  'a rejected request is logged with its IP address, and with the id of its key if that has the right form',
  async t => {
    const { app, lines } = await logging(t, {
      authFailureLimit: { requests: 3, windowSeconds: 60 },
      rateLimit: { requests: 1, windowSeconds: 60 },
      trustProxy: ['10.0.0.1']
    })
    const loggedFor = async (headers: Record<string, string>) => {
      const { statusCode } = await app.inject({
        url: '/v1/things',
        remoteAddress: '10.0.0.1',
        headers: { 'x-forwarded-for': '192.0.2.7', ...headers }
      })
      const { status, address, refusedKeyId, keyId } = lines.pop() as Line
      t.equal(status, statusCode)
      return { status, address, refusedKeyId, keyId }
    }
    const address = '192.0.2.7'
    const none = { keyId: undefined, refusedKeyId: undefined }
    const key = newApiKey()
    const refusedKeyId = keyIdOf(digestOf(key))
    t.strictSame(await loggedFor({}), { status: 401, address, ...none })
    t.strictSame(await loggedFor({ authorization: 'Bearer mistyped' }), { status: 401, address, ...none })
    const withOther = { authorization: `Bearer ${key}` }
    t.strictSame(await loggedFor(withOther), { status: 401, address, keyId: undefined, refusedKeyId })
    t.strictSame(await loggedFor(withOther), { status: 429, address, keyId: undefined, refusedKeyId })
    t.match(await loggedFor(withKey), { status: 200, address: undefined, refusedKeyId: undefined })
    t.match(await loggedFor(withKey), { status: 429, address, refusedKeyId: undefined, keyId: /^env:/ })
  }
)

t.test('an invalid IP address from a trusted proxy is shortened in the log', async t => {
  const { app, lines } = await logging(t, {
    trustProxy: ['10.0.0.1'],
    authFailureLimit: { requests: 3, windowSeconds: 60 }
  })
  for (const made of ['x'.repeat(14_000), `fe80::1%${'x'.repeat(14_000)}`, `${newApiKey()} x`, 'unknown']) {
    for (const limited of [false, false, true]) {
      const { statusCode } = await app.inject({
        url: '/v1/things',
        remoteAddress: '10.0.0.1',
        headers: { 'x-forwarded-for': made }
      })
      t.ok([401, 429].includes(statusCode), `${statusCode} ${limited}`)
      const { address } = lines.pop() as Line
      t.equal(address, made.startsWith('key') ? 'key_live_… x' : made.length > 60 ? `${made.slice(0, 60)}…` : made)
    }
  }
})

t.test('the id that a request was sent with is kept if it is valid', async t => {
  const { app, lines } = await logging(t)
  const idFor = async (id: string | string[]) => {
    const { headers } = await app.inject({ url: '/v1/things', headers: { 'x-request-id': id } })
    t.equal(headers['x-request-id'], lines.pop()?.requestId)
    return headers['x-request-id']
  }
  const fit = ['1', 'a-b_c.d~e', 'Root=1-67891233-abcdef012345678912345678', 'aGVsbG8+/w==', 'x'.repeat(100)]
  for (const id of [...fit, '0123ABCD-0123-4567-89ab-0123456789ab']) t.equal(await idFor(id), id)
  const made = new Set<unknown>()
  const unfit = ['', ' ', 'a b', 'x'.repeat(101), 'a"b', '{"a":1}', 'a,b', 'a;b', 'ä', 'a\tb', newApiKey(), '%0a', '\\']
  for (const id of [...unfit, ['a', 'b']]) {
    const assigned = await idFor(id)
    t.match(assigned, newIdForm, JSON.stringify(id))
    made.add(assigned)
  }
  t.equal(made.size, unfit.length + 1, 'each gets a different one')
})

t.test('generated ids do not repeat', async t => {
  const { app } = await logging(t)
  const ids = new Set<unknown>()
  for (let i = 0; i < 600; i++) ids.add((await app.inject({ url: '/nothing' })).headers['x-request-id'])
  t.equal(ids.size, 600)
})

t.test('a valid traceparent continues its trace, otherwise a new trace begins', async t => {
  const { app, lines } = await logging(t)
  const traceIdOf = async (headers: Record<string, string | string[]>) => {
    await app.inject({ url: '/v1/things', headers })
    return lines.pop() as Line
  }
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  const parent = '00f067aa0ba902b7'
  for (const traceparent of [
    `00-${trace}-${parent}-01`,
    `00-${trace}-${parent}-00`,
    `00-${trace}-${parent}-ff`,
    `01-${trace}-${parent}-01`,
    `cc-${trace}-${parent}-01-what-the-future-will-be-like`,
    `fe-${trace}-${parent}-01-`
  ])
    t.equal((await traceIdOf({ traceparent })).traceId, trace, traceparent)

  const seen = new Set<string>()
  const invalid = [
    '',
    'x',
    trace,
    `00-${trace}-${parent}`,
    `00-${trace}-${parent}-`,
    `00-${trace}-${parent}-1`,
    `00-${trace}-${parent}-01-`,
    `00-${trace}-${parent}-01-more`,
    `00-${trace}-${parent}-01.`,
    `cc-${trace}-${parent}-01.more`,
    `cc-${trace}-${parent}-011`,
    `ff-${trace}-${parent}-01`,
    `0-${trace}-${parent}-01`,
    `00-${trace.toUpperCase()}-${parent}-01`,
    `00-${trace}-${parent.toUpperCase()}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.slice(1)}-${parent}-01`,
    `00-${trace}0-${parent}-01`,
    `00-${trace}-${parent}-0g`,
    `00_${trace}_${parent}_01`,
    ` 00-${trace}-${parent}-01x`,
    `00-${trace}-${parent}-01\t00-${trace}-${parent}-01`
  ]
  for (const traceparent of [...invalid, [`00-${trace}-${parent}-01`, `00-${trace}-${parent}-01`]]) {
    const { traceId, requestId } = await traceIdOf({ traceparent })
    t.match(traceId, newIdForm)
    t.not(traceId, trace, JSON.stringify(traceparent))
    t.equal(traceId, requestId, 'a new trace has the 128 random bits of the request id')
    seen.add(traceId)
  }
  t.equal(seen.size, invalid.length + 1)
  const own = await traceIdOf({ 'x-request-id': 'mine' })
  t.equal(own.requestId, 'mine')
  t.match(own.traceId, newIdForm)
})

t.test('neither query nor key is logged, and a client cannot inject lines', async t => {
  const { app, lines } = await logging(t)
  const key = newApiKey()
  const paths: [string, string][] = [
    ['/v1/things?limit=hidden', '/v1/things'],
    ['/docs/?hidden', '/docs/'],
    ['/?hidden?hidden', '/'],
    ['/v1/%ff?hidden', '/v1/%ff'],
    [`/v1/things/${key}`, '/v1/things/key_live_…'],
    [`/${key}?hidden`, '/key_live_…'],
    [`/v1/${key.slice(0, 30)}`, '/v1/key_live_…'],
    [`/${'x'.repeat(500)}`, `/${'x'.repeat(199)}…`],
    ['/v1/a%0a%22b', '/v1/a%0a%22b']
  ]
  for (const [url, path] of paths) {
    await app.inject({ url, headers: withKey })
    const line = lines.pop()
    t.equal(line?.path, path, url)
    for (const secret of ['hidden', key.slice(9), key.slice(9, 29)]) t.notOk(JSON.stringify(line).includes(secret))
  }
  const connection = await openConnection(t, app)
  connection.send('GET /a"b\\c\xff{"level":60} HTTP/1.1\r\nHost: a\r\nX-Request-Id: a"b\r\n\r\n')
  const { status, headers } = await connection.response()
  const line = lines.pop()
  t.equal(line?.status, status)
  t.equal(line?.requestId, headers['x-request-id'])
  if (status === 404) t.equal(line?.path, '/a"b\\c\xff{"level":60}')
})

t.test('neither the log nor an error contains any part of a key, wherever and however a client sent it', async t => {
  const { app, lines } = await logging(t)
  const key = newApiKey()
  const secret = key.slice('key_live_'.length)
  const pieces = Array.from({ length: secret.length - 5 }, (_, at) => secret.slice(at, at + 6))
  const decoded = (text: string) =>
    text.replaceAll(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  const leaks: string[] = []
  const look = (about: string, said: string) => {
    for (const text of [said, decoded(said), decoded(decoded(said))])
      if (pieces.some(piece => text.includes(piece))) leaks.push(`${about}: ${said}`)
  }
  const send = async (method: 'GET' | 'POST', url: string, headers: Record<string, string> = {}, payload = '') => {
    const response = await app.inject({ method, url, headers: { ...withKey, ...headers }, payload })
    const about = JSON.stringify({ method, url, headers, payload })
    if (response.statusCode >= 400) look(about, response.payload)
    look(about, JSON.stringify([response.headers, lines.splice(0)]))
  }

  const escaped = (text: string) => text.replaceAll(/./g, each => `%${each.charCodeAt(0).toString(16)}`)
  const spellings = [
    key,
    `%61${key.slice(1)}`,
    `ast%5Flive_${secret}`,
    `key_live%5f${secret}`,
    `${key.slice(0, 15)}%${key.charCodeAt(15).toString(16)}${key.slice(16)}`,
    escaped(key),
    escaped(key).toUpperCase(),
    `%2561${key.slice(1)}`,
    `%252561${key.slice(1)}`,
    escaped(key).replaceAll('%', '%25'),
    escaped(escaped(key)),
    escaped(escaped(key)).toUpperCase()
  ]
  const json = { 'content-type': 'application/json' }
  const inBody = [...spellings, key.replaceAll(/./g, each => `\\u00${each.charCodeAt(0).toString(16)}`)]
  for (const each of inBody) {
    const name = 'n'.repeat(40)
    for (const body of [
      `{"${each}":1}`,
      `{"name":"Brick","weight":"${each}","shape":"${each}"}`,
      `{"name":"Brick","weight":7,"a":{"${each}":1}}`,
      `["${name}","${each}",x]`,
      `["${name}","${each}",x,"${name}"]`,
      `["${name}","${each}"x]`,
      `["${name}",${each}]`,
      `["${name}","${each}\n"]`,
      `["${name}","${each.slice(0, 20)}\n${each.slice(20)}"]`,
      `["${name}","${each}\\x"]`,
      `["${name}","${each}`,
      each
    ])
      await send('POST', '/v1/things', json, body)
  }
  for (const each of spellings) {
    for (const before of [
      '/',
      '/v1/',
      '/v1/nope/',
      '/v1/things/',
      '/v1/things/1/',
      '/docs/',
      '/docs/static/',
      '/v1/%ff/',
      '/x%'
    ])
      for (const after of ['', '/x', '%', '%2', '%20x', '?limit=1']) await send('GET', `${before}${each}${after}`)
    for (const long of [10, 30, 45, 50, 150, 190]) await send('GET', `/${'x'.repeat(long)}/${each}`)
    for (const query of [
      each,
      `${each}=1`,
      `limit=${each}`,
      `tag=${each}`,
      `shape=flat,${each}`,
      `%ff=${each}`,
      `%${each}`
    ])
      await send('GET', `/v1/things?${query}`)
    await send('GET', '/v1/things', { 'x-colour': each })
    for (const name of [
      'x-request-id',
      'traceparent',
      'tracestate',
      'content-type',
      'content-encoding',
      'prefer',
      'accept'
    ])
      for (const value of [each, `application/${each}`, `00-${each}`])
        await send('POST', '/v1/things', { ...json, [name]: value }, '{}')
    for (const authorization of [each, `Basic ${each}`, `Bearer ${each}`])
      await send('GET', '/v1/things', { authorization })
    for (const head of [
      `GET http://a/${each} HTTP/1.1\r\nHost: a`,
      `GET http://${each}/ HTTP/1.1\r\nHost: a`,
      `GET ${each} HTTP/1.1\r\nHost: a`,
      `GET /v1/${each} HTTP/1.1`,
      `GET / HTTP/1.1\r\nHost: a"${each}`,
      `GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${each}\r\nExpect: ${each}`,
      `CONNECT ${each}:1 HTTP/1.1\r\nHost: a`,
      `${each} / HTTP/1.1\r\nHost: a`
    ]) {
      const connection = await openConnection(t, app)
      connection.send(`${head}\r\nConnection: close\r\n\r\n`)
      look(head, JSON.stringify([await connection.response(), lines.splice(0)]))
    }
  }
  t.strictSame(leaks.slice(0, 5), [], `${leaks.length} leaks`)
})

t.test('nor any part of a key without its first characters, or of a key in another form', async t => {
  const secret = 'kD9+xYz01-kQ3~aBc.02_kR4+dEf03=='
  const { app, lines } = await logging(t, { apiKeys: [secret] })
  const cut = Array.from({ length: 20 }, (_, lost) => newApiKey().slice(lost + 1)).filter(
    rest => /[a-z]/.test(rest.slice(-20)) && /[A-Z]/.test(rest.slice(-20)) && /\d/.test(rest.slice(-20))
  )
  const json = { ...withKey, 'content-type': 'application/json' }
  for (const each of [...cut, secret]) {
    const pieces = Array.from({ length: 12 }, (_, at) => each.slice(-12 - at, each.length - at))
    const look = (what: string, text: string) => {
      if (pieces.some(piece => text.includes(piece))) t.fail(`${what}: ${text}`)
    }
    for (const url of [
      `/v1/things/${each}`,
      `/${each}`,
      `/v1/${'x/'.repeat(20)}${each}`,
      `/v1/things?tag=${each}`,
      `/v1/things?${each}=1`,
      `/v1/things?shape=${each}`,
      `/docs/${each}`
    ]) {
      const { statusCode, payload } = await app.inject({ url, headers: withKey })
      t.ok(statusCode >= 400)
      look(url, payload)
      look(url, JSON.stringify(lines.splice(0)))
    }
    for (const body of [{ name: 'Brick', weight: each }, { [each]: 1 }, { name: 'Brick', weight: 7, shape: each }]) {
      const { payload } = await app.inject({ method: 'POST', url: '/v1/things', headers: json, payload: body })
      look(JSON.stringify(body), payload + JSON.stringify(lines.splice(0)))
    }
    for (const type of [each, `text/${each}`]) {
      const headers = { ...withKey, 'content-type': type }
      const { payload } = await app.inject({ method: 'POST', url: '/v1/things', headers, payload: 'x' })
      look(type, payload + JSON.stringify(lines.splice(0)))
    }
  }
  const request = { url: '/v1/things', headers: { 'x-request-id': secret } }
  t.match(
    (await app.inject(request)).headers['x-request-id'],
    newIdForm,
    'nor is a key accepted as the id of a request'
  )
  const ksuid = '0ujtsYcgvSTl8PAuAdqWYSMnLOv'
  const other = await app.inject({ url: '/v1/things', headers: { 'x-request-id': ksuid } })
  t.equal(other.headers['x-request-id'], ksuid)
})

t.test('a request that fails before it is routed has a line and an id, too', async t => {
  const { app, lines } = await logging(t)
  const host = 'Host: a\r\n'
  const broken: [string, number, Line][] = [
    ['what is this?\r\n\r\n', 400, { method: undefined }],
    [`GET /v1/things HTTP/1.1\r\n${host}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431, { method: undefined }],
    [`GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`, 414, { method: undefined }],
    [`GET /${'x'.repeat(9000)} HTTP/1.1\r\n${host}\r\n`, 414, { method: 'GET', path: /^\/x{199}…$/ }],
    [`POST /v1/things?a HTTP/1.1\r\n${host}Expect: a miracle\r\n\r\n`, 417, { method: 'POST', path: '/v1/things' }],
    [`CONNECT a.example:443 HTTP/1.1\r\n${host}\r\n`, 400, { method: 'CONNECT' }],
    ['GET /v1/things HTTP/1.1\r\n\r\n', 400, { method: 'GET', path: '/v1/things' }],
    [`GET /v1/things HTTP/2.0\r\n${host}\r\n`, 400, {}]
  ]
  for (const [bytes, status, expected] of broken) {
    const connection = await openConnection(t, app)
    connection.send(bytes)
    const { headers, ...response } = await connection.response()
    t.equal(response.status, status)
    const line = lines.pop() as Line
    t.strictSame(lines, [], 'one line')
    t.match(line, { level: 30, msg: 'request', status, requestId: headers['x-request-id'] })
    t.match(line.requestId, newIdForm)
    for (const [name, value] of Object.entries(expected)) t.match(line[name], value, name)
  }
  for (const [bytes, expectedStatus] of [
    [`OPTIONS /v1/things HTTP/1.1\r\n${host}Expect: a miracle\r\nX-Request-Id: mine\r\n\r\n`, 417],
    [`CONNECT a:1 HTTP/1.1\r\n${host}X-Request-Id: mine\r\n\r\n`, 400]
  ] as const) {
    const connection = await openConnection(t, app)
    connection.send(bytes)
    const { status, headers } = await connection.response()
    t.equal(status, expectedStatus)
    t.equal(headers['x-request-id'], 'mine')
    t.equal(lines.pop()?.requestId, 'mine')
  }
})

t.test('a request with a broken body has one line, with the status of its response', async t => {
  const { app, line } = await logging(t)
  for (const [count, id] of [undefined, 'mine'].entries()) {
    const connection = await openConnection(t, app)
    connection.send(
      `POST /v1/things HTTP/1.1\r\nHost: a\r\nAuthorization: ${withKey.authorization}\r\nContent-Type: application/json\r\n` +
        `${id === undefined ? '' : `X-Request-Id: ${id}\r\n`}Transfer-Encoding: chunked\r\n\r\nno chunk\r\n`
    )
    const { status, headers } = await connection.response()
    t.equal(status, 400)
    await connection.rest()
    connection.finish()
    const told = await line(count + 1)
    t.match(told, { operationId: 'createThing', status: 400, requestId: headers['x-request-id'] })
    t.match(told.requestId, id ?? newIdForm)
    t.match(told.keyId, /^env:/)
    t.notOk('aborted' in told)
  }
})

t.test('a client that disconnects before the response is logged as such', async t => {
  let arrived = () => {}
  const isThere = new Promise<void>(resolve => {
    arrived = resolve
  })
  const metrics = new Metrics()
  const listThings = () => {
    arrived()
    return new Promise<never>(() => {})
  }
  const { app, line } = await logging(t, { handlers: { listThings }, metrics, timeouts: { handlerMs: 600_000 } })
  const connection = await openConnection(t, app)
  connection.send(`GET /v1/things HTTP/1.1\r\nHost: a\r\nAuthorization: ${withKey.authorization}\r\n\r\n`)
  await isThere
  connection.reset()
  const told = await line(1)
  t.match(told, { level: 30, operationId: 'listThings', aborted: true })
  t.notOk('status' in told)
  t.strictSame(countsOf(metrics, 'listThings'), { 0: 1 })
})

t.test('an error is logged in the line of its request, at a higher level', async t => {
  const faults = [
    [new StoreUnavailable('locked'), 40, 503, 'the store is unavailable'],
    [new TypeError('a bug'), 50, 500, 'a bug']
  ] as const
  for (const [error, level, status, msg] of faults) {
    for (const setting of ['info', 'warn'] as const) {
      const { lines, logger } = logged(setting)
      const app = await buildFixtureApp(t, { handlers: { listThings: () => Promise.reject(error) }, logger })
      t.strictSame(lines, [])
      const { headers } = await app.inject({
        url: '/v1/things?limit=5',
        headers: { ...withKey, traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
      })
      t.equal(lines.length, 1)
      t.match(lines[0], {
        level,
        msg,
        status,
        requestId: headers['x-request-id'],
        traceId: 'a'.repeat(32),
        method: 'GET',
        path: '/v1/things',
        operationId: 'listThings',
        keyId: /^env:/,
        durationMs: Number,
        err: { type: error.constructor.name, message: error.message, stack: /request-log\.test\.ts/ }
      })
      await app.inject({ url: '/v1/plans', headers: withKey })
      t.equal(lines.length, setting === 'info' ? 2 : 1, 'an expected status is not logged as a warning')
    }
  }
})

t.test('every request is counted, by operation and status, with its duration', async t => {
  const metrics = new Metrics()
  const { app } = await logging(t, { metrics, logger: { level: 'silent' } })
  for (let i = 0; i < 3; i++) await app.inject({ url: '/v1/things', headers: withKey })
  await app.inject({ url: '/v1/things' })
  await app.inject({ method: 'POST', url: '/v1/things', headers: withKey, payload: brick })
  await app.inject({ url: '/v1/nothing', headers: withKey })
  await app.inject({ url: '/v1/%ff', headers: withKey })
  const connection = await openConnection(t, app)
  connection.send('nonsense\r\n\r\n')
  await connection.response()
  t.strictSame(countsOf(metrics, 'listThings'), { 200: 3, 401: 1 })
  t.strictSame(countsOf(metrics, 'createThing'), { 201: 1 })
  t.strictSame(countsOf(metrics, '-'), { 404: 1, 400: 2 })
  const { durations, seconds } = metrics.of('listThings')
  t.equal(
    durations.reduce((sum, count) => sum + count),
    4
  )
  t.ok(seconds > 0 && seconds < 60)
})

t.test('calls of deprecated operations are counted by key, for a bounded number of keys', async t => {
  const metrics = new Metrics()
  const keys = Array.from({ length: 210 }, () => newApiKey())
  const { app } = await logging(t, { metrics, apiKeys: keys, logger: { level: 'silent' } })
  const send = (url: string, key: string) => app.inject({ url, headers: { authorization: `Bearer ${key}` } })
  for (const key of keys) await send('/v1/things/1', key)
  await send('/v1/things/1', keys[0] ?? '')
  await send('/v1/things/1', newApiKey())
  await send('/v1/things', keys[0] ?? '')
  const counts = metrics.of('getThing').keys
  t.equal(counts.size, 201)
  t.equal(counts.get('others'), 10)
  const [first = ['', 0]] = counts
  t.match(first[0], /^env:[\da-f]{12}$/)
  t.equal(first[1], 2)
  t.equal(metrics.of('listThings').keys.size, 0)
  for (const key of keys) t.notOk(JSON.stringify([...counts]).includes(key.slice(9)))
})
