import t, { type Test } from 'tap'
import { cursorAfter } from '../../src/cursor.ts'
import type { Pet, PetStore } from '../../src/store/pets.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { aPet, newPet, newRex } from '../animals.ts'
import { buildTestApp, withKey } from '../build-test-app.ts'
import { petstore } from '../petstore.ts'
import { rawRequest } from '../raw-request.ts'
import { allowOf, client, exact, fault, invalid, nextOf, statuses } from './client.ts'
import { failingStore, logged } from './failing-store.ts'

const { contract } = petstore

const { parameters } = contract.paths['/pets'].get
const limit: { minimum: number; maximum: number; default: number } = parameters.find(
  ({ name }: { name: string }) => name === 'limit'
).schema
const parameterNames = `there are ${parameters.map(({ name }: { name: string }) => name).join(', ')}`
const cursorPattern = new RegExp(contract.components.schemas.Cursor.pattern, 'u')

/** A service with this many animals, whose statuses take turns. */
const startWith = async (t: Test, count: number) => {
  const store = openSqliteStore({ path: ':memory:' })
  t.teardown(() => store.close())
  const status = (index: number) => statuses[index % statuses.length] as Pet['status']
  const added = Array.from({ length: count }, (_, index) =>
    store.pets.create(newPet({ name: `Rex ${index + 1}`, categoryId: BigInt(index), status: status(index) }))
  )
  const pets = await Promise.all(added)
  const app = await buildTestApp(t, { store })
  return { app, store, pets, ...client(app) }
}

/** All pages from this query on, each reached by the link of the one before. */
const walk = async (list: (query: string) => ReturnType<ReturnType<typeof client>['list']>, query: string) => {
  const pages: Pet[][] = []
  for (let next: string | undefined = query; next !== undefined; ) {
    const response = await list(next)
    pages.push(exact(response) as Pet[])
    next = nextOf(response)
    if (pages.length > 1000) throw new Error('the pages have no end')
  }
  return pages
}

t.test('listPets: an empty store gives an empty array, and no further page', async t => {
  const { list } = await startWith(t, 0)
  for (const query of ['', '?', '?status=sold', `?limit=${limit.minimum}`, `?cursor=${cursorAfter(5n)}`]) {
    const response = await list(query)
    t.equal(response.statusCode, 200)
    t.equal(response.payload, '[]')
    t.equal(response.headers['content-type'], 'application/json')
    t.notOk('link' in response.headers)
  }
})

t.test('listPets: animals come by rising id, as many as the default says', async t => {
  const { list, pets } = await startWith(t, limit.default + 1)
  t.strictSame(exact(await list()), pets.slice(0, limit.default))
})

t.test('listPets: a page has as many animals as asked for', async t => {
  const { list, pets } = await startWith(t, limit.maximum + 1)
  for (const size of [limit.minimum, 2, limit.maximum - 1, limit.maximum]) {
    t.strictSame(exact(await list(`?limit=${size}`)), pets.slice(0, size))
  }
})

t.test('listPets: the last page has no link, also when it is full', async t => {
  const { list } = await startWith(t, 4)
  t.equal(nextOf(await list('?limit=5')), undefined)
  t.notOk('link' in (await list('?limit=4')).headers)
  t.type(nextOf(await list('?limit=3')), 'string')
})

t.test(
  'listPets: the link is a query alone, with a cursor of the contract’s form, and carries the filters on',
  async t => {
    const { list } = await startWith(t, 30)
    for (const [query, carried] of [
      ['', { limit: `${limit.default}` }],
      ['?limit=3', { limit: '3' }],
      ['?status=sold&limit=3', { limit: '3', status: 'sold' }],
      ['?limit=%33&%73tatus=s%6Fld', { limit: '3', status: 'sold' }]
    ] as const) {
      const next = nextOf(await list(query)) ?? ''
      t.equal(next[0], '?')
      const { cursor = '', ...rest } = Object.fromEntries(new URLSearchParams(next))
      t.match(cursor, cursorPattern)
      t.strictSame(rest, carried)
    }
  }
)

