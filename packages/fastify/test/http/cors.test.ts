import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { newPage } from '../../../../test/browser.ts'
import { newApiKey } from '../../src/api-keys/api-key.ts'
import type { Mock } from '../../src/operations/routes.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { buildFixtureApp, type FixtureOptions, withKey } from '../fixture-app.ts'
import { openConnection } from './connection.ts'

const shop = 'https://shop.example'
const corsOrigins = [shop, /^http:\/\/localhost:\d+$/]
const foreign = ['https://other.example', `${shop}.evil.example`, `${shop}:8443`, 'http://shop.example', 'null']

/** The CORS headers of a response. */
const corsOf = (headers: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')))

/** An app, and a function that sends requests as a browser does for a page of `origin`. */
const startSender = async (t: Test, options: FixtureOptions = {}) => {
  const app = await buildFixtureApp(t, { corsOrigins, ...options })
  return (url: string, { origin = shop, headers = {}, ...rest }: InjectOptions & { origin?: string } = {}) =>
    app.inject({ url, ...rest, headers: { origin, ...headers } })
}

const preflight = { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } } as const

const allow = 'GET, POST, HEAD, OPTIONS'
const methods = 'HEAD, GET, POST, PATCH, DELETE'

/** Request headers that the contract and the service read, and those that tracing SDKs send. */
const readHere =
  'Authorization, Content-Type, X-Colour, Idempotency-Key, X-Request-Id, traceparent, tracestate, baggage, sentry-trace'

/** Response headers of the contract, and the service's own. */
const exposed = [
  'Deprecation',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Request-Id'
]

const names = (list: unknown) => String(list).split(', ')

t.test('without allowed origins there is no CORS at all', async t => {
  const app = await buildFixtureApp(t)
  for (const options of [
    { url: '/v1/things', headers: withKey },
    { url: '/v1/things' },
    { url: '/openapi.json' },
    { url: '/' }
  ]) {
    const response = await app.inject({ ...options, headers: { origin: shop, ...options.headers } })
    t.strictSame(corsOf(response.headers), {}, options.url)
    t.notMatch(String(response.headers.vary), /origin/i)
  }
  const preflighted = await app.inject({
    url: '/v1/things',
    ...preflight,
    headers: { origin: shop, ...preflight.headers }
  })
  t.equal(preflighted.headers.allow, allow)
  t.strictSame(corsOf(preflighted.headers), {})
})

t.test('a preflight succeeds without a key, with any key, and for any URL', async t => {
  const send = await startSender(t)
  for (const url of [
    '/v1/things',
    '/v1/things/1',
    '/v1/plans',
    '/v1/nothing',
    '/v1/%ff',
    '/openapi.json',
    '/nothing'
  ]) {
    for (const origin of [shop, 'http://localhost:5173']) {
      for (const key of [{}, withKey, { authorization: 'Bearer x' }]) {
        const response = await send(url, { ...preflight, origin, headers: { ...preflight.headers, ...key } })
        t.equal(response.statusCode, 204, url)
        t.equal(response.payload, '')
        t.equal(response.headers.vary, 'Origin')
        t.strictSame(corsOf(response.headers), {
          'access-control-allow-origin': origin,
          'access-control-allow-methods': methods,
          'access-control-allow-headers': readHere,
          'access-control-max-age': '600'
        })
      }
    }
  }
})

