import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { digestOf, keyIdOf, newApiKey } from '../../packages/fastify/src/api-keys/api-key.ts'
import { keptCredentials } from '../../packages/fastify/src/security/credentials.ts'
import { issueKey } from '../../packages/fastify/src/store/issue-key.ts'
import type { Store } from '../../packages/fastify/src/store/store.ts'
import { animalStore } from '../../src/animal-store.ts'
import { quantile } from './measure.ts'

export interface KeyFigures {
  /** CPU of looking up a key that was used before, in microseconds, with many keys and with a single one. */
  many: number
  one: number
  /** With many keys, the first time after a write by another process. */
  afterWrite: number
}

// Long enough for the store to check whether another process has written.
const recheckMs = 300

/** In this process: what a request spends on its key, without HTTP and Fastify. */
export const measureKeys = async (folder: string, count: number, rounds: number): Promise<KeyFigures> => {
  const path = join(folder, 'keys.db')
  const stores = {
    many: await animalStore.openStore({ path }),
    one: await animalStore.openStore({ path: join(folder, 'key.db') })
  }
  const other = await animalStore.openStore({ path })
  const lookups = { many: await lookupOf(stores.many, count), one: await lookupOf(stores.one, 1) }
  const figures = { many: [] as number[], one: [] as number[], afterWrite: [] as number[] }

  for (let round = -2; round < rounds; round++) {
    await issueKey(other.keys)
    await delay(recheckMs)
    const afterWrite = lookups.many(count)
    const many = lookups.many(5 * count)
    const one = lookups.one(5 * count)
    // The first rounds only compile the code.
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

/** Looks up this many keys in turn; returns the CPU time of each lookup, in microseconds. */
const lookupOf = async ({ keys }: Store, count: number) => {
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
  const { kept, keep, read } = keptCredentials({ apiKeys: [] })
  // As it arrives in a request.
  const headers = issued.map(key => Buffer.from(`Bearer ${key}`))

  return (times: number) => {
    const texts = Array.from({ length: times }, (_, i) => headers[i % count]?.toString('latin1') ?? '')
    const before = process.cpuUsage()
    for (const text of texts) {
      const { digest } = kept(text) ?? read(text.slice('Bearer '.length), text)
      keep(text)
      if (keys.use(digest ?? '', Date.now()) === undefined) throw new Error('a key was not found')
    }
    const { user, system } = process.cpuUsage(before)
    return (user + system) / times
  }
}
