import { isDeepStrictEqual } from 'node:util'
import { entriesOf, isObject, type Json, type JsonObject } from '../document/json.ts'
import { typesOf } from './schema.ts'
import { subschemasOf } from './schema-tree.ts'

export type Lookup = (name: string) => JsonObject

/** How the schemas in an `anyOf` or `oneOf` relate to each other. `flat` resolves references. */
export const variantsFor = (flat: (value: Json) => Json) => {
  const flatObject = (value: Json): JsonObject => {
    const schema = flat(value)
    return isObject(schema) ? schema : {}
  }
  const variantsOf = (schema: JsonObject): JsonObject[] =>
    ([schema.anyOf ?? [], schema.oneOf ?? []].flat() as Json[]).map(flatObject)

  const mayBeObject = (schema: JsonObject): boolean => {
    const types = typesOf(schema)
    if (types.length > 0 && !types.includes('object')) return false
    const values = valuesOf(schema)
    if (values !== undefined && !values.some(isObject)) return false
    return variantsOf(schema).length === 0 || variantsOf(schema).some(mayBeObject)
  }

  /** Whether both require a property, but with different values. */
  const exclude = (left: JsonObject, right: JsonObject, around: string[] = []) => {
    const required = (schema: JsonObject) => [...around, ...((schema.required ?? []) as string[])]
    return required(left).some(name => {
      const [one, other] = [left, right].map(({ properties }) =>
        isObject(properties) && Object.hasOwn(properties, name)
          ? valuesOf(flatObject(properties[name] as Json))
          : undefined
      )
      if (one === undefined || other === undefined || !required(right).includes(name)) return false
      return !one.some(value => other.some(each => isDeepStrictEqual(value, each)))
    })
  }

  /** Whether an object can match at most one variant, and the surrounding schema declares no properties. */
  const areApart = (schema: JsonObject): boolean => {
    if (schema.properties !== undefined || (schema.anyOf !== undefined && schema.oneOf !== undefined)) return false
    const objects = variantsOf(schema).filter(mayBeObject)
    return objects.every((one, index) => objects.slice(index + 1).every(other => exclude(one, other)))
  }

  const declareAny = (schema: JsonObject): boolean =>
    schema.properties !== undefined || variantsOf(schema).some(declareAny)

  const isFreeForm = (schema: JsonObject): boolean =>
    mayBeObject(schema) && schema.additionalProperties === undefined && !declareAny(schema)

  /** Whether it contains an object that `jsonSchema` closes. */
  const hasClosed = (value: Json): boolean => {
    const schema = flatObject(value)
    if (schema.properties !== undefined && schema.additionalProperties === undefined) return true
    return subschemasOf(schema).some(hasClosed)
  }

  /**
   * A property that two schemas for one value describe as different objects, although both may apply: each would reject
   * what only the other declares.
   */
  const conflictIn = (schema: JsonObject): string | undefined => {
    const around = (schema.required ?? []) as string[]
    const branches = variantsOf(schema)
    const [nested] = branches.map(conflictIn).filter(each => each !== undefined)
    if (nested !== undefined) return nested
    for (const [index, one] of branches.entries()) {
      const others = branches.slice(index + 1).filter(other => !exclude(one, other, around))
      for (const other of [schema, ...others]) {
        for (const left of partsOf(one)) {
          for (const right of other === schema ? [schema] : partsOf(other)) {
            const name = sharedChild(left, right)
            if (name !== undefined) return name
          }
        }
      }
    }
    return undefined
  }
  const partsOf = (schema: JsonObject): JsonObject[] => [schema, ...variantsOf(schema).flatMap(partsOf)]
  const sharedChild = (left: JsonObject, right: JsonObject): string | undefined => {
    const [one, other] = [left, right].map(childrenOf) as [Map<string, Json>, Map<string, Json>]
    for (const [name, child] of one) {
      const twin = other.get(name) ?? (name.startsWith('/') ? other.get(anyName) : undefined)
      if (twin === undefined || isDeepStrictEqual(flat(child), flat(twin))) continue
      if (hasClosed(child) || hasClosed(twin)) return name.replace('/', '')
    }
    // In the other direction, for properties with any name.
    return one.has(anyName) && [...other.values()].some(hasClosed) ? anyName : undefined
  }
  const childrenOf = ({ properties, additionalProperties, items }: JsonObject): Map<string, Json> => {
    const children = new Map(entriesOf(properties).map(([name, child]) => [`/${name}`, child]))
    if (additionalProperties !== undefined && additionalProperties !== false)
      children.set(anyName, additionalProperties)
    if (items !== undefined) children.set('items', items)
    return children
  }

  return { areApart, declareAny, isFreeForm, conflictIn }
}

const anyName = 'additionalProperties'

const valuesOf = (schema: JsonObject): Json[] | undefined =>
  schema.const !== undefined ? [schema.const] : (schema.enum as Json[] | undefined)
