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
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { mock } from 'node:test'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { CommitQueueOptions } from '../../../src/engine/store/sqlite/commit-queue.ts'
import { openDatabase } from '../../../src/engine/store/sqlite/database.ts'
import { migrate } from '../../../src/engine/store/sqlite/migrations.ts'
import { StoreUnavailable } from '../../../src/engine/store/store.ts'
import type { AnimalStore } from '../../../src/store/animal-store.ts'
import type { Pet } from '../../../src/store/pets.ts'
import { animalSchema } from '../../../src/store/sqlite/schema.ts'
import { newPet } from '../../animals.ts'
import { onlyTraced } from '../../faults/strace.ts'
import { openSqliteStore, sqliteStore } from '../../open-store.ts'
import { storeSuite } from '../../store/pets.suite.ts'
import { keySuite, numberedKey } from './keys.suite.ts'
import { startProcess } from './processes.ts'

const { migrations } = animalSchema

const rex = newPet()

const newPath = (t: Test) => join(t.testdir(), 'pets.db')

const openStore = (t: Test, path: string, options?: CommitQueueOptions): AnimalStore => {
  const store = openSqliteStore({ path, ...options })
  t.teardown(() => store.close())
  return store
}

const createMany = (store: AnimalStore, count: number): Promise<Pet[]> =>
  Promise.all(Array.from({ length: count }, () => store.pets.create(rex)))

/** A second connection, as another program would have it. */
const look = <T>(path: string, work: (db: DatabaseSync) => T): T => {
  const db = new DatabaseSync(path, { timeout: 60_000 })
  try {
    return work(db)
  } finally {
    db.close()
  }
}

const count = (path: string): unknown => look(path, db => db.prepare('SELECT count(*) AS n FROM pets').get()?.n)
const version = (db: DatabaseSync): unknown => db.prepare('PRAGMA user_version').get()?.user_version

/** Transactions in the write-ahead log since it was begun: https://sqlite.org/fileformat2.html#walformat */
const commitsInLog = (path: string): number => {
  const log = readFileSync(`${path}-wal`)
  const frameBytes = 24 + log.readUInt32BE(8)
  const salt = log.subarray(16, 24)
  let commits = 0
  for (let at = 32; at + frameBytes <= log.length; at += frameBytes) {
    const isCommit = log.readUInt32BE(at + 4) !== 0
    if (isCommit && salt.equals(log.subarray(at + 8, at + 16))) commits++
  }
  return commits
}

t.test('in a file', async t => {
  storeSuite(t, t => openSqliteStore({ path: newPath(t) }))
  keySuite(t, t => openSqliteStore({ path: newPath(t) }))
})

t.test('in memory', async t => {
  storeSuite(t, () => openSqliteStore({ path: ':memory:' }))
  keySuite(t, () => openSqliteStore({ path: ':memory:' }))
})

