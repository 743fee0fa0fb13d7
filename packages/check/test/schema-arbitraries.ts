import fc from 'fast-check'
import type { Json, JsonObject } from '../../document/src/json.ts'

// Small pools, so that two independent schemas sometimes concern the same values.
export const names = ['a', 'b', 'kind', 'x-1', 'x-2']
export const componentNames = ['Node', 'Part']
const words = ['a', 'b', 'ab', 'cat', 'dog', '']

/** Patterns, with strings that match. */
export const patterns: Record<string, string[]> = {
  '^[a-z]+$': ['a', 'cat', 'abcd'],
  '^[a-z]{2,4}$': ['ab', 'cat', 'abcd'],
  '^a': ['a', 'ab', 'a1'],
  '^\\d+$': ['0', '12', '345'],
  '^\\d{3}$': ['123', '000'],
  '^(cat|dog)$': ['cat', 'dog'],
  '^x-': ['x-1', 'x-2', 'x-'],
  '^[ab]$': ['a', 'b']
}

/** Formats, with strings of the format. */
export const formats: Record<string, string[]> = {
  date: ['2024-02-29', '2023-01-01'],
  'date-time': ['2024-02-29T12:30:00Z'],
  uuid: ['123e4567-e89b-42d3-a456-426614174000'],
  email: ['a@b.co'],
  ipv4: ['192.0.2.1'],
  uri: ['https://example.com/']
}
const namePatterns = ['^x-', '^[ab]$', '^[a-z]+$', '^a']
const types = ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object']

type Schemas = fc.Arbitrary<Json>
type Part = fc.Arbitrary<JsonObject>

const among = <T extends Json>(values: readonly T[]) => fc.constantFrom(...values)
const between = (min: number, max: number) => fc.integer({ min, max })
const someOf = <T extends Json>(values: readonly T[], minLength = 1, maxLength = 3): fc.Arbitrary<Json[]> =>
  fc.uniqueArray(among(values), { minLength, maxLength })
const keyword = (name: string, value: Schemas): Part => value.map(each => ({ [name]: each }))
const listOf = (name: string, schema: Schemas, maxLength = 3): Part =>
  keyword(name, fc.array(schema, { minLength: Math.min(2, maxLength), maxLength }))
const often = (weight: number, arbitrary: Part) => ({ arbitrary, weight })

/** Combines at most this many parts. */
const merged = (max: number, ...parts: (Part | fc.WeightedArbitrary<JsonObject>)[]): Part =>
  fc.array(fc.oneof(...parts), { maxLength: max }).map(chosen => Object.assign({}, ...chosen) as JsonObject)

const also = (one: Part, other: Part): Part => fc.tuple(one, other).map(([left, right]) => ({ ...left, ...right }))
const typed = (type: Json, rest: Part): Part => rest.map(each => ({ type, ...each }))

// Bounds that mostly leave some values.
const ofNumbers = fc.oneof(
  often(
    4,
    merged(
      2,
      keyword('minimum', among([-3, -1, 0, 0.5, 1])),
      keyword('exclusiveMinimum', among([-3, -1, 0, 0.5, 1])),
      keyword('maximum', among([2, 3, 5, 9.5, 10])),
      keyword('exclusiveMaximum', among([2, 3, 5, 9.5, 10])),
      keyword('multipleOf', among([0.1, 0.5, 1, 2, 3, 4, 10])),
      keyword('format', among(['int32', 'double']))
    )
  ),
  keyword('enum', someOf([0, 1, 2, 3, 0.5, -1]))
)
const ofStrings = fc.oneof(
  often(
    4,
    merged(
      2,
      keyword('minLength', between(0, 2)),
      keyword('maxLength', between(2, 5)),
      keyword('pattern', among(Object.keys(patterns)))
    )
  ),
  keyword('format', among(Object.keys(formats))),
  keyword('enum', someOf(words)),
  keyword('const', among(words))
)

const containing = (schema: Schemas): Part =>
  fc.tuple(schema, fc.option(between(0, 2)), fc.option(between(1, 3))).map(([contains, least, most]) => ({
    contains,
    ...(least !== null && { minContains: least }),
    ...(most !== null && { maxContains: most })
  }))

const ofArrays = (schema: Schemas): Part =>
  merged(
    3,
    often(5, keyword('items', schema)),
    listOf('prefixItems', schema, 2),
    keyword('minItems', between(0, 2)),
    keyword('maxItems', between(1, 3)),
    keyword('uniqueItems', fc.boolean()),
    containing(schema),
    keyword('unevaluatedItems', schema)
  )

const byName = (keys: readonly string[], value: Schemas, maxKeys = 1) =>
  fc.dictionary(among(keys), value, { minKeys: 1, maxKeys, noNullPrototype: true })
