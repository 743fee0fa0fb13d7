import type { AnimalStore, PetStore } from '../../src/store/pets.ts'
import { openSqliteStore } from '../open-store.ts'

const memory = openSqliteStore({ path: ':memory:' })
await memory.close()

/** A store every use of which fails with what is given, be it an Error or not. */
export const failingStore = (reason: unknown): AnimalStore => {
  const fail = () => {
    throw reason
  }
  const reject = () => Promise.reject(reason)
  return {
    pets: Object.fromEntries(Object.keys(memory.pets).map(name => [name, reject])) as unknown as PetStore,
    keys: { use: fail, hasValid: fail, list: reject, add: reject, expire: reject, revoke: reject },
    check: reject,
    isNew: fail,
    figures: () => ({ batchSizes: [], failedCommits: 0, pending: 0 }),
    close: async () => {}
  }
}
