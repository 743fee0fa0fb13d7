import { isDeepStrictEqual } from 'node:util'
import { entriesOf, isObject, type Json, type JsonObject, regexOf } from '@contract-first/document'
import { isTold } from './discriminator.ts'
import { flat, flatObject, isReference, type Lookup, nameOf } from './pointer.ts'
import { partsInPlace, subschemasOf, typesOf } from './schema-tree.ts'
import type { Schemas } from './schemas.ts'

// How schemas for the same value relate to each other, and to the schema that contains them.

export const declareAny = (schema: JsonObject, lookup: Lookup): boolean =>
  entriesOf(schema.properties).length > 0 ||
  entriesOf(schema.patternProperties).length > 0 ||
  branchesOf(schema, lookup).some(each => declareAny(each, lookup))

export const declares = (schema: JsonObject, name: string, lookup: Lookup): boolean =>
  (isObject(schema.properties) && Object.hasOwn(schema.properties, name)) ||
  entriesOf(schema.patternProperties).some(([pattern]) => regexOf(pattern)?.test(name)) ||
  branchesOf(schema, lookup).some(each => declares(each, name, lookup))

/** Whether a schema declares a property whichever of its variants fits. */
export const declaresAlways = (schema: JsonObject, name: string, lookup: Lookup): boolean => {
  const { allOf = [], anyOf = [], oneOf = [], ...own } = schema
  const inPart = (part: Json) => isObject(part) && declaresAlways(flatObject(part, lookup), name, lookup)
  const variants = [anyOf, oneOf] as Json[][]
  return (
    declares(own, name, lookup) ||
    (allOf as Json[]).some(inPart) ||
    variants.some(each => each.length > 0 && each.every(inPart))
  )
}

/** The properties that a condition may require. */
export const requiredUnderConditions = (schema: JsonObject, lookup: Lookup): string[] => [
  ...entriesOf(schema.dependentRequired).flatMap(([, names]) => names as string[]),
  ...subschemasOf(schema, keyword => conditional.has(keyword)).flatMap(each =>
    requiredIn(flatObject(each, lookup), lookup)
  )
]
const requiredIn = (schema: JsonObject, lookup: Lookup): string[] => [
  ...((schema.required ?? []) as string[]),
  ...requiredUnderConditions(schema, lookup)
]
const conditional = new Set(['then', 'else', 'dependentSchemas'])

export const isFreeForm = (schema: JsonObject, lookup: Lookup): boolean =>
  mayBeObject(schema, lookup) && schema.additionalProperties === undefined && !declareAny(schema, lookup)

/** Whether an object can match at most one variant, and the surrounding schema declares no properties. */
export const areDisjoint = (schema: JsonObject, lookup: Lookup): boolean => {
  if (declareAny({ ...schema, anyOf: [], oneOf: [] }, lookup)) return false
  if (schema.anyOf !== undefined && schema.oneOf !== undefined) return false
  if (isTold(schema)) return true
  const objects = variantsOf(schema, lookup).filter(each => mayBeObject(each, lookup))
  return objects.every((one, index) => objects.slice(index + 1).every(other => areExclusive(one, other, lookup)))
}

/**
 * Whether two schemas that may both apply describe a property as different objects: if closed, each would reject what only the
 * other declares.
 */
export const hasConflict = (schema: JsonObject, schemas: Schemas): boolean => {
  const { lookup } = schemas
  const around = (schema.required ?? []) as string[]
  const branches = branchesOf(schema, lookup)
  if (branches.some(each => hasConflict(each, schemas))) return true
  // A condition is not closed, since that would change which values satisfy it.
  if (isObject(schema.if) && [...childrenOf(flatObject(schema.if, lookup)).values()].some(isClosedIn(schemas)))
    return true
  return branches.some((one, index) => {
    const others = branches.slice(index + 1).filter(other => !areExclusive(one, other, lookup, around))
    const overlapping = [schema, ...others.flatMap(other => partsOf(other, lookup))]
    return partsOf(one, lookup).some(left => overlapping.some(right => haveSharedChild(left, right, schemas)))
  })
}

/** Whether a schema for the same value is a component that contains itself. */
export const refersToRecursive = (schema: JsonObject, schemas: Schemas): boolean =>
  partsInPlace(schema).some(
    part =>
      (isReference(part) && schemas.isRecursive(nameOf(part.$ref))) ||
      refersToRecursive(flatObject(part, schemas.lookup), schemas)
  )

/** The schemas in a schema that may apply to the same value. */
const branchesOf = (schema: JsonObject, lookup: Lookup): JsonObject[] =>
  partsInPlace(schema)
    .filter(each => each !== schema.not)
    .map(each => flatObject(each, lookup))

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
  ...branchesOf(schema, lookup).flatMap(each => partsOf(each, lookup))
]

const isClosedIn = (schemas: Schemas) => (child: Json) => isObject(child) && schemas.hasClosed(child)

const haveSharedChild = (left: JsonObject, right: JsonObject, schemas: Schemas): boolean => {
  const { lookup } = schemas
  const [one, other] = [childrenOf(left), childrenOf(right)]
  const isClosed = isClosedIn(schemas)
  for (const [name, child] of one) {
    const twin = other.get(name) ?? (name.startsWith('/') ? other.get(anyName) : undefined)
    if (twin === undefined || isDeepStrictEqual(flat(child, lookup), flat(twin, lookup))) continue
    if (isClosed(child) || isClosed(twin)) return true
  }
  // The other way round only for undeclared names; declared ones are compared above.
  return one.has(anyName) && [...other.values()].some(isClosed)
}

const anyName = 'additionalProperties'

const childrenOf = ({ properties, additionalProperties, patternProperties, items }: JsonObject): Map<string, Json> => {
  const children = new Map(entriesOf(properties).map(([name, child]) => [`/${name}`, child]))
  const others = [additionalProperties, ...entriesOf(patternProperties).map(([, each]) => each)].filter(each => each)
  if (others.length > 0) children.set(anyName, others.length === 1 ? (others[0] as Json) : { anyOf: others as Json[] })
  if (items !== undefined) children.set('items', items)
  return children
}
