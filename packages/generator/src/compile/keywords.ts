import { entriesOf, isObject, type Json, type JsonObject, regexOf, withoutUnicodeFlag } from '@contract-first/document'
import { numberRanges } from '../rule.ts'
import { typesOf } from '../schema-tree.ts'
import { isAbsent, isPresent, js, type Unit } from './unit.ts'

/** What a keyword requires of a value: the condition under which it is violated, and what messages need. */
export interface Assertion {
  keyword: string
  fails: string
  params: string
}

/** The types with keywords of their own, in the order in which Ajv checks them; keywords for all types come first. */
export const groups = ['number', 'string', 'array', 'object'] as const
export type Group = (typeof groups)[number]

const keywordsOf: Record<Group, readonly string[]> = {
  number: ['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum', 'multipleOf', 'format'],
  string: ['maxLength', 'minLength', 'pattern', 'format'],
  array: ['maxItems', 'minItems', 'uniqueItems', 'prefixItems', 'items', 'contains', 'unevaluatedItems'],
  object: [
    ...['maxProperties', 'minProperties', 'required', 'properties', 'patternProperties', 'additionalProperties'],
    ...['propertyNames', 'dependentRequired', 'dependentSchemas', 'unevaluatedProperties']
  ]
}

export const concerns = (schema: JsonObject, group: Group): boolean =>
  keywordsOf[group].some(keyword => schema[keyword] !== undefined)

/** The flag of a schema that stands for a property which does not occur in this direction. */
export const neverSent = (schema: Json): 'readOnly' | 'writeOnly' | undefined =>
  isObject(schema) ? (['readOnly', 'writeOnly'] as const).find(each => schema[each] === true) : undefined

/** Whether one `if` serves both: its branch checks the keywords of the only type, and its `else` reports another type. */
export const isJudgedInGroup = (schema: JsonObject, types: readonly string[]): boolean =>
  types.length === 1 && groups.includes(types[0] as Group) && concerns(schema, types[0] as Group)

export const isInt64 = (schema: JsonObject) => schema.type === 'integer' && schema.format === 'int64'

/** Whether a value, or a part of it, may be an int64. */
export const mentionsInt64 = (schema: Json, unit: Unit, seen = new Set<Json>()): boolean => {
  const { schema: target } = unit.resolve(schema)
  if (Array.isArray(target)) return target.some(each => mentionsInt64(each, unit, seen))
  if (!isObject(target) || seen.has(target)) return false
  seen.add(target)
  return isInt64(target) || Object.values(target).some(each => mentionsInt64(each, unit, seen))
}

/** Whether other schemas apply to the same value. */
export const isComposed = (schema: JsonObject) => composing.some(keyword => schema[keyword] !== undefined)
const composing = ['allOf', 'anyOf', 'oneOf', 'not', 'if']

/** Whether rounding a value beyond 2^53 is allowed, or makes no difference to its bounds. */
export const mayRound = (schema: JsonObject): boolean => {
  const types = typesOf(schema)
  if (types.includes('number')) return true
  const { format, minimum, maximum } = schema
  return types.includes('integer') && (format === 'int32' || (minimum !== undefined && maximum !== undefined))
}

const typeTests: Readonly<Record<string, (v: string) => string>> = {
  number: v => `Number.isFinite(${v})`,
  integer: v => `Number.isInteger(${v})`,
  array: v => `Array.isArray(${v})`,
  object: v => `isObject(${v})`,
  file: v => `(isObject(${v}) && ${v}.bytes instanceof Uint8Array)`,
  null: v => `${v} === null`
}
export const isOfType = (type: string, v: string): string => typeTests[type]?.(v) ?? `typeof ${v} === '${type}'`

/** The same of values that are numbers in JSON: beyond 2^53 they are bigints. */
export const isNumber = (v: string) => `(typeof ${v} === 'bigint' || Number.isFinite(${v}))`

export const isOfNoType = (types: readonly string[], v: string): string => {
  const [type = ''] = types
  if (types.length > 1) return `!(${types.map(each => isOfType(each, v)).join(' || ')})`
  if (type === 'null') return `${v} !== null`
  return type === 'string' || type === 'boolean' ? `typeof ${v} !== '${type}'` : `!${isOfType(type, v)}`
}

/** The assertions of `const` and `enum`, which apply to values of every type. */
export const ofValues = ({ const: value, enum: values }: JsonObject, v: string, unit: Unit): Assertion[] => {
  const ofConst = asserting('const', value, value === undefined ? '' : differs(v, value, unit), 'allowedValue')
  if (!Array.isArray(values)) return ofConst
  const list = unit.constant('values', js(values))
  const params = `{ allowedValues: ${list} }`
  if (values.length <= 16)
    return [...ofConst, { keyword: 'enum', fails: values.map(each => differs(v, each, unit)).join(' && '), params }]
  const isPlain = values.every(each => typeof each !== 'object')
  const set = unit.constant('set', `new Set(${list}${isPlain ? '' : '.map(canonical)'})`)
  return [...ofConst, { keyword: 'enum', fails: `!${set}.has(${isPlain ? v : `canonical(${v})`})`, params }]
}

