import { isObject, type Json, type JsonObject, jsonText, regexOf } from '@contract-first/document'
import { testOfFormat } from '@contract-first/formats'
import { isAnnotation } from './merge.ts'
import { typesOf } from './schema-tree.ts'

type Flat = (schema: JsonObject) => JsonObject

/** Whether a request's value fits a schema, as far as keywords are looked at here. `flat` gives the target of a reference. */
export const fits = (written: Json, value: Json, flat: Flat): boolean => {
  if (!isObject(written)) return written !== false
  const schema = flat(written)
  const { allOf = [], anyOf, oneOf } = schema as Record<string, Json[] | undefined>
  const fitting = (variants: Json[]) => variants.filter(each => fits(each, value, flat)).length
  return (
    fitsOwnKeywords(schema, value) &&
    fitsParts(schema, value, flat) &&
    fitting(allOf) === allOf.length &&
    (schema.not === undefined || !fitsForCertain(schema.not, value, flat)) &&
    (anyOf === undefined || fitting(anyOf) > 0) &&
    (oneOf === undefined || fitting(oneOf) === 1)
  )
}

/** Whether it fits, and all keywords are looked at. */
const fitsForCertain = (written: Json, value: Json, flat: Flat): boolean => {
  const isWhole =
    !isObject(written) || Object.keys(flat(written)).every(each => decided.has(each) || isAnnotation(each))
  return isWhole && fits(written, value, flat)
}
const decided = new Set(
  'type enum const minimum maximum minLength maxLength minItems maxItems pattern required'.split(' ')
)

/** The properties and items. */
const fitsParts = (schema: JsonObject, value: Json, flat: Flat): boolean => {
  if (Array.isArray(value)) {
    const first = (schema.prefixItems ?? []) as Json[]
    return value.every((each, index) => fits(first[index] ?? schema.items ?? true, each, flat))
  }
  if (!isObject(value)) return true
  const { properties = {}, required = [], additionalProperties = true } = schema
  const own = (name: string) =>
    Object.hasOwn(properties as object, name) ? (properties as JsonObject)[name] : undefined
  const isReadOnly = (each: Json | undefined) => isObject(each) && flat(each).readOnly === true
  return (
    (required as string[]).every(name => Object.hasOwn(value, name) || isReadOnly(own(name))) &&
    Object.entries(value).every(([name, each]) => {
      const others = schema.patternProperties === undefined ? additionalProperties : true
      return fits(own(name) ?? others, each, flat)
    })
  )
}

/** The type, the listed values, the bounds, the pattern and the format. */
const fitsOwnKeywords = (schema: JsonObject, value: Json): boolean => {
  const types = typesOf(schema)
  if (types.length > 0 && !typesOfValue(value).some(each => types.includes(each))) return false
  const isAmong = (values: readonly Json[]) => values.some(each => jsonText(each) === jsonText(value))
  if (Array.isArray(schema.enum) && !isAmong(schema.enum)) return false
  if (schema.const !== undefined && !isAmong([schema.const])) return false
  const within = (size: number | bigint, least: Json | undefined, most: Json | undefined) =>
    (least === undefined || size >= (least as number)) && (most === undefined || size <= (most as number))
  // Other integers are numbers, which are exact up to 2^53.
  if (typeof value === 'bigint' && !types.includes('number') && types.includes('integer'))
    if (schema.format !== 'int64' || BigInt.asIntN(64, value) !== value) return false
  if (typeof value === 'number' || typeof value === 'bigint') return within(value, schema.minimum, schema.maximum)
  if (Array.isArray(value)) return within(value.length, schema.minItems, schema.maxItems)
  if (typeof value !== 'string') return true
  const isMatched = typeof schema.pattern !== 'string' || regexOf(schema.pattern)?.test(value) === true
  const isOfFormat = testOfFormat(String(schema.format))?.(value) !== false
  return isMatched && isOfFormat && within([...value].length, schema.minLength, schema.maxLength)
}

const typesOfValue = (value: Json): string[] => {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  if (isObject(value)) return ['object']
  if (typeof value === 'bigint') return ['integer', 'number']
  if (typeof value !== 'number') return [typeof value]
  return Number.isInteger(value) ? ['integer', 'number'] : ['number']
}
