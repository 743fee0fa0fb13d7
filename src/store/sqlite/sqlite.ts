import type { DatabaseSync } from 'node:sqlite'
import type { Store } from '../store.ts'
import { CommitQueue, type CommitQueueOptions } from './commit-queue.ts'
import { openDatabase } from './database.ts'
import { sqliteKeys } from './keys.ts'
import { sqlitePets } from './pets.ts'

export interface SqliteOptions extends CommitQueueOptions {
  /** The file, created with its folder when missing, for its owner only; `:memory:` forgets everything on close. */
  path: string
}

/**
 * A store in one SQLite file, which several processes of one machine may have open.
 * @throws Error naming the path, when the file cannot be opened or is not ours or of a newer version
 */
export const openSqliteStore = ({ path, ...options }: SqliteOptions): Store => sqliteStore(openDatabase(path), options)

export const sqliteStore = (db: DatabaseSync, options?: CommitQueueOptions): Store => {
  const queue = new CommitQueue(db, options)
  let closed: Promise<void> | undefined
  return {
    pets: sqlitePets(db, queue),
    keys: sqliteKeys(db, queue),
    // The last process to close moves the log into the file and deletes it.
    close: () => (closed ??= queue.close().then(() => db.close()))
  }
}
