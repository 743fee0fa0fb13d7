import type { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from '../store.ts'

/**
 * The database's versions: the first entry leads from 0 (an empty file) to 1, and so on.
 * An entry that has been released is never changed; the next change of the tables is the next entry.
 */
export const migrations: readonly string[] = [
  // AUTOINCREMENT: without it, SQLite gives the highest id again once its row is deleted.
  // The bound is what a frontend's number holds exactly.
  // `status` has no list of values here: the contract has it, and nothing reaches the store unchecked.
  // The index holds the rowid after the status, so it serves `status = ? AND id > ? ORDER BY id` without sorting.
  `CREATE TABLE pets (
     id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
     name TEXT NOT NULL,
     category_id INTEGER NOT NULL,
     status TEXT NOT NULL
   ) STRICT;
   CREATE INDEX pets_by_status ON pets (status);
   CREATE TABLE keys (
     digest BLOB PRIMARY KEY CHECK (length(digest) = 32)
   ) STRICT, WITHOUT ROWID;`,

  // Of the keys that were there, nobody has kept since when; their ids are made as new ones are.
  // Times are in milliseconds since 1970.
  `CREATE TABLE new_keys (
     digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
     id TEXT NOT NULL UNIQUE,
     name TEXT NOT NULL,
     created_at INTEGER,
     lifetime_ms INTEGER,
     expires_at INTEGER,
     revoked_at INTEGER,
     last_used_at INTEGER
   ) STRICT, WITHOUT ROWID;
   INSERT INTO new_keys (digest, id, name) SELECT digest, lower(hex(substr(digest, 1, 6))), 'unnamed' FROM keys;
   DROP TABLE keys;
   ALTER TABLE new_keys RENAME TO keys;`
]

// Marks the file as ours ('AnSt'), so that a wrong path does not put our tables into another program's database.
const APPLICATION_ID = 0x416e5374

/** A transaction that is written although it changes nothing. */
export const writeAnew = (db: DatabaseSync): void => db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)

const pragma = (db: DatabaseSync, name: string): unknown => db.prepare(`PRAGMA ${name}`).get()?.[name]

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
export const checkOwner = (db: DatabaseSync): void => {
  if (pragma(db, 'application_id') !== APPLICATION_ID && !isEmpty(db)) {
    throw new Error('it belongs to another program')
  }
}

const versionOf = (db: DatabaseSync, newest: number): number => {
  checkOwner(db)
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
export const versionStays = (db: DatabaseSync): (() => void) => {
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
 * @throws Error when it is another program's, or newer than the last step
 */
export const checkVersion = (db: DatabaseSync, steps: readonly string[] = migrations): number =>
  inTransaction(db, 'BEGIN', () => versionOf(db, steps.length))

/**
 * Brings the database to the newest version, one transaction for each step.
 * Safe to run in several processes at once: each step looks at the version again once it has the lock.
 */
export const migrate = (db: DatabaseSync, steps: readonly string[] = migrations): void => {
  let current = checkVersion(db, steps)
  while (current < steps.length) {
    current = inTransaction(db, 'BEGIN IMMEDIATE', () => {
      const before = versionOf(db, steps.length)
      const step = steps[before]
      if (step === undefined) return before
      const after = before + 1
      try {
        db.exec(step)
      } catch (cause) {
        throw new Error(`migration ${after} failed`, { cause })
      }
      db.exec(`PRAGMA user_version = ${after}; PRAGMA application_id = ${APPLICATION_ID}`)
      return after
    })
  }
}
