import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync
} from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { backup, DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { makeFolder, sync } from './database.ts'
import { checkOwner, checkVersion, hasSequences } from './migrations.ts'
import { prepareWith } from './prepare.ts'
import { isBusy, isDamaged, isFileError, isUnavailable } from './result-codes.ts'
import type { Schema } from './schema.ts'

const { R_OK, W_OK, X_OK } = constants

/** What a complete copy contains. */
export interface Contents {
  version: number
  keys: number
  /** The numbers of rows that the schema wants counted, by name. */
  counts: Record<string, number>
  bytes: number
}

/** What the replaced database has and the backup lacks; taken over unless a reason is given. */
export interface TakenOver {
  /** Why the ids assigned since the backup are unknown. */
  idsLost: string | undefined
  /** Why keys issued or revoked since the backup are unknown, or left out. */
  keysLost: string | undefined
  /** Keys that the backup lacks, as far as they could be read. */
  newKeys: { id: string; name: string }[]
}

export interface Restored extends Contents, TakenOver {
  /** Where the replaced database is kept. */
  keptAs: string | undefined
}

export interface CopyOptions {
  schema: Schema
  signal: AbortSignal
  /** Shows progress. */
  show?: (what: string) => void
}

export interface RestoreOptions extends CopyOptions {
  /** Whether an existing database may be replaced. */
  replace: boolean
}

// Files that SQLite keeps beside a database while it is in use, or leaves after a crash.
const COMPANIONS = ['-wal', '-journal', '-shm']

// 4 MB; an interruption takes effect between two steps.
const PAGES_PER_STEP = 1000

const BUSY_TIMEOUT_MS = 5000

/**
 * Copies a consistent state of the database into one new file, even while other processes write to it. Only its owner can
 * read the file, and it is on the disk once this resolves.
 * @throws Error with the reason; then there is no file, nor a part of one
 */
export const backUp = async (path: string, target: string, options: CopyOptions): Promise<Contents> => {
  const folder = dirname(target)
  if (!isThere(folder)) throw new Error(`there is no folder ${folder}`)
  const database = realpathSync(path)
  const place = existsSync(target) ? realpathSync(target) : join(realpathSync(folder), basename(target))
  if (['', ...COMPANIONS].some(end => place === database + end))
    throw new Error(`${target} belongs to the database itself; name a new file`)
  if (isTaken(target)) throw new Error(`${target} exists already, and is not overwritten; name a new file`)

  // Not by VACUUM INTO, which blocks the event loop, and with it interruption.
  // Not opened read-only: if it were the last to close it, the log's files would stay behind.
  const source = openOurs(path, options.schema)
  try {
    return await inFolderBeside(place, async file => {
      const contents = await copy(source, file, options)
      linkOrMove(file, place)
      sync(dirname(place))
      return contents
    })
  } finally {
    source.close()
  }
}

/**
 * Replaces the database with a checked copy of the backup, atomically. The backup is unchanged, and a previous
 * database is kept under another name.
 * @throws Error with the reason; then nothing has been replaced
 */
export const restore = async (
  backupFile: string,
  path: string,
  { replace, ...options }: RestoreOptions
): Promise<Restored> => {
  if (!isThere(backupFile)) throw new Error(`there is no file ${backupFile}`)
  const isReplaced = isThere(path)
  // If the path is a link, its target is replaced.
  const place = isReplaced ? realpathSync(path) : resolve(path)
  if (isReplaced && isSameFile(place, backupFile)) throw new Error(`${backupFile} is the database itself`)
  const inTheWay = ['', ...COMPANIONS].map(end => place + end).find(file => existsSync(file))
  if (inTheWay !== undefined && !replace)
    throw new Error(`${inTheWay} exists already; stop the service and add --replace, which keeps it under another name`)

  const source = openOurs(backupFile, options.schema, { readOnly: true })
  let old: DatabaseSync | undefined
  try {
    if (isReplaced) old = lockExclusively(place, options.schema)
    makeFolder(dirname(place))
    return await inFolderBeside(place, async file => {
      let takenOver = nothingKnown
      const contents = await copy(source, file, options, db => {
        if (old !== undefined) takenOver = takeOver(old, db)
      })
      const like = statSync(isReplaced ? place : dirname(place))
      if (isReplaced) chmodSync(file, like.mode & 0o777)
      // If root restores, the file must belong to the user who runs the service.
      if (process.getuid?.() === 0) chownSync(file, like.uid, like.gid)

      const keptAs =
        inTheWay === undefined ? undefined : `${place}.replaced-${new Date().toISOString().replace(/[-:.]/g, '')}`
      if (keptAs === undefined) linkOrMove(file, place)
      else exchange(file, place, keptAs, isReplaced)
      sync(dirname(place))
      return { ...contents, ...takenOver, keptAs }
    })
  } finally {
    old?.close()
    source.close()
  }
}

/** Moves the file into place, and the existing one to the other name; all or nothing, unless the process is killed. */
const exchange = (file: string, place: string, keptAs: string, isReplaced: boolean): void => {
  const moved: string[] = []
  try {
    // First, since a log or journal beside another database would destroy that.
    for (const end of COMPANIONS.filter(end => existsSync(place + end))) {
      renameSync(place + end, keptAs + end)
      moved.push(end)
    }
    if (isReplaced) {
      linkOrMove(place, keptAs)
      moved.push('')
      renameSync(file, place)
    } else {
      linkOrMove(file, place)
    }
  } catch (error) {
    for (const end of moved) {
      renameSync(keptAs + end, place + end)
      // If both names are links to the same file, renaming has left both.
      rmSync(keptAs + end, { force: true })
    }
    throw error
  }
}

interface OpenOptions {
  readOnly?: boolean
  /** Whether no other process may have it open until it is closed. */
  exclusive?: boolean
}

/** A database that is ours and not empty. @throws Error naming the path */
export const openOurs = (
  path: string,
  schema: Schema,
  { readOnly = false, exclusive = false }: OpenOptions = {}
): DatabaseSync => {
  let db: DatabaseSync | undefined
  try {
    requireFile(path)
    if (isUnwritable(path)) db = openUnwritable(path)
    // Absolute, since some names are special to SQLite.
    else db = new DatabaseSync(resolve(path), { readOnly, timeout: exclusive ? 0 : BUSY_TIMEOUT_MS })
    // Before anything is read, so that the log needs no shared memory, and nobody else can join.
    if (exclusive && !isUnwritable(path)) db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT')
    if (checkVersion(db, schema) === 0) throw new Error('it is empty')
    return db
  } catch (cause) {
    db?.close()
    if (exclusive && isBusy(cause)) throw new Error(`${resolve(path)} is in use: stop the service first`, { cause })
    throw new Error(`${path} cannot be used: ${reasonOf(cause, path, readOnly ? R_OK : R_OK | W_OK)}`, { cause })
  }
}

/** Whether the file is on a file system that is mounted read-only. */
const isUnwritable = (path: string): boolean => {
  try {
    accessSync(path, W_OK)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS'
  }
}

/**
 * Opens a database on a read-only file system. SQLite would need files beside it for the log. If there are none, the log is
 * empty, and nobody has it open through another mount either.
 */
const openUnwritable = (path: string): DatabaseSync => {
  const companion = COMPANIONS.map(end => path + end).find(file => existsSync(file))
  if (companion !== undefined)
    throw new Error(
      `there is ${companion}, and the file system is read-only: stop the service, or start and stop it where it can be written`
    )
  const url = pathToFileURL(resolve(path))
  url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true })
}

