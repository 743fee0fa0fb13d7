import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { backup, DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { makeFolder, sync } from './database.ts'
import { checkOwner, checkVersion } from './migrations.ts'
import { isBusy, isDamaged } from './result-codes.ts'

/** What a copy was found to hold, once it was complete and on the disk. */
export interface Contents {
  version: number
  animals: number
  keys: number
  bytes: number
}

export interface Restored extends Contents {
  /** The name under which the database is kept that was there before. */
  keptAs: string | undefined
  /**
   * Why it is not known which ids have been given and which keys revoked since the backup; `undefined` if that has been
   * taken over from the replaced database.
   */
  forgotten: string | undefined
}

export interface RestoreOptions {
  /** Whether a database that is there may be replaced. */
  replace: boolean
  signal: AbortSignal
}

// What SQLite lays beside a database while it is in use, or after a crash.
const COMPANIONS = ['-wal', '-journal', '-shm']

// 4 MB: an interruption is heard between two steps.
const PAGES_PER_STEP = 1000

const BUSY_TIMEOUT_MS = 5000

/**
 * Copies the database as it is at one moment after the call, also while other processes write to it, into a new file:
 * one that needs no other beside it, is for its owner only, and is on the disk with its name once this resolves.
 * @throws Error saying what is wrong; then there is no such file, nor a part of one
 */
export const backUp = async (path: string, target: string, signal: AbortSignal): Promise<Contents> => {
  const folder = dirname(target)
  if (!existsSync(folder)) throw new Error(`there is no folder ${folder}`)
  const database = realpathSync(path)
  const place = existsSync(target) ? realpathSync(target) : join(realpathSync(folder), basename(target))
  if (['', ...COMPANIONS].some(end => place === database + end))
    throw new Error(`${target} belongs to the database itself; name a new file`)
  if (isTaken(target)) throw new Error(`${target} exists already, and is not overwritten; name a new file`)

  // VACUUM INTO would do as well, but stops this process's event loop, so that nothing could interrupt it cleanly.
  // Not opened for reading alone: then the last to close a database leaves the files of its log behind.
  const source = openOurs(path)
  try {
    return await inFolderBeside(place, async file => {
      const contents = await copy(source, file, signal)
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
  { replace, signal }: RestoreOptions
): Promise<Restored> => {
  if (!existsSync(backupFile)) throw new Error(`there is no file ${backupFile}`)
  const isThere = existsSync(path)
  // A link to the database goes on leading to it.
  const place = isThere ? realpathSync(path) : resolve(path)
  if (place === realpathSync(backupFile)) throw new Error(`${backupFile} is the database itself`)
  const inTheWay = ['', ...COMPANIONS].map(end => place + end).find(file => existsSync(file))
  if (inTheWay !== undefined && !replace)
    throw new Error(
      `${inTheWay} is there already; end the service and add --replace, which keeps it under another name`
    )

  const source = openOurs(backupFile, { readOnly: true })
  let old: DatabaseSync | undefined
  try {
    if (isThere) old = holdAlone(place)
    makeFolder(dirname(place))
    return await inFolderBeside(place, async file => {
      let forgotten: string | undefined
      const contents = await copy(source, file, signal, db => {
        forgotten = takeOver(old, db)
      })
      const like = statSync(isThere ? place : dirname(place))
      if (isThere) chmodSync(file, like.mode & 0o777)
      // Whoever restores as root does it for the user whose the service is.
      if (process.getuid?.() === 0) chownSync(file, like.uid, like.gid)

      const keptAs =
        inTheWay === undefined ? undefined : `${place}.replaced-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`
      if (keptAs !== undefined) {
        // First: a log or journal that lies beside another database destroys it.
        for (const end of COMPANIONS) if (existsSync(place + end)) renameSync(place + end, keptAs + end)
      }
      if (keptAs !== undefined && isThere) {
        giveName(place, keptAs)
        renameSync(file, place)
      } else {
        giveName(file, place)
      }
      sync(dirname(place))
      return { ...contents, keptAs, forgotten }
    })
  } finally {
    old?.close()
    source.close()
  }
}

const openOurs = (path: string, options: { readOnly?: boolean } = {}): DatabaseSync => {
  try {
    // Absolute, as SQLite takes some names for more than a path.
    const db = new DatabaseSync(resolve(path), { ...options, timeout: BUSY_TIMEOUT_MS })
    try {
      if (checkVersion(db) === 0) throw new Error('it is empty')
      return db
    } catch (error) {
      db.close()
      throw error
    }
  } catch (cause) {
    throw new Error(`${path} cannot be used: ${(cause as Error).message}`, { cause })
  }
}

/**
 * The database, with no other process at it until it is closed, and all of it in its one file; `undefined` when it is
 * too damaged for that, and then nobody can tell who has it open.
 * @throws Error when it is in use, or is not ours
 */
const holdAlone = (path: string): DatabaseSync | undefined => {
  let db: DatabaseSync | undefined
  try {
    if (!statSync(path).isFile()) throw new Error('it is no file')
    db = new DatabaseSync(path, { timeout: 0 })
    checkOwner(db)
    // Leaving the write-ahead log is possible only where no other process has the database open.
    db.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
    const mode = db.prepare('PRAGMA journal_mode').get()?.journal_mode
    if (mode !== 'delete') throw new Error(`it stays in journal mode ${mode}`)
    return db
  } catch (cause) {
    db?.close()
    if (isDamaged(cause)) return undefined
    const reason = isBusy(cause) ? 'it is in use; end the service first' : (cause as Error).message
    throw new Error(`${path} cannot be replaced: ${reason}`, { cause })
  }
}

/**
 * Takes over what has to hold for good, whatever is restored: an id once given is not given again, and a key once
 * revoked or expired is not valid again. Returns why that was not possible.
 */
const takeOver = (old: DatabaseSync | undefined, db: DatabaseSync): string | undefined => {
  if (old === undefined) return 'there is no database that could be read'
  try {
    const ids = db.prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?')
    const firstIds = db.prepare(`INSERT INTO sqlite_sequence (seq, name) SELECT ?1, ?2
      WHERE ?2 IN (SELECT name FROM sqlite_schema) AND ?2 NOT IN (SELECT name FROM sqlite_sequence)`)
    for (const row of rowsOf(old, 'SELECT seq, name FROM sqlite_sequence')) {
      ids.run(...row)
      firstIds.run(...row)
    }
    const [before, after] = [old, db].map(each => rowsOf(each, 'PRAGMA user_version').flat()[0])
    if (before !== after) return `the replaced database has version ${before}, the backup ${after}`
    const keys = db.prepare(`UPDATE keys SET revoked_at = coalesce(revoked_at, ?1),
      expires_at = min(coalesce(expires_at, ?2), coalesce(?2, expires_at)) WHERE digest = ?3`)
    for (const row of rowsOf(old, 'SELECT revoked_at, expires_at, digest FROM keys')) keys.run(...row)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const rowsOf = (db: DatabaseSync, sql: string) =>
  db.prepare(sql, { readBigInts: true, returnArrays: true }).all() as unknown as SQLOutputValue[][]

/** Lets `work` make a file in a folder of its own, which nobody else can look into and which is gone afterwards. */
const inFolderBeside = async <T>(place: string, work: (file: string) => Promise<T>): Promise<T> => {
  const folder = mkdtempSync(join(dirname(place), '.partial-'))
  try {
    return await work(join(folder, 'copy.db'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A file with all that the source holds at one moment, changed by `change`, checked, and on the disk. */
const copy = async (
  source: DatabaseSync,
  file: string,
  signal: AbortSignal,
  change: (db: DatabaseSync) => void = () => {}
): Promise<Contents> => {
  // In one transaction: else the copying begins anew with every commit of another process, and beside a service that
  // has much to write never ends.
  source.exec('BEGIN')
  try {
    checkRoom(source, dirname(file))
    await backup(source, file, { rate: PAGES_PER_STEP, progress: () => signal.throwIfAborted() })
  } finally {
    source.exec('ROLLBACK')
  }
  chmodSync(file, 0o600)
  const held = examine(file, change)
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

const examine = (file: string, change: (db: DatabaseSync) => void): Omit<Contents, 'bytes'> => {
  const db = new DatabaseSync(file)
  try {
    // The copied pages speak of a write-ahead log, which the first to read them would lay beside the file.
    db.exec('PRAGMA journal_mode = DELETE; BEGIN')
    change(db)
    db.exec('COMMIT')
    const fault = db.prepare('PRAGMA integrity_check(1)').get()?.integrity_check
    if (fault !== 'ok') throw new Error(`the database is damaged: ${fault}`)
    const count = (table: string) => db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n as number
    return { version: checkVersion(db), animals: count('pets'), keys: count('keys') }
  } finally {
    db.close()
  }
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
