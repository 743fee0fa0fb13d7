import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { clock } from '../../../../test/clock.ts'
import { startServer } from '../../../../test/start-server.ts'
import { newApiKey } from '../../src/api-keys/api-key.ts'
import { FixedWindowStore } from '../../src/http/rate-limit.ts'
import { issueKey } from '../../src/store/issue-key.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { buildFixtureApp, type FixtureOptions, withKey } from '../fixture-app.ts'
import { openFixtureStore } from '../fixture-store.ts'
import { openConnection } from './connection.ts'

const fieldsOf = (headers: Record<string, unknown>) =>
  Object.fromEntries(['ratelimit-policy', 'ratelimit', 'retry-after'].map(name => [name, headers[name]]))
const none = { 'ratelimit-policy': undefined, ratelimit: undefined, 'retry-after': undefined }
const bearing = (key: string) => ({ authorization: `Bearer ${key}` })
const badKey = bearing('x')

const start = async (t: Test, options: FixtureOptions) => {
  const app = await buildFixtureApp(t, options)
  return (request: InjectOptions = {}) => app.inject({ url: '/v1/things', headers: withKey, ...request })
}

t.test('without the setting there is no limit, and no rate limit header', async t => {
  const send = await start(t, {})
  for (let i = 0; i < 200; i++) t.strictSame(fieldsOf((await send()).headers), none)
  for (let i = 0; i < 200; i++) t.equal((await send({ headers: badKey })).statusCode, 401)
})

t.test('a key sees its remaining quota; further requests get a 429 until the window ends', async t => {
  const { pass } = clock(t)
  const send = await start(t, { rateLimit: { requests: 3, windowSeconds: 60 } })
  const policy = '"default";q=3;w=60'
  const allowed = async (left: number, seconds: number) => {
    const { statusCode, headers } = await send()
    t.equal(statusCode, 200)
    t.strictSame(fieldsOf(headers), {
      'ratelimit-policy': policy,
      ratelimit: `"default";r=${left};t=${seconds}`,
      'retry-after': undefined
    })
  }
  const refused = async (seconds: number, inWords: string) => {
    const response = await send()
    t.strictSame(response.json(), {
      code: 'rate_limited',
      message: `Too many requests; try again in ${inWords}.`,
      status: 429
    })
    t.strictSame(fieldsOf(response.headers), {
      'ratelimit-policy': policy,
      ratelimit: `"default";r=0;t=${seconds}`,
      'retry-after': String(seconds)
    })
  }
  await allowed(2, 60)
  pass(1)
  await allowed(1, 60)
  pass(1000)
  await allowed(0, 59)
  await refused(59, '59 seconds')
  // Rejected requests do not extend the window.
  pass(57_998)
  await refused(2, '2 seconds')
  pass(1)
  await refused(1, '1 second')
  pass(999.5)
  await refused(1, '1 second')
  pass(0.5)
  await allowed(2, 60)
  pass(1_000_000)
  await allowed(2, 60)
})

t.test('the wall clock has no effect', async t => {
  const { pass } = clock(t)
  const send = await start(t, { rateLimit: { requests: 1, windowSeconds: 10 } })
  t.equal((await send()).statusCode, 200)
  const yesterday = Date.now() - 86_400_000
  t.intercept(Date, 'now', { value: () => yesterday })
  t.equal((await send()).headers['retry-after'], '10')
  pass(10_000)
  t.equal((await send()).statusCode, 200)
})

t.test('each key is counted separately, whatever the IP address', async t => {
  clock(t)
  const store = openFixtureStore()
  t.teardown(() => store.close())
  const [configured, stored, both] = [newApiKey(), await issueKey(store.keys), await issueKey(store.keys)]
  const send = await start(t, { store, apiKeys: [configured, both], rateLimit: { requests: 2, windowSeconds: 60 } })
  for (const expected of [200, 200, 429]) {
    for (const key of [configured, stored, both]) t.equal((await send({ headers: bearing(key) })).statusCode, expected)
  }
  t.equal((await send()).statusCode, 200)
})

