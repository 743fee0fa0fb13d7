import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { parseExact, resolvedIn } from './contract-judge.ts'

// biome-ignore lint/suspicious/noExplicitAny: schemas of the contract
type Schema = any

// Exact integers, since the bounds of int64 exceed the precision of a double.
const document: Schema = parseExact(readFileSync(new URL('../../../generated/openapi.json', import.meta.url), 'utf8'))

/** A schema of the contract as one object, with `$ref` and `allOf` resolved. */
const whole = (schema: Schema): Schema => {
  const { $ref, allOf = [], ...own } = schema
  const parts = [...($ref === undefined ? [] : [whole(resolvedIn({ $ref }, document))]), ...allOf.map(whole)]
  const merged = Object.assign({}, ...parts, own)
  const required = [...parts, own].flatMap(each => each.required ?? [])
  const properties = Object.assign({}, ...[...parts, own].map(each => each.properties))
  return { ...merged, required, properties }
}

export const component = (name: string): Schema => whole({ $ref: `#/components/schemas/${name}` })
export const parametersOf = (path: string, method: string): { name: string; schema: Schema }[] =>
  [...(document.paths[path].parameters ?? []), ...document.paths[path][method].parameters]
    .map(each => resolvedIn(each, document))
    .map(({ name, schema }) => ({ name, schema: whole(schema) }))

const matches =
  ({ pattern }: Schema) =>
  (value: string) =>
    pattern === undefined || new RegExp(pattern, 'u').test(value)

const text = (minLength: number, maxLength: number) => fc.string({ unit: 'binary', minLength, maxLength })
const anyText = text(0, 20)
const lengthOf = (value: string) => [...value].length
const typesOf = ({ type }: Schema): string[] => (type === undefined ? [] : [type].flat())
const isNull = (schema: Schema) => schema.type === 'null'

/** The bounds of a length; without an upper one, a little more than the lower one. */
const lengths = (least: unknown, most: unknown): [number, number] => [
  Number(least ?? 0),
  Number(most ?? Number(least ?? 0) + 20)
]
const integers = (schema: Schema): [bigint, bigint] => {
  const range = { int32: 2n ** 31n, int64: 2n ** 63n }[schema.format as string] ?? 2n ** 53n
  const exclusive = [schema.exclusiveMinimum, schema.exclusiveMaximum].map(each =>
    each === undefined ? undefined : BigInt(each)
  )
  return [
    BigInt(schema.minimum ?? (exclusive[0] === undefined ? -range : exclusive[0] + 1n)),
    BigInt(schema.maximum ?? (exclusive[1] === undefined ? range - 1n : exclusive[1] - 1n))
  ]
}
const doubles = ({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema) => ({
  min: Number(minimum ?? exclusiveMinimum ?? -Number.MAX_VALUE),
  max: Number(maximum ?? exclusiveMaximum ?? Number.MAX_VALUE),
  minExcluded: exclusiveMinimum !== undefined,
  maxExcluded: exclusiveMaximum !== undefined,
  noNaN: true
})

const ofFormat: Record<string, fc.Arbitrary<string>> = {
  date: fc
    .date({ min: new Date(0), noInvalidDate: true, max: new Date('9999') })
    .map(each => each.toISOString().slice(0, 10)),
  'date-time': fc
    .date({ min: new Date(0), noInvalidDate: true, max: new Date('9999') })
    .map(each => each.toISOString()),
  email: fc.stringMatching(/^[a-z]{1,9}@[a-z]{1,9}\.example$/),
  uri: fc.stringMatching(/^https:\/\/[a-z]{1,9}\.example\/[a-z]{0,9}$/),
  uuid: fc.uuid()
}

const valuesOfType = (type: string, schema: Schema): fc.Arbitrary<unknown> => {
  switch (type) {
    case 'string': {
      const [least, most] = lengths(schema.minLength, schema.maxLength)
      const isAllowed = (value: string) => matches(schema)(value) && lengthOf(value) <= most && lengthOf(value) >= least
      if (schema.format !== undefined && schema.format !== 'password') {
        const arbitrary = ofFormat[schema.format]
        if (arbitrary === undefined) throw new Error(`no arbitrary for texts of the format ${schema.format}`)
        return arbitrary.filter(isAllowed)
      }
      if (schema.pattern !== undefined && !schema.pattern.includes('[^'))
        return fc.stringMatching(new RegExp(schema.pattern, 'u')).filter(isAllowed)
      const ends = fc.constantFrom(least, most).chain(length => text(length, length))
      return fc.oneof(text(least, most), ends, fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/)).filter(isAllowed)
    }
    case 'integer': {
      const [min, max] = integers(schema)
      const step = BigInt(schema.multipleOf ?? 1)
      return fc
        .oneof(fc.bigInt({ min, max }), fc.constantFrom(min, max))
        .map(value => value - (value % step))
        .filter(value => value >= min && value <= max)
    }
    case 'number':
      return fc.double(doubles(schema)).map(value => (Object.is(value, -0) ? 0 : value))
    case 'array': {
      const [minLength, maxLength] = lengths(schema.minItems, schema.maxItems)
      const bounds = { minLength, maxLength: Math.min(maxLength, minLength + 5) }
      const items = valid(schema.items ?? {})
      return schema.uniqueItems ? fc.uniqueArray(items, { ...bounds, selector: jsonOf }) : fc.array(items, bounds)
    }
    case 'object': {
      const properties = Object.entries(schema.properties ?? {}).map(([name, each]) => [name, valid(each)])
      return fc.record(Object.fromEntries(properties), { requiredKeys: schema.required ?? [] })
    }
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      throw new Error(`no arbitrary for the type ${type}`)
  }
}