// For a folder, SQLite would report `disk I/O error`, and on a pipe it would wait for a writer.
const requireFile = (path: string): void => {
  const found = statSync(path)
  if (!found.isFile()) throw new Error(found.isDirectory() ? 'it is a folder' : 'it is not a file')
}

/** The message with any missing permission, which SQLite does not report. */
const reasonOf = (error: unknown, path: string, rights: number): string => {
  const { message } = error as Error
  if (!isFileError(error)) return message
  const missing = faultOf(() => {
    accessSync(path, rights)
    for (const end of COMPANIONS) if (existsSync(path + end)) accessSync(path + end, R_OK | W_OK)
    // If the log is missing, it must be created.
    accessSync(dirname(path), W_OK | X_OK)
  })
  return missing === undefined ? message : `${message}: ${missing}`
}

/**
 * The database, locked until closed, with everything in its one file; `undefined` if it is too damaged, and nobody can tell who
 * has it open.
 * @throws Error if it is in use, or is not ours
 */
const lockExclusively = (path: string, schema: Schema): DatabaseSync | undefined => {
  let db: DatabaseSync | undefined
  try {
    requireFile(path)
    // The file was emptied: opening it would delete its log, which may have what the file has lost.
    if (statSync(path).size === 0 && existsSync(`${path}-wal`)) return undefined
    db = new DatabaseSync(path, { timeout: 0 })
    checkOwner(db, schema)
    // Leaving WAL mode is possible only while no other process has the database open.
    db.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
    const mode = db.prepare('PRAGMA journal_mode').get()?.journal_mode
    if (mode !== 'delete') throw new Error(`it could not leave journal mode ${mode}`)
    return db
  } catch (cause) {
    db?.close()
    if (isDamaged(cause)) return undefined
    const reason = isBusy(cause) ? 'it is in use; stop the service first' : reasonOf(cause, path, R_OK | W_OK)
    throw new Error(`${path} cannot be replaced: ${reason}`, { cause })
  }
}

