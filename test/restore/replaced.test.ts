import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { restore as restoreFrom } from '../../packages/fastify/src/store/sqlite/backup.ts'
import { animalSchema } from '../../src/store/sqlite/schema.ts'
import {
  addAnimals,
  backup,
  damageIndex,
  fileDigestOf,
  idsIn,
  look,
  migrations,
  newDatabase,
  restore,
  unheard
} from '../backups.ts'

t.test('an existing database is replaced only with --replace', async t => {
  const cwd = t.testdir()
  const path = newDatabase(cwd, 3)
  t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
  const before = fileDigestOf(path)
  const { code, stdout, stderr } = await restore(t, cwd, ['copy.db'])
  t.equal(code, 1)
  t.equal(stdout, '')
  t.match(stderr, /^Nothing was restored: .*animals\.db exists already; .*--replace.*\n$/)
  t.equal(fileDigestOf(path), before)

  // A log without its database is left from a deleted one; SQLite would apply it to any database of this name.
  renameSync(path, `${path}-wal`)
  const beside = await restore(t, cwd, ['copy.db'])
  t.equal(beside.code, 1)
  t.match(beside.stderr, /animals\.db-wal exists already/)
  const { stdout: done } = await restore(t, cwd, ['copy.db', '--replace'])
  const [, kept = ''] = / {2}replaced {2}(.+)\n/.exec(done) ?? []
  t.equal(fileDigestOf(`${kept}-wal`), before)
  t.strictSame(idsIn(path), [1, 2, 3])
})

t.test('a damaged database is replaced, too, and kept with its log and index', async t => {
  const cwd = t.testdir()
  const path = newDatabase(cwd, 3)
  t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
  for (const damage of ['no database. '.repeat(1000), '']) {
    writeFileSync(path, damage)
    writeFileSync(`${path}-wal`, 'log')
    const { code, stdout, stderr } = await restore(t, cwd, ['copy.db', '--replace'])
    t.equal(code, 0)
    t.match(stderr, /^Ids assigned since/)
    const [, kept = ''] = / {2}replaced {2}(.+)\n/.exec(stdout) ?? []
    t.equal(readFileSync(kept, 'utf8'), damage)
    if (damage === '') t.equal(readFileSync(`${kept}-wal`, 'utf8'), 'log')
    t.equal(existsSync(`${path}-wal`), false)
    t.strictSame(idsIn(path), [1, 2, 3])
    for (const file of readdirSync(join(cwd, 'data')))
      if (file !== 'animals.db') renameSync(join(cwd, 'data', file), join(cwd, `${damage.length} ${file}`))
  }
})

t.test("another program's database and a folder are not replaced", async t => {
  const cwd = t.testdir({ folder: {} })
  newDatabase(cwd, 1)
  t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
  look(join(cwd, 'foreign.db'), db => db.exec('CREATE TABLE notes (text TEXT)'))
  const before = fileDigestOf(join(cwd, 'foreign.db'))
  for (const [file, reason] of Object.entries({
    'foreign.db': 'belongs to another program',
    folder: 'is a folder'
  })) {
    const options = { schema: animalSchema, replace: true, signal: unheard }
    await t.rejects(restoreFrom(join(cwd, 'copy.db'), join(cwd, file), options), {
      message: new RegExp(`${file} cannot be replaced: it ${reason}$`)
    })
  }
  t.equal(fileDigestOf(join(cwd, 'foreign.db')), before)
  t.strictSame(readdirSync(cwd).toSorted(), ['copy.db', 'data', 'folder', 'foreign.db'])
})

