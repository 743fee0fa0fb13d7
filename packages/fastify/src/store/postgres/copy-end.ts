import type { PoolClient, QueryArrayConfig } from 'pg'
import { type CopiedRow, type CopiedTable, type CopyEnd, type CopyOptions, Mismatch } from '../copy.ts'
import { withoutPassword } from '../location.ts'
import { Connections } from './connections.ts'
import { migrate, NO_TIMEOUT, versionOf } from './migrations.ts'
import type { PostgresSchema, Row } from './schema.ts'
import { requireTurns } from './turns.ts'

export interface EndOptions extends CopyOptions {
  url: string
  /** Whether it is the target, which gets the tables that it lacks. */
  isTarget: boolean
}

/**
 * Lets `work` copy from or into a database; copying into it waits until another copy into it has ended.
 * @throws Error naming the hosts, if it cannot be reached, is not ours, or has another version; or what `work` throws
 */
export const withPostgres = async <T>(
  schema: PostgresSchema,
  { url, isTarget, signal, show }: EndOptions,
  work: (end: CopyEnd) => Promise<T>
): Promise<T> => {
  const name = withoutPassword(url)
  const connections = new Connections({ url, max: 2, writable: isTarget, applicationName: 'copy' })
  try {
    if (isTarget) await requireTurns(connections, schema.applicationId)
    return await connections.with(async client => {
      const query = async (text: string, values: unknown[] = []) => {
        const config = { text, values, rowMode: 'array', query_timeout: NO_TIMEOUT } as QueryArrayConfig
        const { rows } = await unlessAborted(signal, client.query<unknown[]>(config))
        return rows as Row[]
      }
      await query('SET statement_timeout = 0')
      await query('SET idle_in_transaction_session_timeout = 0')
      if (isTarget) {
        show?.('waiting for another copy to end')
        // The last insert of a copy that was killed may still be in progress.
        await query('SELECT pg_advisory_lock($1, hashtext($2))', [schema.applicationId, ' copy'])
        await migrate(client, schema)
      }
      await checkVersion(client, schema)
      return await work(endOf(name, query))
    })
  } catch (cause) {
    // If several addresses of a host fail, the error has no message.
    const { message, code } = cause as NodeJS.ErrnoException
    throw cause instanceof Mismatch || message.includes(name)
      ? cause
      : new Error(`${name}: ${message || code}`, { cause })
  } finally {
    await connections.close()
  }
}

const checkVersion = async (client: PoolClient, schema: PostgresSchema) => {
  const [version, newest] = [await versionOf(client, schema), schema.migrations.length]
  if (version === 0) throw new Error('there is no store in this database')
  if (version < newest)
    throw new Error(
      `it has version ${version}, but this program needs ${newest}: start the service once on this database to migrate it`
    )
}

