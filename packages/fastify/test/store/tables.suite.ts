import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import type { Test } from 'tap'
import { type Once, type Store, StoreUnavailable } from '../../src/index.ts'
import { InProgress, KeyReused } from '../../src/store/idempotency.ts'
import { InvalidPosition } from '../../src/store/table.ts'
import { createWithLines, type NewOrder, type Order, type OrderStore, order } from './orders.ts'

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const text = fc.string({ unit: 'grapheme' }).filter(each => !each.includes('\0'))
const instant = fc
  .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
  .map(date => date.toISOString())
// SQLite has no negative zero, and JSON gives it no sign.
const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => value || 0)
const integer = fc.maxSafeInteger().map(value => (value === 13 ? 14 : value))
const plain = { noNullPrototype: true }
const part = fc.record({ plot: fc.option(int64), n: fc.array(fc.oneof(integer, double)) }, plain)
const address = fc.record({ street: text, plot: int64, size: double, parts: fc.array(part, { maxLength: 3 }) }, plain)
const newOrder: fc.Arbitrary<NewOrder> = fc.record(
  {
    owner: text,
    'placed-at': instant,
    group: integer,
    total: double,
    isPaid: fc.boolean(),
    discount: fc.option(double),
    note: text,
    tags: fc.array(int64, { maxLength: 4 }),
    address
  },
  { noNullPrototype: true, requiredKeys: ['owner', 'placed-at', 'group', 'total', 'isPaid', 'discount', 'tags'] }
)

const once = (values: Partial<Once> = {}): Once => ({ owner: 'a', key: '1', fingerprint: '1'.repeat(64), ...values })

