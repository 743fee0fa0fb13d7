import { exactJson, parseJson } from '../node/json.ts'

export type Dialect = 'sqlite' | 'postgres'

/** A table as defined, whatever its rows. */
export interface Definition {
  readonly name: string
  readonly columns: Readonly<Record<string, Declared['type'] | Declared>>
  readonly filters?: readonly string[]
  readonly orders?: readonly string[]
}

interface Declared {
  readonly type: keyof typeof forms
  readonly optional?: true
  readonly nullable?: true
  readonly default?: unknown
  readonly check?: string
  readonly bigints?: readonly string[]
}

interface Form {
  // npm run copy compares what both databases hold: so times are numbers, and json, unlike jsonb, keeps texts as written.
  readonly sqlite: string
  readonly postgres: string
  /** Whether a value has the type. */
  is(value: unknown): boolean
  readonly write?: (value: never) => unknown
  readonly read?: (stored: never) => unknown
}

const forms = {
  // PostgreSQL takes neither NUL nor halves of surrogate pairs.
  text: {
    sqlite: 'TEXT',
    postgres: 'text',
    is: value => typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
  },
  timestamp: {
    sqlite: 'INTEGER',
    postgres: 'bigint',
    is: value => typeof value === 'string' && !Number.isNaN(msOf(value)),
    write: (value: string) => BigInt(msOf(value)),
    read: (ms: bigint) => new Date(Number(ms)).toISOString()
  },
  bigint: {
    sqlite: 'INTEGER',
    postgres: 'bigint',
    is: value => typeof value === 'bigint' && BigInt.asIntN(64, value) === value
  },
  integer: { sqlite: 'INTEGER', postgres: 'bigint', is: Number.isSafeInteger, write: BigInt, read: Number },
  real: { sqlite: 'REAL', postgres: 'double precision', is: Number.isFinite, write: Number },
  boolean: {
    sqlite: 'INTEGER',
    postgres: 'boolean',
    is: value => typeof value === 'boolean',
    write: Number,
    read: (stored: bigint | number | boolean) => Number(stored) === 1
  },
  json: { sqlite: 'TEXT', postgres: 'json', is: () => true }
} as const satisfies Record<string, Form>

/** A column in one of the databases. */
export interface Column {
  /** The member of rows. */
  readonly name: string
  /** Its name in SQL. */
  readonly sql: string
  readonly type: string
  /** How rows are ordered by it: texts by their bytes, as in SQLite. */
  readonly inOrder: string
  readonly absent: 'optional' | 'nullable' | undefined
  is(value: unknown): boolean
  /** What the database takes for a value. @throws TypeError */
  write(value: unknown): unknown
  /** The value of what the database gives, if that is another. */
  readonly read: ((stored: never) => unknown) | undefined
  /** As in `CREATE TABLE`. */
  readonly declaration: string
}

export const columnsOf = ({ columns }: Definition, dialect: Dialect): Column[] =>
  Object.entries(columns).map(([name, each]) =>
    columnOf(name, typeof each === 'string' ? { type: each } : each, dialect)
  )

const columnOf = (name: string, declared: Declared, dialect: Dialect): Column => {
  const form: Form = forms[declared.type]
  const { write, read } = declared.type === 'json' ? jsonForm(name, declared.bigints ?? [], dialect) : form
  const sql = `"${name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)}"`
  const absent = declared.optional ? 'optional' : declared.nullable && 'nullable'
  const writeValue = (value: unknown) => {
    if (value === undefined || value === null || write === undefined) return value ?? null
    if (!form.is(value)) throw new TypeError(`${name} must be of type ${declared.type}`)
    return write(value as never)
  }
  const { default: initial } = declared
  const parts = [
    `${sql} ${form[dialect]}`,
    absent === undefined && 'NOT NULL',
    initial !== undefined && `DEFAULT ${literal(typeof initial === 'boolean' ? initial : writeValue(initial))}`,
    declared.check !== undefined && `CHECK (${declared.check})`
  ]
  return {
    name,
    sql,
    type: form[dialect],
    inOrder: form[dialect] === 'text' ? `${sql} COLLATE "C"` : sql,
    absent,
    is: form.is,
    write: writeValue,
    read,
    declaration: name === 'id' ? ids[dialect] : parts.filter(Boolean).join(' ')
  }
}