t.test('responses have the headers if, and only if, the key is valid', async t => {
  clock(t)
  const options = {
    rateLimit: { requests: 100, windowSeconds: 60 },
    authFailureLimit: { requests: 1, windowSeconds: 60 }
  }
  const send = await start(t, options)
  const json = { ...withKey, 'content-type': 'application/json' }
  const known: [number, InjectOptions][] = [
    [200, {}],
    [200, { method: 'HEAD' }],
    [201, { method: 'POST', headers: json, payload: '{"name":"Brick","weight":7}' }],
    [200, { url: '/v1/things/1' }],
    [400, { url: '/v1/things?limit=0' }],
    [400, { url: '/v1/things/x' }],
    [400, { url: '/v1/%ff' }],
    [400, { method: 'POST', headers: json, payload: '{' }],
    [404, { url: '/v1/things/9' }],
    [404, { url: '/v1/none' }],
    [405, { method: 'TRACE' }],
    [413, { method: 'POST', headers: json, payload: ' '.repeat(70_000) }],
    [415, { method: 'POST', headers: { ...json, 'content-type': 'text/plain' }, payload: 'Brick' }],
    [501, { url: '/v1/plans' }]
  ]
  let left = 100
  for (const [status, request] of known) {
    const { statusCode, headers } = await send(request)
    t.equal(statusCode, status)
    left--
    t.match(headers, { 'ratelimit-policy': '"default";q=100;w=60', ratelimit: `"default";r=${left};t=60` })
  }
  for (const [status, reason] of [
    [500, new Error('x')],
    [503, new StoreUnavailable('x')]
  ] as const) {
    const listThings = () => Promise.reject(reason)
    const broken = await start(t, { ...options, handlers: { listThings } })
    const { statusCode, headers } = await broken()
    t.equal(statusCode, status)
    t.match(headers, { 'ratelimit-policy': '"default";q=100;w=60', ratelimit: '"default";r=99;t=60' })
  }

  const unknown: [number, InjectOptions][] = [
    [401, { headers: {} }],
    [429, { headers: badKey }],
    [429, { url: '/v1/%ff', headers: badKey }],
    [400, { headers: { ...withKey, host: 'a b' } }],
    [414, { url: `/v1/things?shape=${'x'.repeat(8000)}` }],
    [204, { method: 'OPTIONS' }],
    [404, { url: '/nothing' }],
    [200, { url: '/openapi.json' }],
    [200, { url: '/docs/' }]
  ]
  for (const [status, request] of unknown) {
    const { statusCode, headers } = await send(request)
    t.equal(statusCode, status)
    t.match(fieldsOf(headers), { 'ratelimit-policy': undefined, ratelimit: undefined })
  }
  t.match((await send()).headers, { ratelimit: `"default";r=${left - 1};t=60` }, 'and none of them counts')
})

t.test('a path that cannot be decoded counts as well, before its 400', async t => {
  clock(t)
  const send = await start(t, { rateLimit: { requests: 1, windowSeconds: 60 } })
  const statuses = []
  for (const request of [
    { url: '/v1/%ff' },
    { url: '/v1/%ff' },
    {},
    { url: '/v1/%ff', headers: badKey },
    { url: '/%ff' }
  ])
    statuses.push((await send(request)).statusCode)
  t.strictSame(statuses, [400, 429, 429, 401, 400])
})

t.test('a rejected request whose body has not arrived closes its connection; no 100 Continue is sent', async t => {
  const app = await buildFixtureApp(t, { rateLimit: { requests: 1, windowSeconds: 60 } })
  // Mocked after the app has been built, since its teardown needs the real clock.
  clock(t)
  const connection = await openConnection(t, app)
  const head = `Host: x\r\nAuthorization: ${withKey.authorization}\r\n`
  connection.send(`GET /v1/things HTTP/1.1\r\n${head}\r\n`)
  t.equal((await connection.response()).status, 200)
  connection.send(
    `POST /v1/things HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`
  )
  const { status, headers } = await connection.response()
  t.equal(status, 429)
  t.equal(headers.connection, 'close')
  t.equal(await connection.rest(), '')
})

