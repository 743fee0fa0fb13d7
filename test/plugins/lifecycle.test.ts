import { readFileSync } from 'node:fs'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import type { AnimalStoreOptions } from '../../src/animal-store.ts'
import { newApiKey } from '../../src/api-key.ts'
import type { AnimalStore } from '../../src/store/pets.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { newPet, newRex } from '../animals.ts'
import { buildTestApp, withKey } from '../build-test-app.ts'

// What people have written, read with nothing of ours; a date alone stays a text.
const contract = parse(readFileSync(new URL('../../openapi/petstore.yaml', import.meta.url), 'utf8'), {
  schema: 'failsafe'
})
const getPet = contract.paths['/pets/{petId}'].get
const since = Date.UTC(...dateOf(getPet['x-deprecated-since']))
const removal = Date.UTC(...dateOf(getPet['x-sunset']))

function dateOf(text: string): [number, number, number] {
  const [year = NaN, month = NaN, day = NaN] = text.split('-').map(Number)
  return [year, month - 1, day]
}

const names = ['deprecation', 'sunset', 'link']

const checkAnnounced = (t: Test, { headers }: LightMyRequestResponse, url: string) => {
  t.equal(headers.deprecation, `@${since / 1000}`)
  t.equal(headers.sunset, new Date(removal).toUTCString())
  const links = String(headers.link)
    .split(', ')
    .map(link => {
      const [, reference = '', relation] = /^<([^>]*)>; rel="([a-z-]+)"(?:; type="text\/html")?$/.exec(link) ?? []
      return [relation, new URL(reference, `http://a.example/prefix${url}`).href]
    })
  const page = `http://a.example/prefix/${getPet['x-deprecation-page']}`
  t.strictSame(Object.fromEntries(links), {
    'successor-version': 'http://a.example/prefix/v1/pets',
    deprecation: page,
    sunset: page
  })
}

const checkNotAnnounced = (t: Test, { headers }: LightMyRequestResponse, what: string) => {
  t.equal(headers.deprecation, undefined, what)
  t.equal(headers.sunset, undefined, what)
  t.notMatch(headers.link ?? '', /successor-version|deprecation|sunset/, what)
}

const appWithRex = async (t: Test, options: Partial<AnimalStoreOptions> = {}) => {
  const store = options.store ?? openSqliteStore({ path: ':memory:' })
  t.teardown(() => store.close())
  await store.pets.create(newPet())
  return buildTestApp(t, { ...options, store })
}

t.test('the dates are those that the text of the contract names', async t => {
  const inWords = (time: number) =>
    new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(time)
  t.equal(getPet['x-deprecated-sunset'], getPet['x-sunset'])
  const text = `Deprecated since ${inWords(since)}, to be removed on ${inWords(removal)}:`
  t.match(getPet.description.replaceAll('\n', ' '), text)
})

t.test('every answer of getPet says since when, until when, and what instead', async t => {
  const app = await appWithRex(t)
  const asked: [string, number, InjectOptions['headers']?][] = [
    ['/v1/pets/1', 200, withKey],
    ['/v1/pets/x', 400, withKey],
    ['/v1/pets/9223372036854775808', 400, withKey],
    ['/v1/pets/1?x=1', 400, withKey],
    ['/v1/pets/1', 401],
    ['/v1/pets/1', 401, { authorization: 'Bearer x' }],
    ['/v1/pets/x', 401],
    ['/v1/pets/9', 404, withKey],
    ['/v1/pets/-9223372036854775808', 404, withKey]
  ]
  for (const [url, status, headers = {}] of asked) {
    for (const method of ['GET', 'HEAD'] as const) {
      await t.test(`${method} ${url} ${status}`, async t => {
        const res = await app.inject({ method, url, headers })
        t.equal(res.statusCode, status)
        checkAnnounced(t, res, url)
      })
    }
  }

  const thrown: [number, unknown][] = [
    [500, new Error('x')],
    [500, undefined],
    [503, new StoreUnavailable('x')]
  ]
  for (const [status, error] of thrown) {
    const store = openSqliteStore({ path: ':memory:' })
    t.teardown(() => store.close())
    const fail = () => {
      throw error
    }
    const stores: AnimalStore[] = [
      { ...store, pets: { ...store.pets, get: async () => fail() } },
      { ...store, keys: { ...store.keys, use: fail } }
    ]
    for (const [index, broken] of stores.entries()) {
      const failing = await buildTestApp(t, { store: broken })
      // A key that the settings do not have, for which the store is asked.
      const headers = index === 0 ? withKey : { authorization: `Bearer ${newApiKey()}` }
      const res = await failing.inject({ url: '/v1/pets/1', headers })
      t.equal(res.statusCode, status)
      checkAnnounced(t, res, '/v1/pets/1')
    }
  }
})

