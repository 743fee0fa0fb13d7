import { isObject, type Json, type JsonObject } from '../document/json.ts'
import { fitsOwnKeywords } from './defaults.ts'
import type { Report } from './problems.ts'
import { derive, locate } from './read.ts'
import { formats } from './rule.ts'
import { typesOf } from './schema.ts'
import { mapSubschemas } from './schema-tree.ts'

const int64 = { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n }

/** A bound that int64 implies anyway; a JavaScript number could not represent it exactly. */
export const isRangeOfInt64 = (schema: JsonObject, keyword: string) =>
  schema.format === 'int64' &&
  (keyword === 'minimum' || keyword === 'maximum') &&
  BigInt(schema[keyword] as bigint) === int64[keyword]

/** Checks merged schemas, omits formats of other types, and makes `{type: integer, format: int64}` the only form that stands for a bigint. */
export const finish = (schema: Json, report: Report): Json => {
  if (!isObject(schema)) return schema
  const result = mapSubschemas(schema, part => finish(part, report))
  const types = typesOf(result)
  const expected = typeof result.format === 'string' ? formats[result.format] : undefined
  // A format of texts says nothing about other values, so it may stand alone; those of numbers describe a type.
  const isAlone = types.length === 0 && expected === 'string'
  if (expected !== undefined && !types.includes(expected) && !isAlone) {
    report.carry(
      locate(result, 'format'),
      `format ${result.format} is for type: ${expected}, which is missing here, and is not checked`
    )
    delete result.format
  }
  if (result.default !== undefined && !fitsOwnKeywords(result, result.default)) {
    report.carry(locate(result, 'default'), 'the default is not applied: its schema does not allow it')
    delete result.default
  }
  const { format } = result
  for (const keyword of ['minimum', 'maximum']) {
    if (typeof result[keyword] !== 'bigint' || isRangeOfInt64(result, keyword)) continue
    report.add(
      locate(result, keyword),
      `${keyword} ${result[keyword]} is beyond 2^53; only int64's own bounds are supported there`
    )
  }
  return format === 'int64' && types.length > 1 ? splitInt64(result, types, report) : result
}

const integerKeywords = ['format', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
const outerKeywords = [
  'default',
  'const',
  'title',
  'description',
  'deprecated',
  'readOnly',
  'writeOnly',
  'example',
  'examples',
  'not'
]

/** Splits an int64 with other types into an `anyOf`. */
const splitInt64 = (schema: JsonObject, types: string[], report: Report): JsonObject => {
  const variants = ['anyOf', 'oneOf'].find(keyword => keyword in schema)
  if (variants !== undefined) {
    report.add(
      locate(schema, 'format'),
      `an int64 with several types beside ${variants} is not supported; make it a variant of its own`
    )
  }
  const integer: JsonObject = { type: 'integer' }
  const rest = types.filter(type => type !== 'integer')
  const other: JsonObject = { type: rest.length === 1 ? (rest[0] as string) : rest }
  const whole: JsonObject = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'type') continue
    if (keyword === 'enum') {
      const isInteger = (each: Json) => typeof each === 'number'
      integer.enum = (value as Json[]).filter(isInteger)
      other.enum = (value as Json[]).filter(each => !isInteger(each))
      continue
    }
    const part = integerKeywords.includes(keyword)
      ? integer
      : outerKeywords.includes(keyword) || keyword.startsWith('x-')
        ? whole
        : other
    part[keyword] = value
  }
  const parts = [integer, other].filter(part => !(Array.isArray(part.enum) && part.enum.length === 0))
  return derive({ ...whole, anyOf: parts.map(part => derive(part, schema)) }, schema)
}
