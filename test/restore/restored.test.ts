import { copyFileSync, readdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { digestOf, keyIdOf } from '../../packages/fastify/src/api-keys/api-key.ts'
import { migrate } from '../../packages/fastify/src/store/sqlite/migrations.ts'
import { animalSchema } from '../../src/store/sqlite/schema.ts'
import { newPet } from '../animals.ts'
import {
  addAnimals,
  backup,
  create,
  end,
  fileDigestOf,
  idsIn,
  look,
  migrations,
  newDatabase,
  noOthers,
  restore
} from '../backups.ts'
import { issued, keys, openStore } from '../keys/commands.ts'
import { openSqliteStore } from '../open-store.ts'
import { projectFolder, run, sendRequest, startServer } from '../start-server.ts'

const idOf = (key: string) => keyIdOf(digestOf(key))

t.test('the service serves the backup; ids continue, and keys revoked since stay revoked', async t => {
  const cwd = t.testdir()
  const first = await startServer(t, { cwd })
  const { key } = first
  const web = await issued(t, cwd, '--name', 'web')
  for (const name of ['Rex', 'Bello 🐕']) t.equal((await create(first, key, name)).status, 201)
  const expected = await sendRequest(first, key, '/v1/pets')
  t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
  const since = await create(first, key, 'Mia')
  t.equal(since.id, 3)
  t.equal((await keys(t, cwd, ['revoke', web.id])).code, 0)

  t.comment('while the service runs, nothing is replaced')
  const open = await restore(t, cwd, ['copy.db', '--replace'])
  t.equal(open.code, 1)
  t.equal(open.stdout, '')
  t.match(
    open.stderr,
    /^Nothing was restored: .*animals\.db cannot be replaced: it is in use; stop the service first\n$/
  )
  t.equal((await create(first, key, 'Bello')).id, 4)
  await end(first)
  t.strictSame(readdirSync(join(cwd, 'data')), ['animals.db'])

  const backedUp = fileDigestOf(join(cwd, 'copy.db'))
  const { code, stdout, stderr } = await restore(t, cwd, ['copy.db', '--replace'])
  t.equal(stderr, '')
  t.equal(code, 0)
  t.equal(fileDigestOf(join(cwd, 'copy.db')), backedUp, 'the backup is unchanged')
  const [, kept = ''] = / {2}replaced {2}(.+)\n/.exec(stdout) ?? []
  t.match(stdout, `  database  ${join(cwd, 'data', 'animals.db')}\n  animals   2\n${noOthers}  keys      2\n`)
  t.strictSame(idsIn(kept), [1, 2, 3, 4], 'the replaced database is kept')

  const second = await startServer(t, { cwd })
  t.equal(second.key, undefined)
  t.equal((await sendRequest(second, key, '/v1/pets')).text, expected.text)
  t.equal((await create(second, key, 'Minka')).id, 5, 'an id assigned since the backup is not assigned again')
  t.equal((await sendRequest(second, web.key, '/v1/pets')).status, 401, 'nor is a key revoked since then valid again')
  await end(second)
})

/** The id of an animal that is added now. */
const nextId = async (path: string) => {
  const store = openSqliteStore({ path })
  const { id } = await store.pets.create(newPet())
  await store.close()
  return Number(id)
}

t.test('without a previous database: it prints what it cannot know', async t => {
  const cwd = t.testdir()
  const path = newDatabase(cwd, 3)
  t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
  renameSync(path, join(cwd, 'lost.db'))
  const env = { DATABASE_URL: 'sqlite:some/new/place.db' }
  const { code, stdout, stderr } = await restore(t, cwd, ['copy.db'], env)
  t.equal(code, 0)
  t.notMatch(stdout, 'replaced')
  t.equal(
    stderr,
    `Ids assigned since the backup will be assigned again: there is no readable database.
Keys issued since the backup are lost, and keys revoked since are valid again: there is no readable database.
npm run keys -- list shows the keys.
`
  )
  t.strictSame(readdirSync(join(cwd, 'some', 'new')), ['place.db'])
  t.equal(statSync(join(cwd, 'some', 'new', 'place.db')).mode & 0o777, 0o600)
  t.equal(await nextId(join(cwd, 'some', 'new', 'place.db')), 4)
})

t.test('a backup of an older version: the next start migrates it', async t => {
  const cwd = t.testdir()
  look(join(cwd, 'old.db'), db => {
    migrate(db, { ...animalSchema, migrations: migrations.slice(0, 1) })
    addAnimals(db, 3)
  })
  const path = newDatabase(cwd, 5)
  const { code, stdout, stderr } = await restore(t, cwd, ['old.db', '--replace'])
  t.equal(code, 0)
  t.match(stdout, '  version   1\n')
  t.match(stderr, `the replaced database has version ${migrations.length}, the backup 1`)
  t.notMatch(stderr, 'Ids given')
  t.equal(await nextId(path), 6, 'ids can be read in every version')
})

t.test('keys issued since the backup stay valid, and are named', async t => {
  const cwd = t.testdir()
  newDatabase(cwd, 1)
  const first = await issued(t, cwd, '--name', 'web')
  t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
  const second = (await keys(t, cwd, ['rotate', first.id, '--grace', '0'])).stdout.trim()
  const third = await issued(t, cwd, '--name', 'for a day', '--expires', '1d')
  const fourth = await issued(t, cwd, '--name', 'short-lived')
  t.equal((await keys(t, cwd, ['revoke', fourth.id])).code, 0)
  const { stdout: list } = await keys(t, cwd, ['list', '--json'])

  const { code, stdout, stderr } = await restore(t, cwd, ['copy.db', '--replace'])
  t.equal(code, 0)
  t.equal(stderr, '')
  t.match(stdout, '  keys      4\n')
  const [, named = ''] =
    /\nKeys issued since the backup, which stay valid: 3\.\nTo revoke one: npm run keys -- revoke ID\n([\s\S]+)$/.exec(
      stdout
    ) ?? []
  const lines = [`${idOf(second)}  web`, `${third.id}  for a day`, `${fourth.id}  short-lived`]
  t.strictSame(named.trimEnd().split('\n').toSorted(), lines.map(line => `  ${line}`).toSorted())
  t.equal((await keys(t, cwd, ['list', '--json'])).stdout, list, 'with all their data')

  const store = openStore(t, cwd)
  const use = (key: string) => store.keys.use(digestOf(key), Date.now())
  t.strictSame(
    [use(first.key), use(second), use(third.key), use(fourth.key)],
    [undefined, idOf(second), third.id, undefined]
  )
})

t.test('a database of another version: keys issued since the backup are lost, and are named', async t => {
  const cwd = t.testdir()
  const path = newDatabase(cwd, 1)
  look(join(cwd, 'old.db'), db => migrate(db, { ...animalSchema, migrations: migrations.slice(0, 1) }))
  const insert = (db: DatabaseSync, number: number) =>
    db.prepare('INSERT INTO keys (digest) VALUES (?)').run(digest(number))
  const digest = (number: number) => new Uint8Array(32).fill(number)
  look(join(cwd, 'old.db'), db => insert(db, 1))
  look(path, db => {
    const issue = db.prepare('INSERT INTO keys (digest, id, name) VALUES (?, ?, ?)')
    issue.run(digest(1), 'a', 'in the backup')
    issue.run(digest(2), 'b', 'web\r\u001b[2K')
  })
  const older = await restore(t, cwd, ['old.db', '--replace'])
  t.equal(older.code, 0)
  t.equal(
    older.stderr,
    `Keys issued since the backup are lost, and keys revoked since are valid again: the replaced database has version ${migrations.length}, the backup 1.
npm run keys -- list shows the keys.
Lost keys: 1.
  b  web??[2K
`
  )
  newDatabase(join(cwd, 'new'), 1)
  const newer = await restore(t, cwd, ['new/data/animals.db', '--replace'])
  t.match(newer.stderr, /the replaced database has version 1, .*\n.*\nLost keys: 1\.\n {2}010101010101 {2}unnamed\n$/)
})

t.test('a backup from before the first animal: ids continue as well', async t => {
  const cwd = t.testdir()
  const path = newDatabase(cwd, 0)
  t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
  look(path, db => addAnimals(db, 7))
  t.strictSame((await restore(t, cwd, ['copy.db', '--replace'])).stderr, '')
  t.equal(await nextId(path), 8)
})

t.test('a backup newer than the database: none of its changes are undone', async t => {
  const cwd = t.testdir()
  const path = newDatabase(cwd, 2)
  look(path, db => {
    const insert = db.prepare('INSERT INTO keys (digest, id, name, revoked_at, expires_at) VALUES (?, ?, ?, ?, ?)')
    insert.run(new Uint8Array(32).fill(1), 'a', 'revoked in the backup', null, null)
    insert.run(new Uint8Array(32).fill(2), 'b', 'shortened in the backup', null, 3000)
    insert.run(new Uint8Array(32).fill(3), 'c', 'shortened since', null, 1000)
    insert.run(new Uint8Array(32).fill(4), 'd', 'revoked in both', 1000, null)
  })
  copyFileSync(path, join(cwd, 'later.db'))
  look(join(cwd, 'later.db'), db => {
    addAnimals(db, 3)
    db.exec(`UPDATE keys SET revoked_at = 2000 WHERE id IN ('a', 'd');
      UPDATE keys SET expires_at = 2000 WHERE id = 'b'; UPDATE keys SET expires_at = NULL WHERE id = 'c'`)
  })
  t.equal((await restore(t, cwd, ['later.db', '--replace'])).code, 0)
  look(path, db => {
    t.equal(db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'pets'").get()?.seq, 5)
    t.strictSame(
      db
        .prepare('SELECT id, revoked_at, expires_at FROM keys ORDER BY id')
        .all()
        .map(row => Object.values(row)),
      [
        ['a', 2000, null],
        ['b', null, 2000],
        ['c', null, 1000],
        ['d', 2000, null]
      ]
    )
  })
})

t.test('through npm, as documented', async t => {
  const cwd = t.testdir()
  const env = { DATABASE_URL: `sqlite:${newDatabase(cwd, 3)}` }
  t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
  const words = ['run', '-s', 'restore', '--', join(cwd, 'copy.db'), '--replace']
  t.equal((await run(t, 'npm', words, { cwd: projectFolder, env }).ended).code, 0)
  t.strictSame(idsIn(join(cwd, 'data', 'animals.db')), [1, 2, 3])
})
