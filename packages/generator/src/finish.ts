import { isObject, type Json, type JsonObject } from '@contract-first/document'
import { type Bases, isBase, withoutBase } from './bases.ts'
import { fits } from './defaults.ts'
import { contradictory, impossible } from './merge.ts'
import type { Report } from './problems.ts'
import { contradictionAt, derive, deriveContradiction, jointOf, locate } from './read.ts'
import { formats } from './rule.ts'
import { mapSubschemas, typesOf } from './schema-tree.ts'

const least = -(2n ** 63n)
const most = 2n ** 63n - 1n

const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const

/** Whether int64 implies a bound anyway, even one that was rounded beyond its range. */
export const isRangeOfInt64 = (schema: JsonObject, keyword: string): boolean => {
  const value = schema[keyword]
  return schema.format === 'int64' && isLarge(value) && impliedBounds[keyword]?.(value) === true
}

const impliedBounds: Readonly<Record<string, (value: number | bigint) => boolean>> = {
  minimum: value => value <= least,
  maximum: value => value >= most,
  exclusiveMinimum: value => value < least,
  exclusiveMaximum: value => value > most
}

const isLarge = (value: Json | undefined): value is number | bigint =>
  typeof value === 'bigint' || (Number.isInteger(value) && !Number.isSafeInteger(value))

/** Integers with a bound beyond 2^53 are int64, as no smaller type could hold them. */
const withLargeBounds = (schema: JsonObject, types: readonly string[], report: Report): void => {
  // Where `number` is allowed, such values are doubles.
  if (types.includes('number'))
    for (const keyword of bounds) if (typeof schema[keyword] === 'bigint') schema[keyword] = Number(schema[keyword])
  if (!types.includes('integer')) return
  for (const keyword of bounds) {
    const value = schema[keyword]
    if (!isLarge(value) || isRangeOfInt64(schema, keyword)) continue
    if (value >= least && value <= most) schema.format ??= 'int64'
    else if (/^max|Max/.test(keyword) === value > 0) {
      // ±2^63 is the end of int64, rounded by a tool that only knows doubles.
      if (Number(value) !== 2 ** 63 && Number(value) !== -(2 ** 63))
        report.carry(
          locate(schema, keyword),
          `${keyword} ${value} is beyond int64: integers are served ${value > 0 ? 'up to 2^63 - 1' : 'down to -2^63'}`
        )
      schema.format ??= 'int64'
      delete schema[keyword]
    } else
      report.add(locate(schema, keyword), `${keyword} ${value} is beyond int64, the largest integers that are served`)
  }
}

/** Checks merged schemas, drops formats of other types, and makes `{type: integer, format: int64}` the only form of a bigint. */
export const finish = (schema: Json, report: Report, flat: (schema: JsonObject) => JsonObject, bases: Bases): Json => {
  if (!isObject(schema)) return schema
  const result = mapSubschemas(schema, (part, keyword) => {
    // A schema that applies a base to the same value is one of its children.
    const target = keyword === 'allOf' && isObject(part) ? flat(part) : part
    return finish(
      target !== part && isObject(target) && isBase(target) ? withoutBase(target) : part,
      report,
      flat,
      bases
    )
  })
  const types = typesOf(result)
  const expected = typeof result.format === 'string' ? formats[result.format] : undefined
  // A string format ignores other values, so it may stand without a type; a number format needs one.
  const isAlone = types.length === 0 && expected === 'string'
  if (expected !== undefined && !types.includes(expected) && !isAlone) {
    report.carry(
      locate(result, 'format'),
      `format ${result.format} is for type: ${expected}, which is missing here, and is not checked`
    )
    delete result.format
  }
  const contradiction = contradictionIn(result, types, flat)
  if (contradiction !== undefined) return contradiction
  withLargeBounds(result, types, report)
  if (typeof result.default === 'bigint' && types.includes('number')) result.default = Number(result.default)
  const isInexact = typeof result.default === 'bigint' && types.includes('integer') && result.format === undefined
  if (result.default !== undefined && (isInexact || !fits(result, result.default, flat))) {
    report.carry(
      locate(result, 'default'),
      isInexact
        ? 'the default is not applied: beyond 2^53, only integers of format int64 are exact; add it'
        : 'the default is not applied: its schema does not allow it'
    )
    delete result.default
  }
  if (isBase(result)) return bases.withChildren(result, report)
  const told = bases.withInherited(result)
  return told.format === 'int64' && types.length > 1 ? splitInt64(told, types) : told
}

/** A contradiction that no value satisfies, mostly by mistake: for example, YAML reads unquoted texts of an enum as numbers. */
const contradictionIn = (
  schema: JsonObject,
  types: readonly string[],
  flat: (schema: JsonObject) => JsonObject
): JsonObject | undefined => {
  const stand = (keyword: string, message: string) => {
    const joint = jointOf(schema)
    return joint === undefined
      ? deriveContradiction(impossible(schema), schema, contradictionAt(schema, keyword, message))
      : contradictory(schema, keyword, schema, joint)
  }
  const keyword = schema.const === undefined ? 'enum' : 'const'
  const values = schema.const === undefined ? schema.enum : [schema.const]
  const fitting = (each: JsonObject) => (values as Json[]).some(value => fits(each, value, flat))
  if (Array.isArray(values) && values.length > 0 && !fitting(schema))
    return stand(
      keyword,
      fitting({ type: types as string[] })
        ? `no value is valid here: the keywords beside this ${keyword} reject all that it allows; omit one or the other`
        : `no value is valid here: this ${keyword} has no value of type ${types.join(' or ')}; change one of the two`
    )
  if (types.join() !== 'object' || schema.additionalProperties !== false || schema.patternProperties !== undefined)
    return undefined
  const undeclared = ((schema.required ?? []) as string[]).find(
    name => !Object.hasOwn((schema.properties ?? {}) as JsonObject, name)
  )
  if (undeclared === undefined) return undefined
  return stand(
    'required',
    `no value is valid here, as additionalProperties: false rejects ${undeclared}, which is required; declare it in properties`
  )
}

const integerKeywords = ['format', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
const outerKeywords =
  'default const title description deprecated readOnly writeOnly example examples not anyOf oneOf allOf if then else'.split(
    ' '
  )

/** Splits an int64 with other types into an `anyOf`. */
const splitInt64 = (schema: JsonObject, types: string[]): JsonObject => {
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
  const either = parts.map(part => derive(part, schema))
  if (whole.anyOf === undefined) return derive({ ...whole, anyOf: either }, schema)
  const split = derive({ anyOf: either } as JsonObject, schema)
  return derive({ ...whole, allOf: [...((whole.allOf ?? []) as Json[]), split] }, schema)
}
