import { isDeepStrictEqual } from 'node:util'
import { entriesOf, isObject, type Json, type JsonObject } from '../document/json.ts'
import { flat, flatObject, type Lookup } from './pointer.ts'
import { typesOf } from './schema.ts'
import { subschemasOf } from './schema-tree.ts'

// How the schemas in an `anyOf` or `oneOf` relate to each other, and to the schema around them.

export const declareAny = (schema: JsonObject, lookup: Lookup): boolean =>
  schema.properties !== undefined || variantsOf(schema, lookup).some(each => declareAny(each, lookup))

export const isFreeForm = (schema: JsonObject, lookup: Lookup): boolean =>
  mayBeObject(schema, lookup) && schema.additionalProperties === undefined && !declareAny(schema, lookup)

/** Whether an object can match at most one variant, and the surrounding schema declares no properties. */
export const areDisjoint = (schema: JsonObject, lookup: Lookup): boolean => {
  if (schema.properties !== undefined || (schema.anyOf !== undefined && schema.oneOf !== undefined)) return false
  const objects = variantsOf(schema, lookup).filter(each => mayBeObject(each, lookup))
  return objects.every((one, index) => objects.slice(index + 1).every(other => areExclusive(one, other, lookup)))
}

/**
 * A property that two schemas for one value describe as different objects, although both may apply: each would reject
 * what only the other declares.
 */
export const conflictIn = (schema: JsonObject, lookup: Lookup): string | undefined => {
  const around = (schema.required ?? []) as string[]
  const branches = variantsOf(schema, lookup)
  const [nested] = branches.map(each => conflictIn(each, lookup)).filter(each => each !== undefined)
  if (nested !== undefined) return nested
  for (const [index, one] of branches.entries()) {
    const others = branches.slice(index + 1).filter(other => !areExclusive(one, other, lookup, around))
    for (const other of [schema, ...others]) {
      for (const left of partsOf(one, lookup)) {
        for (const right of other === schema ? [schema] : partsOf(other, lookup)) {
          const name = sharedChild(left, right, lookup)
          if (name !== undefined) return name
        }
      }
    }
  }
  return undefined
}

const variantsOf = (schema: JsonObject, lookup: Lookup): JsonObject[] =>
  ([schema.anyOf ?? [], schema.oneOf ?? []].flat() as Json[]).map(each => flatObject(each, lookup))

const mayBeObject = (schema: JsonObject, lookup: Lookup): boolean => {
  const types = typesOf(schema)
  if (types.length > 0 && !types.includes('object')) return false
  const values = valuesOf(schema)
  if (values !== undefined && !values.some(isObject)) return false
  const variants = variantsOf(schema, lookup)
  return variants.length === 0 || variants.some(each => mayBeObject(each, lookup))
}

/** Whether both require a property, but with different values. */
const areExclusive = (left: JsonObject, right: JsonObject, lookup: Lookup, around: string[] = []) => {
  const required = (schema: JsonObject) => [...around, ...((schema.required ?? []) as string[])]
  return required(left).some(name => {
    const [one, other] = [left, right].map(({ properties }) =>
      isObject(properties) && Object.hasOwn(properties, name)
        ? valuesOf(flatObject(properties[name] as Json, lookup))
        : undefined
    )
    if (one === undefined || other === undefined || !required(right).includes(name)) return false
    return !one.some(value => other.some(each => isDeepStrictEqual(value, each)))
  })
}

const valuesOf = (schema: JsonObject): Json[] | undefined =>
  schema.const !== undefined ? [schema.const] : (schema.enum as Json[] | undefined)

const partsOf = (schema: JsonObject, lookup: Lookup): JsonObject[] => [
  schema,
  ...variantsOf(schema, lookup).flatMap(each => partsOf(each, lookup))
]

const sharedChild = (left: JsonObject, right: JsonObject, lookup: Lookup): string | undefined => {
  const [one, other] = [childrenOf(left), childrenOf(right)]
  const isClosed = (child: Json) => hasClosed(child, lookup)
  for (const [name, child] of one) {
    const twin = other.get(name) ?? (name.startsWith('/') ? other.get(anyName) : undefined)
    if (twin === undefined || isDeepStrictEqual(flat(child, lookup), flat(twin, lookup))) continue
    if (isClosed(child) || isClosed(twin)) return name.replace('/', '')
  }
  // In the other direction, for properties with any name.
  return one.has(anyName) && [...other.values()].some(isClosed) ? anyName : undefined
}

const anyName = 'additionalProperties'

const childrenOf = ({ properties, additionalProperties, items }: JsonObject): Map<string, Json> => {
  const children = new Map(entriesOf(properties).map(([name, child]) => [`/${name}`, child]))
  if (additionalProperties !== undefined && additionalProperties !== false) children.set(anyName, additionalProperties)
  if (items !== undefined) children.set('items', items)
  return children
}

/** Whether it contains an object that `jsonSchema` closes. */
const hasClosed = (value: Json, lookup: Lookup): boolean => {
  const schema = flatObject(value, lookup)
  if (schema.properties !== undefined && schema.additionalProperties === undefined) return true
  return subschemasOf(schema).some(each => hasClosed(each, lookup))
}
