import { exactJson } from '../../node/json.ts'
import type { Columns } from './schema.ts'

/** Values of one query in the order of its parameters, as PostgreSQL reads them. */
export type Sent = readonly (string | null)[]

/**
 * A table `q` with the parameters of many queries and the query's number `#`. Its own parameters are a list of values for each
 * column, or the number of queries if there are no columns.
 */
export const tableOf = (columns: Columns): string => {
  const names = Object.keys(columns)
  if (names.length === 0) return 'generate_series(1, $1::bigint) AS q("#")'
  const types = Object.values(columns).map(typeOf)
  const lists = types.map((type, i) => `$${i + 1}::${sentAs(type)}[]`)
  const given = `unnest(${lists.join(', ')}) WITH ORDINALITY AS`
  if (types.every(type => sentAs(type) === type)) return `${given} q(${[...names, '"#"'].join(', ')})`
  const values = names.map((name, i) =>
    sentAs(types[i] ?? '') === types[i] ? name : `${name}::${types[i]} AS ${name}`
  )
  return `(SELECT ${[...values, '"#"'].join(', ')} FROM ${given} given(${[...names, '"#"'].join(', ')})) AS q`
}

/** The parameters of the table for these queries. */
export const listsOf = (columns: Columns, queries: readonly Sent[]): unknown[] => {
  const count = Object.keys(columns).length
  return count === 0
    ? [queries.length]
    : Array.from({ length: count }, (_, i) => queries.map(query => query[i] ?? null))
}

type BaseOf = (type: string) => string

/** The types of these columns that may be domains, or lists of them, without the brackets. */
export const unusualTypesOf = (columns: Columns): string[] =>
  Object.values(columns).flatMap(declared => {
    const type = typeOf(declared)
    return plain.has(type) ? [] : [type, elementOf(type) ?? type]
  })

/**
 * Writes values of these columns; `baseOf` gives the type that a domain is based on.
 * @throws TypeError for a value that does not have its column's type
 */
export const writerOf = (columns: Columns, baseOf: BaseOf) => {
  const names = Object.keys(columns)
  // Made at first use: domains are known only once the database is open.
  let writers: ((value: unknown) => string)[] | undefined
  return (values: Readonly<Record<string, unknown>>): Sent => {
    writers ??= Object.values(columns).map(type => writerOfType(baseOf(typeOf(type)), baseOf))
    return writers.map((write, i) => {
      const value = values[names[i] ?? '']
      return value === undefined || value === null ? null : write(value)
    })
  }
}

/**
 * The type without length or precision: a cast would cut the value to fit, whereas the column itself rejects it.
 * Types that mean length 1 when written without one get an unlimited one instead.
 */
const typeOf = (declared: string): string =>
  declared
    .replace(/\s*\([^)]*\)/, '')
    .replace(/^(?:char|character)(?=$|\[)/i, 'bpchar')
    .replace(/^bit(?=$|\[)/i, 'varbit')

/** Types whose values are single elements of a list; values of other types may be lists, or use another separator. */
const plain = new Set([
  'bigint',
  'int8',
  'integer',
  'int4',
  'smallint',
  'int2',
  'text',
  'boolean',
  'bytea',
  'json',
  'jsonb'
])

const sentAs = (type: string): string => (plain.has(type) ? type : 'text')

const elementOf = (type: string): string | undefined => /^(.*?)(?:\[\d*\])+$/s.exec(type)?.[1]

const writerOfType = (type: string, baseOf: BaseOf): ((value: unknown) => string) => {
  const element = elementOf(type)
  if (element === undefined) return /^jsonb?$/i.test(type) ? jsonOf : value => textOf(value, type)
  const write = writerOfType(baseOf(element), baseOf)
  const separator = element === 'box' ? ';' : ','
  const listOf = (value: unknown): string => {
    if (!Array.isArray(value)) throw new TypeError(`a value of type ${type} must be a list, not ${kindOf(value)}`)
    // A nested list is another dimension, unless it is the value of an element.
    const elements = value.map(each => {
      if (each === undefined || each === null) return 'NULL'
      return Array.isArray(each) && write !== jsonOf ? listOf(each) : quoted(write(each))
    })
    return `{${elements.join(separator)}}`
  }
  return listOf
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

const jsonOf = (value: unknown): string => {
  if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError(`${kindOf(value)} is not JSON`)
  return exactJson(value)
}

const textOf = (value: unknown, type: string): string => {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value)
    case 'object': {
      if (value instanceof Uint8Array)
        return `\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}`
      // In UTC, whatever the time zone of this machine.
      if (value instanceof Date) return value.toISOString()
      const { toPostgres } = value as { toPostgres?: unknown }
      if (typeof toPostgres === 'function') return String(toPostgres.call(value))
    }
  }
  throw new TypeError(`a value of type ${type} must not be ${kindOf(value)}`)
}

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
