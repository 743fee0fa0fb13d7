import { entriesOf, getOrMake, isObject, type Json, type JsonObject, put, regexOf } from '@contract-first/document'
import { isTold, namesIn, toldApart } from './discriminator.ts'
import { isRangeOfInt64 } from './finish.ts'
import { isAnnotation } from './merge.ts'
import { flat, flatObject, isReference, type Lookup, nameOf, referenceTo } from './pointer.ts'
import type { Report } from './problems.ts'
import { derive, locate } from './read.ts'
import { mapValues, partsInPlace, subschemasOf } from './schema-tree.ts'
import type { Schemas } from './schemas.ts'
import {
  areDisjoint,
  declareAny,
  declares,
  declaresAlways,
  hasConflict,
  isFreeForm,
  refersToRecursive,
  requiredUnderConditions
} from './variants.ts'

/** `received` is a response as a client must accept it, ignoring additional properties. */
export type Direction = 'request' | 'response' | 'received'

// The keywords for validation and for forms. The others have no effect, and Ajv's strict mode rejects some of them.
const kept = new Set(
  (
    'title description $ref type format enum const default minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength ' +
    'pattern items prefixItems minItems maxItems uniqueItems properties required additionalProperties ' +
    'unevaluatedProperties minProperties maxProperties allOf anyOf oneOf not patternProperties propertyNames if then else ' +
    'dependentRequired dependentSchemas contains minContains maxContains unevaluatedItems'
  ).split(' ')
)

/**
 * The JSON Schema of values in one direction: `readOnly` properties only occur in responses, `writeOnly` ones in requests,
 * and an object that the service sends has only declared properties, unless the contract explicitly allows others. An
 * object without declared properties is free-form.
 *
 * Where more than one schema may apply to an object, and no keyword of JSON Schema can tell for the objects in it which
 * properties are declared, `undeclaredProperties: false` stands for that: for the whole value, at any depth.
 */
export const jsonSchema = (schema: JsonObject, direction: Direction, schemas: Schemas, report: Report): JsonObject => {
  const context: Context = { direction, schemas, report, form: undefined }
  carryWithoutType(schema, context)
  return whole(schema, nothing, context) as JsonObject
}

/** The same for a component, whose name may be followed by a form. */
export const componentSchema = (name: string, direction: Direction, schemas: Schemas, report: Report): JsonObject => {
  const [plain = '', form] = name.split(separator)
  const context: Context = { direction, schemas, report, form: form as Form }
  const schema = schemas.lookup(plain)
  carryWithoutType(schema, context)
  return whole(schema, nothing, context) as JsonObject
}

/**
 * A component is `open` where objects are closed by what surrounds them, and `tried` as a variant of a request, where
 * defaults are not applied.
 */
type Form = 'open' | 'tried' | undefined
/** Between a component's name and its form: no name has it. */
const separator = '\0'
export const withoutForm = (name: string): string => name.split(separator, 1)[0] as string

interface Context {
  direction: Direction
  schemas: Schemas
  report: Report
  form: Form
}
/** `without`: properties hidden by the schemas around a variant. */
type Convert = (value: Json, without: ReadonlySet<string>, context: Context) => Json

const nothing: ReadonlySet<string> = new Set()

const reference = (value: { $ref: string }, { form, schemas }: Context): Json => {
  if (form === undefined || (form === 'tried' && !schemas.hasDefault(value))) return value
  return { ...value, $ref: referenceTo('schemas', withoutForm(nameOf(value.$ref)) + separator + form) }
}

/** A complete value, whose object must be closed. */
const whole: Convert = (written, without, context) => {
  if (!isObject(written)) return written
  if (isReference(written)) return reference(written, context)
  const value = toldApart(written, context.schemas.lookup)
  return context.direction === 'response' && context.form !== 'open'
    ? closed(value, without, context)
    : converted(value, without, part, context)
}

const closed = (written: JsonObject, without: ReadonlySet<string>, context: Context): JsonObject => {
  const { schemas } = context
  const { lookup } = schemas
  const value = withRequired(written, lookup)
  if (isAlias(value)) return converted(value, without, whole, context)
  const hasParts = partsInPlace(value).length > 0
  const saysItself = value.additionalProperties !== undefined || value.unevaluatedProperties !== undefined
  const isClosed = !saysItself && declareAny(value, lookup)
  if (!hasParts)
    return { ...converted(value, without, part, context), ...(isClosed && { additionalProperties: false }) }
  // If an object can match only one variant, each variant is closed; otherwise the whole schema is.
  if (!saysItself && areDisjoint(value, lookup)) return converted(value, without, whole, context)
  if (isClosedAtOnce(value, schemas))
    return { ...converted(value, without, part, { ...context, form: 'open' }), undeclaredProperties: false }
  if (!isClosed) return converted(value, without, part, context)
  const variant = value.properties === undefined ? openPart : closedPart
  return { ...converted(value, without, variant, context), unevaluatedProperties: false }
}