const noDatabase = 'there is no readable database'
const nothingKnown: TakenOver = { idsLost: noDatabase, keysLost: noDatabase, newKeys: [] }

/**
 * Keeps what must survive a restore: assigned ids are not assigned again, revoked and expired keys stay so, and issued
 * keys, which clients use, stay valid.
 */
const takeOver = (old: DatabaseSync, db: DatabaseSync): TakenOver => {
  let newKeys: Row[] = []
  const idsLost = faultOf(() => takeOverIds(old, db))
  const keysLost = faultOf(() => {
    const keys = rowsOf(old, 'SELECT * FROM keys')
    const inBackup = db.prepare('SELECT 1 FROM keys WHERE digest = ?')
    newKeys = keys.filter(({ digest = null }) => inBackup.get(digest) === undefined)
    const [before, after] = [old, db].map(each => rowsOf(each, 'PRAGMA user_version')[0]?.user_version)
    if (before !== after) throw new Error(`the replaced database has version ${before}, the backup ${after}`)
    const end = db.prepare(`UPDATE keys SET revoked_at = coalesce(revoked_at, :revoked_at),
      expires_at = min(coalesce(expires_at, :expires_at), coalesce(:expires_at, expires_at)) WHERE digest = :digest`)
    for (const { revoked_at = null, expires_at = null, digest = null } of keys)
      end.run({ revoked_at, expires_at, digest })
    for (const key of newKeys) {
      const columns = Object.keys(key)
      db.prepare(`INSERT INTO keys (${columns}) VALUES (${columns.map(() => '?')})`).run(...Object.values(key))
    }
  })
  return { idsLost, keysLost, newKeys: newKeys.map(nameOf) }
}

const takeOverIds = (old: DatabaseSync, db: DatabaseSync): void => {
  if (!hasSequences(old)) return
  const ids = db.prepare('UPDATE sqlite_sequence SET seq = max(seq, :seq) WHERE name = :name')
  const firstIds = db.prepare(`INSERT INTO sqlite_sequence (seq, name) SELECT :seq, :name
    WHERE :name IN (SELECT name FROM sqlite_schema) AND :name NOT IN (SELECT name FROM sqlite_sequence)`)
  for (const row of rowsOf(old, 'SELECT seq, name FROM sqlite_sequence')) {
    ids.run(row)
    firstIds.run(row)
  }
}

// Before version 2 keys had no id and no name; the migration adds these.
const nameOf = ({ digest, id, name }: Row) => ({
  id: String(id ?? Buffer.from(digest as Uint8Array).toString('hex', 0, 6)),
  name: String(name ?? 'unnamed')
})

const faultOf = (work: () => void): string | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

type Row = Record<string, SQLOutputValue>

const rowsOf = (db: DatabaseSync, sql: string): Row[] => prepareWith(db, sql, { readBigInts: true }).all()