t.test('a page can read every response, errors included, with all headers of the contract', async t => {
  const send = await startSender(t)
  const broken = await startSender(t, {
    handlers: { listThings: () => Promise.reject(new StoreUnavailable('locked')) }
  })
  const json = { ...withKey, 'content-type': 'application/json' }
  const expected: [number, Promise<Awaited<ReturnType<typeof send>>>][] = [
    [200, send('/v1/things', { headers: withKey })],
    [200, send('/v1/things', { method: 'HEAD', headers: withKey })],
    [201, send('/v1/things', { method: 'POST', headers: json, payload: '{"name":"Brick","weight":7}' })],
    [400, send('/v1/things?limit=0', { headers: withKey })],
    [400, send('/v1/%ff', { headers: withKey })],
    [400, send('/v1/things', { headers: { ...withKey, host: 'a b' } })],
    [401, send('/v1/things')],
    [401, send('/v1/things', { headers: { authorization: `Bearer ${newApiKey()}` } })],
    [401, send('/v1/%ff')],
    [404, send('/v1/things/9', { headers: withKey })],
    [404, send('/v1/nothing', { headers: withKey })],
    [404, send('/nothing')],
    [405, send('/v1/things', { method: 'TRACE', headers: withKey })],
    [413, send('/v1/things', { method: 'POST', headers: json, payload: ' '.repeat(70_000) })],
    [414, send(`/v1/things?shape=${'x'.repeat(8000)}`, { headers: withKey })],
    [415, send('/v1/things', { method: 'POST', headers: { ...json, 'content-type': 'text/plain' }, payload: 'Brick' })],
    [501, send('/v1/plans', { headers: withKey })],
    [503, broken('/v1/things', { headers: withKey })],
    [200, send('/openapi.yaml')],
    [200, send('/docs/')]
  ]
  for (const [status, response] of expected) {
    const { statusCode, headers, raw } = await response
    const what = `${raw.req.method} ${raw.req.url} ${status}`
    t.equal(statusCode, status, what)
    t.equal(headers['access-control-allow-origin'], shop, what)
    t.equal(headers['access-control-allow-credentials'], undefined)
    t.equal(headers['access-control-allow-methods'], undefined)
    t.ok(names(headers.vary).includes('Origin'), what)
    t.strictSame(names(headers['access-control-expose-headers']).toSorted(), exposed, what)
  }
})

t.test('HTTP errors come before a preflight', async t => {
  const app = await buildFixtureApp(t, { corsOrigins })
  for (const [more, expected, code] of [
    ['', 400, 'malformed_request'],
    ['Host: a\r\nHost: a\r\n', 400, 'malformed_request'],
    ['Host: a\r\nExpect: gold\r\n', 417, 'expectation_failed']
  ] as const) {
    const connection = await openConnection(t, app)
    connection.send(
      `OPTIONS /v1/things HTTP/1.1\r\n${more}Origin: ${shop}\r\nAccess-Control-Request-Method: GET\r\n\r\n`
    )
    const { status, headers, body } = await connection.response('OPTIONS')
    t.equal(status, expected)
    t.equal(headers['access-control-allow-origin'], shop)
    t.equal(headers['access-control-allow-methods'], undefined)
    t.match(body, code)
  }
})

t.test('a page can read the errors for an unmet expectation and an unknown transfer coding, too', async t => {
  const app = await buildFixtureApp(t, { corsOrigins })
  for (const [more, expected] of [
    ['Expect: gold', 417],
    ['Transfer-Encoding: gzip, chunked', 501]
  ] as const) {
    const connection = await openConnection(t, app)
    connection.send(`POST /v1/things HTTP/1.1\r\nHost: a\r\nOrigin: ${shop}\r\n${more}\r\n\r\n`)
    const { status, headers } = await connection.response()
    t.equal(status, expected)
    t.equal(headers.vary, 'Origin')
    t.equal(headers['access-control-allow-origin'], shop)
    t.ok(names(headers['access-control-expose-headers']).includes('X-Request-Id'))
  }
})

t.test('of too many pipelined preflights, the first get responses, then the connection is closed', async t => {
  const app = await buildFixtureApp(t, { corsOrigins })
  const connection = await openConnection(t, app)
  connection.send(
    `OPTIONS /v1/things HTTP/1.1\r\nHost: a\r\nOrigin: ${shop}\r\nAccess-Control-Request-Method: GET\r\n\r\n`.repeat(
      400
    )
  )
  let received = 0
  for (let isOpen = true; isOpen; received++) {
    const { status, headers } = await connection.response('OPTIONS')
    if (status !== 204) t.equal(status, 204)
    isOpen = headers.connection !== 'close' && received < 399
  }
  connection.finish()
  t.equal(await connection.rest(), '')
  t.ok(received > 50 && received < 200, `${received} responses`)
})

t.test('OPTIONS without the headers of a preflight lists the methods, as without CORS', async t => {
  const send = await startSender(t)
  const response = await send('/v1/things', { method: 'OPTIONS' })
  t.equal(response.statusCode, 204)
  t.equal(response.headers.allow, allow)
  t.equal(response.headers['access-control-allow-origin'], shop)
  t.equal(response.headers['access-control-allow-methods'], undefined)
  t.equal((await send('/v1/nothing', { method: 'OPTIONS' })).statusCode, 404)
})

