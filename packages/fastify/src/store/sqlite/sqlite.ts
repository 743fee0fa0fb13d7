import type { DatabaseSync } from 'node:sqlite'
import type { Store, StoreEvents } from '../store.ts'
import { CommitQueue, type CommitQueueOptions } from './commit-queue.ts'
import { DatabaseFiles, openDatabase } from './database.ts'
import { IdempotencyKeys } from './idempotency.ts'
import { SqliteKeys } from './keys.ts'
import { hasSequences, versionStays } from './migrations.ts'
import { prepareWith } from './prepare.ts'
import { Reads } from './reads.ts'
import type { Schema, TableAccess } from './schema.ts'

/** Which file the store is, and how its writes share commits. */
export interface SqliteOptions extends CommitQueueOptions, Pick<StoreEvents, 'onMigration'> {
  /** The file, created with its folder if missing, for its owner only; `:memory:` is lost on close. */
  path: string
}

/**
 * A store in one SQLite file, which several processes of one machine may have open.
 * @throws Error naming the path, if the file cannot be opened, belongs to another program, or has a newer version
 */
export const openStore = <T extends object>(
  schema: Schema<T>,
  { path, onMigration, ...options }: SqliteOptions
): Store & T => storeOf(schema, openDatabase(path, schema, onMigration), options)

/** The store in an open database. */
export const storeOf = <T extends object>(
  schema: Schema<T>,
  db: DatabaseSync,
  options?: CommitQueueOptions
): Store & T => {
  const files = new DatabaseFiles(db)
  const reads = new Reads(db)
  const queue = new CommitQueue(db, files, schema, reads, options)
  const keys = new SqliteKeys(db, queue, files, reads)
  const idempotencyKeys = new IdempotencyKeys(db, queue)
  const read: TableAccess['read'] = async query => {
    files.recheck()
    return reads.run(query)
  }
  const checkVersion = versionStays(db, schema)
  const probe = db.prepare('SELECT 1 FROM keys LIMIT 1')
  // sqlite_sequence lists each table in which an id was ever assigned.
  const ids = hasSequences(db) ? 'SELECT 1 FROM sqlite_sequence UNION ALL' : ''
  const anything = db.prepare(`${ids} SELECT 1 FROM keys LIMIT 1`)
  let closed: Promise<void> | undefined
  return {
    ...schema.tables({
      db,
      prepare: sql => prepareWith(db, sql, { readBigInts: true, returnArrays: true }),
      read,
      write: change => queue.run(change),
      transaction: (change, once) => idempotencyKeys.transaction(change, once),
      insert: (run, once) => idempotencyKeys.insert(run, once)
    }),
    keys,
    keepsIdempotencyKeys: idempotencyKeys.areKept,
    check: async () => {
      files.check()
      // Starts a new transaction, which needs the locks that this checks.
      reads.end()
      reads.run(() => {
        checkVersion()
        probe.get()
      })
    },
    isNew: async () => reads.run(() => anything.get() === undefined),
    figures: () => queue.figures(),
    // The last process to close moves the log into the file and deletes it.
    close: () => {
      if (closed === undefined) {
        keys.close()
        idempotencyKeys.close()
        closed = queue.close().then(() => {
          reads.end()
          db.close()
        })
      }
      return closed
    }
  }
}
