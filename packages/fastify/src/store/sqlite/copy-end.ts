import { resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { CopiedRow, CopiedTable, CopyEnd } from '../copy.ts'
import { openOurs } from './backup.ts'
import { openDatabase } from './database.ts'
import { checkVersion, hasSequences, inTransaction } from './migrations.ts'
import { prepareWith } from './prepare.ts'
import type { Schema } from './schema.ts'

/**
 * Lets `work` copy a database that no other process can open meanwhile.
 * @throws Error naming the path, if it is in use, is not ours, or has another version
 */
export const fromSqlite = async <T>(path: string, schema: Schema, work: (end: CopyEnd) => Promise<T>): Promise<T> => {
  const db = openOurs(path, schema, { exclusive: true })
  try {
    const [version, newest] = [checkVersion(db, schema), schema.migrations.length]
    if (version < newest)
      throw new Error(
        `${resolve(path)} has version ${version}, but this program needs ${newest}: start the service once on this database to migrate it`
      )
    return await work(endOf(db, path))
  } finally {
    db.close()
  }
}

/** Lets `work` copy into a database, which is created if missing. @throws Error as `openDatabase` does */
export const intoSqlite = async <T>(path: string, schema: Schema, work: (end: CopyEnd) => Promise<T>): Promise<T> => {
  const db = openDatabase(path, schema)
  try {
    return await work(endOf(db, path))
  } finally {
    db.close()
  }
}

const endOf = (db: DatabaseSync, path: string): CopyEnd => {
  const all = (sql: string, ...values: string[]) =>
    prepareWith(db, sql, { readBigInts: true, returnArrays: true }).all(...values) as unknown as CopiedRow[]
  return {
    name: resolve(path),

    tables: async () => {
      const names = all(`SELECT name FROM pragma_table_list
        WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`)
      return names.flat().map(name => {
        const columns = all(
          'SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY name',
          `${name}`
        ) as unknown as [string, bigint][]
        const key = columns.filter(([, place]) => place > 0n).toSorted(([, a], [, b]) => Number(a - b))
        return { name: `${name}`, columns: columns.map(([name]) => name), key: key.map(([name]) => name) }
      })
    },

    count: async ({ name }) => Number(all(`SELECT count(*) FROM "${name}"`)[0]?.[0]),

    batches: async function* ({ name, columns, key }, size) {
      const sql = `SELECT ${quoted(columns)} FROM "${name}" ORDER BY ${quoted(key)}`
      const rows = prepareWith(db, sql, { readBigInts: true, returnArrays: true }).iterate() as Iterator<unknown>
      try {
        for (let isOver = false; !isOver; ) {
          const batch: CopiedRow[] = []
          while (batch.length < size && !isOver) {
            const { done, value } = rows.next()
            if (done) isOver = true
            else batch.push(value as CopiedRow)
          }
          yield batch
        }
      } finally {
        rows.return?.()
      }
    },

    insert: async ({ name, columns }, rows) => {
      const insert = db.prepare(`INSERT INTO "${name}" (${quoted(columns)}) VALUES (${columns.map(() => '?')})`)
      inTransaction(db, 'BEGIN IMMEDIATE', () => {
        for (const row of rows) insert.run(...row)
      })
    },

    lastId: async ({ name, key }) => {
      const [column] = key
      const [type] = all('SELECT type FROM pragma_table_xinfo(?) WHERE name = ?', name, `${column}`).flat()
      if (key.length !== 1 || type !== 'INTEGER') return 0n
      const assigned = hasSequences(db) ? all('SELECT seq FROM sqlite_sequence WHERE name = ?', name) : []
      const [highest] = all(`SELECT max("${column}") FROM "${name}"`)
      return [...assigned, highest].reduce((last, row) => {
        const id = (row?.[0] ?? 0n) as bigint
        return id > last ? id : last
      }, 0n)
    },

    raiseLastId: async ({ name }, id) => {
      if (id === 0n || !hasSequences(db)) return
      const { changes } = db.prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?').run(id, name)
      if (changes === 0) db.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(name, id)
    }
  }
}

const quoted = (columns: CopiedTable['columns']): string => columns.map(column => `"${column}"`).join(', ')
