import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { parseExact, resolved } from '../contract-check.ts'

// biome-ignore lint/suspicious/noExplicitAny: schemas of the contract, looked into place by place
type Schema = any

// Read with its integers exact, since bounds of int64 are beyond a double.
const document: Schema = parseExact(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'))

/** A schema of the contract as one object, with what `$ref` and `allOf` bring in. */
const whole = (schema: Schema): Schema => {
  const { $ref, allOf = [], ...own } = schema
  const parts = [...($ref === undefined ? [] : [whole(resolved({ $ref }, document))]), ...allOf.map(whole)]
  const merged = Object.assign({}, ...parts, own)
  const required = [...parts, own].flatMap(each => each.required ?? [])
  const properties = Object.assign({}, ...[...parts, own].map(each => each.properties))
  return { ...merged, required, properties }
}

export const component = (name: string): Schema => whole({ $ref: `#/components/schemas/${name}` })
export const parametersOf = (path: string, method: string): { name: string; schema: Schema }[] =>
  document.paths[path][method].parameters.map(({ name, schema }: Schema) => ({ name, schema: whole(schema) }))

const text = (minLength: number, maxLength: number) => fc.string({ unit: 'binary', minLength, maxLength })
const anyText = text(0, 20)
const matches =
  ({ pattern }: Schema) =>
  (value: string) =>
    pattern === undefined || new RegExp(pattern, 'u').test(value)

/** Values that a schema allows, integers as bigint. */
export const valid = (given: Schema): fc.Arbitrary<unknown> => {
  const schema = whole(given)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'string': {
      const [least, most] = [Number(schema.minLength ?? 0), Number(schema.maxLength)]
      const ends = fc.constantFrom(least, most).chain(length => text(length, length))
      const url = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/)
      return fc
        .oneof(text(least, most), ends, url)
        .filter(value => matches(schema)(value) && lengthOf(value) <= most && lengthOf(value) >= least)
    }
    case 'integer': {
      const [min, max] = [BigInt(schema.minimum), BigInt(schema.maximum)]
      return fc.oneof(fc.bigInt({ min, max }), fc.constantFrom(min, max))
    }
    case 'object': {
      const properties = Object.entries(schema.properties).map(([name, each]) => [name, valid(each)])
      return fc.record(Object.fromEntries(properties), { requiredKeys: schema.required })
    }
    default:
      throw new Error(`no arbitrary for the type ${schema.type}`)
  }
}

const lengthOf = (value: string) => [...value].length

/** Values that a schema refuses although they are of its type. */
const refused = (schema: Schema): fc.Arbitrary<unknown>[] => {
  if (schema.enum !== undefined) return [anyText.filter(value => !schema.enum.includes(value))]
  if (schema.type === 'integer') {
    const [min, max] = [BigInt(schema.minimum), BigInt(schema.maximum)]
    return [
      fc.bigInt({ min: max + 1n, max: max + 2n ** 80n }),
      fc.bigInt({ min: min - 2n ** 80n, max: min - 1n }),
      fc.constantFrom(min - 1n, max + 1n)
    ]
  }
  const [least, most] = [Number(schema.minLength ?? 0), Number(schema.maxLength)]
  const faults = [text(most + 1, most + 10)]
  if (least > 0) faults.push(text(0, least - 1))
  const wrong = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code)).filter(
    each => !matches(schema)(each.repeat(Math.max(least, 1)))
  )
  if (wrong.length > 0) {
    const spoiled = fc.tuple(text(Math.max(least, 1), most), fc.constantFrom(...wrong), fc.nat())
    faults.push(
      spoiled.map(([value, character, at]) => {
        const characters = [...value]
        return characters.with(at % characters.length, character).join('')
      })
    )
  }
  return faults
}

const ofType: Record<string, fc.Arbitrary<unknown>> = {
  string: anyText,
  integer: fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  number: fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }),
  boolean: fc.boolean(),
  null: fc.constant(null),
  array: fc.array(anyText, { maxLength: 3 }),
  object: fc.dictionary(anyText, anyText, { maxKeys: 3 })
}

export interface Fault {
  /** The field at fault, as JSON has it. */
  field: string
  what: string
  value: Record<string, unknown>
}

/** Valid objects in which exactly one thing is then made wrong. */
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
    for (const [type, wrong] of Object.entries(ofType)) {
      if (type !== each.type) faults.push(spoiled(field, 'must be ', wrong))
    }
  }
  const other = fc.oneof(anyText, fc.constantFrom('__proto__', 'constructor', 'toString', 'id', 'length'))
  faults.push(
    fc
      .tuple(base, other, fc.jsonValue())
      .filter(([, name]) => !Object.hasOwn(properties, name))
      // As an own field, also where its name is `__proto__`.
      .map(([value, field, extra]) => ({
        field,
        what: 'does not exist',
        value: Object.fromEntries([...Object.entries(value), [field, extra]])
      }))
  )
  return fc.oneof(...faults)
}

/** What the schema refuses of a parameter that is written as text. */
export const refusedAsText = (schema: Schema): fc.Arbitrary<string> =>
  schema.type === 'integer'
    ? fc.oneof(
        ...refused(schema).map(each => each.map(String)),
        anyText.filter(value => !/^-?\d+$/.test(value))
      )
    : fc.oneof(...(refused(schema) as fc.Arbitrary<string>[]))

/** A JSON text with its bigints as integers. */
export const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each))
