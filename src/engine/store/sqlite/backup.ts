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
import { makeFolder, sync } from './database.ts'
import { checkOwner, checkVersion, hasSequences } from './migrations.ts'
import { isBusy, isDamaged, isUnavailable } from './result-codes.ts'
import type { Schema } from './schema.ts'

const { R_OK, W_OK, X_OK } = constants

/** What a copy was found to hold, once it was complete and on the disk. */
export interface Contents {
  version: number
  keys: number
  /** How many there are of each thing that the schema has counted. */
  counts: Record<string, number>
  bytes: number
}

/** What was found in the replaced database that is not in the backup; it is taken over unless a reason is given. */
export interface TakenOver {
  /** Why it is not known which ids have been given since the backup. */
  idsForgotten: string | undefined
  /** Why the new keys are left out, and it is not known which keys have been revoked since the backup. */
  keysForgotten: string | undefined
  /** The keys that the backup lacks, as far as they could be read. */
  newKeys: { id: string; name: string }[]
}

export interface Restored extends Contents, TakenOver {
  /** The name under which the database is kept that was there before. */
  keptAs: string | undefined
}

export interface CopyOptions {
  schema: Schema
  signal: AbortSignal
  /** Is told what is being done, for somebody who waits. */
  show?: (what: string) => void
}

export interface RestoreOptions extends CopyOptions {
  /** Whether a database that is there may be replaced. */
  replace: boolean
}

// What SQLite lays beside a database while it is in use, or after a crash.
const COMPANIONS = ['-wal', '-journal', '-shm']

// 4 MB: an interruption is heard between two steps.
const PAGES_PER_STEP = 1000

const BUSY_TIMEOUT_MS = 5000

// What SQLite makes of a missing right, https://sqlite.org/rescode.html: READONLY, IOERR, CANTOPEN.
const REFUSALS = [8, 10, 14]

/**
 * Copies the database as it is at one moment after the call, also while other processes write to it, into a new file:
 * one that needs no other beside it, is for its owner only, and is on the disk with its name once this resolves.
 * @throws Error saying what is wrong; then there is no such file, nor a part of one
 */
export const backUp = async (path: string, target: string, options: CopyOptions): Promise<Contents> => {
  const folder = dirname(target)
  if (!isThere(folder)) throw new Error(`there is no folder ${folder}`)
  const database = realpathSync(path)
  const place = existsSync(target) ? realpathSync(target) : join(realpathSync(folder), basename(target))
  if (['', ...COMPANIONS].some(end => place === database + end))
    throw new Error(`${target} belongs to the database itself; name a new file`)
  if (isTaken(target)) throw new Error(`${target} exists already, and is not overwritten; name a new file`)

  // VACUUM INTO would do as well, but stops this process's event loop, so that nothing could interrupt it cleanly.
  // Not opened for reading alone: then the last to close a database leaves the files of its log behind.
  const source = openOurs(path, options.schema)
  try {
    return await inFolderBeside(place, async file => {
      const contents = await copy(source, file, options)
      giveName(file, place)
      sync(dirname(place))
      return contents
    })
  } finally {
    source.close()
  }
}

/**
 * Puts a copy of the backup where the database belongs, in one step, once the copy is known to be whole. The backup
 * stays as it is, and a database that was there before keeps its data under another name.
 * @throws Error saying what is wrong; then nothing has been replaced
 */
export const restore = async (
  backupFile: string,
  path: string,
  { replace, ...options }: RestoreOptions
): Promise<Restored> => {
  if (!isThere(backupFile)) throw new Error(`there is no file ${backupFile}`)
  const isReplaced = isThere(path)
  // A link to the database goes on leading to it.
  const place = isReplaced ? realpathSync(path) : resolve(path)
  if (isReplaced && isSameFile(place, backupFile)) throw new Error(`${backupFile} is the database itself`)
  const inTheWay = ['', ...COMPANIONS].map(end => place + end).find(file => existsSync(file))
  if (inTheWay !== undefined && !replace)
    throw new Error(
      `${inTheWay} is there already; end the service and add --replace, which keeps it under another name`
    )

  const source = openOurs(backupFile, options.schema, { readOnly: true })
  let old: DatabaseSync | undefined
  try {
    if (isReplaced) old = holdAlone(place, options.schema)
    makeFolder(dirname(place))
    return await inFolderBeside(place, async file => {
      let takenOver = nothingKnown
      const contents = await copy(source, file, options, db => {
        if (old !== undefined) takenOver = takeOver(old, db)
      })
      const like = statSync(isReplaced ? place : dirname(place))
      if (isReplaced) chmodSync(file, like.mode & 0o777)
      // Whoever restores as root does it for the user whose the service is.
      if (process.getuid?.() === 0) chownSync(file, like.uid, like.gid)

      const keptAs =
        inTheWay === undefined ? undefined : `${place}.replaced-${new Date().toISOString().replace(/[-:.]/g, '')}`
      if (keptAs === undefined) giveName(file, place)
      else exchange(file, place, keptAs, isReplaced)
      sync(dirname(place))
      return { ...contents, ...takenOver, keptAs }
    })
  } finally {
    old?.close()
    source.close()
  }
}

