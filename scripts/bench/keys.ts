import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { animalStore } from '../../src/animal-store.ts'
import { digestOf, keyIdOf, newApiKey } from '../../src/engine/operations/api-key.ts'
import { createKeyLookup } from '../../src/engine/operations/auth.ts'
import { issueKey } from '../../src/engine/store/issue-key.ts'
import type { Store } from '../../src/engine/store/store.ts'
import { quantile } from './measure.ts'

export interface KeyFigures {
  /** CPU of judging a key that is used again, in microseconds, with so many keys and with a single one. */
  many: number
  one: number
  /** The same, when it is the first time since another process has written to the database. */
  afterWrite: number
}

// Long enough for the store to look whether another process has written.
const unnoticedMs = 300

/** In this process: what a request spends on its key, without HTTP and framework. */
export const measureKeys = async (folder: string, count: number, rounds: number): Promise<KeyFigures> => {
  const path = join(folder, 'keys.db')
  const stores = {
    many: await animalStore.openStore({ path }),
    one: await animalStore.openStore({ path: join(folder, 'key.db') })
  }
  const other = await animalStore.openStore({ path })
  const judges = { many: await judgeOf(stores.many, count), one: await judgeOf(stores.one, 1) }
  const figures = { many: [] as number[], one: [] as number[], afterWrite: [] as number[] }

  for (let round = -2; round < rounds; round++) {
    await issueKey(other.keys)
    await delay(unnoticedMs)
    const afterWrite = judges.many(count)
    const many = judges.many(5 * count)
    const one = judges.one(5 * count)
    // Until the code is compiled, nothing counts.
    if (round < 0) continue
    figures.afterWrite.push(afterWrite)
    figures.many.push(many)
    figures.one.push(one)
  }
  await Promise.all([stores.many, stores.one, other].map(store => store.close()))
  return {
    many: quantile(figures.many, 0.5),
    one: quantile(figures.one, 0.5),
    afterWrite: quantile(figures.afterWrite, 0.5)
  }
}

/** Judges so many keys in turn, and gives the CPU time of each, in microseconds. */
const judgeOf = async ({ keys }: Store, count: number) => {
  const issued = Array.from({ length: count }, () => newApiKey())
  const createdAt = Date.now()
  for (let i = 0; i < count; i += 1000)
    await Promise.all(
      issued.slice(i, i + 1000).map(key => {
        const digest = digestOf(key)
        const expiresAt = createdAt + 86_400_000
        return keys.add(digest, { id: keyIdOf(digest), name: 'web', createdAt, lifetimeMs: undefined, expiresAt })
      })
    )
  const lookUpKey = createKeyLookup({ keys, apiKeys: [], now: Date.now })
  // As a request brings it.
  const headers = issued.map(key => Buffer.from(`Bearer ${key}`))

  return (times: number) => {
    const texts = Array.from({ length: times }, (_, i) => headers[i % count]?.toString('latin1') ?? '')
    const before = process.cpuUsage()
    for (const text of texts)
      if (lookUpKey(text.slice('Bearer '.length)) === undefined) throw new Error('a key is lost')
    const { user, system } = process.cpuUsage(before)
    return (user + system) / times
  }
}
