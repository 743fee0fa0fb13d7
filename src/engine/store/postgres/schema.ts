import type { Statements } from './statements.ts'

/** A service's tables in PostgreSQL and their migrations. */
export interface PostgresSchema<Tables extends object = object> {
  /** Tells its tables from those of another service: a 32-bit integer. */
  applicationId: number
  /**
   * The first entry migrates from version 0 (no tables) to 1, and so on. One of them creates the engine's own tables,
   * `engineTables`. Released entries are never changed; a change of the tables is a new entry.
   */
  migrations: readonly string[]
  /** Access to the tables. */
  tables(access: PostgresAccess): Tables
}

export type PostgresAccess = Pick<Statements, 'select' | 'insert' | 'read' | 'write'>

/** The engine's tables of issued keys and of requests that are safe to repeat. Times are in milliseconds since 1970. */
export const engineTables = `CREATE TABLE keys (
  digest bytea PRIMARY KEY CHECK (length(digest) = 32),
  id text NOT NULL UNIQUE,
  name text NOT NULL,
  created_at bigint,
  lifetime_ms bigint,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint
);
CREATE TABLE idempotency_keys (
  owner text NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
  id bigint NOT NULL,
  created_at bigint NOT NULL DEFAULT (extract(epoch FROM now()) * 1000)::bigint,
  PRIMARY KEY (owner, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);`
