import { isObject, type Json, type JsonObject } from '../document/json.ts'
import { regexOf } from '../document/regular-expression.ts'
import { typesOf } from './schema.ts'

/** Whether a value fits the type, the listed values, the bounds and the pattern of a schema. Formats, properties and items are not checked. */
export const fitsOwnKeywords = (schema: JsonObject, value: Json): boolean => {
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
  return isMatched && within([...value].length, schema.minLength, schema.maxLength)
}

const typesOfValue = (value: Json): string[] => {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  if (isObject(value)) return ['object']
  if (typeof value === 'bigint') return ['integer', 'number']
  if (typeof value !== 'number') return [typeof value]
  return Number.isInteger(value) ? ['integer', 'number'] : ['number']
}