/** Values that a schema allows, integers as bigint. */
export const valid = (given: Schema): fc.Arbitrary<unknown> => {
  const schema = whole(given)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const variants = schema.anyOf ?? schema.oneOf
  if (variants !== undefined) return fc.oneof(...variants.map(valid))
  const types = typesOf(schema)
  return types.length === 0 ? fc.jsonValue() : fc.oneof(...types.map(type => valuesOfType(type, schema)))
}

/** Values of a schema's type that the schema does not allow. */
const refused = (given: Schema): fc.Arbitrary<unknown>[] => {
  const variants = given.anyOf ?? given.oneOf
  // Beside null, a value is invalid if the other alternative rejects it; with several others, one may allow what another rejects.
  const others = variants?.map(whole).filter((each: Schema) => !isNull(each))
  if (others?.length > 1) return []
  const schema = others === undefined ? given : others[0]
  const listed: unknown[] | undefined = schema.const === undefined ? schema.enum : [schema.const]
  if (listed !== undefined) return [anyText.filter(value => !listed.includes(value))]
  return typesOf(schema).flatMap(type => refusedOfType[type]?.(schema) ?? [])
}

const refusedOfType: Record<string, (schema: Schema) => fc.Arbitrary<unknown>[]> = {
  string: schema => {
    const [least, most] = lengths(schema.minLength, schema.maxLength)
    const faults = schema.maxLength === undefined ? [] : [text(most + 1, most + 10)]
    if (least > 0) faults.push(text(0, least - 1))
    const wrong = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code)).filter(
      each => !matches(schema)(each.repeat(Math.max(least, 1)))
    )
    if (wrong.length === 0) return faults
    const spoiled = fc.tuple(text(Math.max(least, 1), most), fc.constantFrom(...wrong), fc.nat())
    const spoil = ([value, character, at]: [string, string, number]) => {
      const characters = [...value]
      return characters.with(at % characters.length, character).join('')
    }
    return [...faults, spoiled.map(spoil).filter(value => !matches(schema)(value))]
  },
  integer: schema => {
    const [min, max] = integers(schema)
    // Without bounds of its own, an integer is limited only by its format, if it has one.
    const hasLeast = (schema.minimum ?? schema.exclusiveMinimum ?? schema.format) !== undefined
    const hasMost = (schema.maximum ?? schema.exclusiveMaximum ?? schema.format) !== undefined
    return [
      ...(hasMost ? [fc.bigInt({ min: max + 1n, max: max + 2n ** 80n }), fc.constant(max + 1n)] : []),
      ...(hasLeast ? [fc.bigInt({ min: min - 2n ** 80n, max: min - 1n }), fc.constant(min - 1n)] : [])
    ]
  },
  // Compared as numbers, since for fast-check -0 is below 0.
  number: ({ minimum, maximum }) => [
    ...(maximum === undefined
      ? []
      : [fc.double({ min: Number(maximum), ...finite }).filter(value => value > Number(maximum))]),
    ...(minimum === undefined
      ? []
      : [fc.double({ max: Number(minimum), ...finite }).filter(value => value < Number(minimum))])
  ],
  array: ({ minItems, maxItems, items = {} }) => {
    const item = valid(items)
    const few = minItems > 0 ? [fc.array(item, { maxLength: Number(minItems) - 1 })] : []
    if (maxItems === undefined) return few
    const most = Number(maxItems)
    return [...few, fc.array(item, { minLength: most + 1, maxLength: most + 3, size: 'max' })]
  }
}