/** Gives the file the place, and what is there the other name; all or nothing, unless the process is killed. */
const exchange = (file: string, place: string, keptAs: string, isReplaced: boolean): void => {
  const moved: string[] = []
  try {
    // First: a log or journal that lies beside another database destroys it.
    for (const end of COMPANIONS.filter(end => existsSync(place + end))) {
      renameSync(place + end, keptAs + end)
      moved.push(end)
    }
    if (isReplaced) {
      giveName(place, keptAs)
      moved.push('')
      renameSync(file, place)
    } else {
      giveName(file, place)
    }
  } catch (error) {
    for (const end of moved) {
      renameSync(keptAs + end, place + end)
      // Where both are names of one file, renaming has left them.
      rmSync(keptAs + end, { force: true })
    }
    throw error
  }
}

const openOurs = (path: string, schema: Schema, { readOnly = false } = {}): DatabaseSync => {
  try {
    requireFile(path)
    // Absolute, as SQLite takes some names for more than a path.
    const db = new DatabaseSync(resolve(path), { readOnly, timeout: BUSY_TIMEOUT_MS })
    try {
      if (checkVersion(db, schema) === 0) throw new Error('it is empty')
      return db
    } catch (error) {
      db.close()
      throw error
    }
  } catch (cause) {
    throw new Error(`${path} cannot be used: ${reasonOf(cause, path, readOnly ? R_OK : R_OK | W_OK)}`, { cause })
  }
}

// Of a folder SQLite says `disk I/O error`, and for who writes into a pipe it would wait.
const requireFile = (path: string): void => {
  const found = statSync(path)
  if (!found.isFile()) throw new Error(found.isDirectory() ? 'it is a folder' : 'it is no file')
}

/** The message, and which right is missing where one is, as SQLite says only what it could not do. */
const reasonOf = (error: unknown, path: string, rights: number): string => {
  const { errcode = 0, message } = error as Error & { errcode?: number }
  if (!REFUSALS.includes(errcode & 0xff)) return message
  const missing = faultOf(() => {
    accessSync(path, rights)
    for (const end of COMPANIONS) if (existsSync(path + end)) accessSync(path + end, R_OK | W_OK)
    // Where a log is needed and is not there, it has to be made.
    accessSync(dirname(path), W_OK | X_OK)
  })
  return missing === undefined ? message : `${message}: ${missing}`
}

/**
 * The database, with no other process at it until it is closed, and all of it in its one file; `undefined` when it is
 * too damaged for that, and then nobody can tell who has it open.
 * @throws Error when it is in use, or is not ours
 */
const holdAlone = (path: string, schema: Schema): DatabaseSync | undefined => {
  let db: DatabaseSync | undefined
  try {
    requireFile(path)
    // Emptied: to open it would delete the log beside it, which may hold what the file has lost.
    if (statSync(path).size === 0 && existsSync(`${path}-wal`)) return undefined
    db = new DatabaseSync(path, { timeout: 0 })
    checkOwner(db, schema)
    // Leaving the write-ahead log is possible only where no other process has the database open.
    db.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
    const mode = db.prepare('PRAGMA journal_mode').get()?.journal_mode
    if (mode !== 'delete') throw new Error(`it stays in journal mode ${mode}`)
    return db
  } catch (cause) {
    db?.close()
    if (isDamaged(cause)) return undefined
    const reason = isBusy(cause) ? 'it is in use; end the service first' : reasonOf(cause, path, R_OK | W_OK)
    throw new Error(`${path} cannot be replaced: ${reason}`, { cause })
  }
}

