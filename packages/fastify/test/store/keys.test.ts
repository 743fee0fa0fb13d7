import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { digestOf, keyIdOf, newApiKey } from '../../src/api-keys/api-key.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { openFixtureStore } from '../fixture-store.ts'
import { keySuite, numberedKey } from './keys.suite.ts'

// What the suite cannot test for every backend: keys in a file that other processes write as well.

const newPath = (t: Test) => join(t.testdir(), 'keys.db')

const openStore = (t: Test, path: string, options = {}) => {
  const store = openFixtureStore({ path, ...options })
  t.teardown(() => store.close())
  return store
}

const [digest, key] = numberedKey(1)
const at = Date.UTC(2026, 10, 20)
const minuteMs = 60_000

/** Stops the clock; the function returned lets this many milliseconds pass. */
const standingClock = (t: Test) => {
  let now = 1e6
  t.intercept(performance, 'now', { value: () => now })
  return (ms: number) => {
    now += ms
  }
}

/** Mocks timers; the function returned lets this many milliseconds pass for them. */
const standingTimers = (t: Test) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  return (ms: number) => mock.timers.tick(ms)
}

/** Resolves once the queue has been written. */
const written = async () => {
  for (let i = 0; i < 3; i++) await new Promise(resolve => setImmediate(resolve))
}

t.test('in a file', async t => keySuite(t, t => openFixtureStore({ path: newPath(t) })))

t.test('in memory', async t => keySuite(t, () => openFixtureStore()))

t.test(
  'a key added by another process is valid at once; one it expires or revokes, invalid within a second',
  async t => {
    const path = newPath(t)
    const pass = standingClock(t)
    const [mine, other] = [openStore(t, path), openStore(t, path)]
    const keys = [numberedKey(1), numberedKey(2), numberedKey(3)] as const
    for (const [digest, key] of keys) {
      await other.keys.add(digest, key)
      t.equal(mine.keys.use(digest, at), key.id)
    }
    const [[revoked, revokedKey], [expired, expiredKey], [third, thirdKey]] = keys
    await other.keys.revoke(revokedKey.id, at)
    await other.keys.expire(expiredKey.id, at + 5)
    pass(999)
    t.equal(mine.keys.use(revoked, at), undefined)
    t.equal(mine.keys.use(expired, at + 4), expiredKey.id)
    t.equal(mine.keys.use(expired, at + 5), undefined)
    t.equal(mine.keys.use(third, at), thirdKey.id)
  }
)

t.test('a key that was tried before another process has added it is valid within a second', async t => {
  const path = newPath(t)
  const pass = standingClock(t)
  const [mine, other] = [openStore(t, path), openStore(t, path)]
  t.equal(mine.keys.use(digest, at), undefined)
  await other.keys.add(digest, key)
  pass(999)
  t.equal(mine.keys.use(digest, at), key.id)
})

t.test('a key that was refused is valid as soon as it is added, however many were refused', async t => {
  standingClock(t)
  const store = openStore(t, newPath(t))
  for (let number = 0; number < 1_500; number++) store.keys.use(number.toString(16).padStart(64, '0'), at)
  for (const number of [0, 1_499]) {
    const digest = number.toString(16).padStart(64, '0')
    await store.keys.add(digest, { ...key, id: `key ${number}` })
    t.equal(store.keys.use(digest, at), `key ${number}`)
  }
})

t.test('if the file cannot be read, or has been replaced, no key is valid after a second', async t => {
  const path = newPath(t)
  const pass = standingClock(t)
  const store = openStore(t, path)
  await store.keys.add(digest, key)
  t.equal(store.keys.use(digest, at), key.id)
  renameSync(path, `${path}.moved`)
  pass(999)
  t.throws(() => store.keys.use(digest, at), StoreUnavailable)
  t.throws(() => store.keys.use(digest, at), StoreUnavailable, 'nor a moment later')
  renameSync(`${path}.moved`, path)
  t.equal(store.keys.use(digest, at), key.id)
  renameSync(path, `${path}.moved`)
  await openFixtureStore({ path }).close()
  pass(999)
  t.throws(() => store.keys.use(digest, at), StoreUnavailable)
})

