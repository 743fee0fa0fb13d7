import { idempotencyTable, keysTable, type Schema, type Store, type TableAccess } from '@contract-first/fastify'

export interface Note {
  id: number
  text: string
}

/** A table, as a model for your own: its statements, and the functions that handlers call. */
const noteTable = ({ db, read, write }: TableAccess) => {
  const byId = db.prepare('SELECT id, text FROM notes WHERE id = ?')
  const insert = db.prepare('INSERT INTO notes (text) VALUES (?) RETURNING id, text')
  return {
    /** The note, or `undefined` if no note has this id. */
    get: (id: number) => read(() => byId.get(id) as Note | undefined),
    /** The note with its new id, once it is on the disk. */
    add: (text: string) => write(() => insert.all(text)[0] as unknown as Note)
  }
}

interface Tables {
  notes: ReturnType<typeof noteTable>
}

/** What handlers get: the tables, and the store's own keys. */
export type ServiceStore = Store & Tables

export const schema: Schema<Tables> = {
  // Marks the database file as belonging to this service.
  applicationId: 0x6e657753,
  // Append to this list, and never change a released entry: each one runs once on each database, in this order.
  migrations: [keysTable, idempotencyTable, 'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT'],
  // The tables whose rows a backup counts.
  counted: { notes: 'notes' },
  tables: access => ({ notes: noteTable(access) })
}