/** The result of `work`, unless the signal is aborted first. */
const unlessAborted = async <T>(signal: AbortSignal, work: Promise<T>): Promise<T> => {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** How a column of a type is read and written. */
interface Form {
  type: string
  read(column: string): string
  write(column: string): string
}

const same = (column: string) => column
const integer: Form = { type: 'int8', read: column => `${column}::int8`, write: same }
const text: Form = { type: 'text', read: same, write: same }
const forms: Readonly<Record<string, Form>> = {
  bigint: integer,
  integer,
  smallint: integer,
  // SQLite has 0 and 1 instead.
  boolean: { type: 'int8', read: column => `${column}::int::int8`, write: column => `${column} <> 0` },
  text,
  'character varying': text,
  // Keeps the text as written, unlike jsonb, whose texts would differ from those in SQLite.
  json: { type: 'text', read: column => `${column}::text`, write: column => `${column}::json` },
  bytea: { type: 'bytea', read: same, write: same },
  'double precision': { type: 'float8', read: same, write: same }
}

// The last id that a sequence has assigned.
const LAST_ID = 'CASE WHEN is_called THEN last_value ELSE last_value - 1 END'

const endOf = (name: string, query: (text: string, values?: unknown[]) => Promise<Row[]>): CopyEnd => {
  const types = new Map<string, string>()
  const formOf = (table: CopiedTable, column: string): Form => {
    const type = types.get(`${table.name} ${column}`) ?? ''
    const form = forms[type]
    if (form === undefined)
      throw new Mismatch(
        `${table.name}.${column} has the type ${type}, which cannot be copied; it can if it is one of ${Object.keys(forms).join(', ')}`
      )
    return form
  }
  const formsOf = (table: CopiedTable) =>
    table.columns.map(column => ({ column: `"${column}"`, form: formOf(table, column) }))
  const sequenceOf = async ({ name, key }: CopiedTable): Promise<string | undefined> => {
    if (key.length !== 1) return undefined
    const [row] = await query('SELECT pg_get_serial_sequence(quote_ident($1), $2)', [name, key[0]])
    return (row?.[0] ?? undefined) as string | undefined
  }

  return {
    name,

    tables: async () => {
      const rows =
        await query(`SELECT relname, attname, format_type(atttypid, NULL), array_position(indkey::int2[], attnum)
        FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
        LEFT JOIN pg_index ON indrelid = pg_class.oid AND indisprimary
        WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND relname <> 'schema_version'
        ORDER BY relname COLLATE "C", attname COLLATE "C"`)
      const found = Map.groupBy(rows as unknown as [string, string, string, number | null][], ([table]) => table)
      for (const [table, column, type] of rows) types.set(`${table} ${column}`, `${type}`)
      const tables = [...found].map(([name, columns]) => {
        const key = columns.filter(([, , , place]) => place !== null).toSorted((a, b) => Number(a[3]) - Number(b[3]))
        return { name, columns: columns.map(([, column]) => column), key: key.map(([, column]) => column) }
      })
      // Fails before any table is copied.
      for (const table of tables) formsOf(table)
      return tables
    },

    count: async ({ name }) => Number((await query(`SELECT count(*) FROM "${name}"`))[0]?.[0]),

    batches: async function* (table, size) {
      const columns = formsOf(table).map(({ column, form }) => form.read(column))
      // In byte order, as SQLite compares texts.
      const key = table.key.map(column => (formOf(table, column) === text ? `"${column}" COLLATE "C"` : `"${column}"`))
      await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      try {
        await query(`DECLARE copied NO SCROLL CURSOR FOR SELECT ${columns} FROM "${table.name}" ORDER BY ${key}`)
        for (let isOver = false; !isOver; ) {
          const rows = await query(`FETCH ${size} FROM copied`)
          isOver = rows.length < size
          yield rows as CopiedRow[]
        }
      } finally {
        // Ignored: on a broken connection, whatever comes next fails too.
        await query('ROLLBACK').catch(() => {})
      }
    },

    insert: async (table, rows) => {
      const columns = formsOf(table)
      const names = columns.map(({ column }) => column)
      const arrays = columns.map(({ form }, i) => `$${i + 1}::${form.type}[]`)
      await query(
        `INSERT INTO "${table.name}" (${names}) OVERRIDING SYSTEM VALUE
         SELECT ${columns.map(({ column, form }) => form.write(column))} FROM unnest(${arrays}) AS copied(${names})`,
        columns.map((_, i) => rows.map(row => row[i]))
      )
    },

    lastId: async table => {
      const sequence = await sequenceOf(table)
      if (sequence === undefined) return 0n
      const [row] = await query(`SELECT greatest(max("${table.key[0]}")::int8,
        (SELECT ${LAST_ID} FROM ${sequence})) FROM "${table.name}"`)
      return row?.[0] as bigint
    },

    raiseLastId: async (table, id) => {
      const sequence = await sequenceOf(table)
      if (sequence === undefined || id === 0n) return
      await query(`SELECT setval($1, $2) FROM ${sequence} WHERE ${LAST_ID} < $2`, [sequence, id])
    }
  }
}
