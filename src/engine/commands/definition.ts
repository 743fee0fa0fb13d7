import type { FastifyInstance } from 'fastify'
import type { AppOptions } from '../app.ts'
import type { Contract } from '../operations/contract.ts'
import type { Schema } from '../store/sqlite/schema.ts'
import type { Store } from '../store/store.ts'

/** What the commands of a service have to know of it. */
export interface ServiceDefinition<Tables extends object = object> {
  /** What people call it: Animal Store. */
  name: string
  /** Where its data are, unless DATABASE_URL says otherwise. */
  databasePath: string
  schema: Schema<Tables>
  /** What serves; loaded only where that is needed, since it takes most of a second. */
  load(): Promise<Served<Tables>>
}

export interface Served<Tables extends object = object> {
  contract: Contract
  build(options: AppOptions & { store: Store & Tables }): Promise<FastifyInstance>
}
