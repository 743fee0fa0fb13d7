import { entriesOf, isObject, type Json, type JsonObject, put } from '../document/json.ts'
import { isRangeOfInt64 } from './finish.ts'
import { isReference, nameOf } from './pointer.ts'
import type { Report } from './problems.ts'
import { derive, locate } from './read.ts'
import { subschemasOf } from './schema-tree.ts'
import { type Lookup, variantsFor } from './variants.ts'

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
export const jsonSchema = (schema: JsonObject, direction: Direction, lookup: Lookup, report: Report): JsonObject => {
  const hiding = direction === 'request' ? 'readOnly' : 'writeOnly'
  const flat = (value: Json): Json => (isReference(value) ? flat(lookup(nameOf(value.$ref))) : value)
  const variants = variantsFor(flat)

  /** A complete value, whose object must be closed. `without`: properties hidden by the schemas around a variant. */
  const whole: Schemer = (value, without) => {
    if (!isObject(value) || isReference(value)) return value
    if (direction !== 'response') return converted(value, without, part)
    const conflict = variants.conflictIn(value)
    if (conflict !== undefined) {
      report.add(locate(value, value.anyOf === undefined ? 'oneOf' : 'anyOf'), inSeveral(conflict))
    }
    const saysItself = value.additionalProperties !== undefined || value.unevaluatedProperties !== undefined
    if (saysItself || !variants.declareAny(value)) return converted(value, without, part)
    if (value.anyOf === undefined && value.oneOf === undefined) {
      return { ...converted(value, without, part), additionalProperties: false }
    }
    // If an object can match only one variant, each variant is closed; otherwise the whole schema is.
    if (variants.areApart(value)) return converted(value, without, whole)
    const variant = value.properties === undefined ? openPart : part
    return { ...converted(value, without, variant), unevaluatedProperties: false }
  }
  /** One of several schemas for the same value. */
  const part: Schemer = (value, without) => {
    const schema = direction === 'response' ? flat(value) : value
    return isObject(schema) && !isReference(schema) ? converted(schema, without, part) : schema
  }
  /** The same within a schema without declared properties: if this one has none either, it is free-form. */
  const openPart: Schemer = (value, without) => {
    const result = part(value, without)
    if (!isObject(result) || !variants.isFreeForm(result)) return result
    return { ...result, additionalProperties: true }
  }

  const converted = (value: JsonObject, around: ReadonlySet<string>, variant: Schemer): JsonObject => {
    const properties = isObject(value.properties) ? value.properties : {}
    const isHidden = (name: string) => {
      const property = Object.hasOwn(properties, name) ? flat(properties[name] as Json) : undefined
      return isObject(property) && property[hiding] === true
    }
    const hidden = new Set([...around, ...Object.keys(properties).filter(isHidden)])
    const result = derive({} as JsonObject, value)
    for (const [keyword, each] of Object.entries(value)) {
      if (!kept.has(keyword) || isRangeOfInt64(value, keyword)) continue
      result[keyword] = convertedKeyword(keyword, each, hidden, variant)
    }
    return result
  }
  const convertedKeyword = (keyword: string, value: Json, hidden: ReadonlySet<string>, variant: Schemer): Json => {
    switch (keyword) {
      case 'properties': {
        const visible: JsonObject = {}
        for (const [name, each] of Object.entries(value as JsonObject))
          if (!hidden.has(name)) put(visible, name, whole(each, nothing))
        return visible
      }
      case 'required':
        return (value as string[]).filter(name => !hidden.has(name))
      case 'anyOf':
      case 'oneOf':
        if (direction === 'request') refuseDefaults(value as Json[])
        return (value as Json[]).map(each => variant(each, hidden))
      case 'not':
        return isReference(value) ? value : open(value)
      case 'prefixItems':
        return (value as Json[]).map(each => whole(each, nothing))
      case 'items':
      case 'additionalProperties':
        return whole(value, nothing)
    }
    return value
  }
  // The validator does not apply defaults while it tries variants.
  const refuseDefaults = (values: Json[]) => {
    for (const schema of values.map(flat).filter(isObject)) {
      for (const [name, property] of entriesOf(schema.properties)) {
        const { default: byDefault } = flat(property) as JsonObject
        if (byDefault === undefined) continue
        report.add(locate(flat(property) as JsonObject, 'default'), inVariant(name))
      }
      refuseDefaults(subschemasOf(schema))
    }
  }
  // A `not` also rejects values with additional properties.
  const open = (value: Json): Json =>
    isObject(value) ? jsonSchema(flat(value) as JsonObject, 'request', lookup, report) : value
  return whole(schema, nothing) as JsonObject
}

type Schemer = (value: Json, without: ReadonlySet<string>) => Json

const nothing: ReadonlySet<string> = new Set()

const inVariant = (name: string) =>
  `the default of ${name} has no effect inside an anyOf or oneOf; mention it in the description, or declare ${name} beside the variants`

const inSeveral = (name: string) =>
  `more than one of these schemas may apply, and they declare the object ${name} differently, so undeclared properties of a response could not be rejected; distinguish the variants by a required const, or declare ${name} once`