const noDatabase = 'there is no database that could be read'
const nothingKnown: TakenOver = { idsForgotten: noDatabase, keysForgotten: noDatabase, newKeys: [] }

/**
 * Takes over what has to hold for good, whatever is restored: an id once given is not given again, a key once revoked
 * or expired is not valid again, and a key once issued is in the hands of a client, who has no other.
 */
const takeOver = (old: DatabaseSync, db: DatabaseSync): TakenOver => {
  let newKeys: Row[] = []
  const idsForgotten = faultOf(() => takeOverIds(old, db))
  const keysForgotten = faultOf(() => {
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
  return { idsForgotten, keysForgotten, newKeys: newKeys.map(nameOf) }
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

// Before version 2 a key had no id and no name; migrating gives it these.
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

const rowsOf = (db: DatabaseSync, sql: string): Row[] => db.prepare(sql, { readBigInts: true }).all()

/** Lets `work` make a file in a folder of its own, which nobody else can look into and which is gone afterwards. */
const inFolderBeside = async <T>(place: string, work: (file: string) => Promise<T>): Promise<T> => {
  removeRemains(dirname(place))
  const folder = mkdtempSync(join(dirname(place), `.partial-${hostname()}-${process.pid}-`))
  try {
    return await work(join(folder, 'copy.db'))
  } finally {
    // Another machine of this name, which does not see this process, may have taken it for remains.
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Removes what commands of this machine have left that were killed. */
const removeRemains = (folder: string): void => {
  try {
    for (const name of readdirSync(folder)) {
      const [, host, pid] = /^\.partial-(.+)-(\d+)-\w{6}$/.exec(name) ?? []
      if (host === hostname() && !isRunning(Number(pid))) rmSync(join(folder, name), { recursive: true })
    }
  } catch {
    // Another user's, or a folder that may not be read; neither is in the way.
  }
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** A file with all that the source holds at one moment, changed by `change`, checked, and on the disk. */
const copy = async (
  source: DatabaseSync,
  file: string,
  { schema, signal, show = () => {} }: CopyOptions,
  change: (db: DatabaseSync) => void = () => {}
): Promise<Contents> => {
  // In one transaction: else the copying begins anew with every commit of another process, and beside a service that
  // has much to write never ends.
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
    source.exec('ROLLBACK')
  }
  chmodSync(file, 0o600)
  show('checking the copy')
  const held = examine(file, `${source.location()}`, schema, change)
  sync(file)
  // What happened meanwhile is heard only now.
  await nextTurn()
  signal.throwIfAborted()
  return { ...held, bytes: statSync(file).size }
}

// The service's own disk must not be filled.
const checkRoom = (source: DatabaseSync, folder: string): void => {
  const [needed] = source
    .prepare('SELECT page_count * page_size FROM pragma_page_count, pragma_page_size', { returnArrays: true })
    .get() as unknown as [number]
  const { bavail, bsize, blocks } = statfsSync(folder)
  // Some file systems do not say.
  if (blocks > 0 && needed > bavail * bsize)
    throw new Error(
      `the copy takes ${needed} bytes, and the file system of ${dirname(folder)} has ${bavail * bsize} left`
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
    // The copied pages speak of a write-ahead log, which the first to read them would lay beside the file.
    db.exec('PRAGMA journal_mode = DELETE; BEGIN')
    change(db)
    db.exec('COMMIT')
    const fault = db.prepare('PRAGMA integrity_check(1)').get()?.integrity_check
    if (fault !== 'ok') throw new Error(`${origin} is damaged: ${fault}`)
    const count = (table: string) => db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n as number
    // A database of an older version lacks the tables that have been added since.
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

/**
 * Whether there is something, also behind a link.
 * @throws Error when that may not be known
 */
export const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

/** Whether both names lead to one file. */
const isSameFile = (one: string, other: string): boolean => {
  // As bigint: the numbers of some file systems are beyond 2^53.
  const [a, b] = [one, other].map(path => statSync(path, { bigint: true }))
  return a?.dev === b?.dev && a?.ino === b?.ino
}

/** Whether the name stands for anything, were it a link to nothing. */
const isTaken = (name: string) => lstatSync(name, { throwIfNoEntry: false }) !== undefined

/** A further name of the file, or another one where a file can have one only; no other file loses its name. */
const giveName = (file: string, name: string): void => {
  try {
    linkSync(file, name)
  } catch {
    if (isTaken(name)) throw new Error(`${name} exists already`)
    renameSync(file, name)
  }
}
