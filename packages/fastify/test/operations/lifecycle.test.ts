import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import t, { type Test } from 'tap'
import { newApiKey } from '../../src/api-keys/api-key.ts'
import { isGoneBy } from '../../src/operations/lifecycle.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { buildFixtureApp, contract, withKey } from '../fixture-app.ts'
import { openFixtureStore } from '../fixture-store.ts'
import { logged } from '../observability/logged.ts'

const removal = Date.UTC(2030, 11, 5)

const checkAnnounced = (t: Test, { headers }: LightMyRequestResponse, url: string) => {
  t.equal(headers.deprecation, `@${Date.UTC(2026, 10, 20) / 1000}`)
  t.equal(headers.sunset, 'Thu, 05 Dec 2030 00:00:00 GMT')
  const links = String(headers.link)
    .split(', ')
    .map(link => {
      const [, reference = '', relation] = /^<([^>]*)>; rel="([a-z-]+)"(?:; type="text\/html")?$/.exec(link) ?? []
      return [relation, new URL(reference, `http://a.example/prefix${url}`).href]
    })
  const page = 'http://a.example/prefix/docs/#/things/getThing'
  t.strictSame(Object.fromEntries(links), {
    'successor-version': 'http://a.example/prefix/v1/things',
    deprecation: page,
    sunset: page
  })
}

const checkNotAnnounced = (t: Test, { headers }: LightMyRequestResponse, what: string) => {
  t.equal(headers.deprecation, undefined, what)
  t.equal(headers.sunset, undefined, what)
  t.notMatch(headers.link ?? '', /successor-version|deprecation|sunset/, what)
}

const newBrick = { name: 'Brick', weight: 7 }

t.test('every response of getThing has its deprecation and removal dates, and its replacement', async t => {
  const app = await buildFixtureApp(t)
  const requested: [string, number, InjectOptions['headers']?][] = [
    ['/v1/things/1', 200, withKey],
    ['/v1/things/x', 400, withKey],
    ['/v1/things/9223372036854775808', 400, withKey],
    ['/v1/things/1?x=1', 400, withKey],
    ['/v1/things/1', 401],
    ['/v1/things/1', 401, { authorization: 'Bearer x' }],
    ['/v1/things/x', 401],
    ['/v1/things/9', 404, withKey],
    ['/v1/things/9223372036854775807', 404, withKey]
  ]
  for (const [url, status, headers = {}] of requested) {
    for (const method of ['GET', 'HEAD'] as const) {
      const res = await app.inject({ method, url, headers })
      t.equal(res.statusCode, status, `${method} ${url}`)
      checkAnnounced(t, res, url)
    }
  }

  const thrown: [number, unknown][] = [
    [500, new Error('x')],
    [500, undefined],
    [503, new StoreUnavailable('x')]
  ]
  for (const [status, error] of thrown) {
    const fail = () => {
      throw error
    }
    const { keys, ...store } = openFixtureStore()
    t.teardown(() => store.close())
    for (const [options, headers] of [
      [{ handlers: { getThing: async () => fail() } }, withKey],
      // A key that is not configured, so it is looked up in the store.
      [{ store: { ...store, keys: { ...keys, use: fail } } }, { authorization: `Bearer ${newApiKey()}` }]
    ] as const) {
      const res = await (await buildFixtureApp(t, options)).inject({ url: '/v1/things/1', headers })
      t.equal(res.statusCode, status)
      checkAnnounced(t, res, '/v1/things/1')
    }
  }
})

