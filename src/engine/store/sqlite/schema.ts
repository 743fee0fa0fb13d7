import type { DatabaseSync } from 'node:sqlite'
import type { CommitQueue } from './commit-queue.ts'
import type { DatabaseFiles } from './database.ts'
import type { Versions } from './migrations.ts'

/** What a service keeps in its database, beside the keys of its clients, and how that has come about. */
export interface Schema<Tables extends object = object> extends Versions {
  /** What backups say of the content: the count of rows in a table, by the word for it. */
  counted: Readonly<Record<string, string>>
  /** What reads and writes the tables. */
  tables(db: DatabaseSync, queue: CommitQueue, files: DatabaseFiles): Tables
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