/** Adds required properties that are described nowhere; they may have any value. */
const withRequired = (schema: JsonObject, lookup: Lookup): JsonObject => {
  const saysItself = ['additionalProperties', 'unevaluatedProperties'].some(each => each in schema)
  if (saysItself || !declareAny(schema, lookup)) return schema
  const missing = [
    ...((schema.required ?? []) as string[]).filter(name => !declaresAlways(schema, name, lookup)),
    ...requiredUnderConditions(schema, lookup).filter(name => !declares(schema, name, lookup))
  ]
  if (missing.length === 0) return schema
  const all = derive({ ...(schema.properties as JsonObject) }, (schema.properties as JsonObject) ?? schema)
  for (const name of missing) put(all, name, {})
  return derive({ ...schema, properties: all }, schema)
}

/** Whether a schema gets `undeclaredProperties` in responses. */
export const isClosedAtOnce = (written: JsonObject, schemas: Schemas): boolean => {
  const schema = toldApart(written, schemas.lookup)
  return (
    partsInPlace(schema).length > 0 &&
    !isAlias(schema) &&
    !areDisjoint(schema, schemas.lookup) &&
    (hasConflict(schema, schemas) || refersToRecursive(schema, schemas))
  )
}

/** Whether it only adds texts and the like to another schema. */
const isAlias = ({ allOf, ...others }: JsonObject) =>
  Array.isArray(allOf) && allOf.length === 1 && Object.keys(others).every(isAnnotation)

/** One of several schemas for the same value. */
const part: Convert = (value, without, context) => {
  const { direction, schemas, form } = context
  const schema = direction === 'response' && form !== 'open' ? flat(value, schemas.lookup) : value
  if (!isObject(schema)) return schema
  // Copied in place, as it may require properties that the schemas around it hide.
  const isInPlace = without.size > 0 && isReference(schema) && !schemas.isRecursive(nameOf(schema.$ref))
  const target = isInPlace ? flatObject(schema, schemas.lookup) : schema
  if (isReference(target)) return reference(target, context)
  return converted(toldApart(target, schemas.lookup), without, part, context)
}

/** The same in a response, where the whole is closed. */
const closedPart: Convert = (value, without, context) => {
  const { lookup } = context.schemas
  const schema = flat(value, lookup)
  if (!isObject(schema)) return schema
  return converted(withRequired(toldApart(schema, lookup), lookup), without, closedPart, context)
}

/** The same within a schema without declared properties: if this one has none either, it is free-form. */
const openPart: Convert = (value, without, context) => {
  const result = closedPart(value, without, context)
  return isObject(result) && isFreeForm(result, context.schemas.lookup)
    ? { ...result, additionalProperties: true }
    : result
}

const converted = (
  written: JsonObject,
  around: ReadonlySet<string>,
  variant: Convert,
  context: Context
): JsonObject => {
  const value = context.direction === 'request' ? withOwnDefaults(written, context.schemas.lookup) : written
  const own = hiddenIn(value, context)
  const hidden = new Set([...around, ...own])
  const result = derive({} as JsonObject, value)
  for (const keyword of Object.keys(value)) {
    const each = value[keyword] as Json
    if (!kept.has(keyword) || isRangeOfInt64(value, keyword)) continue
    if (keyword === 'default' && context.form === 'tried') continue
    result[keyword] = convertedKeyword(keyword, each, hidden, variant, context)
  }
  const never = rejected(hidden, around, value, context)
  if (Object.keys(never).length > 0)
    result.properties = derive({ ...(result.properties as JsonObject), ...never }, value)
  if (isObject(value.discriminator)) result.discriminator = dispatching(value, value.discriminator)
  return context.direction === 'request' ? withoutDefaultsOfRequired(result, value, context.report) : result
}

/** A property that must not be sent. Compiled code names the reason; exported schemas have `false` instead. */
export const notInRequests: JsonObject = { not: {}, readOnly: true }
export const notInResponses: JsonObject = { not: {}, writeOnly: true }

/** The properties that do not occur in a direction, as schemas that reject them; none if the object is closed anyway. */
const rejected = (
  hidden: ReadonlySet<string>,
  around: ReadonlySet<string>,
  { additionalProperties, unevaluatedProperties }: JsonObject,
  { direction, form }: Context
): JsonObject => {
  const others = additionalProperties ?? unevaluatedProperties ?? form === 'open'
  if (direction === 'received' || (direction === 'response' && others === false)) return {}
  // For requests, the outermost schema is enough; in responses, each variant is open or closed by itself.
  const names = direction === 'request' ? [...hidden].filter(name => !around.has(name)) : [...hidden]
  const all: JsonObject = {}
  for (const name of names) put(all, name, direction === 'request' ? notInRequests : notInResponses)
  return all
}

