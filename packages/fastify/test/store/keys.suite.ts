import type { Test } from 'tap'
import type { Key, NewKey } from '../../src/store/keys.ts'
import { type Store, StoreUnavailable } from '../../src/store/store.ts'

const created = Date.UTC(2026, 10, 20, 9, 15)
const dayMs = 86_400_000

/** A digest and the data of its key, different for each number from 0 to 255. */
export const numberedKey = (number: number, more: Partial<NewKey> = {}): [digest: string, key: NewKey] => {
  const digest = number.toString(16).padStart(2, '0').repeat(32)
  const key = { id: digest.slice(0, 12), name: 'web', createdAt: created, lifetimeMs: undefined, expiresAt: undefined }
  return [digest, { ...key, ...more }]
}

/** Tests what the interface in packages/fastify/src/store/keys.ts promises. `openStore` returns a new, empty store each time. */
export const keySuite = (t: Test, openStore: (t: Test) => Store | Promise<Store>): void => {
  const promise = (name: string, check: (t: Test, store: Store) => Promise<unknown>) =>
    t.test(name, async t => {
      const store = await openStore(t)
      t.teardown(() => store.close())
      await check(t, store)
    })
  const unused = { revokedAt: undefined, lastUsedAt: undefined }

  promise('use: returns the id of the key with this digest, and undefined for any other', async (t, { keys }) => {
    const [digest, key] = numberedKey(1)
    const others = [`${digest.slice(0, -1)}2`, `2${digest.slice(1)}`, '', digest.slice(2), `${digest}01`, 'no digest']
    for (const each of [digest, ...others]) t.equal(await keys.use(each, created), undefined)
    await keys.add(digest, key)
    for (let i = 0; i < 3; i++) {
      t.equal(await keys.use(digest, created), key.id)
      for (const other of others) t.equal(await keys.use(other, created), undefined)
    }
    const [second, secondKey] = numberedKey(2)
    await keys.add(second, secondKey)
    t.equal(await keys.use(second, created), secondKey.id)
    t.equal(await keys.use(digest, created), key.id)
  })

  promise('use: a key is valid until the millisecond it expires, whenever it was used before', async (t, store) => {
    const { keys } = store
    const [digest, key] = numberedKey(1, { lifetimeMs: dayMs, expiresAt: created + dayMs })
    await keys.add(digest, key)
    t.equal(await keys.use(digest, created + dayMs), undefined)
    t.equal(await keys.use(digest, created), key.id)
    t.equal(await keys.use(digest, created + dayMs - 1), key.id)
    t.equal(await keys.use(digest, created + dayMs), undefined)
    t.equal(await keys.use(digest, created + 1000 * dayMs), undefined)
  })

  promise('hasValid: one valid key is enough, until the millisecond it expires', async (t, { keys }) => {
    t.equal(await keys.hasValid(created), false, 'without keys')
    const ends = [created - 1, created, created + dayMs]
    for (const [number, expiresAt] of ends.entries()) await keys.add(...numberedKey(number, { expiresAt }))
    t.equal(await keys.hasValid(created), true)
    t.equal(await keys.hasValid(created + dayMs - 1), true)
    t.equal(await keys.hasValid(created + dayMs), false)
    const [, endless] = numberedKey(9)
    await keys.add(...numberedKey(9))
    t.equal(await keys.hasValid(created + 1000 * dayMs), true)
    await keys.revoke(endless.id, created + dayMs)
    t.equal(await keys.hasValid(created + 1000 * dayMs), false)
    t.equal(await keys.hasValid(created), true, 'the others are unchanged')
  })

  promise('list: all keys with all their data, the oldest first', async (t, { keys }) => {
    t.strictSame(await keys.list(), [])
    const added: NewKey[] = []
    for (const [number, createdAt] of [created + 3, created + 1, undefined, created + 2].entries()) {
      const [digest, key] = numberedKey(number, { createdAt, name: `client ${number}` })
      await keys.add(digest, key)
      added.push(key)
    }
    const [last, second, first, third] = added
    t.strictSame(
      await keys.list(),
      [first, second, third, last].map(key => ({ ...key, ...unused }))
    )
  })

  promise('add: all data is stored unchanged', async (t, { keys }) => {
    const given: Partial<NewKey>[] = [
      { name: "Käthe's 🐈" },
      { name: 'web' },
      { lifetimeMs: 90 * dayMs, expiresAt: created + 90 * dayMs },
      { lifetimeMs: 99_999 * dayMs, expiresAt: created + 99_999 * dayMs },
      { expiresAt: created - 1 }
    ]
    const added = given.map((more, number) => numberedKey(number, { createdAt: created + number, ...more }))
    await Promise.all(added.map(each => keys.add(...each)))
    t.strictSame(
      await keys.list(),
      added.map(([, key]) => ({ ...key, ...unused }))
    )
  })

  promise(
    'add: a digest or an id that exists already is refused, without affecting other keys',
    async (t, { keys }) => {
      const [digest, key] = numberedKey(1)
      const [otherDigest, otherKey] = numberedKey(2)
      const results = await Promise.allSettled([
        keys.add(digest, key),
        keys.add(digest, { ...key, id: 'another' }),
        keys.add('03'.repeat(32), key),
        keys.add('no digest', { ...key, id: 'another' }),
        keys.add(otherDigest, otherKey)
      ])
      t.strictSame(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled']
      )
      for (const result of results)
        if (result.status === 'rejected') t.notOk(result.reason instanceof StoreUnavailable, 'not a fault of the store')
      t.strictSame(
        (await keys.list()).map(({ id }) => id),
        [key.id, otherKey.id]
      )
    }
  )

  promise('expire: from then on the key is invalid, even if it has just been used', async (t, { keys }) => {
    const [digest, key] = numberedKey(1)
    const [other, otherKey] = numberedKey(2)
    await keys.add(digest, key)
    await keys.add(other, otherKey)
    t.equal(await keys.use(digest, created + 10), key.id)
    t.strictSame(await keys.expire(key.id, created + 20), { ...key, ...unused, expiresAt: created + 20 })
    t.equal(await keys.use(digest, created + 19), key.id)
    t.equal(await keys.use(digest, created + 20), undefined)
    t.equal(await keys.use(other, created + 20), otherKey.id)
  })

  promise(
    'expire: never extends the validity of a key, and does not change its stored lifetime',
    async (t, { keys }) => {
      const [digest, key] = numberedKey(1, { lifetimeMs: 100, expiresAt: created + 100 })
      await keys.add(digest, key)
      const expiryAfter = async (at: number) => {
        const { expiresAt, ...rest } = (await keys.expire(key.id, at)) as Key
        const { expiresAt: _, ...before } = { ...key, ...unused }
        t.strictSame(rest, before)
        return expiresAt
      }
      t.equal(await expiryAfter(created + 200), created + 100)
      t.equal(await expiryAfter(created + 50), created + 50)
      t.equal(await expiryAfter(created + 50), created + 50)
      t.equal(await expiryAfter(created + 60), created + 50)
      t.equal(await keys.use(digest, created + 50), undefined)
    }
  )

  promise('revoke: the key is invalid at any time', async (t, { keys }) => {
    const [digest, key] = numberedKey(1)
    const [other, otherKey] = numberedKey(2)
    await keys.add(digest, key)
    await keys.add(other, otherKey)
    t.equal(await keys.use(digest, created), key.id)
    t.strictSame(await keys.revoke(key.id, created + 5), { ...key, ...unused, revokedAt: created + 5 })
    for (const at of [0, created, created + 4, created + 5, created + dayMs])
      t.equal(await keys.use(digest, at), undefined)
    t.equal(await keys.use(other, created), otherKey.id)
    t.match(await keys.revoke(key.id, created + 9), { revokedAt: created + 5 }, 'the time of the first call is kept')
    t.match(await keys.expire(key.id, created + 9), { revokedAt: created + 5, expiresAt: created + 9 })
    t.equal(await keys.use(digest, created), undefined)
  })

  promise('expire, revoke: an unknown id returns undefined', async (t, { keys }) => {
    const [digest, key] = numberedKey(1)
    await keys.add(digest, key)
    for (const id of ['', 'nobody', key.id.toUpperCase().replaceAll('0', 'O'), `${key.id}0`, '%', digest]) {
      t.equal(await keys.expire(id, created), undefined)
      t.equal(await keys.revoke(id, created), undefined)
    }
    t.equal(await keys.use(digest, created), key.id)
  })

  promise('close: accepted writes are completed; afterwards everything is refused', async (t, store) => {
    const { keys } = store
    const [digest, key] = numberedKey(1)
    const [late, lateKey] = numberedKey(2)
    await keys.add(digest, key)
    t.equal(await keys.use(digest, created), key.id)
    const expired = keys.expire(key.id, created + 1)
    const closed = store.close()
    await t.rejects(keys.add(late, lateKey), StoreUnavailable)
    t.match(await expired, { expiresAt: created + 1 })
    await closed
    await t.rejects(async () => keys.use(digest, created), StoreUnavailable, 'even a key that was used before')
    await t.rejects(async () => keys.use(late, created), StoreUnavailable)
    await t.rejects(keys.hasValid(created), StoreUnavailable)
    await t.rejects(keys.list(), StoreUnavailable)
    await t.rejects(keys.add(late, lateKey), StoreUnavailable)
    await t.rejects(keys.expire(key.id, created), StoreUnavailable)
    await t.rejects(keys.revoke(key.id, created), StoreUnavailable)
  })
}