// Without AUTOINCREMENT, SQLite would reuse the highest id once its row is deleted. The bound is what a number holds exactly.
const ids: Readonly<Record<Dialect, string>> = {
  sqlite: '"id" INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991)',
  postgres: '"id" bigint GENERATED ALWAYS AS IDENTITY (MAXVALUE 9007199254740991) PRIMARY KEY'
}

const literal = (value: unknown): string => {
  const text = typeof value === 'object' ? exactJson(value) : value
  return typeof text === 'string' ? `'${text.replaceAll("'", "''")}'` : `${text}`
}

// Date has no leap seconds: 23:59:60 is the second after 23:59:59.
const msOf = (value: string): number => {
  const text = value.toUpperCase()
  return text[17] === '6' ? Date.parse(`${text.slice(0, 17)}59${text.slice(19)}`) + 1000 : Date.parse(text)
}

const jsonForm = (name: string, bigints: readonly string[], dialect: Dialect): Pick<Form, 'write' | 'read'> => {
  const refuse = (value: number | bigint, name: string) => {
    if (typeof value === 'number' || bigints.includes(name)) return value
    throw new TypeError(`${name} is a bigint, but not among the bigints of its column`)
  }
  const restore = (value: number | bigint, name: string) => (bigints.includes(name) ? BigInt(value) : Number(value))
  const write = (value: unknown) => mapIntegers(value, name, refuse)
  if (dialect === 'postgres') return { write, read: value => mapIntegers(value, name, restore) }
  return {
    write: value => exactJson(write(value)),
    read: text => mapIntegers(parseJson(Buffer.from(text)), name, restore)
  }
}

/** The same JSON with other integers; each comes with the name of the member that it, or the list around it, is. */
const mapIntegers = (value: unknown, name: string, map: (value: number | bigint, name: string) => unknown): unknown => {
  if (typeof value === 'bigint' || Number.isInteger(value)) return map(value as bigint, name)
  if (Array.isArray(value)) return value.map(each => mapIntegers(each, name, map))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapIntegers(each, name, map)]))
}

/**
 * Makes objects of rows. Compiled, as Fastify compiles its routes: a loop over the columns takes four times as long, a tenth of
 * a list of 100. Nothing in it comes from requests.
 */
export const readerOf = (columns: readonly Column[]): ((row: readonly unknown[]) => unknown) => {
  const members = columns.map(({ name, absent, read }, i) => {
    const [key, isNull] = [JSON.stringify(name), `row[${i}] === null`]
    const value = read === undefined ? `row[${i}]` : `read[${i}](row[${i}])`
    if (absent === 'optional') return `...(${isNull} ? {} : { ${key}: ${value} })`
    return `${key}: ${absent === undefined ? value : `${isNull} ? null : ${value}`}`
  })
  return new Function('read', `return row => ({ ${members.join(', ')} })`)(columns.map(({ read }) => read))
}

/** SQL that creates a new table, for the migrations of both databases. Copy it there: a released migration never changes. */
export const createTable = ({ definition }: { readonly definition: Definition }): Readonly<Record<Dialect, string>> => {
  const { name, filters = [], orders = [] } = definition
  const indexed = new Set([...filters, ...orders.map(order => order.replace(/^-/, ''))])
  const sqlIn = (dialect: Dialect) => {
    const columns = columnsOf(definition, dialect)
    const lines = columns.map(({ declaration }) => `  ${declaration}`).join(',\n')
    const indices = columns
      .filter(column => column.name !== 'id' && indexed.has(column.name))
      .map(({ name: key, sql, inOrder }) => [sql.slice(1, -1), filters.includes(key) ? sql : inOrder])
      .map(([key, column]) => `\nCREATE INDEX "${name}_by_${key}" ON ${name} (${column}, id);`)
    return `CREATE TABLE ${name} (\n${lines}\n)${dialect === 'sqlite' ? ' STRICT' : ''};${indices.join('')}`
  }
  return { sqlite: sqlIn('sqlite'), postgres: sqlIn('postgres') }
}