t.test('an IP address with too many rejected requests gets a 429; a valid key still works from there', async t => {
  const { pass } = clock(t)
  const app = await buildFixtureApp(t, { authFailureLimit: { requests: 3, windowSeconds: 60 } })
  const send = (headers: Record<string, string>, url = '/v1/things', remoteAddress = '10.0.0.1') =>
    app.inject({ url, headers, remoteAddress })
  const unknownKey = bearing(newApiKey())

  t.equal((await send({})).statusCode, 401, 'without a key')
  t.equal((await send({ authorization: 'Basic eDp5' })).statusCode, 401)
  t.equal((await send(unknownKey, '/v1/none')).statusCode, 401)
  t.equal((await send(withKey)).statusCode, 200)
  t.equal((await send({}, '/docs/')).statusCode, 200)
  for (const headers of [{}, badKey, unknownKey]) {
    for (const url of ['/v1/things', '/v1/things/1', '/v1/none', '/v1/%ff']) {
      const response = await send(headers, url)
      t.strictSame(response.json(), {
        code: 'rate_limited',
        message: 'Too many requests without a valid API key from this address; try again in 60 seconds.',
        status: 429
      })
      t.equal(response.headers['retry-after'], '60')
      t.equal(response.headers['www-authenticate'], undefined)
    }
    t.equal((await send(withKey)).statusCode, 200)
    t.equal((await send(headers, '/v1/things', '10.0.0.2')).statusCode, 401, 'another IP address')
  }
  pass(59_999)
  t.equal((await send({})).headers['retry-after'], '1')
  pass(1)
  t.equal((await send({})).statusCode, 401)
})

t.test('a key that the store cannot look up does not count as a failed authentication', async t => {
  clock(t)
  const store = openFixtureStore()
  await store.close()
  const send = await start(t, { store, authFailureLimit: { requests: 1, windowSeconds: 60 } })
  for (let i = 0; i < 3; i++) t.equal((await send({ headers: bearing(newApiKey()) })).statusCode, 503)
  t.equal((await send({ headers: {} })).statusCode, 401)
  t.equal((await send({ headers: {} })).statusCode, 429)
})

/** Sends requests without a key: the first of each client gets a 401, further ones a 429. */
const checkClients = async (
  t: Test,
  requests: readonly (readonly [InjectOptions, boolean, string?])[],
  options: FixtureOptions = {}
) => {
  clock(t)
  const send = await start(t, { authFailureLimit: { requests: 1, windowSeconds: 60 }, ...options })
  for (const [request, isFirst, what = request.remoteAddress ?? ''] of requests)
    t.equal((await send({ headers: {}, ...request })).statusCode, isFirst ? 401 : 429, what)
}

t.test('IPv6 addresses are counted per /64, IPv4 addresses individually', async t => {
  const from = (remoteAddress: string) => ({ remoteAddress })
  await checkClients(t, [
    [from('192.0.2.1'), true],
    [from('192.0.2.2'), true],
    [from('192.0.2.1'), false],
    [from('::ffff:192.0.2.1'), false],
    [from('::ffff:192.0.2.3'), true],
    [from('2001:db8:1:2::1'), true],
    [from('2001:db8:1:2:ffff:ffff:ffff:ffff'), false],
    [from('2001:DB8:1:2:0::7'), false],
    [from('2001:db8:1:3::1'), true],
    [from('fe80::1%eth0'), true]
  ])
})

t.test('only trusted proxies may state the IP address of the client', async t => {
  const said = (remoteAddress: string, forwarded: string): InjectOptions => ({
    remoteAddress,
    headers: { 'x-forwarded-for': forwarded, forwarded: `for=${forwarded}`, 'x-real-ip': forwarded }
  })
  await checkClients(t, [
    [said('192.0.2.1', '198.51.100.1'), true, 'without a proxy, the peer of the connection counts'],
    [said('192.0.2.1', '198.51.100.2'), false],
    [said('192.0.2.2', '10.0.0.1'), true]
  ])
  const proxied: [InjectOptions, boolean, string][] = [
    [said('10.0.0.1', '198.51.100.1'), true, 'a client of the proxy'],
    [said('10.0.0.1', '198.51.100.1'), false, 'again'],
    [said('10.0.0.1', '198.51.100.2'), true, 'another one'],
    [said('10.0.0.1', '203.0.113.9, 198.51.100.2'), false, 'claiming to be another client'],
    [said('10.0.0.1', '10.0.0.1, 198.51.100.2'), false, 'claiming to be the proxy'],
    [said('10.0.0.1', '198.51.100.3, 10.1.2.3'), true, 'behind two proxies'],
    [said('10.1.9.9', '198.51.100.3'), false, 'each of which is trusted'],
    [said('::ffff:10.0.0.1', '198.51.100.3'), false, 'an IPv4 address in IPv6 notation'],
    [said('2001:db8::5', '198.51.100.3'), false, 'a trusted IPv6 address'],
    [said('192.0.2.1', '198.51.100.4'), true, 'a client that is not a proxy'],
    [said('192.0.2.1', '198.51.100.5'), false, 'whatever it claims'],
    [said('10.0.0.1', '198.51.100.4'), true, 'no other client is affected'],
    [said('10.0.0.1', 'unknown'), true, 'not an IP address'],
    [said('10.0.0.1', 'x'.repeat(5000)), false, 'counts as the same client'],
    [said('10.0.0.1', '_hidden'), false, 'and so does this'],
    [{ remoteAddress: '10.0.0.1' }, true, 'the proxy itself']
  ]
  await checkClients(t, proxied, { trustProxy: ['10.0.0.1', '10.1.0.0/16', '2001:db8::/32'] })
})