const finite = { noNaN: true, noDefaultInfinity: true }

/** Values of each JSON type; every integer is a number, too. */
const ofType: Record<string, fc.Arbitrary<unknown>> = {
  string: anyText,
  integer: fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  number: fc.double({ noInteger: true, ...finite }),
  boolean: fc.boolean(),
  null: fc.constant(null),
  array: fc.array(anyText, { maxLength: 3 }),
  object: fc.dictionary(anyText, anyText, { maxKeys: 3 })
}
const allowedTypes = (schema: Schema): string[] => {
  const variants: Schema[] = schema.anyOf ?? schema.oneOf ?? []
  const listed: unknown[] = schema.const === undefined ? (schema.enum ?? []) : [schema.const]
  const types = [...typesOf(schema), ...listed.map(typeOf), ...variants.flatMap(each => allowedTypes(whole(each)))]
  return types.length === 0 ? Object.keys(ofType) : types.includes('number') ? [...types, 'integer'] : types
}
const typeOf = (value: unknown) =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value === 'bigint' ? 'integer' : typeof value

export interface Fault {
  /** The invalid field, in JSON. */
  field: string
  what: string
  value: Record<string, unknown>
}

/** Valid objects, changed to have exactly one fault. */
export const withOneFault = (schema: Schema): fc.Arbitrary<Fault> => {
  const { properties, required } = schema
  const base = valid(schema) as fc.Arbitrary<Record<string, unknown>>
  const spoiled = (field: string, what: string, wrong: fc.Arbitrary<unknown>): fc.Arbitrary<Fault> =>
    fc.tuple(base, wrong).map(([value, each]) => ({ field, what, value: { ...value, [field]: each } }))

  const faults: fc.Arbitrary<Fault>[] = required.map((field: string) =>
    base.map(({ [field]: _, ...value }) => ({ field, what: 'is required', value }))
  )
  for (const [field, given] of Object.entries(properties)) {
    const each = whole(given)
    for (const wrong of refused(each)) faults.push(spoiled(field, 'must ', wrong))
    const allowed = allowedTypes(each)
    const isOfOneType = each.anyOf === undefined && each.oneOf === undefined
    for (const [type, wrong] of Object.entries(ofType)) {
      if (!allowed.includes(type)) faults.push(spoiled(field, isOfOneType ? 'must be ' : 'must ', wrong))
    }
  }
  const other = fc.oneof(anyText, fc.constantFrom('__proto__', 'constructor', 'toString', 'id', 'length'))
  faults.push(
    fc
      .tuple(base, other, fc.jsonValue())
      .filter(([, name]) => !Object.hasOwn(properties, name))
      // Added as an own property, even if it is named `__proto__`.
      .map(([value, field, extra]) => ({
        field,
        what: 'is unknown',
        value: Object.fromEntries([...Object.entries(value), [field, extra]])
      }))
  )
  return fc.oneof(...faults)
}

/** Invalid texts of a parameter. */
export const refusedAsText = (schema: Schema): fc.Arbitrary<string> => {
  const isOfType = formOf[schema.type as string]
  return fc.oneof(
    ...refused(schema).map(each => each.map(String)),
    ...(isOfType === undefined ? [] : [anyText.filter(value => !isOfType.test(value))])
  )
}

/** The texts that these types allow, and a few more. */
const formOf: Record<string, RegExp> = { integer: /^-?\d+$/, number: /^[-+\d.e]+$/i, boolean: /^(true|false)$/ }

/** A JSON text with its bigints as integers. */
export const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each))
