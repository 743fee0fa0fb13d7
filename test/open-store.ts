import type { DatabaseSync } from 'node:sqlite'
import type { Test } from 'tap'
import { openPostgres, type PostgresOptions } from '../packages/fastify/src/store/postgres/postgres.ts'
import type { CommitQueueOptions } from '../packages/fastify/src/store/sqlite/commit-queue.ts'
import { openStore, type SqliteOptions, storeOf } from '../packages/fastify/src/store/sqlite/sqlite.ts'
import { newDatabase } from '../packages/fastify/test/store/new-database.ts'
import type { AnimalStore } from '../src/store/animal-store.ts'
import { animalPostgresSchema } from '../src/store/postgres/schema.ts'
import { animalSchema } from '../src/store/sqlite/schema.ts'

/** The store of the animals in one SQLite file. @throws Error as `openStore` does */
export const openSqliteStore = (options: SqliteOptions): AnimalStore => openStore(animalSchema, options)

/** The store in an open database. */
export const sqliteStore = (db: DatabaseSync, options?: CommitQueueOptions): AnimalStore =>
  storeOf(animalSchema, db, options)

/** The store in PostgreSQL. */
export const openPostgresStore = (options: PostgresOptions): Promise<AnimalStore> =>
  openPostgres(animalPostgresSchema, options)

/** A new, empty store, closed with the test: in memory, or where TEST_STORE is `postgres`, in PostgreSQL. */
export const newStore = async (t: Test): Promise<AnimalStore> => {
  const isPostgres = process.env.TEST_STORE === 'postgres'
  const store = isPostgres
    ? await openPostgresStore({ url: await newDatabase(t) })
    : openSqliteStore({ path: ':memory:' })
  t.teardown(() => store.close())
  return store
}
