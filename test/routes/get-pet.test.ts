import t, { type Test } from 'tap'
import type { Pet, PetStore } from '../../src/store/pets.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { aPet, byDefault, newPet, newRex } from '../animals.ts'
import { buildTestApp, withKey } from '../build-test-app.ts'
import { petstore } from '../petstore.ts'
import { rawRequest } from '../raw-request.ts'
import { allowOf, client, exact, fault, invalid } from './client.ts'
import { failingStore, logged } from './failing-store.ts'

const { contract } = petstore

const definition = contract.paths['/pets/{petId}'].get
const removalDate: string = definition['x-deprecated-sunset']
const removalMs = Date.parse(removalDate)
const lifecycle = {
  deprecation: `@${Date.parse(definition['x-deprecated-since']) / 1000}`,
  sunset: new Date(removalDate).toUTCString()
}
const { uriBytes } = contract['x-limits']
const range = 'an integer from -9223372036854775808 to 9223372036854775807'

const allow = allowOf('/pets/{petId}')

const start = async (t: Test) => client(await buildTestApp(t))

/** A store whose pets are these, whatever their ids. */
const storeOf = (get: PetStore['get']) => ({
  ...failingStore(undefined),
  pets: { ...failingStore(undefined).pets, get }
})

t.test('getPet: an animal is found by its id', async t => {
  const { create, get } = await start(t)
  const mia = { ...newRex, name: 'Mia', status: 'sold' }
  await create(newRex)
  const { id } = (await create(mia)).json()
  const response = await get(id)
  t.equal(response.statusCode, 200)
  t.strictSame(response.json(), { id, ...byDefault, ...mia })
  t.equal(response.headers['content-type'], 'application/json')
})

t.test('getPet: an unknown id is answered 404', async t => {
  const { get } = await start(t)
  for (const id of [
    '9',
    '0',
    '-1',
    '9007199254740991',
    '9007199254740993',
    '9223372036854775807',
    '-9223372036854775808'
  ]) {
    t.strictSame((await get(id)).json(), fault(404, 'pet_not_found', `No pet has id ${id}.`))
  }
})

t.test('getPet: the id is asked for exactly, and given exactly', async t => {
  const pet = newPet({ categoryId: -(2n ** 63n) })
  const asked: unknown[] = []
  const store = storeOf(async id => {
    asked.push(id)
    return { ...pet, id: 2n ** 53n - 1n }
  })
  const { get } = client(await buildTestApp(t, { store }))
  for (const id of [1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)]) {
    t.strictSame(exact(await get(id)), { ...pet, id: 2n ** 53n - 1n })
    t.equal(asked.pop(), id)
  }
})

t.test('getPet: an id beyond int64 is answered 400', async t => {
  const { get } = await start(t)
  const beyond = ['9223372036854775808', '-9223372036854775809', '18446744073709551617', '9'.repeat(50)]
  for (const id of beyond) {
    t.strictSame((await get(id)).json(), invalid(`path parameter petId must be ${range}, not ${id}.`))
  }
})

t.test('getPet: an id that is not in plain decimal digits is answered 400', async t => {
  const { get } = await start(t)
  for (const id of [
    'rex',
    '-0',
    '007',
    '-07',
    '00',
    '+1',
    '1.0',
    '1e2',
    '1.5',
    '0x10',
    '1_0',
    '1n',
    '-',
    '--1',
    ' 1',
    '1 ',
    '1,2',
    'null',
    'NaN',
    '١',
    '１',
    '%',
    '1/2',
    '1?',
    '#'
  ]) {
    t.strictSame(
      (await get(encodeURIComponent(id))).json(),
      invalid(`path parameter petId must be an integer in plain decimal digits, not "${id}".`)
    )
  }
  t.match((await get('%00')).json(), { code: 'invalid_request' })
  t.match((await get('1%0A')).json(), { code: 'invalid_request' })
})

t.test('getPet: an id may be percent-encoded', async t => {
  const { create, get } = await start(t)
  await create(newRex)
  t.strictSame((await get('%31')).json(), (await get('1')).json())
  t.match((await get('%2D1')).json(), { code: 'pet_not_found', message: 'No pet has id -1.' })
})

