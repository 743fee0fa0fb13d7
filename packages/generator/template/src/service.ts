import { createService } from '@contract-first/fastify'
import { schema } from './store.ts'

/** The service, to be run, tested and administered. */
export const service = createService({
  name: 'New Service',
  realm: 'new-service',
  databasePath: 'data/service.db',
  schema,
  load: () => import('./contract.ts')
})