/** A discriminator whose `mapping` leads to the variants' numbers, instead of references or names of components. */
const dispatching = (schema: JsonObject, discriminator: JsonObject): JsonObject => {
  if (isTold(schema)) return discriminator
  const values = derive({} as JsonObject, schema)
  const { names } = namesIn((schema.oneOf ?? schema.anyOf) as Json[], discriminator.mapping)
  for (const [name, index] of names) put(values, name, index)
  return derive({ propertyName: discriminator.propertyName as Json, mapping: values }, schema)
}

const carryWithoutType = (schema: Json, { direction, report }: Context) => {
  if (direction === 'request' && isObject(schema) && isObjectWithoutType(schema))
    report.carry(
      locate(schema, objectKeyword(schema)),
      'without a type, values that are not objects are valid as well, and handlers must expect them; add type: object'
    )
}

/** Whether it describes objects, but allows all other values. */
export const isObjectWithoutType = (schema: JsonObject): boolean =>
  objectKeyword(schema) !== undefined &&
  ['type', 'enum', 'const', 'allOf', 'anyOf', 'oneOf'].every(each => schema[each] === undefined)

/** The first keyword that describes the properties of an object; `additionalProperties: true` describes none. */
export const objectKeyword = (schema: JsonObject): string | undefined =>
  ['properties', 'patternProperties', 'additionalProperties'].find(
    each => schema[each] !== undefined && schema[each] !== true
  )

/** Replaces a required property by the target of its reference if that has a default, which then can be removed only here. */
const withOwnDefaults = (schema: JsonObject, lookup: Lookup): JsonObject => {
  const { properties, required } = schema
  if (!isObject(properties) || !Array.isArray(required)) return schema
  const inherited = (required as string[]).flatMap((name): [string, JsonObject][] => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    const target = isReference(property) ? flatObject(property, lookup) : {}
    return target.default === undefined ? [] : [[name, target]]
  })
  if (inherited.length === 0) return schema
  const own = derive({ ...properties }, properties)
  for (const [name, target] of inherited) put(own, name, target)
  return derive({ ...schema, properties: own }, schema)
}

/** Removes the defaults of required properties, which clients must send. */
const withoutDefaultsOfRequired = (schema: JsonObject, written: JsonObject, report: Report): JsonObject => {
  const { properties } = schema
  if (!isObject(properties) || !Array.isArray(schema.required)) return schema
  const inert = (schema.required as string[]).filter(name => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    return isObject(property) && property.default !== undefined
  })
  if (inert.length === 0) return schema
  const kept = { ...properties }
  for (const name of inert) {
    const { default: _, ...others } = kept[name] as JsonObject
    put(kept, name, derive(others, kept[name] as JsonObject))
    const at = (written.properties as JsonObject)[name] as JsonObject
    report.carry(locate(at, 'default'), `the default of ${name} has no effect: it is required`)
  }
  return { ...schema, properties: kept }
}

/** The names of the properties of a value that do not occur in this direction, whichever of its schemas says so. */
const hiddenIn = (schema: JsonObject, { direction, schemas }: Context): Set<string> => {
  const flag = flagOf(direction)
  return schemas.hasFlag(schema, flag) ? occurrencesIn(schema, flag, schemas.lookup, new Set()).hidden : new Set()
}

type Flag = 'readOnly' | 'writeOnly'
const flagOf = (direction: Direction): Flag => (direction === 'request' ? 'readOnly' : 'writeOnly')

/** A property that one variant hides may still occur in another. */
const occurrencesIn = (
  schema: JsonObject,
  flag: Flag,
  lookup: Lookup,
  seen: Set<JsonObject>
): { hidden: Set<string>; shown: Set<string> } => {
  const [hidden, named] = [new Set<string>(), new Set<string>()]
  const variants: JsonObject[] = []
  const look = (written: JsonObject) => {
    const each = flatObject(written, lookup)
    if (seen.has(each)) return
    seen.add(each)
    for (const [name, property] of entriesOf(each.properties)) {
      ;(isMarked(property, flag, lookup) ? hidden : named).add(name)
    }
    for (const name of (each.required ?? []) as string[])
      if (othersFor(each, name).some(other => isMarked(other, flag, lookup))) hidden.add(name)
    for (const part of subschemasOf(each, keyword => together.has(keyword))) look(part)
    variants.push(...subschemasOf(each, keyword => keyword === 'anyOf' || keyword === 'oneOf'))
  }
  look(schema)
  const inner = variants.map(each => occurrencesIn(each, flag, lookup, new Set(seen)))
  const shown = new Set(inner.flatMap(each => [...each.shown]).filter(name => !hidden.has(name)))
  for (const each of inner) for (const name of each.hidden) if (!shown.has(name)) hidden.add(name)
  for (const name of named) if (!hidden.has(name)) shown.add(name)
  return { hidden, shown }
}

