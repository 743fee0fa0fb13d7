import type { AnimalStore, PetStore } from '../../src/store/pets.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'

export { logged } from '../logged.ts'

const memory = openSqliteStore({ path: ':memory:' })
await memory.close()

/** Whatever is asked of them. */
export const petsThat = (act: () => Promise<never>): PetStore =>
  Object.fromEntries(Object.keys(memory.pets).map(name => [name, act])) as unknown as PetStore

/** A store every use of which fails with what is given, be it an Error or not. */
export const failingStore = (reason: unknown): AnimalStore => {
  const fail = () => {
    throw reason
  }
  const reject = () => Promise.reject(reason)
  return {
    pets: petsThat(reject),
    keys: { use: fail, hasValid: fail, list: reject, add: reject, expire: reject, revoke: reject },
    check: reject,
    isNew: fail,
    figures: () => ({ batchSizes: [], failedCommits: 0, pending: 0 }),
    close: async () => {}
  }
}
