import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { openDatabase } from '../../../src/engine/store/sqlite/database.ts'
import { migrate } from '../../../src/engine/store/sqlite/migrations.ts'
import { animalSchema } from '../../../src/store/sqlite/schema.ts'
import { newPet } from '../../animals.ts'
import { openSqliteStore, sqliteStore } from '../../open-store.ts'
import { startProcess } from './processes.ts'

const { migrations } = animalSchema

const rex = newPet()

const newPath = (t: Test) => join(t.testdir(), 'pets.db')

const look = <T>(path: string, work: (db: DatabaseSync) => T): T => {
  const db = new DatabaseSync(path)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

const version = (db: DatabaseSync) => db.prepare('PRAGMA user_version').get()?.user_version
const tables = (db: DatabaseSync) =>
  db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(row => row.name)

t.test('kill -9 in the middle of a step: nothing of it is there, and the next start does it', async t => {
  const path = newPath(t)
  const child = startProcess(t, 'migrating-process.ts', [path])
  t.equal(await child.line(), 'in the second step')
  child.process.kill('SIGKILL')
  await child.exitCode
  look(path, db => {
    t.equal(version(db), 1)
    t.strictSame(tables(db), ['a'])
    t.equal(db.prepare('SELECT count(*) AS n FROM a').get()?.n, 0)
    migrate(db, { ...animalSchema, migrations: ['not again', 'INSERT INTO a VALUES (1); CREATE TABLE b (y)'] })
    t.equal(version(db), 2)
    t.strictSame(tables(db), ['a', 'b'])
    t.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
  })
})

t.test('while one process is in a step, no other begins it', async t => {
  const path = newPath(t)
  const child = startProcess(t, 'migrating-process.ts', [path])
  t.equal(await child.line(), 'in the second step')
  look(path, db => {
    t.throws(() => migrate(db, { ...animalSchema, migrations: ['not again', 'CREATE TABLE c (z)'] }), {
      message: 'database is locked'
    })
    t.equal(version(db), 1)
  })
  child.process.kill('SIGKILL')
  await child.exitCode
})

t.test('from each version on, several processes may start at once: all is migrated once, and nothing lost', async t => {
  for (let from = 1; from < migrations.length; from++) {
    const path = newPath(t)
    const digests = [1, 2, 3].map(byte => new Uint8Array(32).fill(byte))
    look(path, db => {
      migrate(db, { ...animalSchema, migrations: migrations.slice(0, from) })
      const pets = db.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, 1, 'sold')")
      for (const name of ['Rex', 'Bello', 'Mia']) pets.run(name)
      if (from === 1) for (const digest of digests) db.prepare('INSERT INTO keys (digest) VALUES (?)').run(digest)
    })
    const children = Array.from({ length: 4 }, () => startProcess(t, 'creating-process.ts', [path, '1', '1']))
    const ids = await Promise.all(children.map(async child => JSON.parse((await child.line()) ?? '{}').id))
    t.strictSame(ids.toSorted(), ['4', '5', '6', '7'])
    for (const child of children) t.equal(await child.exitCode, 0)

    const store = openSqliteStore({ path })
    t.teardown(() => store.close())
    const pets = await store.pets.list({ after: 0n, limit: 3 })
    t.strictSame(
      pets.map(pet => pet.name),
      ['Rex', 'Bello', 'Mia']
    )
    if (from > 1) continue
    for (const digest of digests) t.type(store.keys.use(Buffer.from(digest).toString('hex'), Date.now()), 'string')
  }
})

t.test('a newer program migrates the database while it is opened: nothing is written into it', async t => {
  const path = newPath(t)
  const db = openDatabase(path, animalSchema)
  look(path, db =>
    migrate(db, {
      ...animalSchema,
      migrations: [...migrations, 'ALTER TABLE pets ADD COLUMN tricks INTEGER NOT NULL DEFAULT 0']
    })
  )
  const store = sqliteStore(db)
  t.teardown(() => store.close())
  const refused = `a newer program has brought the database from version ${migrations.length} to ${migrations.length + 1}`
  await t.rejects(store.pets.create(rex), { name: 'StoreUnavailable', message: refused })
  await t.rejects(store.check(), { name: 'StoreUnavailable', message: refused })
  look(path, db => t.equal(db.prepare('SELECT count(*) AS n FROM pets').get()?.n, 0))
})

t.test('a newer program migrates the database of a running one: that one writes nothing more into it', async t => {
  const path = newPath(t)
  const store = openSqliteStore({ path })
  t.teardown(() => store.close())
  const first = await store.pets.create(rex)
  await store.check()

  const newer = migrations.length + 1
  const refused = `a newer program has brought the database from version ${migrations.length} to ${newer}`
  look(path, db =>
    migrate(db, {
      ...animalSchema,
      migrations: [...migrations, 'ALTER TABLE pets ADD COLUMN tricks INTEGER NOT NULL DEFAULT 0']
    })
  )
  await t.rejects(store.pets.create(rex), { name: 'StoreUnavailable', message: refused })
  await t.rejects(store.keys.revoke('000000000000', 0), { name: 'StoreUnavailable' })
  await t.rejects(store.check(), { name: 'StoreUnavailable', message: refused })
  t.strictSame(await store.pets.list({ after: 0n, limit: 9 }), [first], 'what it can read it goes on reading')

  look(path, db => t.equal(db.prepare('SELECT count(*) AS n FROM pets').get()?.n, 1))
  t.throws(() => openSqliteStore({ path }), { message: /its version \d+ is newer than this program/ })
})
