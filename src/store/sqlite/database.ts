import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { checkVersion, migrate } from './migrations.ts'
import { isBusy } from './result-codes.ts'

const MEMORY = ':memory:'

const STARTUP_DEADLINE_MS = 5000
const STARTUP_RETRY_MS = 10

/**
 * An open database of the newest version, ready for the store. Waits, synchronously, while another process migrates it.
 * @throws Error naming the path and what is wrong with it
 */
export const openDatabase = (path: string): DatabaseSync => {
  const deadline = performance.now() + STARTUP_DEADLINE_MS
  for (;;) {
    try {
      return attempt(path === MEMORY ? MEMORY : resolve(path))
    } catch (cause) {
      if (isBusy(cause) && performance.now() < deadline) sleep(STARTUP_RETRY_MS)
      else throw new Error(`cannot open the database ${path}: ${(cause as Error).message}`, { cause })
    }
  }
}

const attempt = (location: string): DatabaseSync => {
  if (location !== MEMORY) createFile(location)
  // No timeout: SQLite's own waiting would stop the whole event loop, and does not help where two processes
  // switch a new file to the write-ahead log at once.
  const db = new DatabaseSync(location, { timeout: 0 })
  try {
    // First, as configuring writes: into what may be another program's.
    checkVersion(db)
    configure(db, location === MEMORY ? 'memory' : 'wal')
    migrate(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

const sleep = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

// SQLite would create it readable by everyone. An existing file is left alone: closing a second descriptor of a
// database file drops the locks that this process holds on it (https://sqlite.org/howtocorrupt.html, 2.2).
const createFile = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

const configure = (db: DatabaseSync, journalMode: string): void => {
  // FULL: the log is on the disk before COMMIT returns. fullfsync: macOS's fsync alone stops at the drive's cache.
  db.exec('PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON')
  const actual = db.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode
  if (actual !== journalMode) throw new Error(`no write-ahead log is possible there, only journal mode ${actual}`)
}

/** A check whether the names still lead to the open files: SQLite would go on writing into deleted ones. */
export const filesInPlace = (db: DatabaseSync): (() => boolean) => {
  const location = db.location()
  if (location === null) return () => true
  const inode = (path: string) => statSync(path, { throwIfNoEntry: false })?.ino
  const files = [location, `${location}-wal`].map(path => ({ path, opened: inode(path) }))
  return () => files.every(({ path, opened }) => inode(path) === opened)
}