const differs = (v: string, value: Json, unit: Unit) =>
  typeof value === 'object' && value !== null
    ? `!equal(${v}, ${unit.constant('value', js(value))})`
    : `${v} !== ${js(value)}`

/** The size limit of a value, also from its `allOf`. It is checked first, as larger values are not checked any further. */
export const ofLimit = (group: Group, schema: JsonObject, v: string, unit: Unit): Assertion[] => {
  if (group === 'number') return []
  const { most: keyword, size } = sizes[group]
  const most = leastIn(keyword, schema, unit)
  // Lengths are in code points, of which there are at most as many as UTF-16 units.
  const inCodePoints = group === 'string' ? ` && codePoints(${v}) > ${most}` : ''
  return limit(keyword, most, `${size(v)} > ${most}${inCodePoints}`)
}

/** The size limits of a value that may have other types than `only`. */
export const limitsOf = (schema: JsonObject, v: string, unit: Unit, only?: string): Assertion[] =>
  groups.flatMap(group =>
    ofLimit(group, schema, v, unit).map(each =>
      group === only ? each : { ...each, fails: `${isOfType(group, v)} && ${each.fails}` }
    )
  )

const length = (v: string) => `${v}.length`
const sizes = {
  string: { least: 'minLength', most: 'maxLength', size: length },
  array: { least: 'minItems', most: 'maxItems', size: length },
  object: { least: 'minProperties', most: 'maxProperties', size: (v: string) => `Object.keys(${v}).length` }
}

/** The smallest value of a keyword in a schema and its `allOf`. */
const leastIn = (keyword: string, schema: JsonObject, unit: Unit): number | undefined => {
  const parts = ((schema.allOf ?? []) as Json[]).map(each => unit.resolve(each).schema).filter(isObject)
  const own = typeof schema[keyword] === 'number' ? [schema[keyword]] : []
  const all = [...own, ...parts.flatMap(each => leastIn(keyword, each, unit) ?? [])]
  return all.length === 0 ? undefined : Math.min(...all)
}

/** Assertions about a value of a type, except for its size limit and its parts. */
export const ofGroup = (group: Group, schema: JsonObject, v: string, unit: Unit): Assertion[] => {
  if (group === 'number') return ofNumbers(schema, v)
  if (group === 'string') return ofStrings(schema, v, unit)
  const { least, size } = sizes[group]
  return limit(least, schema[least], `${size(v)} < ${schema[least]}`)
}

const limit = (keyword: string, value: Json | undefined, fails: string) => asserting(keyword, value, fails, 'limit')

/** None without a value. Messages get it as `param`. */
const asserting = (keyword: string, value: Json | undefined, fails: string, param = keyword): Assertion[] =>
  value === undefined ? [] : [{ keyword, fails, params: `{ ${param}: ${js(value)} }` }]

/** How a number violates each bound. */
const comparisons = { maximum: '>', minimum: '<', exclusiveMaximum: '>=', exclusiveMinimum: '<=' } as const

const ofNumbers = (schema: JsonObject, v: string): Assertion[] => {
  const { maximum, minimum, multipleOf, format } = schema
  const bounds = Object.entries(comparisons).flatMap(([keyword, operator]) =>
    limit(keyword, schema[keyword], `${v} ${operator} ${js(schema[keyword])}`)
  )
  const isNoMultiple = asserting('multipleOf', multipleOf, `!isMultiple(${v}, ${js(multipleOf)})`)
  return [...bounds, ...isNoMultiple, ...ofRange(String(format), v, minimum as Json, maximum as Json)]
}

/** Assertions of a number format, unless bounds and type imply it. */
const ofRange = (format: string, v: string, minimum: Json, maximum: Json): Assertion[] => {
  const range = numberRanges[format]
  if (range === undefined) return []
  const { least, most, isInteger } = range
  const isWithin = (bound: Json) => typeof bound === 'number' && bound >= least && bound <= most
  if (isInteger && isWithin(minimum) && isWithin(maximum)) return []
  const fails = `!(${isInteger ? `Number.isInteger(${v}) && ` : ''}${v} >= ${least} && ${v} <= ${most})`
  return asserting('format', format, fails)
}

const ofStrings = (schema: JsonObject, v: string, unit: Unit): Assertion[] => {
  const { minLength, pattern, format } = schema
  const length = (minLength as number) < 2 ? `${v}.length` : `codePoints(${v})`
  const isChecked = typeof format === 'string' && !numeric.has(format) && !hints.has(format)
  return [
    ...limit('minLength', minLength, `${length} < ${minLength}`),
    ...(typeof pattern === 'string' ? asserting('pattern', pattern, `!${matches(pattern, v, unit)}`) : []),
    ...(isChecked ? asserting('format', format, `!${unit.constant('is', `formats(${js(format)})`)}(${v})`) : [])
  ]
}

