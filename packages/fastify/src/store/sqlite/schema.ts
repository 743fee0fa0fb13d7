import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Once } from '../idempotency.ts'
import type { Versions } from './migrations.ts'

/** A service's tables and their migrations. */
export interface Schema<Tables extends object = object> extends Versions {
  /** Tables whose rows backups count, by the name to print. */
  counted: Readonly<Record<string, string>>
  /** Access to the tables. */
  tables(access: TableAccess): Tables
}

/** What a service's tables in SQLite are read and written with. */
export interface TableAccess {
  readonly db: DatabaseSync
  /** Prepares a statement whose rows are arrays, which cost half as much as objects, and whose integers are bigints. */
  prepare(sql: string): StatementSync
  /**
   * What `query` returns.
   * @throws StoreUnavailable if the store cannot be read now, or what `query` throws
   */
  read<T>(query: () => T): Promise<T>
  /**
   * What `change` returns, once its effect is durable. `change` must run a single statement, and may be called again.
   * @throws StoreUnavailable if it could not be stored, or what `change` throws if the row itself is invalid
   */
  write<T>(change: () => T): Promise<T>
  /**
   * What `change` returns, once its effect is durable. `change` may run several statements: if it throws, none of them has an
   * effect. It may be called again. With `once`, it must return an id, which is what a repeated call gets.
   * @throws as `write`, what `change` throws, or KeyReused, or InProgress
   */
  transaction<T>(change: () => T, once?: Once): Promise<T>
  /**
   * The id of the row that `run` inserts with a single statement, once it is durable. With `once`, the row is inserted
   * only if its key is new; otherwise the id is the one assigned the first time. Keys are kept for 24 hours in `idempotencyTable`.
   * @throws as `write`, or KeyReused, or InProgress
   */
  insert(run: () => bigint, once?: Once): Promise<bigint>
}

/** The engine's table of issued keys. Times are in milliseconds since 1970, as in every table of the engine. */
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

/** The engine's table of idempotency keys, for services whose contract declares the header `Idempotency-Key`. */
export const idempotencyTable = `CREATE TABLE idempotency_keys (
  owner TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
  id INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);`
