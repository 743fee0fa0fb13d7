import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { onlyTraced } from '../../../../test/faults/strace.ts'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { numberedKey } from './keys.suite.ts'
import { startProcess } from './processes.ts'
import {
  count,
  createMany,
  lamp,
  look,
  newPath,
  openStore,
  openThings,
  schema,
  type Thing,
  thingsIn
} from './things.ts'

t.test('a damaged file', async t => {
  const malformed = { name: 'StoreUnavailable', cause: { message: 'database disk image is malformed' } }

  /** Overwrites the pages from the root of `first` to that of `last`, which are names in sqlite_schema. */
  const damage = (path: string, first: string, last: string) => {
    const root = (name: string) =>
      look(path, db => db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name)?.rootpage as number)
    const from = root(first) - 1
    const to = root(last)
    const bytes = readFileSync(path)
    const pageBytes = bytes.readUInt16BE(16)
    writeFileSync(path, bytes.fill(0x55, from * pageBytes, to * pageBytes))
  }

  t.test('operations that read damaged pages throw StoreUnavailable', async t => {
    const path = newPath(t)
    await openThings({ path }).close()
    damage(path, 'keys', 'things_by_name')
    const store = openStore(t, path)
    await t.rejects(store.things.get(1n), malformed)
    await t.rejects(store.things.list(), malformed)
    await t.rejects(store.things.list('lamp'), malformed)
    await t.rejects(store.things.create(lamp), malformed)
    await t.rejects(store.keys.add(...numberedKey(1)), malformed)
    t.throws(() => store.keys.use(numberedKey(1)[0], 0), malformed)
    await t.rejects(store.keys.list(), malformed)
  })

  t.test('a transaction that reads damaged pages is rolled back completely; other operations succeed', async t => {
    const path = newPath(t)
    const before = openThings({ path })
    const things = await createMany(before, 3)
    await before.close()
    damage(path, 'things_by_name', 'things_by_name')
    const store = openStore(t, path)
    const [digest, key] = numberedKey(1)
    await Promise.all([
      t.rejects(store.keys.add(digest, key), malformed),
      t.rejects(store.things.create(lamp), malformed),
      t.rejects(store.keys.add(...numberedKey(2)), malformed)
    ])
    t.equal(store.keys.use(digest, 0), undefined)
    t.strictSame(await store.things.list(), things)
    await store.keys.add(digest, key)
    t.equal(store.keys.use(digest, 0), key.id)
  })
})

t.test('a full disk', async t => {
  t.test('creates are refused, acknowledged things are kept, and the store recovers', async t => {
    const path = newPath(t)
    const db = openDatabase(path, schema)
    const store = thingsIn(db)
    t.teardown(() => store.close())
    const pages = db.prepare('PRAGMA page_count').get()?.page_count
    db.exec(`PRAGMA max_page_count = ${pages}`)

    const acknowledged: Thing[] = []
    for (;;) {
      const results = await Promise.allSettled(
        Array.from({ length: 7 }, () => store.things.create({ ...lamp, name: 'R'.repeat(255) }))
      )
      const stored = results.filter(result => result.status === 'fulfilled').map(result => result.value)
      acknowledged.push(...stored)
      if (stored.length === results.length) continue
      t.equal(stored.length, 0, 'nothing of the transaction that did not fit is kept')
      for (const result of results) {
        t.match(result, { reason: { name: 'StoreUnavailable', cause: { message: 'database or disk is full' } } })
      }
      break
    }
    t.ok(acknowledged.length > 0)
    t.strictSame(await store.things.list(), acknowledged)
    await t.rejects(store.things.create({ ...lamp, name: 'R'.repeat(9999) }), StoreUnavailable)

    db.exec('PRAGMA max_page_count = 1000')
    const next = await store.things.create(lamp)
    t.strictSame(await store.things.list(), [...acknowledged, next])
  })

  t.test('COMMIT itself fails: nothing is acknowledged or kept, and the store recovers', async t => {
    const path = newPath(t)
    // The log cannot grow beyond 300 KiB (dash counts 512 bytes, bash 1024), and SQLite empties it only at 4 MB.
    const child = startProcess(t, 'confined-process.ts', [path], { first: 'ulimit -f 600' })
    let created = 0
    let line = await child.line()
    for (; line?.startsWith('created'); line = await child.line()) t.equal(line, `created ${++created}`)
    t.equal(line, 'StoreUnavailable')
    t.ok(created > 0)
    t.equal(count(path), created)

    child.process.stdin.write('again\n')
    t.equal(await child.line(), 'StoreUnavailable')

    look(path, db => t.match(db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get(), { busy: 0 }))
    child.process.stdin.end('again\n')
    t.equal(await child.line(), `created ${created + 1}`)
    t.equal(await child.exitCode, 0)
    t.equal(count(path), created + 1)
    look(path, db => t.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok'))
  })
})

t.test('a disk that fails to sync: refused things do not reappear after kill -9', onlyTraced, async t => {
  // With `checkpoint`, each thing takes four syncs: of the log's new header, of its rows, and of log and file in the
  // checkpoint. In turn, each of the four is the first to fail.
  const faults = [['40'], ['40+'], ...[40, 41, 42, 43].map(first => [`${first}+`, 'checkpoint'])]
  for (const [when, ...checkpoint] of faults) {
    const path = newPath(t)
    const inside = `strace -D -f -qq -o /dev/null -e trace=fsync,fdatasync -e inject=fsync,fdatasync:error=EIO:when=${when}`
    const child = startProcess(t, 'confined-process.ts', [path, ...checkpoint], { inside })
    let created = 0
    let line = await child.line()
    for (; line?.startsWith('created'); line = await child.line()) t.equal(line, `created ${++created}`)
    t.equal(line, 'StoreUnavailable')
    t.ok(created > 0)
    if (when === '40') {
      child.process.stdin.write('again\n')
      t.equal(await child.line(), `created ${++created}`, 'the store recovers')
    }
    child.process.kill('SIGKILL')
    t.equal(await child.exitCode, null)
    t.equal(count(path), created, `failing syncs: ${when} ${checkpoint}`)
  }
})