t.test('listPets: a walk through the pages repeats nothing and skips nothing', async t => {
  const { list, pets } = await startWith(t, 25)
  for (const size of [1, 5, 7, 24, 25, 26]) {
    const pages = await walk(list, `?limit=${size}`)
    t.strictSame(pages.flat(), pets)
    t.equal(pages.length, Math.ceil(pets.length / size))
  }
  for (const status of statuses) {
    const wanted = pets.filter(each => each.status === status)
    for (const size of [1, 4, wanted.length, 100]) {
      const pages = await walk(list, `?status=${status}&limit=${size}`)
      t.strictSame(pages.flat(), wanted)
      t.equal(pages.length, Math.ceil(wanted.length / size))
    }
  }
})

t.test('listPets: an animal that is added during a walk comes last and moves no other', async t => {
  for (const filter of ['', 'status=sold&']) {
    const { list, store, pets } = await startWith(t, 12)
    const expected = pets.filter(each => filter === '' || each.status === 'sold')
    let added = 0
    const seen = await walk(async query => {
      const response = await list(query)
      if (added < 2) {
        added++
        expected.push(await store.pets.create(newPet({ name: `new ${added}`, status: 'sold' })))
      }
      return response
    }, `?${filter}limit=2`)
    t.equal(added, 2)
    t.strictSame(seen.flat(), expected)
  }
})

t.test('listPets: a page stays where it is, however often it is asked for', async t => {
  const { list, create } = await startWith(t, 5)
  const next = nextOf(await list('?limit=2')) ?? ''
  const page = await list(next)
  await create(newRex)
  t.equal((await list(next)).payload, page.payload)
})

t.test('listPets: a cursor may be followed with another limit and another filter', async t => {
  const { list, pets } = await startWith(t, 9)
  const { cursor } = Object.fromEntries(new URLSearchParams(nextOf(await list('?limit=2'))))
  t.strictSame(exact(await list(`?cursor=${cursor}`)), pets.slice(2))
  t.strictSame(
    exact(await list(`?cursor=${cursor}&status=sold`)),
    pets.slice(2).filter(each => each.status === 'sold')
  )
})

t.test('listPets: a cursor only chooses a position, whether or not an animal is there', async t => {
  const { list, pets } = await startWith(t, 5)
  t.strictSame(exact(await list(`?cursor=${cursorAfter(3n)}`)), pets.slice(3))
  for (const beyond of [5n, 6n, 2n ** 53n, 2n ** 63n - 1n]) {
    t.strictSame((await list(`?cursor=${cursorAfter(beyond)}`)).json(), [])
  }
})

t.test('listPets: what is no cursor is answered 400', async t => {
  const { list } = await startWith(t, 3)
  const none = 'query parameter cursor is none that this service has given.'
  const last = cursorAfter(2n).slice(0, -1)
  for (const cursor of [
    cursorAfter(0n),
    cursorAfter(-1n),
    cursorAfter(-(2n ** 63n)),
    // Eleven characters hold two bits more than eight bytes have: the same position, spelled otherwise.
    ...['J', 'K', 'L'].map(character => last + character)
  ]) {
    t.match(cursor, cursorPattern)
    t.strictSame((await list(`?cursor=${cursor}`)).json(), invalid(none), cursor)
  }
  for (const cursor of [
    '',
    'x',
    '1',
    'null',
    'A'.repeat(10),
    'A'.repeat(12),
    'A'.repeat(7000),
    'AAAAAAAAA+/',
    'AAAAAAAAAA=',
    '%F0%9F%98%B8'.repeat(11)
  ]) {
    const { code, message } = (await list(`?cursor=${cursor}`)).json()
    t.equal(code, 'invalid_request', cursor)
    t.ok(message.startsWith('query parameter cursor must '), message)
  }
})

t.test('listPets: only animals of the status that is asked for', async t => {
  const { list, pets } = await startWith(t, 9)
  for (const status of statuses) {
    t.strictSame(
      exact(await list(`?status=${status}`)),
      pets.filter(each => each.status === status)
    )
  }
})

