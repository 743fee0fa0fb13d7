import { idempotencyTable, type Schema, sqliteTables } from '@contract-first/fastify'
import { definitions, type Tables } from '../animal-store.ts'

const migrations = [
  // Without AUTOINCREMENT, SQLite would reuse the highest id once its row is deleted.
  // The bound is what a JavaScript number holds exactly.
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

  // The age of existing keys is unknown; their ids are made like those of new ones.
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
   ALTER TABLE new_keys RENAME TO keys;`,

  idempotencyTable
]

/** The database of the Animal Store. */
export const animalSchema: Schema<Tables> = {
  // 'AnSt'
  applicationId: 0x416e5374,
  migrations,
  counted: { animals: 'pets' },
  tables: access => sqliteTables(access, definitions)
}