/** Lets `work` create a file in a private temporary folder. */
const inFolderBeside = async <T>(place: string, work: (file: string) => Promise<T>): Promise<T> => {
  // First, since the new file needs room.
  removeLeftovers(dirname(place))
  const folder = mkdtempSync(join(dirname(place), `.partial-${hostname()}-${process.pid}-`))
  try {
    removeLeftovers(dirname(place), folder)
    return await work(join(folder, 'copy.db'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Removes what killed commands have left: those of this machine, and of others what nobody has written to for a day, since a
 * container's name is gone with it. Ages are by the file system's clock, which has just dated `newest`;
 * without `newest`, they are unknown.
 */
const removeLeftovers = (folder: string, newest?: string): void => {
  const now = newest === undefined ? Number.NEGATIVE_INFINITY : statSync(newest).mtimeMs
  for (const name of namesIn(folder)) {
    const [, host, pid] = /^\.partial-(.+)-(\d+)-\w{6}$/.exec(name) ?? []
    const path = join(folder, name)
    if (host === undefined || path === newest) continue
    try {
      const isKilled = host === hostname() && !isRunning(Number(pid))
      if (isKilled || now - lastWrite(path) > ABANDONED_MS) rmSync(path, { recursive: true })
    } catch {
      // It belongs to another user, or another command has removed it; neither matters.
    }
  }
}

// A folder that cannot be listed may still be writable.
const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const ABANDONED_MS = 24 * 60 * 60 * 1000

const lastWrite = (folder: string): number =>
  Math.max(...[folder, ...readdirSync(folder).map(name => join(folder, name))].map(path => statSync(path).mtimeMs))

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** A file with a consistent state of the source, changed by `change`, checked, and on the disk. */
const copy = async (
  source: DatabaseSync,
  file: string,
  { schema, signal, show = () => {} }: CopyOptions,
  change: (db: DatabaseSync) => void = () => {}
): Promise<Contents> => {
  // In one transaction: otherwise every commit of another process restarts the copy, which may never end.
  source.exec('BEGIN')
  try {
    checkRoom(source, dirname(file))
    show('copying')
    await backup(source, file, {
      rate: PAGES_PER_STEP,
      progress: ({ totalPages, remainingPages }) => {
        signal.throwIfAborted()
        show(`copying: ${Math.floor(100 * (1 - remainingPages / totalPages))} %`)
      }
    })
  } catch (cause) {
    if (!isUnavailable(cause)) throw cause
    const folder = dirname(dirname(file))
    throw new Error(`${source.location()} cannot be copied into ${folder}: ${(cause as Error).message}`, { cause })
  } finally {
    // After some errors, SQLite has rolled back already.
    if (source.isTransaction) source.exec('ROLLBACK')
  }
  chmodSync(file, 0o600)
  show('checking the copy')
  const examined = examine(file, `${source.location()}`, schema, change)
  sync(file)
  // Lets an interruption that came meanwhile take effect: the first turn may end before the next signals are looked for.
  await nextTurn()
  await nextTurn()
  signal.throwIfAborted()
  return { ...examined, bytes: statSync(file).size }
}

// The service's disk must not become full.
const checkRoom = (source: DatabaseSync, folder: string): void => {
  const sql = 'SELECT page_count * page_size FROM pragma_page_count, pragma_page_size'
  const [needed] = prepareWith(source, sql, { returnArrays: true }).get() as unknown as [number]
  const { bavail, bsize, blocks } = statfsSync(folder)
  // Some file systems do not report their size.
  if (blocks > 0 && needed > bavail * bsize)
    throw new Error(
      `the copy needs ${needed} bytes, and the file system of ${dirname(folder)} has ${bavail * bsize} left`
    )
}

const examine = (
  file: string,
  origin: string,
  schema: Schema,
  change: (db: DatabaseSync) => void
): Omit<Contents, 'bytes'> => {
  const db = new DatabaseSync(file)
  try {
    // The copied pages have WAL mode, so the first reader would create a log beside the file.
    db.exec('PRAGMA journal_mode = DELETE; BEGIN')
    change(db)
    db.exec('COMMIT')
    const fault = db.prepare('PRAGMA integrity_check(1)').get()?.integrity_check
    if (fault !== 'ok') throw new Error(`${origin} is damaged: ${fault}`)
    const count = (table: string) => db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n as number
    // A database of an older version lacks newer tables.
    const known = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
    const counts = Object.entries(schema.counted)
      .filter(([, table]) => known.get(table) !== undefined)
      .map(([word, table]) => [word, count(table)] as const)
    return { version: checkVersion(db, schema), keys: count('keys'), counts: Object.fromEntries(counts) }
  } catch (cause) {
    throw isDamaged(cause) ? new Error(`${origin} is damaged: ${(cause as Error).message}`, { cause }) : cause
  } finally {
    db.close()
  }
}

/** Whether the path exists, following links. @throws Error if permissions do not allow the check */
export const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

/** Whether both paths are the same file. */
const isSameFile = (one: string, other: string): boolean => {
  // As bigint: inodes of some file systems exceed 2^53.
  const [a, b] = [one, other].map(path => statSync(path, { bigint: true }))
  return a?.dev === b?.dev && a?.ino === b?.ino
}

/** Whether the name is taken, even by a dangling link. */
const isTaken = (name: string) => lstatSync(name, { throwIfNoEntry: false }) !== undefined

/** Links the file to a name, or moves it where links are impossible; never replaces another file. */
const linkOrMove = (file: string, name: string): void => {
  try {
    linkSync(file, name)
  } catch {
    if (isTaken(name)) throw new Error(`${name} exists already`)
    renameSync(file, name)
  }
}
