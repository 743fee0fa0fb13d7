import { readConfig } from '../packages/fastify/src/commands/config.ts'
import { animalStore } from '../src/animal-store.ts'

/** The names of all settings. */
export const settings = (): Set<string> => {
  const read = new Set<string>()
  readConfig(
    animalStore,
    new Proxy(
      {},
      {
        get: (_, name) => {
          read.add(String(name))
        }
      }
    )
  )
  return read
}
