import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { createMany, lamp, look, newPath, openStore, type ThingStore } from './things.ts'

/** A store whose next reads share a transaction, and another program with the same database. */
const open = async (t: Parameters<typeof newPath>[0]) => {
  const path = newPath(t)
  const store = openStore(t, path)
  const things = await createMany(store, 2)
  const other = new DatabaseSync(path, { timeout: 0 })
  t.teardown(() => other.close())
  await nextTurn()
  await Promise.all([store.things.list(), store.things.list()])
  await nextTurn()
  /** Whether the store has a transaction open, which keeps the log from being truncated. */
  const isReading = () => other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 1
  const add = () => other.exec("INSERT INTO things (name) VALUES ('chair')")
  return { path, store, things, isReading, add }
}

/** Counts several times in one turn of the event loop: reads run at once. */
const count = (store: ThingStore, times: number) =>
  Promise.all(Array.from({ length: times }, async () => (await store.things.list()).length))

t.test('the reads of one turn of the event loop share a transaction, which ends with it', async t => {
  const { store, isReading } = await open(t)
  const counts = count(store, 2)
  t.ok(isReading(), 'between the reads')
  t.strictSame(await counts, [2, 2])
  await nextTurn()
  t.notOk(isReading(), 'in the next turn')
})

t.test('a single read begins no transaction', async t => {
  const { store, isReading } = await open(t)
  await count(store, 1)
  await nextTurn()
  await count(store, 1)
  t.notOk(isReading())
})

t.test('reads of one turn see the same; those of the next see what others have added meanwhile', async t => {
  const { store, add } = await open(t)
  const before = count(store, 1)
  add()
  const after = count(store, 1)
  t.strictSame([await before, await after], [[2], [2]])
  await nextTurn()
  t.strictSame(await count(store, 1), [3])
})

t.test('a read sees what the process itself has added', async t => {
  const { store, things } = await open(t)
  const [counts, added] = await Promise.all([count(store, 1), store.things.create(lamp)])
  t.strictSame(counts, [2])
  t.strictSame(await store.things.list(), [...things, added])
})

t.test('a read that fails ends the transaction for the others too', async t => {
  const { path, store, isReading } = await open(t)
  look(path, db => db.exec('ALTER TABLE things RENAME TO others'))
  const [first, second] = [store.things.list(), store.things.get(1n)]
  await t.rejects(first, /no such table/)
  t.notOk(isReading(), 'after the first')
  await t.rejects(second, /no such table/)
  look(path, db => db.exec('ALTER TABLE others RENAME TO things'))
  t.strictSame(await count(store, 2), [2, 2])
})

t.test('a store can be closed in the turn of its reads', async t => {
  const { path, store } = await open(t)
  const counts = count(store, 2)
  await store.close()
  t.strictSame(await counts, [2, 2])
  t.strictSame(
    look(path, db => db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy),
    0
  )
})