t.test('requests from other origins are not rejected, but get no CORS headers', async t => {
  const app = await buildFixtureApp(t, { corsOrigins })
  const plain = await app.inject({ url: '/v1/things', headers: withKey })
  t.equal(plain.headers.vary, 'Origin')
  t.strictSame(corsOf(plain.headers), {})
  for (const origin of foreign) {
    const response = await app.inject({ url: '/v1/things', headers: { ...withKey, origin } })
    t.equal(response.statusCode, 200, origin)
    t.equal(response.headers.vary, 'Origin', 'a cache must not serve this response to an allowed origin')
    t.strictSame(corsOf(response.headers), {}, origin)
    const preflighted = await app.inject({ url: '/v1/things', ...preflight, headers: { ...preflight.headers, origin } })
    t.equal(preflighted.statusCode, 204)
    t.equal(preflighted.headers.allow, allow)
    t.strictSame(corsOf(preflighted.headers), {}, origin)
  }
})

t.test('request headers that the operator configures are allowed as well', async t => {
  const send = await startSender(t, { corsRequestHeaders: ['X-Client-Version', 'X-Datadog-Trace-Id'] })
  const { headers } = await send('/v1/things', preflight)
  t.equal(headers['access-control-allow-headers'], `${readHere}, X-Client-Version, X-Datadog-Trace-Id`)
})

t.test('request and response headers of a mock are allowed as well', async t => {
  const mock: Mock = {
    headers: { requestHeaders: ['Prefer'], responseHeaders: ['Preference-Applied', 'Link'] },
    standIn: () => ({ preParsing: (_request, _reply, _payload, done) => done() })
  }
  const send = await startSender(t, { mock })
  const { headers } = await send('/v1/things', preflight)
  t.equal(headers['access-control-allow-headers'], `${readHere}, Prefer`)
  const { headers: received } = await send('/v1/things')
  t.strictSame(
    names(received['access-control-expose-headers']).toSorted(),
    [...exposed, 'Preference-Applied'].toSorted()
  )
})

t.test('in a browser, a page of an allowed origin can call the service, and one of another origin cannot', async t => {
  const pages = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>A shop</title>')
  }).listen(0)
  t.teardown(() => pages.close())
  await once(pages, 'listening')
  const { port } = pages.address() as AddressInfo
  const app = await buildFixtureApp(t, {
    corsOrigins: [`http://localhost:${port}`],
    handlers: { listThings: async () => ({ status: 200, body: [], headers: { Link: '<?above=1>; rel="next"' } }) }
  })
  const service = await app.listen({ host: '127.0.0.1', port: 0 })

  const page = await newPage(t)
  /** What a script on the page can read. */
  const call = (path: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}) =>
    page.evaluate(
      ([url, options]) =>
        fetch(url, options).then(
          async response => ({ status: response.status, headers: [...response.headers], text: await response.text() }),
          error => ({ error: String(error) })
        ),
      [service + path, { headers: withKey, ...init }] as const
    )

  await page.goto(`http://localhost:${port}/`)
  const listed = await call('/v1/things?limit=1')
  t.match(listed, { status: 200, text: '[]' })
  const headers = 'headers' in listed ? Object.fromEntries(listed.headers) : {}
  t.equal(headers.link, '<?above=1>; rel="next"')
  const created = await call('/v1/things', {
    method: 'POST',
    headers: { ...withKey, 'content-type': 'application/json' },
    body: '{"name":"Tile","weight":8}'
  })
  t.match(created, { status: 201, text: /"name":"Tile"/ })
  t.ok('headers' in created && created.headers.some(([name, value]) => name === 'location' && value === 'things/2'))
  const traced = {
    ...withKey,
    'x-request-id': 'mine',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    tracestate: 'a=b',
    baggage: 'sentry-release=1',
    'sentry-trace': '4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1'
  }
  t.match(await call('/v1/things', { headers: traced }), { status: 200 }, 'with a tracing SDK')
  t.match(await call('/v1/things', { headers: { ...traced, 'x-client-version': '7' } }), { error: /Failed to fetch/ })
  const keyless = await call('/v1/things', { headers: {} })
  t.match(keyless, { status: 401, text: /api_key_missing/ })
  t.ok('headers' in keyless && keyless.headers.some(([name]) => name === 'www-authenticate'))
  t.match(await call('/v1/nothing'), { status: 404, text: /path_not_found/ })

  await page.goto(`http://127.0.0.1:${port}/`)
  t.match(await call('/v1/things'), { error: 'TypeError: Failed to fetch' })
})
