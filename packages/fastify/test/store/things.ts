import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Test } from 'tap'
import type { Once } from '../../src/store/idempotency.ts'
import type { CommitQueueOptions } from '../../src/store/sqlite/commit-queue.ts'
import type { Schema } from '../../src/store/sqlite/schema.ts'
import { openStore as openSqliteStore, type SqliteOptions, storeOf } from '../../src/store/sqlite/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import { schema as fixtureSchema } from '../fixture-store.ts'

export interface NewThing {
  name: string
}

export interface Thing extends NewThing {
  id: bigint
}

interface Tables {
  things: {
    create(thing: NewThing, once?: Once): Promise<Thing>
    get(id: bigint): Promise<Thing | undefined>
    /** By ascending id. */
    list(name?: string): Promise<Thing[]>
  }
}

export type ThingStore = Store & Tables

/** The fixture's database with a table, for tests of what the engine promises for any table. */
export const schema: Schema<Tables> = {
  ...fixtureSchema,
  migrations: [
    ...fixtureSchema.migrations,
    `CREATE TABLE things (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL) STRICT;
     CREATE INDEX things_by_name ON things (name);`
  ],
  counted: { things: 'things' },
  tables: ({ prepare, read, insert }) => {
    const insertThing = prepare('INSERT INTO things (name) VALUES (?)')
    const byId = prepare('SELECT id, name FROM things WHERE id = ?')
    const all = prepare('SELECT id, name FROM things WHERE id > 0 ORDER BY id')
    const named = prepare('SELECT id, name FROM things WHERE name = ? ORDER BY id')
    const toThing = (row: unknown): Thing => {
      const [id, name] = row as [bigint, string]
      return { id, name }
    }
    return {
      things: {
        create: async ({ name }, once) => ({
          id: await insert(() => insertThing.run(name).lastInsertRowid as bigint, once),
          name
        }),
        get: id =>
          read(() => {
            const row = byId.get(id)
            return row && toThing(row)
          }),
        list: name => read(() => (name === undefined ? all.all() : named.all(name)).map(toThing))
      }
    }
  }
}

/** @throws Error as the engine's `openStore` does */
export const openThings = (options: SqliteOptions): ThingStore => openSqliteStore(schema, options)

/** The store in an open database. */
export const thingsIn = (db: DatabaseSync): ThingStore => storeOf(schema, db)

export const newPath = (t: Test): string => join(t.testdir(), 'things.db')

/** A store that is closed with the test. */
export const openStore = (t: Test, path: string, options?: CommitQueueOptions): ThingStore => {
  const store = openThings({ path, ...options })
  t.teardown(() => store.close())
  return store
}

export const lamp: NewThing = { name: 'lamp' }

export const createMany = (store: ThingStore, count: number): Promise<Thing[]> =>
  Promise.all(Array.from({ length: count }, () => store.things.create(lamp)))

/** Works on a second connection, as another program would. */
export const look = <T>(path: string, work: (db: DatabaseSync) => T): T => {
  const db = new DatabaseSync(path, { timeout: 60_000 })
  try {
    return work(db)
  } finally {
    db.close()
  }
}

export const count = (path: string): unknown =>
  look(path, db => db.prepare('SELECT count(*) AS n FROM things').get()?.n)

export const version = (db: DatabaseSync): unknown => db.prepare('PRAGMA user_version').get()?.user_version
