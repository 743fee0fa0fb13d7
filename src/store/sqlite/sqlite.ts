import type { DatabaseSync } from 'node:sqlite'
import type { CommitQueueOptions } from '../../engine/store/sqlite/commit-queue.ts'
import { openStore, type SqliteOptions, storeOf } from '../../engine/store/sqlite/sqlite.ts'
import type { AnimalStore } from '../pets.ts'
import { animalSchema } from './schema.ts'

/** The store of the animals in one SQLite file. @throws Error as `openStore` does */
export const openSqliteStore = (options: SqliteOptions): AnimalStore => openStore(animalSchema, options)

export const sqliteStore = (db: DatabaseSync, options?: CommitQueueOptions): AnimalStore =>
  storeOf(animalSchema, db, options)