const closing = (schema: Schemas): Schemas =>
  fc.oneof({ arbitrary: fc.constant(false), weight: 3 }, fc.constant(true), schema)

const ofObjects = (schema: Schemas, sameValue: Part): Part =>
  merged(
    3,
    often(8, keyword('properties', byName(names, schema, 3))),
    often(2, keyword('required', someOf(names, 1, 2))),
    often(2, keyword('additionalProperties', closing(schema))),
    keyword('patternProperties', byName(namePatterns, schema)),
    keyword('propertyNames', ofStrings),
    keyword('minProperties', between(0, 2)),
    keyword('maxProperties', between(1, 3)),
    keyword('dependentRequired', byName(names, someOf(names, 1, 1))),
    keyword('dependentSchemas', byName(names, sameValue)),
    keyword('unevaluatedProperties', closing(schema))
  )

/** The kind of object that most contracts consist of. */
const plainObject = (schema: Schemas): Part =>
  fc
    .tuple(byName(names, schema, 3), fc.subarray(names), fc.option(fc.boolean(), { freq: 3 }))
    .map(([properties, wanted, additionalProperties]) => {
      const required = wanted.filter(name => Object.hasOwn(properties, name))
      return {
        type: 'object',
        properties,
        ...(required.length > 0 && { required }),
        ...(additionalProperties !== null && { additionalProperties })
      }
    })

/** Alternatives that a property distinguishes. */
const tagged = (schema: Schemas): Part =>
  fc.tuple(among(['anyOf', 'oneOf']), fc.array(schema, { minLength: 2, maxLength: 3 })).map(([keyword, parts]) => ({
    [keyword]: parts.map((part, index) => ({
      type: 'object',
      required: ['kind'],
      properties: { kind: { const: words[index] ?? '' }, a: part }
    }))
  }))

const conditional = (same: Schemas): Part =>
  fc.tuple(same, fc.option(same), fc.option(same)).map(([condition, then, otherwise]) => ({
    if: condition,
    ...(then !== null && { then }),
    ...(otherwise !== null && { else: otherwise })
  }))

/** Schemas for the same value, with a common type so that there is one. */
const combined = (same: Schemas, any: Schemas): Part =>
  fc.oneof(
    often(3, listOf('allOf', same)),
    often(2, listOf('anyOf', any)),
    often(2, listOf('oneOf', any)),
    listOf('anyOf', same),
    listOf('oneOf', same),
    keyword('not', same),
    often(2, conditional(same))
  )

const reference = among(componentNames).map((name): JsonObject => ({ $ref: `#/components/schemas/${name}` }))

const strings = typed('string', ofStrings)
const numbers = fc.oneof(typed('integer', ofNumbers), typed('number', ofNumbers))
const leaves: Part = fc.oneof(
  often(4, strings),
  often(4, numbers),
  keyword('enum', someOf([...words, 1, 2, null, true])),
  keyword('const', among(['cat', 1, 0.5, null, false])),
  also(keyword('type', someOf(types)), merged(2, ofStrings, ofNumbers)),
  merged(2, ofStrings, ofNumbers),
  keyword('type', among(['null', 'boolean', 'object', 'array']))
)

/**
 * Schemas up to this depth; references only below a property or item, so that none applies within itself. A greater weight
 * makes them more frequent.
 */
const schemaOf = (depth: number, isBelow: boolean, weight = 1): Schemas => {
  const base = isBelow ? fc.oneof(often(7, leaves), often(weight, reference), fc.constant(true)) : leaves
  if (depth === 0) return base
  const here = schemaOf(depth - 1, isBelow, weight)
  const below = schemaOf(depth - 1, true, weight)
  const objects: Part = fc.oneof(often(2, plainObject(below)), typed('object', ofObjects(below, plainObject(below))))
  const arrays: Part = typed('array', ofArrays(below))
  return fc.oneof(
    { arbitrary: base, weight: 8 },
    often(6, objects),
    often(3, arrays),
    often(2, combined(objects, here)),
    also(combined(objects, here), objects),
    fc.oneof(combined(numbers, leaves), combined(strings, leaves), combined(arrays, here)),
    tagged(below),
    merged(3, ofObjects(below, objects), ofArrays(below), ofStrings)
  )
}

export const schemas = fc.oneof(often(1, reference), { arbitrary: schemaOf(3, true), weight: 7 })
export const smallSchemas = schemaOf(1, true)

/** Mostly recursive ones. */
export const components: fc.Arbitrary<JsonObject> = fc.record(
  Object.fromEntries(componentNames.map(name => [name, schemaOf(1, false, 7)]))
)
