import type { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from '../store.ts'

/** Whose a database is, and which versions it has. */
export interface Versions {
  /**
   * Marks the file as this service's, so that a wrong path does not put its tables into another program's database.
   * An integer of 32 bits (https://sqlite.org/fileformat2.html#application_id).
   */
  applicationId: number
  /**
   * The database's versions: the first entry leads from 0 (an empty file) to 1, and so on. The engine's own table, as
   * `keysTable` has it, is made in one of them. An entry that has been released is never changed; the next change of the
   * tables is the next entry.
   */
  migrations: readonly string[]
}

/** A transaction that is written although it changes nothing. */
export const writeAnew = (db: DatabaseSync, { applicationId }: Versions): void =>
  db.exec(`PRAGMA application_id = ${applicationId}`)

const pragma = (db: DatabaseSync, name: string): unknown => db.prepare(`PRAGMA ${name}`).get()?.[name]

/** Whether SQLite keeps which ids it has given; without a table of AUTOINCREMENT there is nothing to keep. */
export const hasSequences = (db: DatabaseSync): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").get() !== undefined

const isEmpty = (db: DatabaseSync): boolean => db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined

const inTransaction = <T>(db: DatabaseSync, begin: 'BEGIN' | 'BEGIN IMMEDIATE', work: () => T): T => {
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

/** @throws Error when it is another program's */
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
    throw new Error(`its version ${version} is newer than this program, which knows up to ${newest}`)
  }
  return version
}

/**
 * A check that the database is of the version that this program knows: it does not know what its tables mean in
 * another one.
 * @throws StoreUnavailable when a newer program has migrated it
 */
export const versionStays = (db: DatabaseSync, { migrations }: Versions): (() => void) => {
  const statement = db.prepare('PRAGMA user_version', { returnArrays: true })
  const known = migrations.length
  return () => {
    const [version] = statement.get() as unknown as [number]
    if (version !== known)
      throw new StoreUnavailable(`a newer program has brought the database from version ${known} to ${version}`)
  }
}

/**
 * The database's version; reads only.
 * @throws Error when it is another program's, or newer than the last migration
 */
export const checkVersion = (db: DatabaseSync, schema: Versions): number =>
  inTransaction(db, 'BEGIN', () => versionOf(db, schema))

/**
 * Brings the database to the newest version, one transaction for each step.
 * Safe to run in several processes at once: each step looks at the version again once it has the lock.
 */
export const migrate = (db: DatabaseSync, schema: Versions): void => {
  const { applicationId, migrations } = schema
  let current = checkVersion(db, schema)
  while (current < migrations.length) {
    current = inTransaction(db, 'BEGIN IMMEDIATE', () => {
      const before = versionOf(db, schema)
      const step = migrations[before]
      if (step === undefined) return before
      const after = before + 1
      try {
        db.exec(step)
      } catch (cause) {
        throw new Error(`migration ${after} failed`, { cause })
      }
      db.exec(`PRAGMA user_version = ${after}; PRAGMA application_id = ${applicationId}`)
      return after
    })
  }
}
