import type { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from '../store.ts'
import { prepareWith } from './prepare.ts'

/** The owner and the versions of a database. */
export interface Versions {
  /**
   * Marks the file as this service's, so that a wrong path cannot add tables to another program's database.
   * A 32-bit integer (https://sqlite.org/fileformat2.html#application_id).
   */
  applicationId: number
  /**
   * The first entry migrates from version 0 (an empty file) to 1, and so on. One of them creates the engine's own table,
   * `keysTable`. Released entries are never changed; a change of the tables is a new entry.
   */
  migrations: readonly string[]
}

/** A transaction that writes to the log, but changes nothing. */
export const writeUnchanged = (db: DatabaseSync, { applicationId }: Versions): void =>
  db.exec(`PRAGMA application_id = ${applicationId}`)

const pragma = (db: DatabaseSync, name: string): unknown => db.prepare(`PRAGMA ${name}`).get()?.[name]

/** Whether SQLite records assigned ids, which it does only if a table has AUTOINCREMENT. */
export const hasSequences = (db: DatabaseSync): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").get() !== undefined

const isEmpty = (db: DatabaseSync): boolean => db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined

export const inTransaction = <T>(db: DatabaseSync, begin: 'BEGIN' | 'BEGIN IMMEDIATE', work: () => T): T => {
  db.exec(begin)
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** @throws Error if it belongs to another program */
export const checkOwner = (db: DatabaseSync, { applicationId }: Versions): void => {
  if (pragma(db, 'application_id') !== applicationId && !isEmpty(db)) {
    throw new Error('it belongs to another program')
  }
}

const versionOf = (db: DatabaseSync, schema: Versions): number => {
  checkOwner(db, schema)
  const newest = schema.migrations.length
  const version = pragma(db, 'user_version') as number
  if (version > newest) {
    throw new Error(`its version ${version} is newer than this program, which supports up to ${newest}`)
  }
  return version
}

/** Checks that no newer program has migrated the database. @throws StoreUnavailable if one has */
export const versionStays = (db: DatabaseSync, { migrations }: Versions): (() => void) => {
  const statement = prepareWith(db, 'PRAGMA user_version', { returnArrays: true })
  const known = migrations.length
  return () => {
    const [version] = statement.get() as unknown as [number]
    if (version !== known)
      throw new StoreUnavailable(`a newer program has migrated the database from version ${known} to ${version}`)
  }
}

/**
 * The database's version; reads only.
 * @throws Error if it belongs to another program, or is newer than the last migration
 */
export const checkVersion = (db: DatabaseSync, schema: Versions): number =>
  inTransaction(db, 'BEGIN', () => versionOf(db, schema))

/**
 * Migrates the database to the newest version, one transaction per step. Safe to run in several processes at once: each
 * step reads the version again once it has the lock. `onMigration` gets each version to which this process has migrated.
 */
export const migrate = (db: DatabaseSync, schema: Versions, onMigration?: (version: number) => void): void => {
  const { applicationId, migrations } = schema
  let current = checkVersion(db, schema)
  while (current < migrations.length) {
    const [before, after] = inTransaction(db, 'BEGIN IMMEDIATE', () => {
      const before = versionOf(db, schema)
      const step = migrations[before]
      if (step === undefined) return [before, before]
      const after = before + 1
      try {
        db.exec(step)
      } catch (cause) {
        throw new Error(`migration ${after} failed`, { cause })
      }
      db.exec(`PRAGMA user_version = ${after}; PRAGMA application_id = ${applicationId}`)
      return [before, after]
    })
    if (after > before) onMigration?.(after)
    current = after
  }
}
