import fc from 'fast-check'
import { regexOf } from '../../document/src/regular-expression.ts'
import { getOrMake } from '../src/node/get-or-make.ts'

// biome-ignore lint/suspicious/noExplicitAny: any JSON Schema
type Schema = any

const texts = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', '__proto__', 'constructor', '"', '\\', '\n', '\u{1f600}', '\ud800', 'a@b.example', '2026-11-20')
)
const integers = fc.oneof(
  fc.integer({ min: -3, max: 150 }),
  fc.constantFrom(2 ** 31, -(2 ** 31), 2 ** 53 - 1, -0, 1.5, 1e21)
)
// As JSON readers return them: a bigint if a number cannot represent them.
const largeIntegers = fc.oneof(
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 65n }),
  fc.bigInt({ min: -(2n ** 65n), max: -(2n ** 53n) }),
  fc.constantFrom(2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n), -(2n ** 63n) - 1n)
)
const scalars = fc.oneof(texts, integers, largeIntegers, fc.double(), fc.boolean(), fc.constant(null))
const anything = fc.oneof(
  { weight: 4, arbitrary: scalars },
  fc.array(scalars, { maxLength: 3 }),
  fc.dictionary(texts, scalars, { maxKeys: 3, noNullPrototype: true })
)

/** Values that a schema allows, and slightly invalid ones: of another type, beyond a bound, with an extra name. */
export const near = (schema: Schema): fc.Arbitrary<unknown> =>
  schema === true || schema === false || Object.keys(schema).length === 0
    ? anything
    : fc.oneof({ weight: 12, arbitrary: fitting(schema) }, anything)

const fitting = (schema: Schema): fc.Arbitrary<unknown> => {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const variants: Schema[] = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  const types: string[] = schema.type === undefined ? [] : [schema.type].flat()
  if (variants.length > 0) {
    const own = types.length === 0 && schema.properties !== undefined ? ['object'] : types
    return fc
      .tuple(fc.oneof(...variants.map(near)), own.includes('object') ? objects(schema) : fc.constant({}), fc.boolean())
      .map(([variant, more, isMore]) => (isMore && isPlain(variant) ? withAll(variant, more) : variant))
  }
  const possible = types.length > 0 ? types : typesByKeywords(schema)
  return possible.length === 0 ? anything : fc.oneof(...possible.map(type => ofType(type, schema)))
}

const isPlain = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const withAll = (...objects: unknown[]) => Object.fromEntries(objects.flatMap(each => Object.entries(each as object)))

const typesByKeywords = (schema: Schema): string[] => [
  ...(ofObjects.some(keyword => schema[keyword] !== undefined) ? ['object'] : []),
  ...(schema.items || schema.prefixItems || schema.contains || schema.maxItems !== undefined ? ['array'] : []),
  ...(schema.maxLength !== undefined || schema.minLength !== undefined || schema.pattern ? ['string'] : []),
  ...(schema.maximum !== undefined || schema.minimum !== undefined ? ['number'] : [])
]