/** Counts requests by name, in windows of this many milliseconds. */
const counter = (windowMs: number) => {
  const windows = new FixedWindowStore()
  return (name: string) => {
    let found = { current: 0, ttl: 0 }
    windows.incr(
      name,
      (_error, result) => {
        found = result
      },
      windowMs
    )
    return found
  }
}

t.test('the number of stored names is bounded', async t => {
  const { pass } = clock(t)
  const count = counter(60_000)
  t.equal(count('first').current, 1)
  t.equal(count('first').current, 2)
  for (let i = 0; i < 40_000; i++) count(`a${i}`)
  t.equal(count('first').current, 3)
  t.equal(count('a0').current, 2)
  for (let i = 0; i < 100_000; i++) count(`b${i}`)
  t.equal(count('first').current, 1, 'the oldest names are forgotten')
  t.equal(count('b99999').current, 2)
  for (let i = 0; i < 5; i++) {
    pass(59_999)
    t.equal(count(`c${i}`).current, 1)
    pass(2)
    t.equal(count(`c${i}`).current, 2, 'a window has its full length, whenever it begins')
    pass(59_997)
    t.equal(count(`c${i}`).current, 3)
    pass(1)
    t.equal(count(`c${i}`).current, 1)
  }
})

t.test('the service applies its settings, and pages of allowed origins may read the remaining quota', async t => {
  const origin = 'https://shop.example'
  const env = {
    RATE_LIMIT: '1/3600s',
    AUTH_FAILURE_LIMIT: '1/3600s',
    TRUST_PROXY: '127.0.0.0/8',
    CORS_ORIGINS: `https://other.example, ${origin}`
  }
  const server = await startServer(t, { cwd: t.testdir(), env })
  const send = (key: string | undefined, client: string) =>
    fetch(`${server.origin}/v1/none`, {
      headers: { ...bearing(key ?? ''), origin, 'x-forwarded-for': client, connection: 'close' }
    })
  const { status, headers } = await send(server.key, '192.0.2.1')
  t.equal(status, 404)
  t.equal(headers.get('ratelimit-policy'), '"default";q=1;w=3600')
  t.equal(headers.get('access-control-allow-origin'), origin)
  const exposed = String(headers.get('access-control-expose-headers')).split(', ')
  for (const name of ['RateLimit', 'RateLimit-Policy', 'Retry-After']) t.ok(exposed.includes(name), name)
  t.equal((await send(server.key, '192.0.2.1')).status, 429)
  t.equal((await send('x', '192.0.2.2')).status, 401)
  t.equal((await send('x', '192.0.2.2')).status, 429)
  t.equal((await send('x', '192.0.2.3')).status, 401)
})

t.test('at its beginning, a window lasts exactly as long as the policy says, without a rounding error', async t => {
  // From here on, every fifth sum of a time and a second is rounded up.
  const { pass } = clock(t, 3)
  const count = counter(1000)
  let longest = 0
  for (let i = 0; i < 1000; i++) {
    pass(0.137)
    longest = Math.max(longest, count(`name ${i}`).ttl)
  }
  t.equal(longest, 1000)
})