t.test('getPet: a long id is answered 400, up to the length that an address may have', async t => {
  const { get } = await start(t)
  const longest = uriBytes - '/v1/pets/'.length
  for (const length of [101, 1000, longest]) {
    for (const id of ['1'.repeat(length), 'x'.repeat(length), `-${'9'.repeat(length - 1)}`, '0'.repeat(length)]) {
      const { status, message } = (await get(id)).json()
      t.equal(status, 400)
      t.ok(message.startsWith('path parameter petId must be ') && message.length < 200, message)
    }
  }
  t.strictSame(
    (await get('1'.repeat(longest + 1))).json(),
    fault(414, 'uri_too_long', `The request's address is longer than ${uriBytes} bytes.`)
  )
})

t.test('getPet: an empty id is another address, which nothing has', async t => {
  const { get } = await start(t)
  t.strictSame((await get('')).json(), fault(404, 'path_not_found', 'Nothing is at /v1/pets/.'))
  t.match((await get('?x=1')).json(), { code: 'path_not_found' })
  t.match((await get('1/')).json(), { code: 'path_not_found' })
  t.match((await get('1/2')).json(), { code: 'path_not_found' })
})

t.test('getPet: a path that cannot be decoded is answered 400 with a key, 401 without', async t => {
  const app = await buildTestApp(t)
  for (const id of ['%', '%2', '%zz', '%ff', '%C3', '%C0%80', '%ED%A0%80']) {
    t.match((await client(app).get(id)).json(), { status: 400, code: 'malformed_path' }, id)
    t.match((await app.inject(`/v1/pets/${id}`)).json(), { status: 401, code: 'api_key_missing' }, id)
  }
})

t.test('getPet: a parameter that does not exist is answered 400', async t => {
  const { get } = await start(t)
  t.strictSame((await get('1?limit=5')).json(), invalid('query parameter "limit" does not exist; there is none.'))
  const both = (await get('rex?__proto__=5')).json()
  t.equal(both.status, 400)
  t.ok(both.message.includes('query parameter "__proto__" does not exist'), both.message)
  t.ok(both.message.includes('path parameter petId must be an integer'), both.message)
})

t.test('getPet: it is deprecated from and until the dates that the text of the contract names', async t => {
  const { headers } = await (await start(t)).get(1)
  t.match(headers, lifecycle)
  const inWords = (date: string) =>
    new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(Date.parse(date))
  const since = inWords(definition['x-deprecated-since'])
  const text = `Deprecated since ${since}, to be removed on ${inWords(removalDate)}:`
  t.match(definition.description.replaceAll('\n', ' '), text)
  t.equal(definition['x-sunset'], removalDate)
})

t.test('getPet: its links lead to listPets and to its documentation, from the address of the request on', async t => {
  const { headers } = await (await start(t)).get(1)
  t.strictSame(
    [...String(headers.link).matchAll(/<([^>]*)>/g)].map(
      ([, reference = '']) => new URL(reference, 'http://localhost/prefix/v1/pets/1').pathname
    ),
    ['/prefix/v1/pets', '/prefix/docs/', '/prefix/docs/']
  )
})

t.test('getPet: from its removal date on it is answered 410, if the operator wants it so', async t => {
  const { get } = client(await buildTestApp(t, { removedOperations: 'gone', now: () => removalMs }))
  const message = `getPet was removed on ${removalDate}; use ${definition['x-replaced-by']} instead.`
  t.strictSame((await get(1)).json(), fault(410, 'operation_removed', message))
})

t.test('getPet: HEAD has the headers of GET and no body', async t => {
  const app = await buildTestApp(t)
  await client(app).create(newRex)
  const gone = await buildTestApp(t, { removedOperations: 'gone', now: () => removalMs })
  for (const [service, url] of [
    [app, '/v1/pets/1'],
    [app, '/v1/pets/9'],
    [app, '/v1/pets/rex'],
    [app, '/v1/pets/%zz'],
    [app, '/v1/pets/'],
    [gone, '/v1/pets/1']
  ] as const) {
    const get = await service.inject({ method: 'GET', url, headers: withKey })
    const head = await service.inject({ method: 'HEAD', url, headers: withKey })
    t.equal(head.statusCode, get.statusCode)
    const { date: _, 'x-request-id': id, ...headers } = get.headers
    t.ok(id)
    t.match(head.headers, headers, url)
    const raw = await rawRequest(
      service,
      `HEAD ${url} HTTP/1.1\r\nHost: x\r\nAuthorization: ${withKey.authorization}\r\nConnection: close\r\n\r\n`
    )
    t.ok(raw.startsWith(`HTTP/1.1 ${get.statusCode} `) && raw.indexOf('\r\n\r\n') === raw.length - 4, raw)
  }
})

