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
import { isBusy, isFileError } from './result-codes.ts'

const MEMORY = ':memory:'

const STARTUP_DEADLINE_MS = 5000
const STARTUP_RETRY_MS = 10

// A little more than a new database, its log and the log's index need.
const ROOM_BYTES = 128 * 1024

const { R_OK, W_OK, X_OK } = constants

/**
 * An open database of the newest version, ready for the store. Waits, synchronously, while another process migrates it.
 * @throws Error naming the path and what is wrong with it
 */
export const openDatabase = (path: string, schema: Versions, onMigration?: (version: number) => void): DatabaseSync => {
  const location = path === MEMORY ? MEMORY : resolve(path)
  const deadline = performance.now() + STARTUP_DEADLINE_MS
  let isCreated = false
  for (;;) {
    try {
      if (location !== MEMORY) {
        isCreated = createFile(location) || isCreated
        checkRights(location)
      }
      return attempt(location, schema, onMigration)
    } catch (cause) {
      if (isBusy(cause) && performance.now() < deadline) {
        sleep(STARTUP_RETRY_MS)
        continue
      }
      const reason = reasonOf(cause, location)
      if (isCreated && !isBusy(cause)) removeEmpty(location)
      throw new Error(`cannot open the database ${path}: ${reason}`, { cause })
    }
  }
}

const attempt = (location: string, schema: Versions, onMigration?: (version: number) => void): DatabaseSync => {
  // No timeout: SQLite's waiting would block the event loop, and does not help if two processes switch a new file
  // to WAL mode at once.
  const db = new DatabaseSync(location, { timeout: 0 })
  try {
    // First, since configuring writes, and the file may be another program's.
    checkVersion(db, schema)
    configure(db, location === MEMORY ? 'memory' : 'wal')
    migrate(db, schema, onMigration)
    refuseReadOnly(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

const sleep = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

// SQLite would create it readable for everyone. An existing file is not touched: closing a second descriptor drops the
// locks that this process holds on it (https://sqlite.org/howtocorrupt.html, 2.2).
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

// SQLite would open a read-only file as such, and give the files beside it the same mode, so that the database could not
// be written even after its permissions are corrected.
const checkRights = (path: string): void => {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      accessSync(file, R_OK | W_OK)
    } catch (error) {
      // The files beside it come and go with the processes that use it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

// A database in use is never empty.
const removeEmpty = (path: string): void => {
  if (statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path)
}

/** The message, with the cause that SQLite does not report: a missing permission, or a full disk. */
const reasonOf = (error: unknown, path: string): string => {
  const { message } = error as Error
  if (!isFileError(error)) return message
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

/** Creates the folder and its missing parents. */
export const makeFolder = (folder: string): void => {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  makeFolder(parent)
  // Not `recursive`: where no folder can be created, as in /proc, Node retries for ever.
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  // SQLite syncs the database's folder before it acknowledges anything, but not the parents of the folder.
  sync(parent)
}

/** Syncs the content of a file, or the entries of a folder, to the disk. */
export const sync = (path: string): void => {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

const configure = (db: DatabaseSync, journalMode: string): void => {
  // FULL: the log is on the disk before COMMIT returns. fullfsync: macOS's fsync alone stops at the drive's cache.
  db.exec('PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON')
  // In a container, only the data folder may be writable, and SQLite does not use it for temporary files.
  db.exec('PRAGMA temp_store = MEMORY')
  const actual = db.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode
  if (actual !== journalMode) throw new Error(`no write-ahead log is possible there, only journal mode ${actual}`)
}

// SQLite opens a file without write permission read-only, and reports it only at a write.
const refuseReadOnly = (db: DatabaseSync): void => {
  try {
    db.exec('BEGIN IMMEDIATE; DELETE FROM keys WHERE FALSE; ROLLBACK')
  } catch (error) {
    // If busy, another process is writing, so the file is not read-only.
    if (!isBusy(error)) throw error
  }
}

/**
 * The files of an open database. SQLite keeps using the files that it has opened, even if they are deleted or replaced: what
 * it then acknowledges would be lost with the process.
 */
export class DatabaseFiles {
  readonly #files: { path: string; opened: string | undefined }[]
  readonly #log: string
  readonly #folder: string
  /** The state of the folder when the log was last looked for. */
  #searched: string | undefined
  #gone = false

  constructor(db: DatabaseSync) {
    const location = db.location()
    this.#log = `${location}-wal`
    this.#folder = dirname(location ?? '')
    const paths = location === null ? [] : [location, this.#log, `${location}-shm`]
    this.#files = paths.map(path => ({ path, opened: identity(path) }))
  }

  /**
   * Checks that the paths still lead to the open files, and that the database is not empty.
   * @throws StoreUnavailable naming the first that fails
   */
  check(): void {
    // As long as the folder's entries stay, the log stays. To ask for it would make the next commit dearer: since 6.13, Linux
    // gives a file a new time at each write after somebody has asked, and a sync then has to write that, too.
    const state = this.#files.length === 0 ? undefined : stateOf(this.#folder)
    const isSearched = state !== undefined && state === this.#searched
    const other = this.#files.find(
      ({ path, opened }) => !(isSearched && path === this.#log) && (opened === undefined || identity(path) !== opened)
    )
    this.#gone = other !== undefined
    this.#searched = this.#gone ? undefined : state
    if (other === undefined) return
    const cause = new Error(other.path)
    throw new StoreUnavailable('a file of the database has been moved, deleted, replaced or emptied', { cause })
  }

  /** Checks again only if the last check failed, so that it costs nothing to call before every read. */
  recheck(): void {
    if (this.#gone) this.check()
  }
}

/** Identifies a file: while it is open, no other can get its inode. */
const identity = (path: string): string | undefined => {
  // As bigint: inodes of some file systems exceed 2^53.
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  // Truncating checkpoints empty the log; the other two are never empty.
  if (found === undefined || (found.size === 0n && !path.endsWith('-wal'))) return undefined
  return `${found.dev} ${found.ino}`
}

/** Identifies a folder with its entries; `undefined` if they have just changed, since times may be as coarse as 10 ms. */
const stateOf = (folder: string): string | undefined => {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false })
  if (found === undefined || Date.now() - Number(found.ctimeMs) < 1000) return undefined
  return `${found.dev} ${found.ino} ${found.ctimeNs}`
}