t.test('no other response has these headers', async t => {
  const app = await buildFixtureApp(t)
  const others: InjectOptions[] = [
    { url: '/v1/things', headers: withKey },
    { url: '/v1/things?limit=0', headers: withKey },
    { url: '/v1/things' },
    { method: 'POST', url: '/v1/things', headers: withKey, payload: newBrick },
    { method: 'POST', url: '/v1/things', headers: withKey, payload: {} },
    { url: '/v1/plans', headers: withKey },
    { url: '/v1/plans' },
    { url: '/v1/things/', headers: withKey },
    { url: '/v1/things/1/2', headers: withKey },
    { url: '/v1/things/%ff', headers: withKey },
    { url: '/v1/nothing', headers: withKey },
    { method: 'TRACE', url: '/v1/things/1', headers: withKey },
    { method: 'OPTIONS', url: '/v1/things/1' },
    { url: '/' },
    { url: '/docs/' },
    { url: '/openapi.yaml' }
  ]
  for (const request of others) checkNotAnnounced(t, await app.inject(request), `${request.method} ${request.url}`)
})

t.test('before its removal date, a deprecated operation works as usual, whatever the setting', async t => {
  for (const removedOperations of ['answer', 'gone'] as const) {
    const { lines, logger } = logged()
    const app = await buildFixtureApp(t, { removedOperations, now: () => removal - 1, logger })
    const res = await app.inject({ url: '/v1/things/1', headers: withKey })
    t.equal(res.statusCode, 200)
    t.strictSame(lines, [])
  }
})

t.test('from its removal date on, the operation still works, and one warning is logged', async t => {
  for (const setting of [{}, { removedOperations: 'answer' }] as const) {
    const { lines, logger } = logged()
    const app = await buildFixtureApp(t, { ...setting, now: () => removal, logger })
    t.equal((await app.inject({ url: '/v1/things', headers: withKey })).statusCode, 200)
    t.equal((await app.inject({ url: '/v1/things/1' })).statusCode, 401)
    t.strictSame(lines, [], 'no warning for requests without a valid key')
    for (let i = 0; i < 3; i++) {
      const res = await app.inject({ url: '/v1/things/1', headers: withKey })
      t.equal(res.statusCode, 200)
      checkAnnounced(t, res, '/v1/things/1')
    }
    t.match(lines, [{ level: 40, msg: 'getThing is still called after its removal date, 2030-12-05' }])
    t.equal(lines.length, 1)
  }
})

t.test('switched off, the operation is a 410 with a valid key, and other operations work as usual', async t => {
  let now = removal - 1
  const app = await buildFixtureApp(t, { removedOperations: 'gone', now: () => now })
  const send = (url: string, headers: InjectOptions['headers'] = withKey, method: 'GET' | 'HEAD' = 'GET') =>
    app.inject({ method, url, headers })
  t.equal((await send('/v1/things/1')).statusCode, 200)
  now = removal
  for (const url of ['/v1/things/1', '/v1/things/9', '/v1/things/x', '/v1/things/1?x=1']) {
    const res = await send(url)
    t.strictSame(res.json(), {
      code: 'operation_removed',
      message: 'getThing was removed on 2030-12-05; use listThings instead.',
      status: 410
    })
    checkAnnounced(t, res, url)
    t.equal((await send(url, withKey, 'HEAD')).statusCode, 410)
    t.equal((await send(url, {})).statusCode, 401, 'the key is checked first')
  }
  t.equal((await send('/v1/things/')).statusCode, 404)
  t.equal((await app.inject({ method: 'TRACE', url: '/v1/things/1', headers: withKey })).statusCode, 405)
  t.equal((await send('/v1/things')).statusCode, 200)
  for (const method of ['OPTIONS', 'PATCH'] as const)
    t.ok((await app.inject({ method, url: '/v1/things/1', headers: withKey })).statusCode < 300)
})

t.test('an operation that is deprecated without a removal date is never a 410', t => {
  const isGone = isGoneBy({ removedOperations: 'gone', now: () => removal })
  const { getThing } = contract.operations
  if (getThing === undefined) throw new Error('the fixture has getThing')
  t.equal(isGone(getThing), true)
  const headers = { Deprecation: '@1795132800' }
  t.equal(isGone({ ...getThing, lifecycle: { deprecation: { headers } } }), false)
  t.end()
})
