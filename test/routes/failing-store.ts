import type { AnimalStore, Tables } from '../../src/store/animal-store.ts'
import { openSqliteStore } from '../open-store.ts'

const memory = openSqliteStore({ path: ':memory:' })
await memory.close()

/** The methods of each table. */
const tables = Object.entries(memory)
  .filter(([name, table]) => typeof table === 'object' && name !== 'keys')
  .map(([name, table]): [string, string[]] => [name, Object.keys(table)])

/** A store whose methods all throw the given value, whether or not it is an Error. */
export const failingStore = (reason: unknown): AnimalStore => {
  const fail = () => {
    throw reason
  }
  const reject = () => Promise.reject(reason)
  const failing = tables.map(([name, methods]) => [name, Object.fromEntries(methods.map(method => [method, reject]))])
  return {
    ...(Object.fromEntries(failing) as Tables),
    keys: { now: reject, use: fail, hasValid: fail, list: reject, add: reject, expire: reject, revoke: reject },
    keepsIdempotencyKeys: true,
    check: reject,
    isNew: fail,
    figures: () => ({ batchSizes: [], failedCommits: 0, pending: 0 }),
    close: async () => {}
  }
}