const isMarked = (property: Json, flag: Flag, lookup: Lookup) =>
  isObject(property) && flatObject(property, lookup)[flag] === true

/** The schemas for a property that is not declared by its name. */
const othersFor = ({ properties, patternProperties, additionalProperties }: JsonObject, name: string): Json[] => {
  if (isObject(properties) && Object.hasOwn(properties, name)) return []
  const matching = entriesOf(patternProperties).filter(([pattern]) => regexOf(pattern)?.test(name) === true)
  return matching.length === 0 ? [additionalProperties ?? true] : matching.map(([, each]) => each)
}

/** A schema for properties that have no name in it; those that do not occur in this direction match nothing. */
const ofOthers = (value: Json, context: Context): Json => {
  const { direction, schemas } = context
  if (!isMarked(value, flagOf(direction), schemas.lookup)) return whole(value, nothing, context)
  return { request: notInRequests, response: notInResponses, received: true }[direction]
}

const together = new Set(['allOf', 'if', 'then', 'else', 'dependentSchemas'])

const convertedKeyword = (
  keyword: string,
  value: Json,
  hidden: ReadonlySet<string>,
  variant: Convert,
  context: Context
): Json => {
  switch (keyword) {
    case 'properties': {
      const visible: JsonObject = {}
      for (const [name, each] of Object.entries(value as JsonObject))
        if (!hidden.has(name)) {
          carryWithoutType(each, context)
          put(visible, name, whole(each, nothing, context))
        }
      return visible
    }
    case 'required':
      return (value as string[]).filter(name => !hidden.has(name))
    case 'allOf':
      return (value as Json[]).map(each => variant(each, hidden, context))
    case 'anyOf':
    case 'oneOf':
      return (value as Json[]).map(each => variant(each, hidden, asTried(each, context)))
    case 'not':
      // As written, not closed: closing it would change which values it rejects.
      return isReference(value) ? value : whole(value, nothing, { ...context, direction: 'request' })
    case 'if':
    case 'contains':
      // As written, too: closing them would change which values they accept.
      return whole(value, nothing, {
        ...asTried(value, context, keyword),
        ...(context.direction === 'response' && { form: 'open' })
      })
    case 'then':
    case 'else':
      return conditional(variant)(value, hidden, context)
    case 'dependentSchemas':
      return mapValues(value as JsonObject, each => conditional(variant)(each, hidden, context))
    case 'patternProperties':
      return mapValues(value as JsonObject, each => ofOthers(each, context))
    case 'prefixItems':
      return (value as Json[]).map(each => whole(each, nothing, context))
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return ofOthers(value, context)
    case 'items':
    case 'unevaluatedItems':
      return whole(value, nothing, context)
  }
  return value
}

/** A conditional schema without properties does not make the object free-form. */
const conditional = (variant: Convert): Convert => (variant === openPart ? closedPart : variant)

/** Defaults are not applied in variants that are only tried. */
const asTried = (variant: Json, context: Context, where = 'an anyOf or oneOf'): Context => {
  const { direction, schemas } = context
  if (direction !== 'request' || !isObject(variant) || !schemas.hasDefault(variant)) return context
  const seen = warned.get(context.report) ?? new Map<string, Set<object>>()
  warned.set(context.report, seen)
  warnOfDefaults(
    variant,
    where,
    context,
    getOrMake(seen, where, () => new Set())
  )
  return { ...context, form: 'tried' }
}

/** The schemas visited already: variants that refer to each other are reached from each of them. */
const warned = new WeakMap<Report, Map<string, Set<object>>>()

const warnOfDefaults = (schema: JsonObject, where: string, context: Context, seen: Set<object>) => {
  const { schemas, report } = context
  if (seen.has(schema)) return
  seen.add(schema)
  const target = flatObject(schema, schemas.lookup)
  for (const [name, each] of entriesOf(target.properties)) {
    const property = flat(each, schemas.lookup) as JsonObject
    if (property.default !== undefined) report.carry(locate(property, 'default'), defaultInVariant(name, where))
  }
  for (const each of subschemasOf(target)) warnOfDefaults(each, where, context, seen)
}

const defaultInVariant = (name: string, where: string) =>
  `the default of ${name} has no effect inside ${where}; mention it in the description, or declare ${name} beside ${where === 'an anyOf or oneOf' ? 'the variants' : 'it'}`