t.test('a damaged or foreign backup is refused, and nothing is replaced', async t => {
  const cwd = t.testdir({ 'text.db': 'These are my notes. '.repeat(500), 'empty.db': '', folder: {} })
  const path = newDatabase(cwd, 5000)
  look(join(cwd, 'foreign.db'), db => db.exec('CREATE TABLE notes (text TEXT)'))
  t.equal((await backup(t, cwd, ['newer.db'])).code, 0)
  copyFileSync(join(cwd, 'newer.db'), join(cwd, 'cut.db'))
  truncateSync(join(cwd, 'cut.db'), 40_000)
  look(join(cwd, 'newer.db'), db => db.exec(`PRAGMA user_version = ${migrations.length + 1}`))
  damageIndex(path, join(cwd, 'damaged.db'))
  const refused = {
    'text.db': /text\.db cannot be used: file is not a database/,
    'empty.db': /empty\.db cannot be used: it is empty/,
    'foreign.db': /foreign\.db cannot be used: it belongs to another program/,
    'newer.db': /newer\.db cannot be used: its version \d+ is newer than this program/,
    'cut.db': /cut\.db cannot be used: database disk image is malformed/,
    'damaged.db': /damaged\.db is damaged: .*index pets_by_status/,
    'missing.db': /there is no file .*missing\.db/,
    'data/animals.db': /data\/animals\.db is the database itself/,
    'linked.db': /linked\.db is the database itself/,
    pipe: /pipe cannot be used: it is not a file/,
    folder: /folder cannot be used: it is a folder/
  }
  linkSync(path, join(cwd, 'linked.db'))
  spawnSync('mkfifo', [join(cwd, 'pipe')])
  for (const [file, reason] of Object.entries(refused)) {
    const options = { schema: animalSchema, replace: true, signal: unheard }
    await t.rejects(restoreFrom(join(cwd, file), path, options), { message: reason })
    t.strictSame(readdirSync(join(cwd, 'data')), ['animals.db'])
  }
  const { code, stdout, stderr } = await restore(t, cwd, ['damaged.db', '--replace'])
  t.equal(code, 1)
  t.equal(stdout, '')
  t.match(stderr, /^Nothing was restored: .*\/damaged\.db is damaged: .*\n$/)
  t.equal(idsIn(path).length, 5000)
})

t.test('the restored database has the owner and the mode of the replaced one', async t => {
  const cwd = t.testdir()
  const path = newDatabase(cwd, 1)
  t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
  chmodSync(path, 0o640)
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(path, 1234, 5678)
  t.equal((await restore(t, cwd, ['copy.db', '--replace'])).code, 0)
  const { mode, uid, gid } = statSync(path)
  t.equal(mode & 0o777, 0o640)
  if (!isRoot) return
  t.strictSame([uid, gid], [1234, 5678])
  mkdirSync(join(cwd, 'new'))
  chownSync(join(cwd, 'new'), 1234, 5678)
  t.equal((await restore(t, cwd, ['copy.db'], { DATABASE_URL: 'sqlite:new/a.db' })).code, 0)
  t.equal(statSync(join(cwd, 'new', 'a.db')).uid, 1234, 'or the owner of the folder')
})

t.test('through a symbolic link, which is kept', async t => {
  const cwd = t.testdir({ disk: {} })
  const path = newDatabase(cwd, 3)
  t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
  renameSync(path, join(cwd, 'disk', 'a.db'))
  symlinkSync(join(cwd, 'disk', 'a.db'), path)
  look(path, db => addAnimals(db, 1))
  t.equal((await restore(t, cwd, ['copy.db', '--replace'])).code, 0)
  t.strictSame(idsIn(join(cwd, 'disk', 'a.db')), [1, 2, 3])
  t.strictSame(idsIn(path), [1, 2, 3])
  t.strictSame(readdirSync(join(cwd, 'data')), ['animals.db'])
})

t.test('other arguments print the usage', async t => {
  const cwd = t.testdir()
  for (const words of [['--replace'], ['one.db', 'two.db'], ['--force', 'one.db']]) {
    const stderr = /^(?:Unknown option '--force'.*\n\n)?Usage: npm run restore -- FILE \[--replace\]\n/
    t.match(await restore(t, cwd, words), { code: 2, stdout: '', stderr })
  }
  const memory = await restore(t, cwd, ['a.db'], { DATABASE_URL: 'sqlite::memory:' })
  t.equal(memory.code, 1)
  t.match(memory.stderr, /^DATABASE_URL is sqlite::memory:.*\n$/)
  t.strictSame(readdirSync(cwd), [])
})
