import { entriesOf, isObject, type Json, type JsonObject, put } from '../document/json.ts'
import { isRangeOfInt64 } from './finish.ts'
import { flat, isReference, type Lookup } from './pointer.ts'
import type { Report } from './problems.ts'
import { derive, locate } from './read.ts'
import { subschemasOf } from './schema-tree.ts'
import { areDisjoint, conflictIn, declareAny, isFreeForm } from './variants.ts'

/** `received` is a response as a client must accept it, ignoring additional properties. */
export type Direction = 'request' | 'response' | 'received'

// The keywords for validation and for forms; the others are for other readers, and Ajv's strict mode rejects some.
const kept = new Set(
  (
    'title description $ref type format enum const default minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength ' +
    'pattern items prefixItems minItems maxItems uniqueItems properties required additionalProperties ' +
    'unevaluatedProperties minProperties maxProperties anyOf oneOf not'
  ).split(' ')
)

/**
 * The JSON Schema of values in one direction: `readOnly` properties only occur in responses, `writeOnly` ones in requests,
 * and an object that the service sends has only declared properties, unless the contract explicitly allows others. An
 * object without declared properties is free-form.
 */
export const jsonSchema = (schema: JsonObject, direction: Direction, lookup: Lookup, report: Report): JsonObject =>
  whole(schema, nothing, { direction, lookup, report }) as JsonObject

interface Context {
  direction: Direction
  lookup: Lookup
  report: Report
}
/** `without`: properties hidden by the schemas around a variant. */
type Convert = (value: Json, without: ReadonlySet<string>, context: Context) => Json

const nothing: ReadonlySet<string> = new Set()

/** A complete value, whose object must be closed. */
const whole: Convert = (value, without, context) => {
  if (!isObject(value) || isReference(value)) return value
  const { direction, lookup, report } = context
  if (direction !== 'response') return converted(value, without, part, context)
  const conflict = conflictIn(value, lookup)
  if (conflict !== undefined) {
    report.add(locate(value, value.anyOf === undefined ? 'oneOf' : 'anyOf'), declaredDifferently(conflict))
  }
  const saysItself = value.additionalProperties !== undefined || value.unevaluatedProperties !== undefined
  if (saysItself || !declareAny(value, lookup)) return converted(value, without, part, context)
  if (value.anyOf === undefined && value.oneOf === undefined) {
    return { ...converted(value, without, part, context), additionalProperties: false }
  }
  // If an object can match only one variant, each variant is closed; otherwise the whole schema is.
  if (areDisjoint(value, lookup)) return converted(value, without, whole, context)
  const variant = value.properties === undefined ? openPart : part
  return { ...converted(value, without, variant, context), unevaluatedProperties: false }
}

/** One of several schemas for the same value. */
const part: Convert = (value, without, context) => {
  const schema = context.direction === 'response' ? flat(value, context.lookup) : value
  return isObject(schema) && !isReference(schema) ? converted(schema, without, part, context) : schema
}

/** The same within a schema without declared properties: if this one has none either, it is free-form. */
const openPart: Convert = (value, without, context) => {
  const result = part(value, without, context)
  return isObject(result) && isFreeForm(result, context.lookup) ? { ...result, additionalProperties: true } : result
}

const converted = (value: JsonObject, around: ReadonlySet<string>, variant: Convert, context: Context): JsonObject => {
  const hidden = new Set([...around, ...hiddenIn(value, context)])
  const result = derive({} as JsonObject, value)
  for (const [keyword, each] of Object.entries(value)) {
    if (!kept.has(keyword) || isRangeOfInt64(value, keyword)) continue
    result[keyword] = convertedKeyword(keyword, each, hidden, variant, context)
  }
  return result
}

/** The names of the properties that do not occur in this direction. */
const hiddenIn = ({ properties }: JsonObject, { direction, lookup }: Context): string[] => {
  const hiding = direction === 'request' ? 'readOnly' : 'writeOnly'
  const isHidden = ([, each]: [string, Json]) => {
    const property = flat(each, lookup)
    return isObject(property) && property[hiding] === true
  }
  return entriesOf(properties)
    .filter(isHidden)
    .map(([name]) => name)
}

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
        if (!hidden.has(name)) put(visible, name, whole(each, nothing, context))
      return visible
    }
    case 'required':
      return (value as string[]).filter(name => !hidden.has(name))
    case 'anyOf':
    case 'oneOf':
      if (context.direction === 'request') refuseDefaults(value as Json[], context)
      return (value as Json[]).map(each => variant(each, hidden, context))
    case 'not':
      // It also rejects values with additional properties.
      return isReference(value) ? value : whole(value, nothing, { ...context, direction: 'request' })
    case 'prefixItems':
      return (value as Json[]).map(each => whole(each, nothing, context))
    case 'items':
    case 'additionalProperties':
      return whole(value, nothing, context)
  }
  return value
}

/** The validator does not apply defaults while it tries variants. */
const refuseDefaults = (values: Json[], context: Context) => {
  const { lookup, report } = context
  for (const schema of values.map(each => flat(each, lookup)).filter(isObject)) {
    for (const [name, each] of entriesOf(schema.properties)) {
      const property = flat(each, lookup) as JsonObject
      if (property.default !== undefined) report.add(locate(property, 'default'), defaultInVariant(name))
    }
    refuseDefaults(subschemasOf(schema), context)
  }
}

const defaultInVariant = (name: string) =>
  `the default of ${name} has no effect inside an anyOf or oneOf; mention it in the description, or declare ${name} beside the variants`

const declaredDifferently = (name: string) =>
  `more than one of these schemas may apply, and they declare the object ${name} differently, so undeclared properties of a response could not be rejected; distinguish the variants by a required const, or declare ${name} once`
