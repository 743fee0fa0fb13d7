import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { extent } from '../../../../test/extent.ts'
import { InProgress, KeyReused, type Once } from '../../src/store/idempotency.ts'
import { keysTable } from '../../src/store/sqlite/schema.ts'
import { openStore as openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { startProcess } from './processes.ts'
import { count, lamp, look, newPath, openStore, openThings, schema } from './things.ts'

const dayMs = 86_400_000

const same = (all: { body: number; id: bigint }[]) => new Set(all.map(({ body, id }) => `${body} ${id}`)).size === 1

const once = (key: string): Once => ({ owner: 'a', key, fingerprint: '1'.repeat(64) })

t.test('several processes that send the same keys at once add each thing once, and all get its id', async t => {
  const path = newPath(t)
  openStore(t, path)
  const children = Array.from({ length: 3 }, () => startProcess(t, 'creating-process.ts', [path, '16', '200', 'a']))
  const printed = await Promise.all(children.map(child => child.rest()))
  for (const lines of printed) t.strictSame(lines.toSorted(), printed[0]?.toSorted())
  t.equal(new Set(printed.flat()).size, 200)
  t.equal(count(path), 200)
})

t.test('whatever two processes send, at once or later: one row per key', async t => {
  const request = fc.record({
    store: fc.constantFrom(0, 1),
    key: fc.option(fc.nat(2), { nil: undefined }),
    body: fc.nat(1),
    isValid: fc.boolean()
  })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(request, { maxLength: 6 }), { maxLength: 5 }), async turns => {
      const path = newPath(t)
      const stores = [openThings({ path }), openThings({ path })]
      const added: { key: number | undefined; body: number; id: bigint }[] = []
      const reused: { key: number | undefined; body: number }[] = []
      for (const turn of turns) {
        const sent = turn.map(async ({ store, key, body, isValid }) => {
          const name = isValid ? 'lamp' : (null as unknown as string)
          const fingerprint = `${body}`.repeat(64)
          const repeatable = key === undefined ? undefined : { owner: 'a', key: `${key}`, fingerprint }
          try {
            const thing = await stores[store]?.things.create({ name }, repeatable)
            added.push({ key, body, id: thing?.id ?? 0n })
          } catch (error) {
            if (error instanceof KeyReused) reused.push({ key, body })
            else if (!(error instanceof InProgress) && isValid) throw error
          }
        })
        await Promise.all(sent)
      }
      for (const store of stores) await store.close()
      const byKey = Map.groupBy(
        added.filter(each => each.key !== undefined),
        each => each.key
      )
      for (const [key, all] of byKey) t.ok(same(all), `${key} has one request and one id`)
      for (const { key, body } of reused) t.ok(byKey.get(key)?.every(first => first.body !== body))
      t.equal(count(path), new Set(added.map(each => each.id)).size)
      t.equal(count(path), byKey.size + added.filter(each => each.key === undefined).length)
    }),
    { numRuns: extent(50, 1000) }
  )
})

t.test('keys older than a day are removed in batches after the start, and others kept', async t => {
  const path = newPath(t)
  await openThings({ path }).close()
  const now = Date.now()
  look(path, db => {
    const add = db.prepare("INSERT INTO idempotency_keys VALUES ('a', ?, zeroblob(32), 1, ?)")
    db.exec('BEGIN')
    for (let i = 0; i < 420; i++) add.run(`${i}`, now - dayMs - 1 - i)
    for (let i = 420; i < 520; i++) add.run(`${i}`, now - dayMs + 600_000)
    db.exec('COMMIT')
  })
  const store = openStore(t, path)
  const left = () => look(path, db => db.prepare('SELECT count(*) AS n FROM idempotency_keys').get()?.n)
  while (left() !== 100) await delay(5)
  const { batchSizes } = store.figures()
  t.equal(batchSizes[1], 5, 'at most 100 in each commit')
  await delay(100)
  t.equal(left(), 100)
  t.equal(store.figures().batchSizes[1], 5, 'if there is nothing to remove, nothing is written')
})

t.test('both statements about age use the index', async t => {
  const path = newPath(t)
  openStore(t, path)
  look(path, db => {
    const plan = db
      .prepare('EXPLAIN QUERY PLAN SELECT owner, key FROM idempotency_keys WHERE created_at < 1 ORDER BY created_at')
      .all()
    t.strictSame(
      plan.map(row => row.detail),
      ['SEARCH idempotency_keys USING COVERING INDEX idempotency_keys_by_age (created_at<?)']
    )
  })
})

t.test('a service without the table cannot make writes safe to repeat', async t => {
  const { tables } = schema
  const store = openSqliteStore(
    { ...schema, migrations: [`${keysTable} CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT)`], tables },
    { path: ':memory:' }
  )
  t.teardown(() => store.close())
  t.equal(store.keepsIdempotencyKeys, false)
  await t.rejects(store.things.create(lamp, once('1')), { message: /needs the table of these keys/ })
  t.equal((await store.things.create(lamp)).id, 1n)
})
