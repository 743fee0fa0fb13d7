import type { Once } from '../idempotency.ts'

/** A service's tables in PostgreSQL and their migrations. */
export interface PostgresSchema<Tables extends object = object> {
  /** Distinguishes its tables from those of another service: a 32-bit integer. */
  applicationId: number
  /**
   * The first entry migrates from version 0 (no tables) to 1, and so on. One of them creates the engine's own tables,
   * `engineTables`. Released entries are never changed; a change of the tables is a new entry.
   */
  migrations: readonly string[]
  /** Access to the tables. */
  tables(access: PostgresAccess): Tables
}

/**
 * A row, in the order of its columns, as the driver reads them, except that int8 and integers beyond 2^53 in JSON are bigints,
 * dates and timestamps without time zone are texts, and lists of any type are lists.
 */
export type Row = readonly unknown[]

/** PostgreSQL's name of each column's type, as in `bigint`, `jsonb`, `text[]` or `varchar(20)`. */
export type Columns = Readonly<Record<string, string>>

/**
 * A value for each column; null and undefined are NULL. For json and jsonb, the value that is written as JSON; for a list type, a
 * list; for bytea, a `Uint8Array`; for times, a text or a `Date`; for all others, a text, number, bigint or boolean.
 */
export type Values<C extends Columns> = { readonly [name in keyof C]: unknown }

/** Runs a statement within a transaction; `values` as the driver writes them. */
export type Transaction = (text: string, values?: readonly unknown[]) => Promise<Row[]>

/** What a service's tables in PostgreSQL are read and written with. */
export interface PostgresAccess {
  /**
   * A query with parameters, which `sql` reads as columns of `q`. Its first column orders the rows. Queries of one turn of
   * the event loop become one statement; with `tx`, it runs in that transaction. A replica, if there is one, may lag behind:
   * `present` asks the primary for what the replica lacks, `primary` asks it always. `order` is another order of the rows, of
   * columns of `found`, such as `found.name DESC`.
   */
  select<C extends Columns>(
    parameters: C,
    sql: string,
    from?: 'replica' | 'present' | 'primary',
    order?: string
  ): (values: Values<C>, tx?: Transaction) => Promise<Row[]>
  /**
   * Inserts a row and gives its id once the database has stored it. Ids become visible in ascending order, so that whoever
   * continues after the last id seen misses none: each batch waits for its turn, which ends with its commit. With `once`, the
   * id may be that of the row that the same request added before. With `tx`, it runs in that transaction, whose `once` counts.
   * @throws StoreUnavailable; if the connection was lost, the row may have been stored
   */
  insert<C extends Columns>(
    table: string,
    columns: C
  ): (values: Values<C>, once?: Once, tx?: Transaction) => Promise<bigint>
  /** The rows of a query on its own, from the primary; `values` as the driver writes them. @throws StoreUnavailable */
  read(text: string, values?: readonly unknown[]): Promise<Row[]>
  /**
   * The rows that a statement has changed and returns.
   * @throws StoreUnavailable; if the connection was lost, it may have been stored
   */
  write(text: string, values?: readonly unknown[]): Promise<Row[]>
  /**
   * What `work` returns, once all that it has done is stored; if it or a statement throws, nothing is. It must wait for nothing
   * but its statements, since no other transaction runs meanwhile, on any node. Those that wait share the next commit, with
   * writes. With `once`, `work` must return an id, which is what a repeated call gets.
   * @throws as `write`, what `work` throws, or KeyReused, or InProgress
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, once?: Once): Promise<T>
}

/**
 * The time by which all nodes judge what they share: the database's, in milliseconds since 1970. Nodes' own clocks differ.
 */
export const NOW_MS = '(extract(epoch FROM now()) * 1000)::bigint'

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
