import type { DatabaseSync } from 'node:sqlite'
import { CommitQueue, type CommitQueueOptions } from '../../engine/store/sqlite/commit-queue.ts'
import { DatabaseFiles, openDatabase } from '../../engine/store/sqlite/database.ts'
import { sqliteKeys } from '../../engine/store/sqlite/keys.ts'
import { versionStays } from '../../engine/store/sqlite/migrations.ts'
import { readFailure } from '../../engine/store/sqlite/result-codes.ts'
import type { AnimalStore } from '../pets.ts'
import { sqlitePets } from './pets.ts'

export interface SqliteOptions extends CommitQueueOptions {
  /** The file, created with its folder when missing, for its owner only; `:memory:` forgets everything on close. */
  path: string
}

/**
 * A store in one SQLite file, which several processes of one machine may have open.
 * @throws Error naming the path, when the file cannot be opened or is not ours or of a newer version
 */
export const openSqliteStore = ({ path, ...options }: SqliteOptions): AnimalStore =>
  sqliteStore(openDatabase(path), options)

export const sqliteStore = (db: DatabaseSync, options?: CommitQueueOptions): AnimalStore => {
  const files = new DatabaseFiles(db)
  const queue = new CommitQueue(db, files, options)
  const keys = sqliteKeys(db, queue, files)
  const checkVersion = versionStays(db)
  const probe = db.prepare('SELECT 1 FROM pets LIMIT 1')
  // The first names each table in which an id was ever given.
  const anything = db.prepare('SELECT 1 FROM sqlite_sequence UNION ALL SELECT 1 FROM keys LIMIT 1')
  let closed: Promise<void> | undefined
  return {
    pets: sqlitePets(db, queue, files),
    keys,
    check: async () => {
      files.check()
      try {
        checkVersion()
        probe.get()
      } catch (error) {
        throw readFailure(error)
      }
    },
    isNew: () => {
      try {
        return anything.get() === undefined
      } catch (error) {
        throw readFailure(error)
      }
    },
    figures: () => queue.figures(),
    // The last process to close moves the log into the file and deletes it.
    close: () => {
      if (closed === undefined) {
        keys.close()
        closed = queue.close().then(() => db.close())
      }
      return closed
    }
  }
}