t.test('file', async t => {
  t.test('it and its folders are created, for the owner only', async t => {
    const path = join(t.testdir(), 'some', 'folder', 'pets.db')
    const store = openStore(t, path)
    await store.pets.create(rex)
    for (const file of readdirSync(dirname(path))) {
      t.equal(statSync(join(dirname(path), file)).mode & 0o777, 0o600, file)
    }
  })

  t.test('after close all is in one file, and there when it is opened again', async t => {
    const path = newPath(t)
    const [digest, key] = numberedKey(9)
    const store = openSqliteStore({ path })
    const created = createMany(store, 5)
    const added = store.keys.add(digest, key)
    await store.close()
    await added
    t.strictSame(readdirSync(dirname(path)), ['pets.db'])

    const again = openStore(t, path)
    t.strictSame(await again.pets.list({ after: 0n, limit: 10 }), await created)
    t.equal(again.keys.use(digest, 0), key.id)
    t.strictSame(await again.pets.create(rex), { id: 6n, ...rex })
  })

  t.test('a path that looks like a URI is a path, from the folder at the start', async t => {
    const folder = t.testdir()
    const before = process.cwd()
    process.chdir(folder)
    t.teardown(() => process.chdir(before))
    const store = openStore(t, 'file:pets.db?mode=memory')
    process.chdir(before)
    await store.pets.create(rex)
    t.equal(count(join(folder, 'file:pets.db?mode=memory')), 1)
  })

  t.test('an existing file keeps its mode', async t => {
    const path = newPath(t)
    await openSqliteStore({ path }).close()
    chmodSync(path, 0o640)
    await openSqliteStore({ path }).close()
    t.equal(statSync(path).mode & 0o777, 0o640)
  })

  t.test('a file that is no database is refused, and left as it is', async t => {
    const path = newPath(t)
    const text = 'Dear diary, '.repeat(1000)
    writeFileSync(path, text)
    t.throws(() => openSqliteStore({ path }), { message: `cannot open the database ${path}: file is not a database` })
    t.equal(readFileSync(path, 'utf8'), text)
  })

  t.test('a folder is refused', async t => {
    const path = newPath(t)
    mkdirSync(path)
    t.throws(() => openSqliteStore({ path }), {
      message: `cannot open the database ${path}: unable to open database file: it is a folder`
    })
  })

  t.test('a place where no folder can be made is refused', async t => {
    const path = newPath(t)
    writeFileSync(path, '')
    t.throws(() => openSqliteStore({ path: join(path, 'pets.db') }), {
      message: /^cannot open the database .*pets\.db\/pets\.db: ENOTDIR/
    })
  })

  t.test("another program's database is refused, and left as it is", async t => {
    const path = newPath(t)
    look(path, db => db.exec('CREATE TABLE diary (entry TEXT)'))
    const bytes = readFileSync(path)
    t.throws(() => openSqliteStore({ path }), {
      message: `cannot open the database ${path}: it belongs to another program`
    })
    t.ok(bytes.equals(readFileSync(path)))
  })

  t.test('a database of a newer program is refused, and left as it is', async t => {
    const path = newPath(t)
    await openSqliteStore({ path }).close()
    const newer = migrations.length + 1
    look(path, db => db.exec(`PRAGMA user_version = ${newer}`))
    const bytes = readFileSync(path)
    t.throws(() => openSqliteStore({ path }), {
      message: `cannot open the database ${path}: its version ${newer} is newer than this program, which knows up to ${migrations.length}`
    })
    t.ok(bytes.equals(readFileSync(path)))
  })

  t.test('what may not be written is refused, saying why, and left as it is; once mended, it is opened', async t => {
    // Not in the test's own folder: another user may have no way there.
    const folder = mkdtempSync(join(tmpdir(), 'pets-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    chmodSync(folder, 0o777)
    const path = join(folder, 'pets.db')
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
      t.strictSame(readdirSync(folder), ['pets.db'])
      chmodSync(path, 0o600)
      t.ok(bytes.equals(readFileSync(path)))
      t.equal(await open(path), 'opened')
    }

    chmodSync(folder, 0o555)
    await refused(path, `.*: ${denied('access', folder)}`)
    await refused(join(folder, 'new.db'), denied('open', join(folder, 'new.db')))
    await refused(join(folder, 'new', 'pets.db'), denied('mkdir', join(folder, 'new')))
    chmodSync(folder, 0o777)
    t.strictSame(readdirSync(folder), ['pets.db'])
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
    message: `${path} has been moved, deleted, replaced or emptied`
  })

  t.test('moved, deleted or replaced under the running store: all is refused until it is back', async t => {
    const path = newPath(t)
    const store = openStore(t, path)
    await store.pets.create(rex)
    const found = { id: 1n, ...rex }
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
        t.strictSame(await store.pets.get(1n), found, 'not noticed yet')
        await t.rejects<unknown>(refused++ % 2 === 0 ? store.pets.create(rex) : store.check(), gone(file), what)
        await t.rejects(store.check(), gone(file))
        await t.rejects(store.pets.create(rex), gone(file))
        await t.rejects(store.pets.get(1n), gone(file))
        await t.rejects(store.pets.list({ after: 0n, limit: 1 }), gone(file))
        rmSync(file, { recursive: true, force: true })
        renameSync(`${file}.moved`, file)
        t.strictSame(await store.pets.get(1n), found, 'back again')
        await store.check()
      }
      await store.pets.create(rex)
    }
    t.equal(count(path), 4)
  })

  t.test('emptied under the running store: all is refused', async t => {
    const path = newPath(t)
    const store = openStore(t, path)
    await store.pets.create(rex)
    truncateSync(path)
    await t.rejects(store.pets.create(rex), gone(path))
    await t.rejects(store.check(), gone(path))
    await t.rejects(store.pets.get(1n), gone(path))
  })

  t.test('close leaves alone what has taken the place of its files', async t => {
    const path = newPath(t)
    const store = openSqliteStore({ path })
    await store.pets.create(rex)
    const names = ['', '-wal', '-shm'].map(end => path + end)
    for (const name of names) renameSync(name, `${name}.moved`)
    const other = openStore(t, path)
    await other.pets.create(rex)
    await store.close()
    for (const name of names) t.ok(existsSync(name), name)
    await other.pets.create(rex)
    t.equal(count(path), 2)
  })

  t.test('it is new until something has been stored in it, also in another process or before a delete', async t => {
    const paths = [newPath(t), join(t.testdir(), 'empty.db')] as const
    writeFileSync(paths[1], '')
    for (const path of paths) {
      await openSqliteStore({ path }).close()
      const [mine, other] = [openStore(t, path), openStore(t, path)]
      t.equal(mine.isNew(), true)
      if (path === paths[0]) await other.keys.add(...numberedKey(1))
      else await other.pets.create(rex)
      t.equal(mine.isNew(), false)
    }
    look(paths[1], db => db.exec('DELETE FROM pets'))
    t.equal(openStore(t, paths[1]).isNew(), false)
  })

  t.test('check tells whether it can be read', async t => {
    for (const path of [newPath(t), ':memory:']) {
      const store = openSqliteStore({ path })
      await store.check()
      await store.close()
      await t.rejects(store.check(), StoreUnavailable)
    }
  })
})

