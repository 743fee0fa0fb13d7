import { join } from 'node:path'
import type { Reply } from '@contract-first/check/internals'
import { isObject, type Json, type JsonObject } from '@contract-first/document'
import type { AnyOperation, Schema } from '../../../fastify/src/contract/contract.ts'
import { objectKeyword } from '../../src/json-schema.ts'
import { violation } from '../../src/package/mock-check.ts'
import type { Schema as JsonSchema } from '../../src/package/schema-check.ts'

const engine = join(import.meta.dirname, '../../../fastify/src/operations/handlers.ts')

/**
 * A module with handlers that return these replies, for the compiler: one table with the first reply of each operation, one with
 * the second, and so on, with a line for each operation.
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
  // If a schema describes objects but allows other values, the types only know objects.
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

/** The schemas and all that apply to the same value with them; only those variants that the value fits. */
const inPlace = (schemas: Schemas, table: Table, value: Json): Schema[] => {
  const all = new Set(schemas.filter(each => typeof each === 'object'))
  const targetOf = (reference: unknown) => table[String(reference).slice('#/$defs/'.length)]
  const fits = (part: Schema) =>
    violation(part as JsonSchema, value, '', reference => (targetOf(reference) ?? true) as JsonSchema) === undefined
  // Grows while it is visited.
  for (const each of all) {
    const target = targetOf(each.$ref)
    if (target !== undefined) all.add(target)
    for (const part of (each.allOf ?? []) as Schema[]) all.add(part)
    for (const variants of [each.anyOf, each.oneOf] as (Schema[] | undefined)[]) {
      for (const part of variants?.filter(part => variants.length === 1 || fits(part)) ?? []) all.add(part)
    }
  }
  return [...all]
}