t.test('listPets: an unknown status is answered 400, naming those there are', async t => {
  const { list } = await startWith(t, 1)
  for (const status of ['lost', 'Sold', 'sold,pending', '0']) {
    t.strictSame(
      (await list(`?status=${status}`)).json(),
      invalid(`query parameter status must be one of ${statuses.join(', ')}, not "${status}".`)
    )
  }
  for (const [written, shown] of [
    ['', ''],
    ['=', '='],
    ['+sold', ' sold'],
    ['sold%20', 'sold '],
    ['%00', '\\u0000'],
    ['s\u00f6ld', 's\u00f6ld']
  ]) {
    t.strictSame(
      (await list(`?status=${written}`)).json(),
      invalid(`query parameter status must be one of ${statuses.join(', ')}, not "${shown}".`)
    )
  }
  t.match((await list('?status')).json(), { code: 'invalid_request' }, 'a name without a value has an empty one')
})

t.test('listPets: a limit out of range is answered 400, naming the bound', async t => {
  const { list } = await startWith(t, 1)
  for (const written of [limit.maximum + 1, 2 ** 31 - 1]) {
    t.strictSame(
      (await list(`?limit=${written}`)).json(),
      invalid(`query parameter limit must be at most ${limit.maximum}, not ${written}.`)
    )
  }
  for (const written of [limit.minimum - 1, -1, -(2 ** 31)]) {
    t.strictSame(
      (await list(`?limit=${written}`)).json(),
      invalid(`query parameter limit must be at least ${limit.minimum}, not ${written}.`)
    )
  }
  for (const written of [
    '2147483648',
    '9007199254740993',
    '99999999999999999999',
    '9'.repeat(5000),
    `-${'9'.repeat(5000)}`
  ]) {
    const { code, message } = (await list(`?limit=${written}`)).json()
    t.equal(code, 'invalid_request')
    t.ok(message.startsWith('query parameter limit must be '), message)
  }
})

t.test('listPets: a limit that is not in plain decimal digits is answered 400', async t => {
  const { list } = await startWith(t, 1)
  const written = [
    'five',
    '5.0',
    '5.5',
    '1e1',
    '0x10',
    '05',
    '00',
    '-0',
    '%2B5',
    '5%20',
    '5_0',
    '٥',
    '５',
    'NaN',
    'true',
    '[]',
    '5,6',
    '5n'
  ]
  for (const each of written) {
    t.strictSame(
      (await list(`?limit=${encodeURI(decodeURIComponent(each)).replaceAll('+', '%2B')}`)).json(),
      invalid(`query parameter limit must be an integer in plain decimal digits, not "${decodeURIComponent(each)}".`)
    )
  }
  for (const [blank, shown] of [
    ['', ''],
    ['+5', ' 5'],
    ['%0A5', '\\n5'],
    ['5%00', '5\\u0000']
  ]) {
    t.strictSame(
      (await list(`?limit=${blank}`)).json(),
      invalid(`query parameter limit must be an integer in plain decimal digits, not "${shown}".`)
    )
  }
})

t.test('listPets: names and values may be percent-encoded', async t => {
  const { list } = await startWith(t, 5)
  for (const query of ['?limit=%32', '?%6Cimit=2', '?%6c%69%6d%69%74=%32', '?&limit=2', '?limit=2&', '?&&limit=2&&']) {
    t.equal((await list(query)).json().length, 2, query)
  }
})

t.test('listPets: a parameter that occurs more than once is answered 400', async t => {
  const { list } = await startWith(t, 1)
  for (const query of ['limit=5&limit=5', 'limit=5&limit=6', 'limit=5&%6Cimit=5', 'limit=5&status=sold&limit=5']) {
    t.strictSame((await list(`?${query}`)).json(), invalid('query parameter limit occurs more than once.'), query)
  }
  t.strictSame((await list('?status=sold&status=sold&cursor=x&status')).json().message.split('; ').slice(0, 2), [
    'query parameter status occurs more than once',
    'query parameter status occurs more than once'
  ])
})

t.test('listPets: an unknown parameter is answered 400, naming those there are', async t => {
  const { list } = await startWith(t, 1)
  for (const [query, name] of [
    ['page=2', 'page'],
    ['Limit=2', 'Limit'],
    ['limit[]=2', 'limit[]'],
    ['limit%20=2', 'limit '],
    ['+limit=2', ' limit'],
    ['=2', ''],
    ['=', ''],
    ['__proto__=1', '__proto__'],
    ['__proto__[limit]=1', '__proto__[limit]'],
    ['constructor=1', 'constructor'],
    ['toString', 'toString'],
    ['hasOwnProperty=1', 'hasOwnProperty'],
    ['%F0%9F%98%B8=1', '😸'],
    ['?limit=2', '?limit'],
    ['limit;status=2', 'limit;status']
  ] as const) {
    t.strictSame(
      (await list(`?${query}`)).json(),
      invalid(`query parameter "${name}" does not exist; ${parameterNames}.`),
      query
    )
  }
})