t.test('migrations', async t => {
  const steps = ['CREATE TABLE a (x)', 'INSERT INTO a VALUES (1); INSERT INTO a VALUES (2)', 'CREATE TABLE b (y)']
  const rows = (db: DatabaseSync) => db.prepare('SELECT count(*) AS n FROM a').get()?.n

  t.test('from nothing to the newest, and not again', async t => {
    const db = new DatabaseSync(':memory:')
    for (const _ of 'twice!') {
      migrate(db, { ...animalSchema, migrations: steps })
      t.equal(version(db), 3)
      t.equal(rows(db), 2)
    }
  })

  t.test('only those that are missing', async t => {
    const db = new DatabaseSync(':memory:')
    migrate(db, { ...animalSchema, migrations: steps.slice(0, 2) })
    db.exec('DELETE FROM a')
    migrate(db, { ...animalSchema, migrations: steps })
    t.equal(version(db), 3)
    t.equal(rows(db), 0)
  })

  t.test('one that fails leaves nothing behind, and the ones before it stand', async t => {
    const db = new DatabaseSync(':memory:')
    t.throws(
      () => migrate(db, { ...animalSchema, migrations: [...steps.slice(0, 2), 'DELETE FROM a; CREATE TABLE a (x)'] }),
      {
        message: 'migration 3 failed',
        cause: { message: 'table a already exists' }
      }
    )
    t.equal(version(db), 2)
    t.equal(rows(db), 2)
    t.equal(db.isTransaction, false)
  })

  t.test('several processes may start at once on a new file', async t => {
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
    // Long enough for it to have met the lock, mostly; whether it has cannot be seen.
    await delay(250)
    locking.process.stdin.end()
    t.match(await starting.line(), '"id":"1"')
    t.equal(await starting.exitCode, 0)
  })
})

