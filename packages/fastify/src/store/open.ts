import type { DatabaseLocation } from './location.ts'
import type { PostgresSchema } from './postgres/schema.ts'
import type { CommitQueueOptions } from './sqlite/commit-queue.ts'
import type { Schema } from './sqlite/schema.ts'
import type { Store, StoreEvents } from './store.ts'

/** Where the store is, how writes share commits, and what to call on migrations and failures of the replica. */
export type StoreOptions = DatabaseLocation & CommitQueueOptions & StoreEvents

interface Tables<T extends object> {
  /** The service's name for people. */
  name: string
  schema: Schema<T>
  postgresSchema?: PostgresSchema<T> | undefined
}

/** Opens the store at this location, and loads only the code for it. */
export const openStore = async <T extends object>(
  { name, schema, postgresSchema }: Tables<T>,
  options: StoreOptions
): Promise<Store & T> => {
  if (options.url === undefined) {
    const { openStore } = await import('./sqlite/sqlite.ts')
    return openStore(schema, options)
  }
  if (postgresSchema === undefined) throw new Error(`the ${name} has no tables for PostgreSQL`)
  const { openPostgres } = await import('./postgres/postgres.ts')
  return openPostgres(postgresSchema, { ...options, applicationName: name })
}
