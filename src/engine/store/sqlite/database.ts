import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  statSync
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from '../store.ts'
import { checkVersion, migrate, type Versions } from './migrations.ts'
import { isBusy, isOfFiles } from './result-codes.ts'

const MEMORY = ':memory:'

const STARTUP_DEADLINE_MS = 5000
const STARTUP_RETRY_MS = 10

// A new database, its log and the log's index need a little less.
const ROOM_BYTES = 128 * 1024

const { R_OK, W_OK, X_OK } = constants

/**
 * An open database of the newest version, ready for the store. Waits, synchronously, while another process migrates it.
 * @throws Error naming the path and what is wrong with it
 */
export const openDatabase = (path: string, schema: Versions): DatabaseSync => {
  const location = path === MEMORY ? MEMORY : resolve(path)
  const deadline = performance.now() + STARTUP_DEADLINE_MS
  let isMade = false
  for (;;) {
    try {
      if (location !== MEMORY) {
        isMade = createFile(location) || isMade
        checkRights(location)
      }
      return attempt(location, schema)
    } catch (cause) {
      if (isBusy(cause) && performance.now() < deadline) {
        sleep(STARTUP_RETRY_MS)
        continue
      }
      const reason = reasonOf(cause, location)
      if (isMade && !isBusy(cause)) removeEmpty(location)
      throw new Error(`cannot open the database ${path}: ${reason}`, { cause })
    }
  }
}

const attempt = (location: string, schema: Versions): DatabaseSync => {
  // No timeout: SQLite's own waiting would stop the whole event loop, and does not help where two processes
  // switch a new file to the write-ahead log at once.
  const db = new DatabaseSync(location, { timeout: 0 })
  try {
    // First, as configuring writes: into what may be another program's.
    checkVersion(db, schema)
    configure(db, location === MEMORY ? 'memory' : 'wal')
    migrate(db, schema)
    refuseReadOnly(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

const sleep = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

// SQLite would create it readable by everyone. An existing file is left alone: closing a second descriptor of a
// database file drops the locks that this process holds on it (https://sqlite.org/howtocorrupt.html, 2.2).
const createFile = (path: string): boolean => {
  makeFolder(dirname(path))
  try {
    closeSync(openSync(path, 'wx', 0o600))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

// What may only be read SQLite would open for that, and give the files beside it the same mode: then nobody could write
// to the database any more, also once it is mended.
const checkRights = (path: string): void => {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      accessSync(file, R_OK | W_OK)
    } catch (error) {
      // The files beside it come and go with those who use it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

// Once anybody uses it, it is not empty any more.
const removeEmpty = (path: string): void => {
  if (statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path)
}

/** The message, and what is missing where SQLite says only what it could not do: a right, or room on the disk. */
const reasonOf = (error: unknown, path: string): string => {
  const { message } = error as Error
  if (!isOfFiles(error)) return message
  const folder = dirname(path)
  try {
    if (statSync(path).isDirectory()) return `${message}: it is a folder`
    accessSync(folder, W_OK | X_OK)
    const { bavail, bsize } = statfsSync(folder)
    const free = bavail * bsize
    return free < ROOM_BYTES ? `${message}: the disk of ${folder} is full, with ${free} bytes left` : message
  } catch (missing) {
    return `${message}: ${(missing as Error).message}`
  }
}

/** Makes the folder and those that lead to it, where they are missing. */
export const makeFolder = (folder: string): void => {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  makeFolder(parent)
  // Not `recursive`: where no folder can be made, as in /proc, Node tries for ever.
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  // SQLite has the database's own folder on the disk before anything is acknowledged, but not what leads to it.
  sync(parent)
}

/** Waits until a file's content, or a folder's names, are on the disk. */
export const sync = (path: string): void => {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

const configure = (db: DatabaseSync, journalMode: string): void => {
  // FULL: the log is on the disk before COMMIT returns. fullfsync: macOS's fsync alone stops at the drive's cache.
  db.exec('PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON')
  // A container may have no other place to write to than its data, and there SQLite would not put what it sorts.
  db.exec('PRAGMA temp_store = MEMORY')
  const actual = db.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode
  if (actual !== journalMode) throw new Error(`no write-ahead log is possible there, only journal mode ${actual}`)
}

// SQLite opens a file that may not be written for reading alone, and says so only where something is written.
const refuseReadOnly = (db: DatabaseSync): void => {
  try {
    db.exec('BEGIN IMMEDIATE; DELETE FROM keys WHERE FALSE; ROLLBACK')
  } catch (error) {
    // Another process writes just now; with a file that is only read there would have been no lock to wait for.
    if (!isBusy(error)) throw error
  }
}

/**
 * The files of an open database. SQLite goes on reading and writing those that it has opened, also when their names
 * are gone or lead to others: what it then acknowledges would be lost with the process.
 */
export class DatabaseFiles {
  readonly #files: { path: string; opened: string | undefined }[]
  #gone = false

  constructor(db: DatabaseSync) {
    const location = db.location()
    const paths = location === null ? [] : [location, `${location}-wal`, `${location}-shm`]
    this.#files = paths.map(path => ({ path, opened: identity(path) }))
  }

  /**
   * Passes if the names lead to the open files, and the database's is not empty.
   * @throws StoreUnavailable naming the first that does not
   */
  check(): void {
    const other = this.#files.find(({ path, opened }) => opened === undefined || identity(path) !== opened)
    this.#gone = other !== undefined
    if (other !== undefined) throw new StoreUnavailable(`${other.path} has been moved, deleted, replaced or emptied`)
  }

  /** Checks only where the last check has failed, so that it costs nothing before every read. */
  recheck(): void {
    if (this.#gone) this.check()
  }
}

/** The same as long as it is the same file, since no other can get the inode of one that is open. */
const identity = (path: string): string | undefined => {
  // As bigint: the numbers of some file systems are beyond 2^53.
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  // A log is emptied by every checkpoint that truncates it; the other two never are.
  if (found === undefined || (found.size === 0n && !path.endsWith('-wal'))) return undefined
  return `${found.dev} ${found.ino}`
}
