import { fullFormats } from 'ajv-formats/dist/formats.js'
import { isObject, type Json, type JsonObject } from '../document/json.ts'
import { regexOf } from '../document/regular-expression.ts'
import { typesOf } from './schema.ts'

/** Whether a value fits a schema, of which properties and items are not checked. `flat` gives the target of a reference. */
export const fits = (written: Json, value: Json, flat: (schema: JsonObject) => JsonObject): boolean => {
  if (!isObject(written)) return written !== false
  const schema = flat(written)
  const { allOf = [], anyOf, oneOf } = schema as Record<string, Json[] | undefined>
  const fitting = (variants: Json[]) => variants.filter(each => fits(each, value, flat)).length
  return (
    fitsOwnKeywords(schema, value) &&
    fitting(allOf) === allOf.length &&
    (anyOf === undefined || fitting(anyOf) > 0) &&
    (oneOf === undefined || fitting(oneOf) === 1)
  )
}

/** The type, the listed values, the bounds, the pattern and the format. */
const fitsOwnKeywords = (schema: JsonObject, value: Json): boolean => {
  const types = typesOf(schema)
  if (types.length > 0 && !typesOfValue(value).some(each => types.includes(each))) return false
  const isAmong = (values: readonly Json[]) => values.some(each => JSON.stringify(each) === JSON.stringify(value))
  if (Array.isArray(schema.enum) && !isAmong(schema.enum)) return false
  if (schema.const !== undefined && !isAmong([schema.const])) return false
  const within = (size: number, least: Json | undefined, most: Json | undefined) =>
    (least === undefined || size >= Number(least)) && (most === undefined || size <= Number(most))
  if (typeof value === 'number') return within(value, schema.minimum, schema.maximum)
  if (Array.isArray(value)) return within(value.length, schema.minItems, schema.maxItems)
  if (typeof value !== 'string') return true
  const isMatched = typeof schema.pattern !== 'string' || regexOf(schema.pattern)?.test(value) === true
  return isMatched && hasFormat(schema.format, value) && within([...value].length, schema.minLength, schema.maxLength)
}

const hasFormat = (name: Json | undefined, text: string): boolean => {
  if (typeof name !== 'string' || !Object.hasOwn(fullFormats, name)) return true
  const format = fullFormats[name as keyof typeof fullFormats]
  const test = typeof format === 'object' && 'validate' in format ? format.validate : format
  if (test instanceof RegExp) return test.test(text)
  return typeof test === 'function' ? (test as (text: string) => boolean)(text) : true
}

const typesOfValue = (value: Json): string[] => {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  if (isObject(value)) return ['object']
  if (typeof value === 'bigint') return ['integer', 'number']
  if (typeof value !== 'number') return [typeof value]
  return Number.isInteger(value) ? ['integer', 'number'] : ['number']
}
