import { regexOf, type Schema, targetOf } from '../contract/schema.ts'
import type { Fault, Path } from '../contract/violations.ts'

// Handlers copy objects: with an own `__proto__`, or a `prototype` in an own `constructor`, many ways of copying change
// the prototype of the copy, or of all objects. Like Fastify's own parser, we reject these names in requests, unless the
// contract lists them there, in `properties` or `required`.

/** The first such name in a value. */
export const reservedName = (value: unknown, schema: Schema, path: Path): Fault | undefined => {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return undefined
  if (Array.isArray(value)) return first(value.entries(), ([at, each]) => reservedName(each, schema, { up: path, at }))
  return first(Object.entries(value), ([at, each]) => {
    const own = { up: path, at }
    const isReserved = at === '__proto__' || (at === 'prototype' && path.at === 'constructor')
    if (!isReserved || schemasAt(schema, path).some(each => lists(each, at))) return reservedName(each, schema, own)
    return { keyword: 'reserved name', path, value, params: { name: at }, isTentative: false }
  })
}

// `schema` belongs to the root, at the end of the path's `up`s.
const schemasAt = (schema: Schema, { up, at }: Path): readonly Schema[] =>
  united(up === undefined ? [schema] : schemasAt(schema, up).flatMap(each => partsAt(each, at)))

const lists = ({ properties = {}, required = [] }: Schema, name: string): boolean =>
  Object.hasOwn(properties, name) || (required as readonly string[]).includes(name)

/** The subschemas that a property or an item may have to fit. */
const partsAt = (schema: Schema, at: string | number): unknown[] => {
  const { properties = {}, patternProperties = {}, additionalProperties, unevaluatedProperties } = schema
  const { items, prefixItems = [], contains, unevaluatedItems } = schema
  if (typeof at === 'number') return [prefixItems[at] ?? items, contains, unevaluatedItems]
  const matching = Object.entries(patternProperties as object).filter(([pattern]) => regexOf(pattern).test(at))
  const declared = [...(Object.hasOwn(properties, at) ? [properties[at]] : []), ...matching.map(([, each]) => each)]
  return declared.length > 0 ? declared : [additionalProperties, unevaluatedProperties]
}

/** These schemas, and all that the same value may have to fit because of them. */
const united = (schemas: readonly unknown[]): readonly Schema[] => {
  const all = new Set<Schema>()
  const add = (schema: unknown) => {
    const target = isSchema(schema) ? targetOf(schema) : undefined
    if (target === undefined || all.has(target)) return
    all.add(target)
    const { anyOf = [], oneOf = [], allOf = [], if: condition, then, else: otherwise, dependentSchemas = {} } = target
    for (const each of [anyOf, oneOf, allOf as unknown[], condition, then, otherwise].flat()) add(each)
    for (const each of Object.values(dependentSchemas as object)) add(each)
  }
  for (const each of schemas) add(each)
  return [...all]
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

const first = <From, To>(all: Iterable<From>, find: (each: From) => To | undefined): To | undefined => {
  for (const each of all) {
    const found = find(each)
    if (found !== undefined) return found
  }
  return undefined
}
