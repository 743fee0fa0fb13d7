import type { DatabaseSync } from 'node:sqlite'
import type { Versions } from './migrations.ts'

/** A service's tables and their migrations. */
export interface Schema<Tables extends object = object> extends Versions {
  /** Tables whose rows backups count, by the word for them. */
  counted: Readonly<Record<string, string>>
  /** Access to the tables. */
  tables(access: TableAccess): Tables
}

export interface TableAccess {
  /** For preparing statements. */
  readonly db: DatabaseSync
  /**
   * What `query` returns.
   * @throws StoreUnavailable if the store cannot be read now, or what `query` throws
   */
  read<T>(query: () => T): Promise<T>
  /**
   * What `change` returns, once its effect is on the disk. `change` runs a single statement, and may run again.
   * @throws StoreUnavailable if it could not be stored, or what `change` throws if the row itself is invalid
   */
  write<T>(change: () => T): Promise<T>
}

/** The engine's table of issued keys. Times are in milliseconds since 1970. */
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