t.test('pets', async t => {
  t.test('an id is not given again after its row is deleted', async t => {
    const path = newPath(t)
    const store = openStore(t, path)
    await createMany(store, 3)
    look(path, db => db.exec('DELETE FROM pets WHERE id = 3'))
    t.equal((await store.pets.create(rex)).id, 4n)
    look(path, db => db.exec('DELETE FROM pets'))
    t.equal((await store.pets.create(rex)).id, 5n)
  })

  t.test('no id beyond 2^53 - 1 is given', async t => {
    const path = newPath(t)
    const store = openStore(t, path)
    await store.pets.create(rex)
    look(path, db => db.exec("UPDATE sqlite_sequence SET seq = 9007199254740990 WHERE name = 'pets'"))
    t.equal((await store.pets.create(rex)).id, 2n ** 53n - 1n)
    await t.rejects(store.pets.create(rex), { message: /CHECK constraint failed/ })
  })

  t.test('a page is read from an index, in its order', async t => {
    const path = newPath(t)
    const db = openDatabase(path, animalSchema)
    const sqls: string[] = []
    const prepare = db.prepare.bind(db)
    db.prepare = (sql, options) => {
      sqls.push(sql)
      return prepare(sql, options)
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
})

t.test('group commit', async t => {
  t.test('all creates of one turn are one transaction', async t => {
    const path = newPath(t)
    const store = openStore(t, path)
    await store.pets.create(rex)
    const before = commitsInLog(path)
    await createMany(store, 64)
    t.equal(commitsInLog(path) - before, 1)
    t.equal(count(path), 65)
    for (let i = 0; i < 3; i++) await store.pets.create(rex)
    t.equal(commitsInLog(path) - before, 4)
  })

  t.test('nothing is acknowledged before it is in the log', async t => {
    const path = newPath(t)
    const store = openStore(t, path)
    let acknowledged = 0
    const creates = Array.from({ length: 20 }, async () => {
      await store.pets.create(rex)
      acknowledged++
    })
    t.equal(count(path), 0)
    t.equal(acknowledged, 0)
    await Promise.race(creates)
    t.equal(count(path), 20)
    await Promise.all(creates)
  })

  t.test('more creates than one transaction takes', async t => {
    const path = newPath(t)
    const store = openStore(t, path)
    const pets = await createMany(store, 2345)
    t.strictSame(
      pets.map(pet => pet.id),
      Array.from({ length: 2345 }, (_, index) => BigInt(index + 1))
    )
    t.equal(count(path), 2345)
  })

  t.test('more than may wait are refused, and the others stored', async t => {
    const path = newPath(t)
    const store = openStore(t, path, { maxPending: 10 })
    const results = await Promise.allSettled(Array.from({ length: 15 }, () => store.pets.create(rex)))
    const refused = results.filter(result => result.status === 'rejected')
    t.equal(refused.length, 5)
    for (const { reason } of refused) t.ok(reason instanceof StoreUnavailable)
    t.equal(count(path), 10)
    t.equal((await store.pets.create(rex)).id, 11n)
  })
})

t.test('another process', async t => {
  t.test('sees what is written, and may issue keys', async t => {
    const path = newPath(t)
    const mine = openStore(t, path)
    const other = openStore(t, path)
    const [digest, key] = numberedKey(4)
    t.equal(mine.keys.use(digest, 0), undefined)
    await other.keys.add(digest, key)
    t.equal(mine.keys.use(digest, 0), key.id)
    const { id } = await mine.pets.create(rex)
    t.strictSame(await other.pets.get(id), { id, ...rex })
  })

  t.test('writing at the same time: nothing is lost or given twice', async t => {
    const path = newPath(t)
    const store = openStore(t, path, { busyDeadlineMs: 20_000 })
    const children = Array.from({ length: 2 }, () => startProcess(t, 'creating-process.ts', [path, '8', '400']))
    // Ours as well, from the moment that the first of them writes.
    const first = await Promise.all(children.map(child => child.line()))
    const mine: Pet[] = []
    const ended = Promise.all(children.map(child => child.exitCode))
    for (let i = 0; i < 40; i++) mine.push(...(await createMany(store, 5)))
    const lines = (await Promise.all(children.map(child => child.rest()))).flat().concat(first.map(line => line ?? ''))
    t.strictSame(await ended, [0, 0])
    t.equal(lines.length, 800)

    for (const line of lines) {
      const { id, categoryId, ...rest } = JSON.parse(line)
      const pet = { id: BigInt(id), categoryId: BigInt(categoryId), ...rest }
      const stored = await store.pets.get(pet.id)
      if (stored?.name !== pet.name || stored?.categoryId !== pet.categoryId) t.strictSame(stored, pet)
    }
    for (const pet of mine) t.strictSame(await store.pets.get(pet.id), pet)
    t.equal(count(path), 1000)
    look(path, db => t.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok'))
  })

  /** Time of which there is as much as the test says; what it returns lets so many milliseconds go by. */
  const standingTime = (t: Test) => {
    let now = performance.now()
    t.intercept(performance, 'now', { value: () => now })
    mock.timers.enable({ apis: ['setTimeout'] })
    t.teardown(() => mock.timers.reset())
    return async (ms: number) => {
      for (let i = 0; i < ms; i++) {
        now++
        mock.timers.tick(1)
        await nextTurn()
      }
    }
  }

  const lock = async (t: Test, path: string) => {
    const child = startProcess(t, 'locking-process.ts', [path])
    t.equal(await child.line(), 'locked')
    return async () => {
      child.process.stdin.end()
      await child.exitCode
    }
  }

  t.test('holding the lock for too long: creates are refused in time, reads go on, and it recovers', async t => {
    const path = newPath(t)
    const store = openStore(t, path, { busyDeadlineMs: 300 })
    await store.pets.create(rex)
    const unlock = await lock(t, path)

    const pass = standingTime(t)
    let settled = 0
    const refused = async (write: Promise<unknown>) => {
      await t.rejects(write, { name: 'StoreUnavailable', cause: { errcode: 5 } })
      settled++
    }
    const early = [refused(store.pets.create(rex)), refused(store.keys.add(...numberedKey(1)))]
    await pass(100)
    early.push(refused(store.pets.create(rex)))
    await pass(195)
    t.equal(settled, 0, 'until then they wait')
    await pass(15)
    t.equal(settled, 3)
    await Promise.all(early)

    t.strictSame(await store.pets.get(1n), { id: 1n, ...rex })
    t.strictSame(await store.pets.list({ after: 0n, limit: 9 }), [{ id: 1n, ...rex }])
    t.strictSame(await store.keys.list(), [])
    const again = refused(store.pets.create(rex))
    await pass(295)
    t.equal(settled, 3, 'the deadline starts anew')
    await pass(15)
    await again

    await unlock()
    t.equal((await store.pets.create(rex)).id, 2n)
  })

  t.test('holding the lock for a while: creates wait, later ones join them, in one transaction', async t => {
    const path = newPath(t)
    const store = openStore(t, path, { busyDeadlineMs: 20_000 })
    const unlock = await lock(t, path)
    const early = createMany(store, 3)
    await delay(30)
    const late = createMany(store, 3)
    const before = commitsInLog(path)
    await unlock()
    t.strictSame(
      [...(await early), ...(await late)].map(pet => pet.id),
      [1n, 2n, 3n, 4n, 5n, 6n]
    )
    t.equal(commitsInLog(path) - before, 1)
  })

  t.test('holding the lock does not stop the event loop', async t => {
    const path = newPath(t)
    const store = openStore(t, path, { busyDeadlineMs: 100 })
    const unlock = await lock(t, path)
    // As many attempts as it takes: a stall of ours is in each, one of a loaded machine is not.
    const attempts: number[] = []
    do {
      let longest = 0
      let last = performance.now()
      const timer = setInterval(() => {
        const now = performance.now()
        longest = Math.max(longest, now - last)
        last = now
      }, 1)
      await t.rejects(store.pets.create(rex), StoreUnavailable)
      clearInterval(timer)
      attempts.push(longest)
    } while (Math.min(...attempts) >= 50 && attempts.length < 300)
    t.ok(Math.min(...attempts) < 50, `${attempts.length} attempts`)
    await unlock()
  })

  t.test('close waits for creates that wait for the lock', async t => {
    const path = newPath(t)
    const store = openStore(t, path, { busyDeadlineMs: 20_000 })
    const unlock = await lock(t, path)
    const created = store.pets.create(rex)
    await delay(30)
    const closed = store.close()
    await unlock()
    t.equal((await created).id, 1n)
    await closed
    t.equal(count(path), 1)
  })
})

t.test('a damaged file', async t => {
  const malformed = { name: 'StoreUnavailable', cause: { message: 'database disk image is malformed' } }

  /** Overwrites the pages from the root of `first` to that of `last`, as sqlite_schema calls them. */
  const damage = (path: string, first: string, last: string) => {
    const root = (name: string) =>
      look(path, db => db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name)?.rootpage as number)
    const from = root(first) - 1
    const to = root(last)
    const bytes = readFileSync(path)
    const pageBytes = bytes.readUInt16BE(16)
    writeFileSync(path, bytes.fill(0x55, from * pageBytes, to * pageBytes))
  }

  t.test('what meets the damage is refused as unavailable', async t => {
    const path = newPath(t)
    await openSqliteStore({ path }).close()
    damage(path, 'pets', 'keys')
    const store = openStore(t, path)
    await t.rejects(store.pets.get(1n), malformed)
    await t.rejects(store.pets.list({ after: 0n, limit: 20 }), malformed)
    await t.rejects(store.pets.list({ after: 0n, limit: 20, status: 'sold' }), malformed)
    await t.rejects(store.pets.create(rex), malformed)
    await t.rejects(store.keys.add(...numberedKey(1)), malformed)
    t.throws(() => store.keys.use(numberedKey(1)[0], 0), malformed)
    await t.rejects(store.keys.list(), malformed)
  })

  t.test('nothing of a transaction that met the damage is kept, and what does not meet it goes on', async t => {
    const path = newPath(t)
    const before = openSqliteStore({ path })
    const pets = await createMany(before, 3)
    await before.close()
    damage(path, 'pets_by_status', 'pets_by_status')
    const store = openStore(t, path)
    const [digest, key] = numberedKey(1)
    await Promise.all([
      t.rejects(store.keys.add(digest, key), malformed),
      t.rejects(store.pets.create(rex), malformed),
      t.rejects(store.keys.add(...numberedKey(2)), malformed)
    ])
    t.equal(store.keys.use(digest, 0), undefined)
    t.strictSame(await store.pets.list({ after: 0n, limit: 20 }), pets)
    await store.keys.add(digest, key)
    t.equal(store.keys.use(digest, 0), key.id)
  })
})

t.test('a full disk', async t => {
  t.test('creates are refused, what was acknowledged stays, and it recovers', async t => {
    const path = newPath(t)
    const db = openDatabase(path, animalSchema)
    const store = sqliteStore(db)
    t.teardown(() => store.close())
    const pages = db.prepare('PRAGMA page_count').get()?.page_count
    db.exec(`PRAGMA max_page_count = ${pages}`)

    const acknowledged: Pet[] = []
    for (;;) {
      const results = await Promise.allSettled(
        Array.from({ length: 7 }, () => store.pets.create({ ...rex, name: 'R'.repeat(255) }))
      )
      const stored = results.filter(result => result.status === 'fulfilled').map(result => result.value)
      acknowledged.push(...stored)
      if (stored.length === results.length) continue
      t.equal(stored.length, 0, 'none of the transaction that did not fit')
      for (const result of results) {
        t.match(result, { reason: { name: 'StoreUnavailable', cause: { message: 'database or disk is full' } } })
      }
      break
    }
    t.ok(acknowledged.length > 0)
    t.strictSame(await store.pets.list({ after: 0n, limit: 100 }), acknowledged)
    await t.rejects(store.pets.create({ ...rex, name: 'R'.repeat(9999) }), StoreUnavailable)

    db.exec('PRAGMA max_page_count = 1000')
    const next = await store.pets.create(rex)
    t.strictSame(await store.pets.list({ after: 0n, limit: 100 }), [...acknowledged, next])
  })

  t.test('COMMIT itself fails: nothing is acknowledged or kept, and it recovers', async t => {
    const path = newPath(t)
    // No log may grow beyond 300 KiB (dash counts 512 bytes, bash 1024), and none is emptied before 4 MB.
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

t.test('a disk that fails to sync: what was refused does not come back after kill -9', onlyTraced, async t => {
  // With `checkpoint` four syncs come with each pet, and the first to fail is each of them: of the log's new head, of its
  // rows, and of log and file in the checkpoint.
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
      t.equal(await child.line(), `created ${++created}`, 'it recovers')
    }
    child.process.kill('SIGKILL')
    t.equal(await child.exitCode, null)
    t.equal(count(path), created, `the syncs that fail: ${when} ${checkpoint}`)
  }
})
