import t, { type Test } from 'tap'
import { cursorAfter } from '../../packages/fastify/src/operations/cursor.ts'
import type { Pet } from '../../src/store/pets.ts'
import { newPet, newRex } from '../animals.ts'
import { buildTestApp } from '../build-test-app.ts'
import { newStore } from '../open-store.ts'
import { petstore } from '../petstore.ts'
import { client, exact, invalid, nextOf, statuses } from './client.ts'

const { contract } = petstore

const { parameters } = contract.paths['/pets'].get
const limit: { minimum: number; maximum: number; default: number } = parameters.find(
  ({ name }: { name: string }) => name === 'limit'
).schema
const cursorPattern = new RegExp(contract.components.schemas.Cursor.pattern, 'u')

/** A service with this many animals, with all statuses in turn. */
const startWith = async (t: Test, count: number) => {
  const store = await newStore(t)
  const status = (index: number) => statuses[index % statuses.length] as Pet['status']
  const added = Array.from({ length: count }, (_, index) =>
    store.pets.create(newPet({ name: `Rex ${index + 1}`, categoryId: BigInt(index), status: status(index) }))
  )
  const pets = await Promise.all(added)
  const app = await buildTestApp(t, { store })
  return { app, store, pets, ...client(app) }
}

/** All pages from this query on, each found by the link of the previous one. */
const walk = async (list: (query: string) => ReturnType<ReturnType<typeof client>['list']>, query: string) => {
  const pages: Pet[][] = []
  for (let next: string | undefined = query; next !== undefined; ) {
    const response = await list(next)
    pages.push(exact(response) as Pet[])
    next = nextOf(response)
    if (pages.length > 1000) throw new Error('the pages do not end')
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

t.test('listPets: animals are sorted by ascending id, and as many as the default limit', async t => {
  const { list, pets } = await startWith(t, limit.default + 1)
  t.strictSame(exact(await list()), pets.slice(0, limit.default))
})

t.test('listPets: a page has as many animals as requested', async t => {
  const { list, pets } = await startWith(t, limit.maximum + 1)
  for (const size of [limit.minimum, 2, limit.maximum - 1, limit.maximum]) {
    t.strictSame(exact(await list(`?limit=${size}`)), pets.slice(0, size))
  }
})

t.test('listPets: the last page has no link, even if it is full', async t => {
  const { list } = await startWith(t, 4)
  t.equal(nextOf(await list('?limit=5')), undefined)
  t.notOk('link' in (await list('?limit=4')).headers)
  t.type(nextOf(await list('?limit=3')), 'string')
})

t.test('listPets: the link is only a query, with a cursor of the contract’s form, and keeps the filters', async t => {
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
})

t.test('listPets: pages repeat nothing and skip nothing', async t => {
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

t.test('listPets: an animal that is added between two pages comes last, and moves no other', async t => {
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

t.test('listPets: a page is the same however often it is requested', async t => {
  const { list, create } = await startWith(t, 5)
  const next = nextOf(await list('?limit=2')) ?? ''
  const page = await list(next)
  await create(newRex)
  t.equal((await list(next)).payload, page.payload)
})

t.test('listPets: a cursor can be used with another limit and another filter', async t => {
  const { list, pets } = await startWith(t, 9)
  const { cursor } = Object.fromEntries(new URLSearchParams(nextOf(await list('?limit=2'))))
  t.strictSame(exact(await list(`?cursor=${cursor}`)), pets.slice(2))
  t.strictSame(
    exact(await list(`?cursor=${cursor}&status=sold`)),
    pets.slice(2).filter(each => each.status === 'sold')
  )
})

t.test('listPets: a cursor only determines a position, whether or not there is an animal', async t => {
  const { list, pets } = await startWith(t, 5)
  t.strictSame(exact(await list(`?cursor=${cursorAfter(3n)}`)), pets.slice(3))
  for (const beyond of [5n, 6n, 2n ** 53n, 2n ** 63n - 1n]) {
    t.strictSame((await list(`?cursor=${cursorAfter(beyond)}`)).json(), [])
  }
})

t.test('listPets: an invalid cursor gets a 400', async t => {
  const { list } = await startWith(t, 3)
  const none = 'query parameter cursor was not issued by this service.'
  const last = cursorAfter(2n).slice(0, -1)
  for (const cursor of [
    cursorAfter(0n),
    cursorAfter(-1n),
    cursorAfter(-(2n ** 63n)),
    // Eleven characters have two bits more than eight bytes, so these would encode the same position.
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

t.test('listPets: only animals with the requested status', async t => {
  const { list, pets } = await startWith(t, 9)
  for (const status of statuses) {
    t.strictSame(
      exact(await list(`?status=${status}`)),
      pets.filter(each => each.status === status)
    )
  }
})

t.test('listPets: a status or limit that the contract does not allow gets a 400', async t => {
  const { list } = await startWith(t, 1)
  for (const [query, message] of [
    ['status=lost', `status must be one of ${statuses.join(', ')}, not "lost".`],
    [`limit=${limit.maximum + 1}`, `limit must be at most ${limit.maximum}, not ${limit.maximum + 1}.`],
    [`limit=${limit.minimum - 1}`, `limit must be at least ${limit.minimum}, not ${limit.minimum - 1}.`]
  ])
    t.strictSame((await list(`?${query}`)).json(), invalid(`query parameter ${message}`))
})

t.test('listPets: works as usual once another operation has been removed, without headers about that', async t => {
  const now = () => Date.parse(contract.paths['/pets/{petId}'].get['x-deprecated-sunset'])
  const response = await client(await buildTestApp(t, { removedOperations: 'gone', now })).list()
  t.equal(response.statusCode, 200)
  t.notOk('sunset' in response.headers || 'deprecation' in response.headers)
})
