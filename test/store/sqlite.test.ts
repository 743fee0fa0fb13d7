import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { openDatabase } from '../../packages/fastify/src/store/sqlite/database.ts'
import { keySuite } from '../../packages/fastify/test/store/keys.suite.ts'
import type { AnimalStore } from '../../src/store/animal-store.ts'
import { animalSchema } from '../../src/store/sqlite/schema.ts'
import { newPet } from '../animals.ts'
import { openSqliteStore, sqliteStore } from '../open-store.ts'
import { storeSuite } from './pets.suite.ts'

const rex = newPet()

const newPath = (t: Test) => join(t.testdir(), 'pets.db')

const openStore = (t: Test, path: string): AnimalStore => {
  const store = openSqliteStore({ path })
  t.teardown(() => store.close())
  return store
}

/** Works on a second connection, as another program would. */
const look = <T>(path: string, work: (db: DatabaseSync) => T): T => {
  const db = new DatabaseSync(path)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

t.test('in a file', async t => {
  storeSuite(
    t,
    t => openSqliteStore({ path: newPath(t) }),
    t => openSqliteStore({ path: join(t.testdirName, 'pets.db') })
  )
  keySuite(t, t => openSqliteStore({ path: newPath(t) }))
})

t.test('in memory', async t => {
  storeSuite(t, () => openSqliteStore({ path: ':memory:' }))
  keySuite(t, () => openSqliteStore({ path: ':memory:' }))
})

t.test('an id is not assigned again after its row is deleted', async t => {
  const path = newPath(t)
  const store = openStore(t, path)
  for (let i = 0; i < 3; i++) await store.pets.create(rex)
  look(path, db => db.exec('DELETE FROM pets WHERE id = 3'))
  t.equal((await store.pets.create(rex)).id, 4n)
  look(path, db => db.exec('DELETE FROM pets'))
  t.equal((await store.pets.create(rex)).id, 5n)
})

t.test('no id beyond 2^53 - 1 is assigned', async t => {
  const path = newPath(t)
  const store = openStore(t, path)
  await store.pets.create(rex)
  look(path, db => db.exec("UPDATE sqlite_sequence SET seq = 9007199254740990 WHERE name = 'pets'"))
  t.equal((await store.pets.create(rex)).id, 2n ** 53n - 1n)
  await t.rejects(store.pets.create(rex), { message: /CHECK constraint failed/ })
})

t.test('a page is read from an index, in the order of the index', async t => {
  const path = newPath(t)
  const db = openDatabase(path, animalSchema)
  const sqls: string[] = []
  const prepare = db.prepare.bind(db)
  db.prepare = sql => {
    sqls.push(sql)
    return prepare(sql)
  }
  const store = sqliteStore(db)
  t.teardown(() => store.close())
  const plans = sqls
    .filter(sql => /FROM pets .*ORDER BY/.test(sql))
    .map(sql =>
      prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...Array(sql.split('?').length - 1).fill(1))
        .map(row => row.detail)
    )
  t.strictSame(plans, [
    ['SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)'],
    ['SEARCH pets USING INDEX pets_by_status (status=? AND rowid>?)']
  ])
})