/** The promises of tables by definition, with a new store for each test. */
export const tableSuite = (t: Test, open: (t: Test) => OrderStore | Promise<OrderStore>, numRuns: number) => {
  const promise = (name: string, check: (t: Test, store: OrderStore) => Promise<void>) =>
    t.test(name, async t => {
      const store = await open(t)
      t.teardown(() => store.close())
      await check(t, store)
    })

  /** All rows, by pages. */
  const readAll = async ({ orders }: OrderStore, asked: Omit<Parameters<OrderStore['orders']['list']>[0], 'limit'>) => {
    const rows: Order[] = []
    const by = (asked.order ?? 'id').replace(/^-/, '') as keyof Order
    for (;;) {
      const last = rows.at(-1)
      const after = last && (by === 'id' ? [last.id] : [last[by], last.id])
      const page = await orders.list({ ...asked, after, limit: 3 })
      rows.push(...page)
      if (page.length < 3) return rows
    }
  }

  promise('create, get, list and update: each value is kept exactly', async (t, { orders }) => {
    const keeps = fc.asyncProperty(newOrder, newOrder, async (first, second) => {
      const created = await orders.create(first)
      t.strictSame(created, { ...first, id: created.id })
      t.strictSame(await orders.get(created.id), created)
      t.strictSame(await orders.list({ after: created.id - 1n, limit: 1 }), [created])
      const removed = { note: second.note ?? null, address: second.address ?? null }
      t.strictSame(await orders.update(created.id, { ...second, ...removed }), { ...second, id: created.id })
      t.strictSame(await orders.get(created.id), { ...second, id: created.id })
    })
    await fc.assert(keeps, { numRuns })
  })

  promise('create: a timestamp is the same instant, to the millisecond', async (t, { orders }) => {
    for (const [sent, kept] of [
      ['2026-11-27t11:00:00.123456+01:00', '2026-11-27T10:00:00.123Z'],
      ['2016-12-31T23:59:60.5Z', '2017-01-01T00:00:00.500Z'],
      ['0044-03-15T12:00:00z', '0044-03-15T12:00:00.000Z']
    ] as const)
      t.equal((await orders.create({ ...order, 'placed-at': sent }))['placed-at'], kept)
  })

  promise(
    'create and update: a value that does not fit its column is rejected, and nothing is stored',
    async (t, { orders }) => {
      const { id } = await orders.create(order)
      const wrong: object[] = [
        { owner: null },
        { 'placed-at': 'yesterday' },
        { group: 1.5 },
        { group: 13 },
        { total: Number.NaN },
        { isPaid: 'no' },
        { address: { street: 'Lane', plot: 1n, size: 9n, parts: [] } }
      ]
      for (const each of wrong) {
        await t.rejects(orders.create({ ...order, ...each } as NewOrder), `${Object.keys(each)}`)
        await t.rejects(orders.update(id, each))
      }
      t.strictSame(await orders.list({ limit: 10 }), [{ ...order, id }])
    }
  )

  promise('update: absent members stay, and an unknown id gives undefined', async (t, { orders }) => {
    const { id } = await orders.create({ ...order, note: 'soon' })
    t.strictSame(await orders.update(id, { owner: 'Bo' }), { ...order, note: 'soon', id, owner: 'Bo' })
    t.strictSame(await orders.update(id, { note: null }), { ...order, id, owner: 'Bo' })
    t.strictSame(await orders.update(id, {}), { ...order, id, owner: 'Bo' })
    t.equal(await orders.update(id + 1n, { owner: 'Bo' }), undefined)
  })

  promise('delete: the row is gone, and its id is never used again', async (t, { orders }) => {
    const { id } = await orders.create(order)
    t.equal(await orders.delete(id), true)
    t.equal(await orders.delete(id), false)
    t.equal(await orders.get(id), undefined)
    t.equal((await orders.create(order)).id, id + 1n)
  })

  promise('list: in each order and with each filter, pages have every row once', async (t, store) => {
    const sample = fc.sample(newOrder, 20).map((each, i) => ({
      ...each,
      owner: `${'aÄ😀Z\uffff'[i % 5]}`.toWellFormed(),
      total: i % 3,
      group: i % 2,
      ...(i % 4 === 0 && { note: 'soon' })
    }))
    await Promise.all(sample.map(each => store.orders.create(each)))
    const all = await store.orders.list({ limit: 100 })
    t.equal(all.length, 20)
    const keyOf = (row: Order, by: keyof Order) => (by === 'owner' ? Buffer.from(row[by]).toString('hex') : row[by])
    const compare = (a: unknown, b: unknown) =>
      (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0
    for (const by of ['id', 'owner', 'placed-at', 'isPaid', 'group', 'total'] as const)
      for (const filter of [{}, { isPaid: true }, { note: 'soon' }, { note: 'soon', isPaid: false }]) {
        const asked = `${['id', 'placed-at', 'group'].includes(by) ? '-' : ''}${by}` as '-id'
        const expected = all
          .filter(row => Object.entries(filter).every(([name, value]) => row[name as keyof Order] === value))
          .toSorted((a, b) => compare(keyOf(a, by), keyOf(b, by)) || compare(a.id, b.id))
        if (asked.startsWith('-')) expected.sort((a, b) => compare(keyOf(b, by), keyOf(a, by)) || compare(b.id, a.id))
        t.strictSame(await readAll(store, { ...filter, order: asked }), expected, `${asked} ${Object.keys(filter)}`)
      }
  })

  promise('list: a position that is none is rejected', async (t, { orders }) => {
    for (const [by, after] of [
      ['owner', 7n],
      ['owner', ['Ann']],
      ['owner', ['A\0', 1n]],
      ['owner', ['\ud800', 1n]],
      ['owner', [1n, 'Ann']],
      ['-placed-at', ['yesterday', 1n]],
      ['-group', [0.5, 1n]],
      ['-id', [2n ** 63n]],
      ['-id', []],
      ['isPaid', [0, 1n]]
    ] as const)
      await t.rejects(orders.list({ order: by, after, limit: 1 }), InvalidPosition, `${by} ${typeof after}`)
  })

  const quantitiesOf = async ({ lines }: OrderStore, orderId: bigint) =>
    (await lines.list({ orderId, limit: 9 })).map(({ quantity }) => quantity)

  promise('transaction: an order with its lines is stored as a whole, or not at all', async (t, store) => {
    const results = await Promise.allSettled([[1, 2], [3, 0], [], [4]].map(each => createWithLines(store, each)))
    t.strictSame(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled']
    )
    const stored = await store.orders.list({ limit: 9 })
    t.strictSame(await Promise.all(stored.map(({ id }) => quantitiesOf(store, id))), [[1, 2], [], [4]])
    t.equal((await store.lines.list({ limit: 9 })).length, 3)
  })

  promise('transaction: those that are waiting share a commit, also with other writes', async (t, store) => {
    // Waits for what the start has to write.
    const id = await createWithLines(store, [1])
    await nextTurn()
    const before = sum(store)
    await Promise.all([
      createWithLines(store, [1]),
      createWithLines(store, [2]),
      store.orders.update(id, { group: 5 }),
      createWithLines(store, [3])
    ])
    await nextTurn()
    t.equal(sum(store) - before, 1)
    t.equal((await store.orders.get(id))?.group, 5)
  })

  promise('transaction: it sees its own steps, and what it throws is thrown', async (t, store) => {
    const error = new Error('sold out')
    const work = store.transaction(function* (tx) {
      const { id } = yield* tx.orders.create(order)
      yield* tx.orders.update(id, { owner: 'Bo' })
      t.equal((yield* tx.orders.get(id))?.owner, 'Bo')
      t.equal((yield* tx.orders.list({ limit: 9 })).length, 1)
      t.equal(yield* tx.orders.delete(id), true)
      yield* tx.orders.create(order)
      throw error
    })
    t.equal(await work.catch((thrown: unknown) => thrown), error)
    for (const thrown of [error, undefined]) {
      const failing = store.transaction(() => {
        throw thrown
      })
      const other = store.orders.delete(1n)
      t.equal(await failing.catch((reason: unknown) => reason), thrown)
      t.equal(await other, false, 'nothing else fails')
    }
    t.strictSame(await store.orders.list({ limit: 9 }), [])
  })

  promise('transaction: no two run at the same time', async (t, store) => {
    const most = 3
    const add = () =>
      store.transaction(function* (tx) {
        if ((yield* tx.orders.list({ limit: most })).length === most) return false
        yield* tx.orders.create(order)
        return true
      })
    const added = await Promise.all(Array.from({ length: 10 }, add))
    t.equal(added.filter(Boolean).length, most)
  })

  promise(
    'create and transaction: with an idempotency key, the same request has one effect and one result',
    async (t, store) => {
      const first = createWithLines(store, [1], once())
      await t.rejects(createWithLines(store, [1], once()), InProgress)
      const id = await first
      t.equal(await createWithLines(store, [1], once()), id)
      await t.rejects(createWithLines(store, [2], once({ fingerprint: '2'.repeat(64) })), KeyReused)
      await t.rejects(createWithLines(store, [0], once({ key: '2' })))
      t.not(await createWithLines(store, [2], once({ key: '2' })), id, 'a failed one leaves no key')
      const create = () => store.orders.create(order, once({ key: '3' }))
      t.strictSame(await create(), await create())
      // @ts-expect-error It has to return an id.
      await t.rejects(store.transaction(({ orders }) => orders.create(order), once({ key: '4' })))
      t.equal((await store.orders.list({ limit: 9 })).length, 3)
    }
  )

  promise('close: accepted transactions are completed, later ones are refused', async (t, store) => {
    const accepted = createWithLines(store, [1])
    const closed = store.close()
    await t.rejects(createWithLines(store, [1]), StoreUnavailable)
    await accepted
    await closed
  })
}

/** The number of commits. */
const sum = (store: Store) => store.figures().batchSizes.reduce((total, count) => total + count, 0)
