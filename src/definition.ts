import type { ServiceDefinition } from './engine/commands/definition.ts'
import type { PetStore } from './store/pets.ts'
import { animalSchema } from './store/sqlite/schema.ts'

/** The Animal Store, for the commands that run it and look after it. */
export const animalStore: ServiceDefinition<{ pets: PetStore }> = {
  name: 'Animal Store',
  databasePath: 'data/animals.db',
  schema: animalSchema,
  load: async () => {
    const { buildAnimalStore, contract } = await import('./animal-store.ts')
    return { contract, build: buildAnimalStore }
  }
}
