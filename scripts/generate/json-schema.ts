import { derive, isObject, type Json, type JsonObject } from './read.ts'

export type Direction = 'request' | 'response'

// What validates; the rest is for readers, and Ajv's strict mode refuses some of it.
const validating = new Set([
  '$ref',
  'type',
  'format',
  'enum',
  'const',
  'default',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'items',
  'prefixItems',
  'minItems',
  'maxItems',
  'uniqueItems',
  'properties',
  'required',
  'additionalProperties',
  'unevaluatedProperties',
  'minProperties',
  'maxProperties',
  'anyOf',
  'oneOf',
  'not'
])

const int64 = { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n }

/**
 * The JSON Schema of what goes in one direction: `readOnly` properties are for responses alone, `writeOnly` ones for
 * requests, and an object that we send has the declared properties only, unless the contract says that it may have others.
 */
export const jsonSchema = (schema: JsonObject, direction: Direction): JsonObject => {
  const hidden = direction === 'request' ? 'readOnly' : 'writeOnly'
  const convert = (value: JsonObject, mayClose: boolean): JsonObject => {
    const result = derive({} as JsonObject, value)
    const properties = isObject(value.properties) ? value.properties : undefined
    const isHidden = (name: string) => {
      const property = properties?.[name]
      return isObject(property) && property[hidden] === true
    }
    // A variant of an anyOf sees its part of the object only: the whole is closed around them.
    const variants = value.anyOf ?? value.oneOf
    const closing = direction === 'response' && mayClose && value.additionalProperties === undefined
    for (const [keyword, part] of Object.entries(value)) {
      if (!validating.has(keyword)) continue
      if (isRangeOfInt64(value, keyword)) continue
      if (keyword === 'properties') {
        const kept = Object.entries(part as JsonObject).filter(([name]) => !isHidden(name))
        result.properties = Object.fromEntries(kept.map(([name, each]) => [name, convert(each as JsonObject, true)]))
      } else if (keyword === 'required') {
        result.required = (part as string[]).filter(name => !isHidden(name))
      } else if (keyword === 'anyOf' || keyword === 'oneOf') {
        result[keyword] = (part as JsonObject[]).map(each => convert(each, mayClose && properties === undefined))
      } else if (keyword === 'prefixItems') {
        result[keyword] = (part as JsonObject[]).map(each => convert(each, true))
      } else if (keyword === 'not' && isObject(part)) {
        result.not = convert(part, false)
      } else if ((keyword === 'items' || keyword === 'additionalProperties') && isObject(part)) {
        result[keyword] = convert(part, true)
      } else {
        result[keyword] = part
      }
    }
    if (closing && properties !== undefined && value.unevaluatedProperties === undefined) {
      result[variants === undefined ? 'additionalProperties' : 'unevaluatedProperties'] = false
    }
    return result
  }
  return convert(schema, true)
}

/** Bounds that say no more than the format does; as JavaScript numbers they could not be written exactly. */
const isRangeOfInt64 = (schema: JsonObject, keyword: string) =>
  schema.format === 'int64' &&
  (keyword === 'minimum' || keyword === 'maximum') &&
  BigInt(schema[keyword] as bigint) === int64[keyword]

/** Calls back for every schema below this one, this one included. */
export const eachSchema = (schema: Json, visit: (schema: JsonObject) => void): void => {
  if (Array.isArray(schema)) for (const each of schema) eachSchema(each, visit)
  if (!isObject(schema)) return
  visit(schema)
  for (const keyword of ['items', 'additionalProperties', 'not', 'anyOf', 'oneOf', 'prefixItems']) {
    eachSchema(schema[keyword] ?? null, visit)
  }
  if (isObject(schema.properties)) for (const each of Object.values(schema.properties)) eachSchema(each, visit)
}