const ofObjects = ['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'if']

const ofType = (type: string, schema: Schema): fc.Arbitrary<unknown> => {
  switch (type) {
    case 'string':
      return strings(schema)
    case 'integer':
    case 'number':
      return numbers(schema, type)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return arrays(schema)
    default:
      return objects(schema)
  }
}

const strings = ({ minLength = 0, maxLength = minLength + 10, pattern, format }: Schema) => {
  const ofLength = (length: number) => fc.string({ unit: 'grapheme', minLength: length, maxLength: length })
  const least = ofLength(Math.max(0, minLength - 1))
  const atBounds =
    maxLength > 300 ? [least] : [least, ofLength(minLength), ofLength(maxLength), ofLength(maxLength + 1)]
  const fitting = pattern === undefined ? [] : [matching(pattern)]
  return fc.oneof(texts, ...atBounds, ...fitting, ...(format === undefined ? [] : (ofFormat[format] ?? [])))
}

/** Texts that match a pattern, in the pattern's own case if case does not matter. */
const matching = (pattern: string): fc.Arbitrary<string> => getOrMake(matched, pattern, matchingAnew)
const matched = new Map<string, fc.Arbitrary<string>>()
const matchingAnew = (pattern: string) => {
  const { source, flags } = regexOf(pattern) as RegExp
  // fast-check does not support references to groups.
  if (/\\(?:k<|[1-9])/.test(source)) return texts
  return fc.stringMatching(new RegExp(source.replace(/\(\?[ims]+:/g, '(?:'), flags))
}

const ofFormat: Record<string, fc.Arbitrary<string>[]> = {
  date: [fc.constantFrom('2026-02-29', '2024-02-29', '2026-13-01')],
  'date-time': [fc.constantFrom('2026-11-20T10:00:00Z', '2026-11-20T25:00:00Z', '2026-11-20 10:00:00+01:00')],
  time: [fc.constantFrom('10:00:00Z', '24:00:00Z', '23:59:60Z')],
  duration: [fc.constantFrom('P1D', 'PT', 'P1W')],
  email: [fc.emailAddress()],
  hostname: [fc.domain()],
  ipv4: [fc.ipV4()],
  ipv6: [fc.ipV6()],
  uri: [fc.webUrl()],
  'uri-reference': [fc.webPath()],
  'uri-template': [fc.constantFrom('/a/{b}', '/{')],
  uuid: [fc.uuid()],
  'json-pointer': [fc.constantFrom('/a/~0', '/~2', '')],
  regex: [fc.constantFrom('a+', '(', '\\Z')],
  byte: [fc.base64String({ maxLength: 12 })]
}

const numbers = (schema: Schema, type: string) => {
  const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
    .map(keyword => schema[keyword])
    .filter(each => each !== undefined)
  const atBounds = bounds.flatMap(each =>
    typeof each === 'bigint' ? [each, each + 1n, each - 1n] : [each, each + 1, each - 1, each * 3]
  )
  return fc.oneof(
    integers,
    ...(type === 'number' ? [fc.double({ noNaN: true, noDefaultInfinity: true })] : []),
    ...(schema.format === 'int64' ? [largeIntegers] : []),
    ...(atBounds.length > 0 ? [fc.constantFrom(...atBounds)] : [])
  )
}

const arrays = (schema: Schema) => {
  const {
    items = schema.unevaluatedItems ?? {},
    contains,
    prefixItems = [],
    minItems = 0,
    maxItems = minItems + 3
  } = schema
  const item = contains === undefined ? near(items) : fc.oneof(near(items), near(contains))
  const rest = fc.array(item, {
    minLength: Math.max(0, minItems - 1),
    maxLength: Math.min(maxItems + 1, minItems + 6)
  })
  const first = fc.tuple(...prefixItems.map(near))
  const whole = fc.tuple(first, rest).map(each => each.flat())
  // Sometimes repeats an item.
  return fc.tuple(whole, fc.boolean()).map(([list, isTwice]) => (isTwice ? [...list, ...list.slice(0, 1)] : list))
}

const objects = (schema: Schema) => {
  const { required = [], patternProperties = {}, propertyNames, additionalProperties } = schema
  const all = fc.record(declaredBy(schema), { requiredKeys: [], noNullPrototype: true })
  const declared = Object.fromEntries(
    Object.entries<Schema>(schema.properties ?? {}).map(([name, each]) => [name, near(each)])
  )
  const whole = fc.record(declared, {
    requiredKeys: required.filter((name: string) => name in declared),
    noNullPrototype: true
  })
  const some = fc.record(declared, { requiredKeys: [], noNullPrototype: true })
  const names = propertyNames === undefined ? texts : near(propertyNames).map(String)
  const others = [
    fc.dictionary(names, near(additionalProperties ?? schema.unevaluatedProperties ?? {}), dictionary),
    ...Object.entries<Schema>(patternProperties).map(([pattern, each]) =>
      fc.dictionary(matching(pattern), near(each), dictionary)
    )
  ]
  const more = fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, ...others)
  return fc
    .tuple(fc.oneof({ weight: 4, arbitrary: whole }, some), all, fc.boolean(), more)
    .map(([own, also, isAlso, rest]) => withAll(isAlso ? also : {}, own, rest))
}
const dictionary = { maxKeys: 2, noNullPrototype: true } as const

/** The properties that a schema describes only under conditions. */
const declaredBy = (schema: Schema): Record<string, fc.Arbitrary<unknown>> => {
  const { dependentSchemas = {}, allOf = [] } = schema
  const parts: Schema[] = [schema.if, schema.then, schema.else, ...Object.values<Schema>(dependentSchemas), ...allOf]
  const present = parts.filter(each => typeof each === 'object')
  return Object.assign(
    {},
    ...present.map(declaredBy),
    ...present.map(({ properties = {} }) =>
      Object.fromEntries(Object.entries<Schema>(properties).map(([name, each]) => [name, near(each)]))
    )
  )
}
