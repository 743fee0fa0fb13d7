import type { DatabaseSync } from 'node:sqlite'
import type { CommitQueueOptions } from '../src/engine/store/sqlite/commit-queue.ts'
import { openStore, type SqliteOptions, storeOf } from '../src/engine/store/sqlite/sqlite.ts'
import type { AnimalStore } from '../src/store/animal-store.ts'
import { animalSchema } from '../src/store/sqlite/schema.ts'

/** The store of the animals in one SQLite file. @throws Error as `openStore` does */
export const openSqliteStore = (options: SqliteOptions): AnimalStore => openStore(animalSchema, options)

/** The same in a database that is open. */
export const sqliteStore = (db: DatabaseSync, options?: CommitQueueOptions): AnimalStore =>
  storeOf(animalSchema, db, options)