t.test('getPet: OPTIONS names the methods without a key, whatever the id, also when it is gone', async t => {
  for (const app of [
    await buildTestApp(t),
    await buildTestApp(t, { removedOperations: 'gone', now: () => removalMs })
  ]) {
    for (const id of ['1', 'rex']) {
      const response = await app.inject({ method: 'OPTIONS', url: `/v1/pets/${id}` })
      t.equal(response.statusCode, 204)
      t.equal(response.headers.allow, allow)
    }
  }
})

t.test('getPet: another method is answered 405, naming those there are', async t => {
  const app = await buildTestApp(t)
  const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'] as const
  for (const method of methods.filter(each => !allow.includes(each))) {
    const response = await app.inject({ method, url: '/v1/pets/1', headers: withKey, payload: '{' })
    t.strictSame(response.json(), fault(405, 'method_not_allowed', `This address has no ${method}, only ${allow}.`))
    t.equal(response.headers.allow, allow)
  }
})

t.test('getPet: an unknown parameter comes before an unknown id, and both before none', async t => {
  const { get } = await start(t)
  t.equal((await get('9?x')).json().code, 'invalid_request')
  t.equal((await get('9')).json().code, 'pet_not_found')
})

t.test('getPet: an address in absolute form is the same', async t => {
  const app = await buildTestApp(t)
  await client(app).create(newRex)
  const get = (target: string) =>
    rawRequest(
      app,
      `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${withKey.authorization}\r\nConnection: close\r\n\r\n`
    )
  t.match(await get('http://x/v1/pets/1'), /^HTTP\/1\.1 200 /)
  t.match(await get('HTTPS://x:99/v1/pets/rex'), /^HTTP\/1\.1 400 .*"invalid_request"/s)
  t.match(await get('http://x/v2/pets/1'), /^HTTP\/1\.1 404 .*"path_not_found"/s)
  t.match(await get('/v1/pets/..'), /^HTTP\/1\.1 400 .*"invalid_request"/s, 'and a client resolves dots, not we')
})

t.test('getPet: an invalid key is answered 401', async t => {
  const app = await buildTestApp(t)
  const response = await app.inject({ url: '/v1/pets/rex', headers: { authorization: 'Bearer nonsense' } })
  t.strictSame(response.json(), fault(401, 'api_key_invalid', 'The API key is not valid.'))
})

t.test('getPet: while the store is unavailable, the answer is 503 and says when to come back', async t => {
  const { lines, logger } = logged()
  const app = await buildTestApp(t, { store: failingStore(new StoreUnavailable('locked')), logger })
  const response = await client(app).get(1)
  t.strictSame(response.json(), fault(503, 'service_unavailable', 'The store cannot answer now; try again.'))
  t.equal(response.headers['retry-after'], '1')
  t.match(lines, [{ err: { type: 'StoreUnavailable', message: 'locked' } }])
})

t.test('getPet: any other failure is answered 500 and tells nothing; the log has it whole', async t => {
  for (const [thrown, shown] of [
    [new Error('SELECT secret'), 'SELECT secret'],
    [{ code: 'ERR_SECRET' }, 'ERR_SECRET'],
    [Object.assign(new Error('not for the client'), { statusCode: 404 }), 'not for the client'],
    [Object.assign(new Error('a code that objects know'), { code: 'toString' }), 'a code that objects know'],
    [Object.assign(new Error('another such code'), { code: '__proto__' }), 'another such code'],
    [Object.assign(new Error('a code that is none'), { code: { toString: null } }), 'a code that is none'],
    [undefined, 'undefined']
  ] as const) {
    const { lines, logger } = logged()
    const app = await buildTestApp(t, { store: failingStore(thrown), logger })
    t.strictSame((await client(app).get(1)).json(), fault(500, 'internal_error', 'Internal error.'))
    t.equal(lines.length, 1)
    t.ok(lines[0].err.message.includes(shown), lines[0].err.message)
  }
})

t.test('getPet: what a store gives against the contract is answered 500, and logged', async t => {
  const pet = aPet()
  const broken: unknown[] = [null, 'Rex', [], {}, { ...pet, id: -1n }, { ...pet, status: null }, { ...pet, secret: 1 }]
  for (const given of broken) {
    const { lines, logger } = logged()
    const app = await buildTestApp(t, { store: storeOf(async () => given as Pet), logger })
    t.strictSame((await client(app).get(1)).json(), fault(500, 'internal_error', 'Internal error.'))
    t.match(lines, [{ err: { message: /breaks the contract/ } }])
    t.equal(lines.length, 1)
  }
})
