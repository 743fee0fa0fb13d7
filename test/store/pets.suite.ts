import type { Test } from 'tap'
import { PetStatus } from '../../generated/request-schemas.ts'
import { InProgress, KeyReused, type Once } from '../../packages/fastify/src/store/idempotency.ts'
import { StoreUnavailable } from '../../packages/fastify/src/store/store.ts'
import type { AnimalStore } from '../../src/store/animal-store.ts'
import type { NewPet, Pet } from '../../src/store/pets.ts'
import { newPet } from '../animals.ts'

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n

const rex = newPet()

const once = (fields: Partial<Once> = {}): Once => ({ owner: 'a', key: '1', fingerprint: '1'.repeat(64), ...fields })

type OpenStore = (t: Test) => AnimalStore | Promise<AnimalStore>

/**
 * Tests what the interfaces of src/store promise, except those for keys. `openStore` returns a new, empty store each time,
 * `openAgain` opens the store of the same test again, as another process would.
 */
export const storeSuite = (t: Test, openStore: OpenStore, openAgain?: OpenStore): void => {
  const promise = (name: string, check: (t: Test, store: AnimalStore) => Promise<unknown>) =>
    t.test(name, async t => {
      const store = await openStore(t)
      t.teardown(() => store.close())
      await check(t, store)
    })

  const createMany = (store: AnimalStore, count: number, pet: (index: number) => NewPet = () => rex): Promise<Pet[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => store.pets.create(pet(index))))

  const readAll = async (
    store: AnimalStore,
    limit: number,
    status?: Pet['status'],
    between?: () => Promise<unknown>
  ) => {
    const all: Pet[] = []
    for (;;) {
      const page = await store.pets.list({ after: all.at(-1)?.id ?? 0n, limit, status })
      all.push(...page)
      if (page.length < limit) return all
      await between?.()
    }
  }

  promise('create: returns the pet with its id, and get finds it', async (t, { pets }) => {
    t.strictSame(await pets.create(rex), { id: 1n, ...rex })
    t.strictSame(await pets.get(1n), { id: 1n, ...rex })
  })

  promise('create: later changes of the passed object have no effect', async (t, { pets }) => {
    const mine = { ...rex }
    const created = pets.create(mine)
    mine.name = 'Max'
    t.strictSame(await created, { id: 1n, ...rex })
    t.strictSame(await pets.get(1n), { id: 1n, ...rex })
  })

  promise('create: categoryId is exact over all of int64', async (t, { pets }) => {
    for (const categoryId of [INT64_MIN, -(2n ** 53n) - 1n, -1n, 0n, 2n ** 53n - 1n, 2n ** 53n + 1n, INT64_MAX]) {
      const { id } = await pets.create({ ...rex, categoryId })
      t.strictSame(await pets.get(id), { ...rex, id, categoryId })
      t.strictSame(await pets.list({ after: id - 1n, limit: 1 }), [{ ...rex, id, categoryId }])
    }
  })

  promise('create: a name is kept as sent', async (t, { pets }) => {
    const names = [
      'Käthe',
      'Ka\u0308the', // not composed
      '猫',
      'قطة',
      '👩‍👩‍👧‍👦',
      '😸'.repeat(255),
      ' blank at both ends ',
      `"'); DROP TABLE pets; --`,
      '\ufeff\u2028\uffff'
    ]
    for (const name of names) {
      const { id } = await pets.create({ ...rex, name })
      t.strictSame(await pets.get(id), { ...rex, id, name })
    }
  })

  promise('create: every status is kept', async (t, { pets }) => {
    for (const status of PetStatus.enum) {
      const { id } = await pets.create({ ...rex, status })
      t.strictSame(await pets.get(id), { ...rex, id, status })
    }
  })

  promise('create: ids begin at 1, only grow and are never assigned twice', async (t, store) => {
    const first = await createMany(store, 100)
    const second = await createMany(store, 100)
    const ids = [...first, ...second].map(pet => pet.id)
    t.equal(new Set(ids).size, 200)
    t.equal(ids.toSorted((a, b) => Number(a - b))[0], 1n)
    const highest = (pets: Pet[]) => Math.max(...pets.map(pet => Number(pet.id)))
    const lowest = (pets: Pet[]) => Math.min(...pets.map(pet => Number(pet.id)))
    t.ok(lowest(second) > highest(first))
  })

  promise('create: one that fails does not affect others', async (t, store) => {
    const nameless = { ...rex, name: null as unknown as string }
    const tooBig = { ...rex, categoryId: INT64_MAX + 1n }
    const results = await Promise.allSettled(
      [rex, nameless, rex, tooBig, rex, tooBig, nameless].map(pet => store.pets.create(pet))
    )
    t.strictSame(
      results.map(result => result.status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected', 'rejected']
    )
    for (const result of results) {
      if (result.status === 'rejected') t.notOk(result.reason instanceof StoreUnavailable, 'not a fault of the store')
    }
    t.equal((await readAll(store, 100)).length, 3)
    const { id } = await store.pets.create(rex)
    t.equal((await readAll(store, 100)).at(-1)?.id, id)
  })

  promise('create: with an idempotency key, the same request adds one pet', async (t, store) => {
    const { pets } = store
    const first = await pets.create(rex, once())
    t.strictSame(await pets.create(rex, once()), first)
    t.strictSame(await readAll(store, 100), [first])
    t.not((await pets.create(rex)).id, first.id, 'without a key each adds one')
    t.strictSame(await pets.create(rex, once()), first)
  })

  promise('create: a key used for another request is refused, and adds nothing', async (t, store) => {
    const { pets } = store
    const first = await pets.create(rex, once())
    await t.rejects(pets.create(newPet({ name: 'Mia' }), once({ fingerprint: '2'.repeat(64) })), KeyReused)
    t.strictSame(await pets.create(rex, once()), first)
    t.strictSame(await readAll(store, 100), [first])
  })

  promise('create: keys with different owners or texts are unrelated', async (t, { pets }) => {
    const different = [once(), once({ owner: 'b' }), once({ key: '2' }), once({ key: '1 ' }), once({ key: '"1"' })]
    const created = await Promise.all(different.map(each => pets.create(rex, each)))
    t.equal(new Set(created.map(pet => pet.id)).size, different.length)
    for (const [index, each] of different.entries()) t.strictSame(await pets.create(rex, each), created[index])
  })

  promise('create: while the first with a key is in progress, others are refused', async (t, { pets }) => {
    const first = pets.create(rex, once())
    await t.rejects(pets.create(rex, once()), InProgress)
    await t.rejects(pets.create(rex, once({ fingerprint: '2'.repeat(64) })), InProgress)
    const [pet, other] = await Promise.all([first, pets.create(rex, once({ owner: 'b' }))])
    t.not(pet.id, other.id)
    t.strictSame(await pets.create(rex, once()), pet)
  })

  promise('create: if the pet is not stored, neither is the key', async (t, store) => {
    const { pets } = store
    const nameless = { ...rex, name: null as unknown as string }
    const results = await Promise.allSettled([
      pets.create(rex, once({ key: '1' })),
      pets.create(nameless, once({ key: '2' })),
      pets.create(rex, once({ key: '3' }))
    ])
    t.strictSame(
      results.map(result => result.status),
      ['fulfilled', 'rejected', 'fulfilled']
    )
    const pet = await pets.create(rex, once({ key: '2', fingerprint: '2'.repeat(64) }))
    t.strictSame(await pets.get(pet.id), pet)
    t.equal((await readAll(store, 100)).length, 3)
  })

  if (openAgain !== undefined) {
    promise('create: a key is known to other processes, and after a restart', async (t, store) => {
      const first = await store.pets.create(rex, once())
      const other = await openAgain(t)
      t.teardown(() => other.close())
      t.strictSame(await other.pets.create(rex, once()), first)
      const both = [store, other].map(each => each.pets.create(rex, once({ key: '2' })))
      const [one, another] = await Promise.all(both)
      t.strictSame(one, another, 'even if both add it at once')
      await Promise.all([store.close(), other.close()])
      const restarted = await openAgain(t)
      t.teardown(() => restarted.close())
      t.strictSame(await restarted.pets.create(rex, once()), first)
      await t.rejects(restarted.pets.create(rex, once({ fingerprint: '2'.repeat(64) })), KeyReused)
      t.equal((await readAll(restarted, 100)).length, 2)
    })
  }

  promise('get: an unknown id returns undefined', async (t, { pets }) => {
    await pets.create(rex)
    for (const id of [INT64_MIN, -1n, 0n, 2n, 2n ** 53n + 1n, INT64_MAX]) t.equal(await pets.get(id), undefined)
  })

  promise('list: by ascending id, after the given one, at most `limit`', async (t, store) => {
    const created = (await createMany(store, 25)).toSorted((a, b) => Number(a.id - b.id))
    const { pets } = store
    t.strictSame(await pets.list({ after: 0n, limit: 10 }), created.slice(0, 10))
    t.strictSame(await pets.list({ after: created[9]?.id ?? 0n, limit: 10 }), created.slice(10, 20))
    t.strictSame(await pets.list({ after: created[19]?.id ?? 0n, limit: 10 }), created.slice(20))
    t.strictSame(await pets.list({ after: created[24]?.id ?? 0n, limit: 10 }), [])
    t.strictSame(await pets.list({ after: INT64_MAX, limit: 10 }), [])
    t.strictSame(await pets.list({ after: INT64_MIN, limit: 100 }), created)
  })

  promise('list: an empty store has no pets', async (t, { pets }) => {
    t.strictSame(await pets.list({ after: 0n, limit: 20 }), [])
    t.strictSame(await pets.list({ after: 0n, limit: 20, status: 'sold' }), [])
  })

  promise('list: with a status, only its pets, page by page', async (t, store) => {
    const statuses = ['available', 'sold'] as const
    const created = await createMany(store, 30, index => ({ ...rex, status: statuses[index % 3 === 0 ? 1 : 0] }))
    created.sort((a, b) => Number(a.id - b.id))
    for (const status of statuses) {
      t.strictSame(
        await readAll(store, 4, status),
        created.filter(pet => pet.status === status)
      )
    }
    t.strictSame(await readAll(store, 4, 'pending'), [])
    t.strictSame(await readAll(store, 4, undefined), created)
  })

  for (const status of [undefined, 'available'] as const) {
    promise(`list: pages neither repeat nor miss a pet while others are added, status ${status}`, async (t, store) => {
      const before = (await createMany(store, 20)).map(pet => pet.id)
      let rounds = 0
      const seen = await readAll(store, 5, status, async () => {
        if (++rounds <= 6) await createMany(store, 3)
      })
      const ids = seen.map(pet => pet.id)
      t.strictSame(
        ids,
        ids.toSorted((a, b) => Number(a - b))
      )
      t.equal(new Set(ids).size, ids.length)
      t.ok(before.every(id => ids.includes(id)))
    })
  }

  promise('isNew: until something has been stored', async (t, store) => {
    t.equal(await store.isNew(), true)
    await t.rejects(store.pets.create({ ...rex, name: null as unknown as string }))
    t.equal(await store.isNew(), true)
    await store.pets.create(rex)
    t.equal(await store.isNew(), false)
    await store.close()
    await t.rejects(store.isNew(), StoreUnavailable)
  })

  promise('close: accepted writes are completed; afterwards everything is refused', async (t, store) => {
    const accepted = createMany(store, 10)
    const closed = store.close()
    await t.rejects(store.pets.create(rex), StoreUnavailable)
    t.equal((await accepted).length, 10)
    await closed
    await store.close()
    await t.rejects(store.pets.create(rex), StoreUnavailable)
    await t.rejects(store.pets.get(1n), StoreUnavailable)
    await t.rejects(store.pets.list({ after: 0n, limit: 1 }), StoreUnavailable)
  })
}
