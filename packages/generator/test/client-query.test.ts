import { InfiniteQueryObserver, MutationObserver, QueryClient, QueryObserver } from '@tanstack/query-core'
import t from 'tap'
import { connect, createPet, getPet, listOrders, listPets } from '../../../generated/client-calls.ts'
import { infiniteQueryOptions, mutationOptions, queryOptions } from '../../../generated/client-query.ts'
import { byDefault, newRex as rex } from '../../../test/animals.ts'
import { apiKey, errorOf, service } from './clients.ts'

t.test('a query has the body, typed, and caches no error', async t => {
  const connection = connect({ baseUrl: await service(t), apiKey })
  await createPet(connection, { body: rex })
  const queries = new QueryClient()
  const pet = await queries.fetchQuery(queryOptions(connection, getPet, { petId: 1 }))
  t.strictSame(pet.name satisfies string, rex.name)
  t.strictSame(queries.getQueryData(['getPet', { petId: 1 }]), { id: 1, ...rex, ...byDefault })
  t.match(await errorOf(queries.fetchQuery(queryOptions(connection, getPet, { petId: 9 }))), { status: 404 })
  t.equal(queries.getQueryData(['getPet', { petId: 9 }]), undefined)
  const all = queryOptions(connection, listPets)
  t.strictSame(all.queryKey, ['listPets', {}])
  t.equal((await queries.fetchQuery(all)).length, 1)
  const observed = new QueryObserver(queries, queryOptions(connection, getPet, { petId: 1 })).getCurrentResult()
  t.equal(observed.data?.categoryId satisfies number | undefined, rex.categoryId)

  // @ts-expect-error It needs a petId.
  queryOptions(connection, getPet)
  // @ts-expect-error The operation has no such input.
  queryOptions(connection, listPets, { colour: 'red' })
  // @ts-expect-error It returns no list.
  infiniteQueryOptions(connection, getPet, { petId: 1 })
})

t.test('a key is JSON, also for a bigint', async t => {
  const connection = connect({ baseUrl: 'http://a.example', int64: 'bigint' })
  const { queryKey } = queryOptions(connection, getPet, { petId: 2n ** 60n })
  t.strictSame(queryKey, ['getPet', { petId: String(2n ** 60n) }])
})

t.test('an infinite query goes through the pages of a list', async t => {
  const connection = connect({ baseUrl: await service(t), apiKey, int64: 'bigint' })
  for (let id = 1; id <= 5; id++) await createPet(connection, { body: { ...rex, categoryId: 7n } })
  const queries = new QueryClient()
  const options = infiniteQueryOptions(connection, listPets, { limit: 2, status: 'available' })
  const list = new InfiniteQueryObserver(queries, options)
  const ids = ({ data }: Awaited<ReturnType<typeof list.fetchNextPage>>) =>
    data?.pages.map(({ body }) => body.map(({ id, categoryId }) => id + Number(categoryId satisfies bigint) - 7))
  t.strictSame(ids(await list.fetchNextPage()), [[1, 2]])
  t.strictSame(ids(await list.fetchNextPage()), [
    [1, 2],
    [3, 4]
  ])
  const last = await list.fetchNextPage()
  t.strictSame([ids(last)?.[2], last.hasNextPage], [[5], false])
  await queries.invalidateQueries({ queryKey: ['listPets'], refetchType: 'none' })
  t.ok(queries.getQueryState(options.queryKey)?.isInvalidated)
})

t.test('all tries of a mutation have the same idempotency key, and each mutation another', async t => {
  const keys: (string | null)[] = []
  const baseUrl = await service(t)
  const connection = connect({
    baseUrl,
    apiKey,
    retries: false,
    fetch: async request => {
      keys.push(request.headers.get('idempotency-key'))
      const response = await fetch(request)
      // The animal has been added, but the client cannot know.
      if (keys.length === 1) throw new TypeError('the connection broke off')
      return response
    }
  })
  const queries = new QueryClient()
  const add = new MutationObserver(queries, { ...mutationOptions(connection, createPet), retry: 1, retryDelay: 0 })
  t.match(await add.mutate({ body: rex }), { id: 1, name: rex.name })
  t.match(await add.mutate({ body: rex }), { id: 2 })
  await add.mutate({ body: rex, 'Idempotency-Key': 'own' })
  t.match(keys, [/^[0-9a-f-]{36}$/, keys[0], /^[0-9a-f-]{36}$/, 'own'])
  t.not(keys[0], keys[2])
  t.strictSame(mutationOptions(connection, createPet).mutationKey, ['createPet'])

  const orders = new MutationObserver(queries, mutationOptions(connection, listOrders))
  t.match(await errorOf(orders.mutate()), { kind: 'error-status', status: 501 })
})
