import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { StoreUnavailable } from '../../src/store/store.ts'
import { numberedKey } from './keys.suite.ts'
import { startProcess } from './processes.ts'
import { count, createMany, lamp, look, newPath, openStore, openThings, schema } from './things.ts'

t.test('the file and its folders are created, accessible to the owner only', async t => {
  const path = join(t.testdir(), 'some', 'folder', 'things.db')
  const store = openStore(t, path)
  await store.things.create(lamp)
  for (const file of readdirSync(dirname(path))) {
    t.equal(statSync(join(dirname(path), file)).mode & 0o777, 0o600, file)
  }
})

t.test('after close, everything is in one file, and is found when it is opened again', async t => {
  const path = newPath(t)
  const [digest, key] = numberedKey(9)
  const store = openThings({ path })
  const created = createMany(store, 5)
  const added = store.keys.add(digest, key)
  await store.close()
  await added
  t.strictSame(readdirSync(dirname(path)), ['things.db'])

  const again = openStore(t, path)
  t.strictSame(await again.things.list(), await created)
  t.equal(again.keys.use(digest, 0), key.id)
  t.strictSame(await again.things.create(lamp), { id: 6n, ...lamp })
})

t.test('a path that looks like a URI is a path, relative to the working directory at the start', async t => {
  const folder = t.testdir()
  const before = process.cwd()
  process.chdir(folder)
  t.teardown(() => process.chdir(before))
  const store = openStore(t, 'file:things.db?mode=memory')
  process.chdir(before)
  await store.things.create(lamp)
  t.equal(count(join(folder, 'file:things.db?mode=memory')), 1)
})

t.test('an existing file keeps its mode', async t => {
  const path = newPath(t)
  await openThings({ path }).close()
  chmodSync(path, 0o640)
  await openThings({ path }).close()
  t.equal(statSync(path).mode & 0o777, 0o640)
})

t.test('a file that is not a database is refused, and left unchanged', async t => {
  const path = newPath(t)
  const text = 'Dear diary, '.repeat(1000)
  writeFileSync(path, text)
  t.throws(() => openThings({ path }), { message: `cannot open the database ${path}: file is not a database` })
  t.equal(readFileSync(path, 'utf8'), text)
})

t.test('a folder is refused', async t => {
  const path = newPath(t)
  mkdirSync(path)
  t.throws(() => openThings({ path }), {
    message: `cannot open the database ${path}: unable to open database file: it is a folder`
  })
})

t.test('a path whose folder cannot be created is refused', async t => {
  const path = newPath(t)
  writeFileSync(path, '')
  t.throws(() => openThings({ path: join(path, 'things.db') }), {
    message: /^cannot open the database .*things\.db\/things\.db: ENOTDIR/
  })
})

t.test("another program's database is refused, and left unchanged", async t => {
  const path = newPath(t)
  look(path, db => db.exec('CREATE TABLE diary (entry TEXT)'))
  const bytes = readFileSync(path)
  t.throws(() => openThings({ path }), {
    message: `cannot open the database ${path}: it belongs to another program`
  })
  t.ok(bytes.equals(readFileSync(path)))
})

t.test('a database of a newer program is refused, and left unchanged', async t => {
  const path = newPath(t)
  await openThings({ path }).close()
  const newer = schema.migrations.length + 1
  look(path, db => db.exec(`PRAGMA user_version = ${newer}`))
  const bytes = readFileSync(path)
  t.throws(() => openThings({ path }), {
    message: `cannot open the database ${path}: its version ${newer} is newer than this program, which supports up to ${schema.migrations.length}`
  })
  t.ok(bytes.equals(readFileSync(path)))
})