t.test('listPets: a query that cannot be decoded is answered 400', async t => {
  const { list } = await startWith(t, 1)
  for (const value of ['%', '%2', '%zz', '%ff', '%C3', '%C0%80', '%ED%A0%80', '5%']) {
    t.strictSame(
      (await list(`?limit=${value}`)).json(),
      invalid('query parameter limit cannot be percent-decoded to UTF-8.'),
      value
    )
    t.strictSame(
      (await list(`?${value}=5`)).json(),
      invalid(`query parameter "${value}=5" does not exist; ${parameterNames}.`),
      value
    )
  }
})

t.test('listPets: all that is wrong is named in one message, up to a bound', async t => {
  const { list } = await startWith(t, 1)
  const { message } = (await list('?limit=0&status=lost&cursor=x&page=2')).json()
  for (const part of [
    'parameter limit must',
    'parameter status must',
    'parameter cursor must',
    'parameter "page" does'
  ]) {
    t.ok(message.includes(part), `${message} has ${part}`)
  }
  const many = Array.from({ length: 100 }, (_, index) => `${'😸'.repeat(5)}${index}${'x'.repeat(20)}=1`)
  const bounded = (await list(`?${many.map(encodeURIComponent).join('&')}`.slice(0, 7900))).json()
  t.match(bounded.message, /; and \d+ more\.$/)
})

t.test('listPets: every integer is exact', async t => {
  const { list, create } = await startWith(t, 0)
  const ids = ['-9223372036854775808', '-9007199254740993', '9007199254740993', '9223372036854775807']
  for (const id of ids) await create(`{"name":"Rex","categoryId":${id}}`)
  t.strictSame(
    (exact(await list()) as Pet[]).map(each => each.categoryId),
    ids.map(BigInt)
  )
})

t.test('listPets: HEAD has the headers of GET and no body', async t => {
  const { app } = await startWith(t, 5)
  for (const url of ['/v1/pets', '/v1/pets?limit=2', '/v1/pets?limit=0', '/v1/pets?page=1']) {
    const [get, head] = await Promise.all(
      (['GET', 'HEAD'] as const).map(method => app.inject({ method, url, headers: withKey }))
    )
    t.equal(head?.payload, '')
    t.equal(head?.statusCode, get?.statusCode)
    const { date: _, 'x-request-id': id, ...headers } = get?.headers ?? {}
    t.ok(id)
    t.match(head?.headers, headers)
    t.strictSame(Object.keys(head?.headers ?? {}).toSorted(), Object.keys(get?.headers ?? {}).toSorted())
  }
  const headless = await app.inject({ method: 'HEAD', url: '/v1/pets' })
  t.equal(headless.statusCode, 401)
  t.equal(headless.payload, '')
  const raw = await rawRequest(
    app,
    `HEAD /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: ${withKey.authorization}\r\nConnection: close\r\n\r\n`
  )
  t.match(raw, /^HTTP\/1\.1 200 .*\r\n\r\n$/s)
})

t.test('listPets: OPTIONS names the methods, without a key and whatever the query', async t => {
  const { app } = await startWith(t, 0)
  for (const url of ['/v1/pets', '/v1/pets?limit=0']) {
    const response = await app.inject({ method: 'OPTIONS', url })
    t.equal(response.statusCode, 204)
    t.equal(response.headers.allow, allowOf('/pets'))
    t.equal(response.payload, '')
  }
})

t.test('listPets: OPTIONS is answered whatever body comes with it', async t => {
  const { app } = await startWith(t, 0)
  for (const type of ['application/json', 'text/plain']) {
    for (const payload of ['{', ' '.repeat(contract['x-limits'].bodyBytes + 1)]) {
      const headers = { 'content-type': type }
      t.equal((await app.inject({ method: 'OPTIONS', url: '/v1/pets', headers, payload })).statusCode, 204)
    }
  }
})

