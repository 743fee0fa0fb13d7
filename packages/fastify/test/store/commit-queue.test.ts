import { readFileSync } from 'node:fs'
import { mock } from 'node:test'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { StoreUnavailable } from '../../src/store/store.ts'
import { numberedKey } from './keys.suite.ts'
import { startProcess } from './processes.ts'
import { count, createMany, lamp, look, newPath, openStore, type Thing } from './things.ts'

/** The number of transactions in the current write-ahead log: https://sqlite.org/fileformat2.html#walformat */
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

t.test('group commit', async t => {
  t.test('all creates of one turn share one transaction', async t => {
    const path = newPath(t)
    const store = openStore(t, path)
    await store.things.create(lamp)
    const before = commitsInLog(path)
    await createMany(store, 64)
    t.equal(commitsInLog(path) - before, 1)
    t.equal(count(path), 65)
    for (let i = 0; i < 3; i++) await store.things.create(lamp)
    t.equal(commitsInLog(path) - before, 4)
  })

  t.test('and so do those of the next turn', async t => {
    const path = newPath(t)
    const store = openStore(t, path)
    await createMany(store, 2)
    const before = commitsInLog(path)
    const first = createMany(store, 3)
    await nextTurn()
    await Promise.all([first, createMany(store, 5)])
    t.equal(commitsInLog(path) - before, 1)
  })

  t.test('but where creates come one by one, none waits for another turn', async t => {
    const path = newPath(t)
    const store = openStore(t, path)
    await store.things.create(lamp)
    const before = commitsInLog(path)
    const next = store.things.create(lamp)
    await nextTurn()
    t.equal(commitsInLog(path) - before, 1)
    await next
  })

  t.test('no create is acknowledged before it is in the log', async t => {
    const path = newPath(t)
    const store = openStore(t, path)
    let acknowledged = 0
    const creates = Array.from({ length: 20 }, async () => {
      await store.things.create(lamp)
      acknowledged++
    })
    t.equal(count(path), 0)
    t.equal(acknowledged, 0)
    await Promise.race(creates)
    t.equal(count(path), 20)
    await Promise.all(creates)
  })

  t.test('no create of a transaction is acknowledged if its COMMIT fails', async t => {
    const path = newPath(t)
    const store = openStore(t, path)
    // A reference that is checked at COMMIT, and not before.
    look(path, db =>
      db.exec(`CREATE TABLE copies (thing INTEGER REFERENCES things (id) DEFERRABLE INITIALLY DEFERRED) STRICT;
        CREATE TRIGGER copy AFTER INSERT ON things WHEN new.name = 'ghost' BEGIN INSERT INTO copies VALUES (-1); END`)
    )
    const results = await Promise.allSettled(['lamp', 'ghost', 'lamp'].map(name => store.things.create({ name })))
    for (const result of results) t.match(result, { status: 'rejected', reason: StoreUnavailable })
    t.equal(count(path), 0)
    t.equal((await store.things.create(lamp)).name, 'lamp')
    t.equal(count(path), 1)
  })

  t.test('more creates than fit into one transaction', async t => {
    const path = newPath(t)
    const store = openStore(t, path)
    const things = await createMany(store, 2345)
    t.strictSame(
      things.map(thing => thing.id),
      Array.from({ length: 2345 }, (_, index) => BigInt(index + 1))
    )
    t.equal(count(path), 2345)
  })

  t.test('creates beyond the limit of waiting ones are refused, and the others stored', async t => {
    const path = newPath(t)
    const store = openStore(t, path, { maxPending: 10 })
    const results = await Promise.allSettled(Array.from({ length: 15 }, () => store.things.create(lamp)))
    const refused = results.filter(result => result.status === 'rejected')
    t.equal(refused.length, 5)
    for (const { reason } of refused) t.ok(reason instanceof StoreUnavailable)
    t.equal(count(path), 10)
    t.equal((await store.things.create(lamp)).id, 11n)
  })
})

