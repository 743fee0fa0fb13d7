import { idempotencyTable, keysTable, type Schema } from '../src/store/sqlite/schema.ts'
import { openStore, type SqliteOptions } from '../src/store/sqlite/sqlite.ts'
import type { Store } from '../src/store/store.ts'

/** The database of a service that has only the engine's tables. */
export const schema: Schema = {
  applicationId: 0x5468696e,
  migrations: [`${keysTable} ${idempotencyTable}`],
  counted: {},
  tables: () => ({})
}

export const openFixtureStore = (options: SqliteOptions = { path: ':memory:' }): Store => openStore(schema, options)