t.test('listPets: Accept is ignored', async t => {
  const { app } = await startWith(t, 1)
  for (const accept of ['text/html', 'application/xml;q=1, */*;q=0', 'nonsense', '']) {
    const response = await app.inject({ url: '/v1/pets', headers: { ...withKey, accept } })
    t.equal(response.headers['content-type'], 'application/json')
  }
})

t.test('listPets: a body is of no concern, and the connection stays usable', async t => {
  const { app } = await startWith(t, 1)
  const head = `Host: x\r\nAuthorization: ${withKey.authorization}\r\n`
  const answer = await rawRequest(
    app,
    `GET /v1/pets HTTP/1.1\r\n${head}Content-Type: text/plain\r\nContent-Length: 9\r\n\r\nnot JSON!` +
      `GET /v1/pets HTTP/1.1\r\n${head}Connection: close\r\n\r\n`
  )
  t.equal(answer.match(/HTTP\/1\.1 200 /g)?.length, 2)
})

t.test('listPets: addresses beside it are answered 404', async t => {
  const { app } = await startWith(t, 1)
  for (const url of [
    '/v1/pets/',
    '/v1//pets',
    '/v1/Pets',
    '/V1/pets',
    '/pets',
    '/v1',
    '/v1/',
    '/v1/pet',
    '/v2/pets',
    '/v1%2Fpets',
    '/v1/pets/1/'
  ]) {
    t.match((await app.inject({ url, headers: withKey })).json(), { code: 'path_not_found', status: 404 }, url)
  }
})

t.test('listPets: an invalid key is answered 401', async t => {
  const { app } = await startWith(t, 1)
  const response = await app.inject({ url: '/v1/pets?limit=0', headers: { authorization: 'Bearer nonsense' } })
  t.strictSame(response.json(), fault(401, 'api_key_invalid', 'The API key is not valid.'))
})

t.test('listPets: while the store is unavailable, the answer is 503 and says when to come back', async t => {
  const { lines, logger } = logged()
  const app = await buildTestApp(t, { store: failingStore(new StoreUnavailable('locked')), logger })
  const response = await client(app).list()
  t.strictSame(response.json(), fault(503, 'service_unavailable', 'The store cannot answer now; try again.'))
  t.equal(response.headers['retry-after'], '1')
  t.match(lines, [{ err: { type: 'StoreUnavailable', message: 'locked' } }])
})

t.test('listPets: any other failure is answered 500 and tells nothing; the log has it whole', async t => {
  for (const [thrown, shown] of [
    [new Error('SELECT secret'), 'SELECT secret'],
    ['a text', 'a text'],
    [undefined, 'undefined']
  ]) {
    const { lines, logger } = logged()
    const app = await buildTestApp(t, { store: failingStore(thrown), logger })
    t.strictSame((await client(app).list()).json(), fault(500, 'internal_error', 'Internal error.'))
    t.equal(lines.length, 1)
    t.ok(lines[0].err.message.includes(shown), lines[0].err.message)
  }
})

t.test('listPets: what a store gives against the contract is answered 500, and logged', async t => {
  const pet = aPet()
  const broken: unknown[] = [
    {},
    'text',
    [undefined],
    [null],
    [{ ...pet, id: 0n }],
    [pet, { ...pet, status: 'lost' }],
    [pet, { ...pet, secret: 1 }],
    [{ ...pet, categoryId: 2n ** 63n }]
  ]
  for (const given of broken) {
    const { lines, logger } = logged()
    const pets: PetStore = { ...failingStore(undefined).pets, list: async () => given as Pet[] }
    const app = await buildTestApp(t, { store: { ...failingStore(undefined), pets }, logger })
    t.strictSame((await client(app).list()).json(), fault(500, 'internal_error', 'Internal error.'))
    t.match(lines, [{ err: { message: /breaks the contract/ } }])
    t.equal(lines.length, 1)
  }
})

t.test('listPets: works as ever once another operation is gone, and carries no header of its removal', async t => {
  const now = () => Date.parse(contract.paths['/pets/{petId}'].get['x-deprecated-sunset'])
  const response = await client(await buildTestApp(t, { removedOperations: 'gone', now })).list()
  t.equal(response.statusCode, 200)
  t.notOk('sunset' in response.headers || 'deprecation' in response.headers)
})