t.test('a file without write permission is refused with the reason until it has permission', async t => {
  // Not in the test's own folder, which another user may not be able to enter.
  const folder = mkdtempSync(join(tmpdir(), 'things-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o777)
  const path = join(folder, 'things.db')
  const user = startProcess(t, 'unprivileged-process.ts', [])
  const open = (path: string) => {
    user.process.stdin.write(`${path}\n`)
    return user.line()
  }
  t.equal(await open(path), 'opened')
  const bytes = readFileSync(path)
  const denied = (what: string, name: string) => `EACCES: permission denied, ${what} '${name}'`
  const refused = async (of: string, reason: string) =>
    t.match(await open(of), new RegExp(`^cannot open the database ${of}: ${reason}$`))

  for (const mode of [0o444, 0o000]) {
    chmodSync(path, mode)
    await refused(path, denied('access', path))
    t.strictSame(readdirSync(folder), ['things.db'])
    chmodSync(path, 0o600)
    t.ok(bytes.equals(readFileSync(path)))
    t.equal(await open(path), 'opened')
  }

  chmodSync(folder, 0o555)
  await refused(path, `.*: ${denied('access', folder)}`)
  await refused(join(folder, 'new.db'), denied('open', join(folder, 'new.db')))
  await refused(join(folder, 'new', 'things.db'), denied('mkdir', join(folder, 'new')))
  chmodSync(folder, 0o777)
  t.strictSame(readdirSync(folder), ['things.db'])
  t.ok(bytes.equals(readFileSync(path)))
  t.equal(await open(path), 'opened')

  for (const end of ['-wal', '-shm']) {
    writeFileSync(path + end, '', { mode: 0o444 })
    await refused(path, denied('access', path + end))
    rmSync(path + end)
    t.equal(await open(path), 'opened')
  }
})

const gone = (path: string) => ({
  name: 'StoreUnavailable',
  message: 'a file of the database has been moved, deleted, replaced or emptied',
  cause: { message: path }
})

t.test('moved, deleted or replaced under the running store: everything is refused until it is back', async t => {
  const path = newPath(t)
  const store = openStore(t, path)
  await store.things.create(lamp)
  const found = { id: 1n, ...lamp }
  let refused = 0
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const replacements: [string, () => void][] = [
      ['gone', () => {}],
      ['an empty file', () => writeFileSync(file, '')],
      ['a copy', () => copyFileSync(`${file}.moved`, file)],
      ['a folder', () => mkdirSync(file)]
    ]
    for (const [what, replace] of replacements) {
      renameSync(file, `${file}.moved`)
      replace()
      t.strictSame(await store.things.get(1n), found, 'not noticed yet')
      await t.rejects<unknown>(refused++ % 2 === 0 ? store.things.create(lamp) : store.check(), gone(file), what)
      await t.rejects(store.check(), gone(file))
      await t.rejects(store.things.create(lamp), gone(file))
      await t.rejects(store.things.get(1n), gone(file))
      await t.rejects(store.things.list(), gone(file))
      rmSync(file, { recursive: true, force: true })
      renameSync(`${file}.moved`, file)
      t.strictSame(await store.things.get(1n), found, 'back again')
      await store.check()
    }
    await store.things.create(lamp)
  }
  t.equal(count(path), 4)
})

t.test('the log is missed, however long nothing in its folder had changed', async t => {
  const path = newPath(t)
  const log = `${path}-wal`
  const store = openStore(t, path)
  const { atime, mtime } = statSync(dirname(path))
  for (const replace of [() => {}, () => copyFileSync(`${path}-moved`, log)]) {
    await setTimeout(1_100)
    for (let i = 0; i < 3; i++) await store.things.create(lamp)
    renameSync(log, `${path}-moved`)
    replace()
    utimesSync(dirname(path), atime, mtime)
    await t.rejects(store.things.create(lamp), gone(log))
    await t.rejects(store.things.get(1n), gone(log))
    renameSync(`${path}-moved`, log)
    await store.check()
  }
  t.equal(count(path), 6)
})

t.test('a file emptied under the running store: everything is refused', async t => {
  const path = newPath(t)
  const store = openStore(t, path)
  await store.things.create(lamp)
  truncateSync(path)
  await t.rejects(store.things.create(lamp), gone(path))
  await t.rejects(store.check(), gone(path))
  await t.rejects(store.things.get(1n), gone(path))
})

t.test('close does not touch files that have replaced its own', async t => {
  const path = newPath(t)
  const store = openThings({ path })
  await store.things.create(lamp)
  const names = ['', '-wal', '-shm'].map(end => path + end)
  for (const name of names) renameSync(name, `${name}.moved`)
  const other = openStore(t, path)
  await other.things.create(lamp)
  await store.close()
  for (const name of names) t.ok(existsSync(name), name)
  await other.things.create(lamp)
  t.equal(count(path), 2)
})

t.test('a store is new until something is stored, even by another process, or something since deleted', async t => {
  const paths = [newPath(t), join(t.testdir(), 'empty.db')] as const
  writeFileSync(paths[1], '')
  for (const path of paths) {
    await openThings({ path }).close()
    const [mine, other] = [openStore(t, path), openStore(t, path)]
    t.equal(await mine.isNew(), true)
    if (path === paths[0]) await other.keys.add(...numberedKey(1))
    else await other.things.create(lamp)
    t.equal(await mine.isNew(), false)
  }
  look(paths[1], db => db.exec('DELETE FROM things'))
  t.equal(await openStore(t, paths[1]).isNew(), false)
})

t.test('check tells whether the store can be read', async t => {
  for (const path of [newPath(t), ':memory:']) {
    const store = openThings({ path })
    await store.check()
    await store.close()
    await t.rejects(store.check(), StoreUnavailable)
  }
})
