import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { migrate } from '../../src/store/sqlite/migrations.ts'
import { startProcess } from './processes.ts'
import { lamp, look, newPath, openThings, schema, thingsIn, version } from './things.ts'

const tables = (db: DatabaseSync) =>
  db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(row => row.name)

const steps = ['CREATE TABLE a (x)', 'INSERT INTO a VALUES (1); INSERT INTO a VALUES (2)', 'CREATE TABLE b (y)']
const rows = (db: DatabaseSync) => db.prepare('SELECT count(*) AS n FROM a').get()?.n

t.test('an empty database gets every migration, once', async t => {
  const db = new DatabaseSync(':memory:')
  for (const _ of 'twice!') {
    migrate(db, { ...schema, migrations: steps })
    t.equal(version(db), 3)
    t.equal(rows(db), 2)
  }
})

t.test('only missing migrations are applied', async t => {
  const db = new DatabaseSync(':memory:')
  migrate(db, { ...schema, migrations: steps.slice(0, 2) })
  db.exec('DELETE FROM a')
  migrate(db, { ...schema, migrations: steps })
  t.equal(version(db), 3)
  t.equal(rows(db), 0)
})

t.test('a migration that fails leaves nothing behind, and those before it are kept', async t => {
  const db = new DatabaseSync(':memory:')
  t.throws(() => migrate(db, { ...schema, migrations: [...steps.slice(0, 2), 'DELETE FROM a; CREATE TABLE a (x)'] }), {
    message: 'migration 3 failed',
    cause: { message: 'table a already exists' }
  })
  t.equal(version(db), 2)
  t.equal(rows(db), 2)
  t.equal(db.isTransaction, false)
})

t.test('several processes can start at once on a new file', async t => {
  const path = newPath(t)
  const children = Array.from({ length: 4 }, () => startProcess(t, 'creating-process.ts', [path, '1', '1']))
  const ids = await Promise.all(children.map(async child => JSON.parse((await child.line()) ?? '{}').id))
  t.strictSame(ids.toSorted(), ['1', '2', '3', '4'])
  for (const child of children) t.equal(await child.exitCode, 0)
})

t.test('a start waits while another process holds the file', async t => {
  const path = newPath(t)
  const locking = startProcess(t, 'locking-process.ts', [path])
  t.equal(await locking.line(), 'locked')
  const starting = startProcess(t, 'creating-process.ts', [path, '1', '1'])
  // Usually long enough for the start to run into the lock, which cannot be observed.
  await delay(250)
  locking.process.stdin.end()
  t.match(await starting.line(), '"id":"1"')
  t.equal(await starting.exitCode, 0)
})

t.test('kill -9 during a step: nothing of the step is kept, and the next start repeats it', async t => {
  const path = newPath(t)
  const child = startProcess(t, 'migrating-process.ts', [path])
  t.equal(await child.line(), 'in the second step')
  child.process.kill('SIGKILL')
  await child.exitCode
  look(path, db => {
    t.equal(version(db), 1)
    t.strictSame(tables(db), ['a'])
    t.equal(db.prepare('SELECT count(*) AS n FROM a').get()?.n, 0)
    migrate(db, { ...schema, migrations: ['not again', 'INSERT INTO a VALUES (1); CREATE TABLE b (y)'] })
    t.equal(version(db), 2)
    t.strictSame(tables(db), ['a', 'b'])
    t.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
  })
})

t.test('while one process is in a step, no other starts it', async t => {
  const path = newPath(t)
  const child = startProcess(t, 'migrating-process.ts', [path])
  t.equal(await child.line(), 'in the second step')
  const db = new DatabaseSync(path)
  t.teardown(() => db.close())
  t.throws(() => migrate(db, { ...schema, migrations: ['not again', 'CREATE TABLE c (z)'] }), {
    message: 'database is locked'
  })
  t.equal(version(db), 1)
  child.process.kill('SIGKILL')
  await child.exitCode
})

t.test('a newer program migrates the database while an older one opens it: that one writes nothing', async t => {
  const path = newPath(t)
  const db = openDatabase(path, schema)
  look(path, db =>
    migrate(db, {
      ...schema,
      migrations: [...schema.migrations, 'ALTER TABLE things ADD COLUMN weight INTEGER NOT NULL DEFAULT 0']
    })
  )
  const store = thingsIn(db)
  t.teardown(() => store.close())
  const refused = `a newer program has migrated the database from version ${schema.migrations.length} to ${schema.migrations.length + 1}`
  await t.rejects(store.things.create(lamp), { name: 'StoreUnavailable', message: refused })
  await t.rejects(store.check(), { name: 'StoreUnavailable', message: refused })
  look(path, db => t.equal(db.prepare('SELECT count(*) AS n FROM things').get()?.n, 0))
})

t.test('a newer program migrates the database of a running older one: that one writes nothing more', async t => {
  const path = newPath(t)
  const store = openThings({ path })
  t.teardown(() => store.close())
  const first = await store.things.create(lamp)
  await store.check()

  const newer = schema.migrations.length + 1
  const refused = `a newer program has migrated the database from version ${schema.migrations.length} to ${newer}`
  look(path, db =>
    migrate(db, {
      ...schema,
      migrations: [...schema.migrations, 'ALTER TABLE things ADD COLUMN weight INTEGER NOT NULL DEFAULT 0']
    })
  )
  await t.rejects(store.things.create(lamp), { name: 'StoreUnavailable', message: refused })
  await t.rejects(store.keys.revoke('000000000000', 0), { name: 'StoreUnavailable' })
  await t.rejects(store.check(), { name: 'StoreUnavailable', message: refused })
  t.strictSame(await store.things.list(), [first], 'reads that still work continue')

  look(path, db => t.equal(db.prepare('SELECT count(*) AS n FROM things').get()?.n, 1))
  t.throws(() => openThings({ path }), { message: /its version \d+ is newer than this program/ })
})
