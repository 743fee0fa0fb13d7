import type { DatabaseSync } from 'node:sqlite'
import type { Versions } from './migrations.ts'

/** What a service keeps in its database, beside the keys of its clients, and how that has come about. */
export interface Schema<Tables extends object = object> extends Versions {
  /** What backups say of the content: the count of rows in a table, by the word for it. */
  counted: Readonly<Record<string, string>>
  /** What reads and writes the tables. */
  tables(access: TableAccess): Tables
}

export interface TableAccess {
  /** For preparing statements. */
  readonly db: DatabaseSync
  /**
   * What `query` returns.
   * @throws StoreUnavailable when the store cannot be read now, or what else `query` throws
   */
  read<T>(query: () => T): Promise<T>
  /**
   * What `change` returns, once its effect is on the disk. `change` runs a single statement, and may run again.
   * @throws StoreUnavailable when it could not be stored, or what `change` throws when the row itself is at fault
   */
  write<T>(change: () => T): Promise<T>
}

/** Where the engine keeps what is known of issued keys. Times are in milliseconds since 1970. */
export const keysTable = `CREATE TABLE keys (
  digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_at INTEGER,
  lifetime_ms INTEGER,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;`