t.test('another process', async t => {
  t.test('sees what is written, and can issue keys', async t => {
    const path = newPath(t)
    const mine = openStore(t, path)
    const other = openStore(t, path)
    const [digest, key] = numberedKey(4)
    await other.keys.add(digest, key)
    t.equal(mine.keys.use(digest, 0), key.id)
    const { id } = await mine.things.create(lamp)
    t.strictSame(await other.things.get(id), { id, ...lamp })
  })

  t.test('writing at the same time: no thing is lost, and no id is assigned twice', async t => {
    const path = newPath(t)
    const store = openStore(t, path, { busyDeadlineMs: 20_000 })
    const children = Array.from({ length: 2 }, () => startProcess(t, 'creating-process.ts', [path, '8', '400']))
    // This process writes as well, as soon as the others have started to.
    const first = await Promise.all(children.map(child => child.line()))
    const mine: Thing[] = []
    const ended = Promise.all(children.map(child => child.exitCode))
    for (let i = 0; i < 40; i++) mine.push(...(await createMany(store, 5)))
    const lines = (await Promise.all(children.map(child => child.rest()))).flat().concat(first.map(line => line ?? ''))
    t.strictSame(await ended, [0, 0])
    t.equal(lines.length, 800)

    for (const line of lines) {
      const { id, name } = JSON.parse(line)
      const thing = { id: BigInt(id), name }
      const stored = await store.things.get(thing.id)
      if (stored?.name !== name) t.strictSame(stored, thing)
    }
    for (const thing of mine) t.strictSame(await store.things.get(thing.id), thing)
    t.equal(count(path), 1000)
    look(path, db => t.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok'))
  })

  /** Stops the clock; the function returned lets this many milliseconds pass. */
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

  t.test('holding the lock for too long: creates are refused in time, reads succeed, and it recovers', async t => {
    const path = newPath(t)
    const store = openStore(t, path, { busyDeadlineMs: 300 })
    await store.things.create(lamp)
    const unlock = await lock(t, path)

    const pass = standingTime(t)
    let settled = 0
    const refused = async (write: Promise<unknown>) => {
      await t.rejects(write, { name: 'StoreUnavailable', cause: { errcode: 5 } })
      settled++
    }
    const early = [refused(store.things.create(lamp)), refused(store.keys.add(...numberedKey(1)))]
    await pass(100)
    early.push(refused(store.things.create(lamp)))
    await pass(195)
    t.equal(settled, 0, 'they wait until the deadline')
    await pass(15)
    t.equal(settled, 3)
    await Promise.all(early)

    t.strictSame(await store.things.get(1n), { id: 1n, ...lamp })
    t.strictSame(await store.things.list(), [{ id: 1n, ...lamp }])
    t.strictSame(await store.keys.list(), [])
    const again = refused(store.things.create(lamp))
    await pass(295)
    t.equal(settled, 3, 'the deadline starts again')
    await pass(15)
    await again

    await unlock()
    t.equal((await store.things.create(lamp)).id, 2n)
  })

  t.test('holding the lock for a while: creates wait, and later ones join them in one transaction', async t => {
    const path = newPath(t)
    const store = openStore(t, path, { busyDeadlineMs: 20_000 })
    const unlock = await lock(t, path)
    const early = createMany(store, 3)
    await delay(30)
    const late = createMany(store, 3)
    const before = commitsInLog(path)
    await unlock()
    t.strictSame(
      [...(await early), ...(await late)].map(thing => thing.id),
      [1n, 2n, 3n, 4n, 5n, 6n]
    )
    t.equal(commitsInLog(path) - before, 1)
  })

  t.test('holding the lock does not stop the event loop', async t => {
    const path = newPath(t)
    const store = openStore(t, path, { busyDeadlineMs: 100 })
    const unlock = await lock(t, path)
    // Several attempts: if the store blocks the loop, every attempt has a stall; if the machine is busy, only some do.
    const attempts: number[] = []
    do {
      let longest = 0
      let last = performance.now()
      const timer = setInterval(() => {
        const now = performance.now()
        longest = Math.max(longest, now - last)
        last = now
      }, 1)
      await t.rejects(store.things.create(lamp), StoreUnavailable)
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
    const created = store.things.create(lamp)
    await delay(30)
    const closed = store.close()
    await unlock()
    t.equal((await created).id, 1n)
    await closed
    t.equal(count(path), 1)
  })
})