const numeric = new Set(['int64', 'double', ...Object.keys(numberRanges)])
const hints = new Set(['password', 'binary'])

const regularExpression = (pattern: string) => {
  const regex = regexOf(pattern)
  const flags = regex?.unicode && withoutUnicodeFlag(regex) === undefined ? ", 'u'" : ''
  return `new RegExp(${js(pattern)}${flags})`
}

export const paramsOfContains = ({ minContains = 1, maxContains }: JsonObject): string =>
  js({ minContains, ...(maxContains !== undefined && { maxContains }) })

/** Properties that others require. */
export const ofDependents = ({ dependentRequired }: JsonObject, v: string): Assertion[] =>
  entriesOf(dependentRequired).flatMap(([property, names]) =>
    (names as string[]).map(name => ({
      keyword: 'dependentRequired',
      fails: `${isPresent(v, property)} && ${isAbsent(v, name)}`,
      params: `{ property: ${js(property)}, missingProperty: ${js(name)} }`
    }))
  )

/** `int64` is one keyword with all of its bounds; `value` is the exact integer, a bigint. */
export const boundsOfInt64 = (schema: JsonObject, value: string): string[] => {
  const listed = schema.const === undefined ? (schema.enum as Json[] | undefined) : [schema.const]
  const bounds = (['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const).flatMap(keyword =>
    schema[keyword] === undefined ? [] : [`${value} ${comparisons[keyword]} ${js(schema[keyword])}`]
  )
  // Loosely, so that a bigint equals the number of the same value.
  if (listed !== undefined) bounds.push(`(${listed.map(each => `${value} != ${js(each)}`).join(' && ')})`)
  return schema.multipleOf === undefined ? bounds : [...bounds, `!isMultiple(${value}, ${js(schema.multipleOf)})`]
}

export const paramsOfInt64 = (schema: JsonObject): string => js(int64Params(schema))

/** What violations say is expected of an int64, with bounds that are themselves allowed. */
export const int64Params = (schema: JsonObject): JsonObject => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<string, Bound>
  const allowedValues = schema.const === undefined ? schema.enum : [schema.const]
  if (allowedValues !== undefined) return { allowedValues }
  const least = [minimum, next(exclusiveMinimum, 1)].filter(each => each !== undefined)
  const most = [maximum, next(exclusiveMaximum, -1)].filter(each => each !== undefined)
  return {
    ...(least.length > 0 && { minimum: least.reduce((a, b) => (a > b ? a : b)) }),
    ...(most.length > 0 && { maximum: most.reduce((a, b) => (a < b ? a : b)) }),
    ...(multipleOf !== undefined && { multipleOf })
  }
}

type Bound = number | bigint | undefined

/** The next integer after a bound, in the direction of `step`. */
const next = (bound: Bound, step: 1 | -1): Bound => {
  if (bound === undefined || typeof bound === 'bigint') return bound === undefined ? undefined : bound + BigInt(step)
  const whole = step === 1 ? Math.floor(bound) : Math.ceil(bound)
  return Number.isSafeInteger(whole) ? whole + step : BigInt(whole) + BigInt(step)
}

export const matches = (pattern: string, text: string, unit: Unit): string =>
  `${unit.constant('pattern', regularExpression(pattern))}.test(${text})`

/** The condition under which a property is an additional one. */
export const isOther = ({ properties, patternProperties }: JsonObject, key: string, unit: Unit): string => {
  const patterns = entriesOf(patternProperties).map(([pattern]) => `!${matches(pattern, key, unit)}`)
  const names = entriesOf(properties).map(([name]) => name)
  return [...(names.length > 0 || patterns.length === 0 ? [isNoneOf(names, key, unit)] : []), ...patterns].join(' && ')
}

/** The condition under which a property is not among these. */
const isNoneOf = (names: readonly string[], key: string, unit: Unit): string => {
  if (names.length === 0) return 'true'
  if (names.length > 16) return `!${unit.constant('set', `new Set(${js(names)})`)}.has(${key})`
  return names.map(name => `${key} !== ${js(name)}`).join(' && ')
}

/** A schema that every value satisfies. */
export const isTrivial = (schema: Json | undefined): boolean => {
  if (schema === undefined || schema === true) return true
  return isObject(schema) && Object.keys(schema).every(keyword => documentation.has(keyword))
}

const documentation = new Set(['title', 'description', 'default', 'discriminator'])

/** As in Ajv: if items must have simple types, only items of these types are compared. */
export const hasDuplicates = (schema: JsonObject, v: string, unit: Unit): string => {
  const { schema: items } = unit.resolve(schema.items ?? true)
  const types = isObject(items) && !isInt64(items) ? typesOf(items) : []
  if (types.length === 0 || types.includes('object') || types.includes('array')) return `hasDuplicates(${v})`
  return `hasDuplicates(${v}.filter(item => !(${isOfNoType(types, 'item')})))`
}
