import { join } from 'node:path'
import type { Reply } from '@contract-first/check/internals'
import { isObject, type Json, type JsonObject } from '@contract-first/document'
import type { AnyOperation, Schema } from '../../../fastify/src/contract/contract.ts'
import { objectKeyword } from '../../src/json-schema.ts'

const engine = join(import.meta.dirname, '../../../fastify/src/operations/handlers.ts')

/**
 * A module with handlers that return these, for the compiler: a table of the first ones, one of the second, and so on, with
 * a line for each operation.
 */
export const handlersModule = (replies: ReadonlyMap<AnyOperation, readonly Reply[]>): string => {
  const count = Math.max(0, ...[...replies.values()].map(({ length }) => length))
  const tables = Array.from({ length: count }, (_, index) => {
    const handlers = [...replies].flatMap(([operation, { [index]: reply }]) =>
      reply === undefined
        ? []
        : [`  ${JSON.stringify(operation.operationId)}: async ({ query: _ }) => (${resultOf(operation, reply)}),`]
    )
    return [`export const table${index} = {`, ...handlers, '} satisfies Table']
  })
  return [
    `import type { Handlers } from ${JSON.stringify(engine)}`,
    `import type { operations } from './operations.ts'`,
    'type Table = Partial<Handlers<typeof operations>>',
    ...tables.flat(),
    ''
  ].join('\n')
}

/** The operation at a line of that module. */
export const operationAt = (module: string, line: number): string =>
  /^ {2}("(?:[^"\\]|\\.)*"): async/.exec(module.split('\n')[line] ?? '')?.[1]?.slice(1, -1) ?? ''

const resultOf = ({ responses }: AnyOperation, { status, headers, type = '', body }: Reply): string => {
  const key = [String(status), `${Math.floor(status / 100)}XX`, 'default'].find(each => each in responses) ?? ''
  const contents = responses[key]?.contents
  const parts = [
    `status: ${status}`,
    ...(Object.keys(headers).length > 0 ? [`headers: ${JSON.stringify(headers)}`] : []),
    ...(contents === undefined || body === undefined ? [] : [`contentType: ${JSON.stringify(type)} as const`]),
    ...(body === undefined ? [] : [`body: ${literal(body, [contents?.[type]?.schema ?? responses[key]?.body])}`])
  ]
  return `{ ${parts.join(', ')} }`
}

/** Schemas that lead back to themselves are in `$defs`. */
type Table = Readonly<Record<string, Schema>>
type Schemas = readonly (Schema | boolean | undefined)[]

/** A value as code, with integers of 64 bits as bigints. */
const literal = (value: Json, schemas: Schemas, around: Table = {}): string => {
  const table = Object.assign({}, around, ...schemas.map(each => (typeof each === 'object' ? each.$defs : {})))
  const all = inPlace(schemas, table, value)
  // Where a schema describes objects without saying that it must be one, the types know only objects.
  if (!isObject(value) && all.some(each => each.type === undefined && objectKeyword(each as JsonObject) !== undefined))
    return `${typeof value === 'bigint' ? `${value}n` : JSON.stringify(value)} as never`
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'number' && Number.isInteger(value))
    return all.some(each => each.format === 'int64') ? `${BigInt(value)}n` : String(value)
  if (Array.isArray(value)) {
    const items = value.map((each, at) =>
      literal(
        each,
        all.map(({ items, prefixItems }) => prefixItems?.[at] ?? items),
        table
      )
    )
    return `[${items.join(', ')}]`
  }
  if (!isObject(value)) return JSON.stringify(value)
  const properties = Object.entries(value).map(([name, each]) => {
    const inner = all.map(({ properties = {}, additionalProperties }) =>
      Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    )
    // A plain `__proto__` would set the prototype.
    return `${name === '__proto__' ? `[${JSON.stringify(name)}]` : JSON.stringify(name)}: ${literal(each, inner, table)}`
  })
  return `{ ${properties.join(', ')} }`
}

/** The schemas, and all that apply to the same value because of them; of variants, those that it fits. */
const inPlace = (schemas: Schemas, table: Table, value: Json): Schema[] => {
  const all = new Set(schemas.filter(each => typeof each === 'object'))
  // It grows while it is read.
  for (const each of all) {
    const target = table[String(each.$ref).slice('#/$defs/'.length)]
    if (target !== undefined) all.add(target)
    for (const part of (each.allOf ?? []) as Schema[]) all.add(part)
    for (const variants of [each.anyOf, each.oneOf] as (Schema[] | undefined)[]) {
      for (const part of variants?.filter(part => variants.length === 1 || fits(part, table, value)) ?? [])
        all.add(part)
    }
  }
  return [...all]
}

/** By types and properties, a few levels deep: what else the schemas say makes no difference to the type of an integer. */
const fits = (given: Schema | boolean | undefined, table: Table, value: Json, depth = 4): boolean => {
  if (typeof given !== 'object' || depth === 0) return given !== false
  const schema = { ...table[String(given.$ref).slice('#/$defs/'.length)], ...given } as Described
  const isFit = (each: Schema | boolean | undefined, part = value) => fits(each, table, part, depth - 1)
  const { type, const: only, enum: listed, allOf = [], anyOf, oneOf } = schema
  const allowed = only === undefined ? listed : [only]
  if (type !== undefined && ![type].flat().some(each => isOfType(value, each))) return false
  if (allowed !== undefined && typeof value !== 'object' && !allowed.includes(value)) return false
  if (!allOf.every(each => isFit(each))) return false
  if (![anyOf, oneOf].every(variants => variants === undefined || variants.some(each => isFit(each)))) return false
  if (Array.isArray(value)) return value.every((each, at) => isFit(schema.prefixItems?.[at] ?? schema.items, each))
  if (!isObject(value)) return true
  const { properties = {}, additionalProperties, required = [] } = schema
  return (
    required.every(name => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, each]) =>
      isFit(Object.hasOwn(properties, name) ? properties[name] : additionalProperties, each)
    )
  )
}

interface Described extends Schema {
  const?: Json
  required?: readonly string[]
  allOf?: readonly Schema[]
}

const isOfType = (value: Json, type: string): boolean => {
  if (type === 'integer') return typeof value === 'bigint' || Number.isInteger(value)
  if (type === 'number') return typeof value === 'bigint' || typeof value === 'number'
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  return type === 'object' ? isObject(value) : typeof value === type
}
