import type { InjectOptions } from 'fastify'
import t from 'tap'
import { processBounds } from '../../src/http/overload.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { buildFixtureApp, withKey } from '../fixture-app.ts'
import { openConnection } from './connection.ts'

const corsOrigins = ['https://shop.example']
const json = { ...withKey, 'content-type': 'application/json' }

t.test('every response has nosniff and no-store', async t => {
  const app = await buildFixtureApp(t, { corsOrigins, rateLimit: { requests: 20, windowSeconds: 60 } })
  const expected: [number, InjectOptions][] = [
    [200, { url: '/v1/things', headers: withKey }],
    [200, { method: 'HEAD', url: '/v1/things', headers: withKey }],
    [201, { method: 'POST', url: '/v1/things', headers: json, payload: '{"name":"<script>","weight":7}' }],
    [200, { url: '/v1/things/1', headers: withKey }],
    [400, { url: '/v1/things?limit=0', headers: withKey }],
    [400, { url: '/v1/%ff', headers: withKey }],
    [400, { url: '/%ff' }],
    [400, { url: '/v1/things', headers: { host: 'a b' } }],
    [401, { url: '/v1/things' }],
    [401, { url: '/v1/%ff' }],
    [404, { url: '/v1/things/9', headers: withKey }],
    [404, { url: '/v1/nothing', headers: withKey }],
    [404, { url: '/nothing' }],
    [405, { method: 'TRACE', url: '/v1/things', headers: withKey }],
    [413, { method: 'POST', url: '/v1/things', headers: json, payload: ' '.repeat(70_000) }],
    [414, { url: `/v1/things?${'x'.repeat(8000)}` }],
    [501, { url: '/v1/plans', headers: withKey }],
    [204, { method: 'OPTIONS', url: '/v1/things' }],
    [
      204,
      {
        method: 'OPTIONS',
        url: '/v1/things',
        headers: { origin: corsOrigins[0], 'access-control-request-method': 'GET' }
      }
    ],
    [302, { url: '/' }]
  ]
  for (const [status, request] of expected) {
    const { statusCode, headers } = await app.inject(request)
    t.equal(statusCode, status, `${request.method} ${request.url}`)
    t.equal(headers['x-content-type-options'], 'nosniff')
    t.equal(headers['cache-control'], 'no-store')
  }
  for (const options of [
    { overload: { ...processBounds(), heapBytes: -1 } },
    { handlers: { listThings: () => Promise.reject(new StoreUnavailable('locked')) } },
    { handlers: { listThings: () => Promise.reject(new Error('x')) } },
    { rateLimit: { requests: 0, windowSeconds: 60 } }
  ]) {
    const { statusCode, headers } = await (await buildFixtureApp(t, options)).inject({
      url: '/v1/things',
      headers: withKey
    })
    t.ok([429, 500, 503].includes(statusCode))
    t.match(headers, { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
  }
})

t.test('responses to invalid requests have them, too', async t => {
  const app = await buildFixtureApp(t)
  for (const [status, bytes] of [
    [400, 'nonsense\r\n\r\n'],
    [400, 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n'],
    [417, 'GET /v1/things HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n'],
    [431, `GET /v1/things HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`]
  ] as const) {
    const connection = await openConnection(t, app)
    connection.send(bytes)
    const response = await connection.response()
    t.equal(response.status, status)
    t.match(response.headers, { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
  }
})

t.test('the documentation has its own caching and its own content security policy', async t => {
  const app = await buildFixtureApp(t)
  for (const url of ['/docs/', '/docs/static/swagger-ui-bundle.js', '/openapi.yaml', '/openapi.json']) {
    const first = await app.inject(url)
    const { etag } = first.headers
    const again = await app.inject({ url, headers: { 'if-none-match': String(etag) } })
    t.equal(again.statusCode, 304)
    for (const { headers } of [first, again]) {
      t.equal(headers['x-content-type-options'], 'nosniff', url)
      t.equal(headers['cache-control'], 'no-cache')
      const isPage = url.startsWith('/docs/')
      t.equal(headers['referrer-policy'], isPage ? 'no-referrer' : undefined)
      t.equal(String(headers['content-security-policy']).includes("frame-ancestors 'none'"), isPage)
    }
  }
})