t.test('uses are not written at once, but a while later, for all keys together', async t => {
  const path = newPath(t)
  const pass = standingTimers(t)
  const [store, other] = [openStore(t, path), openStore(t, path)]
  const keys = Array.from({ length: 20 }, (_, number) => numberedKey(number))
  await Promise.all(keys.map(each => store.keys.add(...each)))
  const db = new DatabaseSync(path)
  t.teardown(() => db.close())
  const commits = () => db.prepare('PRAGMA data_version').get()?.data_version as number
  const lastUses = async () => new Set((await other.keys.list()).map(({ lastUsedAt }) => lastUsedAt))

  const before = commits()
  for (let i = 0; i < 100; i++) for (const [digest] of keys) store.keys.use(digest, at + i)
  await written()
  t.equal(commits(), before)
  t.strictSame(await lastUses(), new Set([undefined]))

  pass(10_000)
  await written()
  t.strictSame(await lastUses(), new Set([at]))
  const after = commits()
  t.not(after, before)

  t.comment('a use less than a minute after the last one is not written')
  for (const [digest] of keys) store.keys.use(digest, at + minuteMs - 1)
  pass(60_000)
  await written()
  t.equal(commits(), after)

  t.comment('one that is a minute later, or earlier because the clock was set back, is written')
  for (const time of [at + minuteMs, at - minuteMs]) {
    for (const [digest] of keys) store.keys.use(digest, time)
    pass(10_000)
    await written()
    t.strictSame(await lastUses(), new Set([time]))
  }
})

t.test('a rejected key is not counted as used', async t => {
  const path = newPath(t)
  const store = openFixtureStore({ path })
  const [other, otherKey] = numberedKey(2)
  await store.keys.add(digest, { ...key, expiresAt: at })
  await store.keys.add(other, otherKey)
  await store.keys.revoke(otherKey.id, at)
  for (const each of [digest, other]) t.equal(store.keys.use(each, at), undefined)
  await store.close()
  for (const { lastUsedAt } of await openStore(t, path).keys.list()) t.equal(lastUsedAt, undefined)
})

t.test('close writes all uses', async t => {
  const path = newPath(t)
  const store = openFixtureStore({ path })
  const digests = Array.from({ length: 5000 }, () => digestOf(newApiKey()))
  await Promise.all(digests.map(each => store.keys.add(each, { ...key, id: keyIdOf(each) })))
  for (const [index, each] of digests.entries()) store.keys.use(each, at + index)
  await store.close()
  const found = new Map((await openStore(t, path).keys.list()).map(({ id, lastUsedAt }) => [id, lastUsedAt]))
  t.ok(digests.every((each, index) => found.get(keyIdOf(each)) === at + index))
})

t.test('uses of more keys than fit into one write are all written, and other work gets a turn in between', async t => {
  const pass = standingTimers(t)
  const { keys } = openStore(t, ':memory:')
  const digests = Array.from({ length: 9500 }, () => digestOf(newApiKey()))
  await Promise.all(digests.map(each => keys.add(each, { ...key, id: keyIdOf(each) })))
  for (const each of digests) keys.use(each, at)
  pass(10_000)
  const counts = new Set<number>()
  for (let turn = 0; turn < 20; turn++) {
    await new Promise(resolve => setImmediate(resolve))
    counts.add((await keys.list()).filter(({ lastUsedAt }) => lastUsedAt === at).length)
  }
  t.strictSame([...counts].slice(-5), [2000, 4000, 6000, 8000, 9500])
})

t.test('uses that cannot be written are written later, without an error', async t => {
  const path = newPath(t)
  const pass = standingTimers(t)
  const store = openStore(t, path, { busyDeadlineMs: 0 })
  await store.keys.add(digest, key)
  store.keys.use(digest, at)
  const locking = new DatabaseSync(path)
  t.teardown(() => locking.close())
  locking.exec('BEGIN IMMEDIATE')
  pass(10_000)
  await written()
  t.match(await store.keys.list(), [{ lastUsedAt: undefined }])
  t.equal(store.keys.use(digest, at + 1), key.id)
  locking.exec('COMMIT')
  pass(10_000)
  await written()
  t.match(await store.keys.list(), [{ lastUsedAt: at }])
})

t.test('close completes even if uses cannot be written', async t => {
  const path = newPath(t)
  const store = openFixtureStore({ path, busyDeadlineMs: 0 })
  await store.keys.add(digest, key)
  store.keys.use(digest, at)
  const locking = new DatabaseSync(path)
  t.teardown(() => locking.close())
  locking.exec('BEGIN IMMEDIATE')
  await store.close()
  locking.exec('COMMIT')
  t.match(await openStore(t, path).keys.list(), [{ lastUsedAt: undefined }])
})