t.test('no other answer says so', async t => {
  const app = await appWithRex(t)
  const others: InjectOptions[] = [
    { url: '/v1/pets', headers: withKey },
    { url: '/v1/pets?limit=0', headers: withKey },
    { url: '/v1/pets' },
    { method: 'POST', url: '/v1/pets', headers: withKey, payload: newRex },
    { method: 'POST', url: '/v1/pets', headers: withKey, payload: {} },
    { url: '/v1/store/orders', headers: withKey },
    { url: '/v1/store/orders' },
    { url: '/v1/pets/', headers: withKey },
    { url: '/v1/pets/1/2', headers: withKey },
    { url: '/v1/pets/%ff', headers: withKey },
    { url: '/v1/dogs', headers: withKey },
    { method: 'TRACE', url: '/v1/pets/1', headers: withKey },
    { method: 'OPTIONS', url: '/v1/pets/1' },
    { url: '/' },
    { url: '/docs/' },
    { url: '/openapi.yaml' }
  ]
  for (const request of others) checkNotAnnounced(t, await app.inject(request), `${request.method} ${request.url}`)
})

t.test('before its removal date a deprecated operation works as ever, whatever the setting', async t => {
  for (const removedOperations of ['answer', 'gone'] as const) {
    const lines: string[] = []
    const app = await appWithRex(t, {
      removedOperations,
      now: () => removal - 1,
      logger: { stream: { write: line => void lines.push(line) } }
    })
    const res = await app.inject({ url: '/v1/pets/1', headers: withKey })
    t.equal(res.statusCode, 200)
    const created = await app.inject({
      method: 'POST',
      url: '/v1/pets',
      headers: withKey,
      payload: newRex
    })
    t.equal(created.headers.location, 'pets/2')
    t.strictSame(
      lines.filter(line => JSON.parse(line).level > 30),
      []
    )
  }
})

t.test('from its removal date on it answers as ever and warns once', async t => {
  const lines: string[] = []
  const app = await appWithRex(t, { now: () => removal, logger: { stream: { write: line => void lines.push(line) } } })
  const warnings = () => lines.filter(line => line.includes('getPet is still called'))
  t.equal((await app.inject({ url: '/v1/pets', headers: withKey })).statusCode, 200)
  t.equal((await app.inject({ url: '/v1/pets/1' })).statusCode, 401)
  t.equal(warnings().length, 0, 'not for those who may not call it')
  for (let i = 0; i < 3; i++) {
    const res = await app.inject({ url: '/v1/pets/1', headers: withKey })
    t.equal(res.statusCode, 200)
    checkAnnounced(t, res, '/v1/pets/1')
  }
  t.equal(warnings().length, 1)
  t.match(warnings()[0], '"level":40')
  t.match(warnings()[0], `to be removed on ${getPet['x-sunset']}`)
})

t.test('switched off, it answers 410 to who has a key, and nothing leads to it any more', async t => {
  let now = removal - 1
  const app = await appWithRex(t, { removedOperations: 'gone', now: () => now })
  const ask = (url: string, headers: InjectOptions['headers'] = withKey, method: 'GET' | 'HEAD' = 'GET') =>
    app.inject({ method, url, headers })
  t.equal((await ask('/v1/pets/1')).statusCode, 200)
  now = removal
  for (const url of ['/v1/pets/1', '/v1/pets/9', '/v1/pets/x', '/v1/pets/1?x=1']) {
    const res = await ask(url)
    t.strictSame(res.json(), {
      code: 'operation_removed',
      message: `getPet was removed on ${getPet['x-sunset']}; use listPets instead.`,
      status: 410
    })
    checkAnnounced(t, res, url)
    t.equal((await ask(url, withKey, 'HEAD')).statusCode, 410)
    t.equal((await ask(url, {})).statusCode, 401, 'the key first')
  }
  t.equal((await ask('/v1/pets/')).statusCode, 404)
  t.equal((await app.inject({ method: 'TRACE', url: '/v1/pets/1', headers: withKey })).statusCode, 405)
  t.equal((await ask('/v1/pets')).statusCode, 200)
  const created = await app.inject({
    method: 'POST',
    url: '/v1/pets',
    headers: withKey,
    payload: newRex
  })
  t.equal(created.statusCode, 201)
  for (const name of ['location', ...names]) t.equal(created.headers[name], undefined)
})
