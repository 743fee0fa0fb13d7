import { createService } from '@contract-first/fastify'
import { animalPostgresSchema } from './store/postgres/schema.ts'
import { animalSchema } from './store/sqlite/schema.ts'

/** The Animal Store with its commands. */
export const animalStore = createService({
  name: 'Animal Store',
  realm: 'animal-store',
  keyPrefix: 'ast',
  databasePath: 'data/animals.db',
  schema: animalSchema,
  postgresSchema: animalPostgresSchema,
  load: () => import('./contract.ts')
})
