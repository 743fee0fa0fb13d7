import { Ajv2020, type AnySchemaObject, type SchemaCxt, type ValidateFunction } from 'ajv/dist/2020.js'
import type { DataValidateFunction, SchemaValidateFunction } from 'ajv/dist/types/index.js'
import { regexOf } from '../../document/src/regular-expression.ts'
import { getOrMake } from '../src/node/get-or-make.ts'
import { isDeclared } from './declared.ts'
import { formatsForAjv } from './formats.ts'

type Schema = object

/**
 * Compiles schemas for requests. Integers of format `int64` become bigint, and violations are reported, by default all, each
 * with its value; or, with `useDefaults`, absent properties get their defaults. Nothing else is changed.
 */
export const requestCompiler = ({
  allErrors = true,
  useDefaults = false
} = {}): ((schema: Schema) => ValidateFunction) => {
  const ajv = newAjv({ allErrors, useDefaults, verbose: true, ownProperties: true })
  ajv.addKeyword({ keyword: 'int64', modifying: true, compile: int64({ convert: true }) })
  // The parser returns bigint for whatever a double might not hold; only int64 needs it.
  ajv.addKeyword({ keyword: 'double', before: 'allOf', modifying: true, validate: toDouble })
  return schema => ajv.compile(withInt64(schema, each => (mayRound(each) ? { double: true, allOf: [each] } : each)))
}

/** Fills in defaults as they are written, and changes nothing else. */
export const defaultsCompiler = (): ((schema: Schema) => ValidateFunction) => {
  const ajv = newAjv({ allErrors: true, useDefaults: true, ownProperties: true })
  for (const keyword of ['int64', 'double']) ajv.addKeyword(keyword)
  return schema => ajv.compile(withInt64(schema, each => each))
}

/** What a request's value becomes if no variant changes the value for the others, which Ajv's own do. */
export const variantsApart = (schema: AnySchemaObject): ValidateFunction => {
  const ajv = newAjv({ allErrors: true, ownProperties: true })
  ajv.addKeyword({ keyword: 'int64', modifying: true, compile: int64({ convert: true }) })
  ajv.addKeyword({ keyword: 'double', before: 'allOf', modifying: true, validate: toDouble })
  for (const keyword of ['anyOf', 'oneOf']) {
    ajv.removeKeyword(keyword)
    ajv.addKeyword({
      keyword,
      modifying: true,
      compile: (variants: AnySchemaObject[], _parent, { schemaEnv }: SchemaCxt) => {
        const { $defs = {} } = schemaEnv.root.schema as AnySchemaObject
        const validators = variants.map(each => ajv.compile({ properties: { value: each }, $defs }))
        return (_value, context) => {
          const { parentData, parentDataProperty } = context as NonNullable<typeof context>
          const fitting = validators.flatMap(validate => {
            const apart = { value: structuredClone(parentData[parentDataProperty]) }
            return validate(apart) ? [apart.value] : []
          })
          if (fitting.length > 0) parentData[parentDataProperty] = fitting[0]
          return keyword === 'anyOf' ? fitting.length > 0 : fitting.length === 1
        }
      }
    })
  }
  return ajv.compile(withInt64(schema, each => (mayRound(each) ? { double: true, allOf: [each] } : each)))
}

/** Compiles schemas for responses, where `int64` is a bigint; stops at the first violation and changes nothing. */
export const responseCompiler = (): ((schema: Schema) => ValidateFunction) => {
  const ajv = newAjv({})
  ajv.addKeyword({ keyword: 'int64', compile: int64({ convert: false }) })
  ajv.addKeyword({ keyword: 'undeclaredProperties', compile: undeclared })
  return schema => ajv.compile(withInt64(schema, number => number))
}

/** Not a keyword of JSON Schema: each property, at any depth, must be declared by a schema that applies. */
const undeclared = (_false: false, schema: AnySchemaObject, { schemaEnv }: SchemaCxt) => {
  const { $defs = {} } = schemaEnv.root.schema as AnySchemaObject
  const resolve = (reference: string) => $defs[decodeURIComponent(reference.split('/').at(-1) as string)]
  const validators = new Map<object, (value: unknown) => boolean>()
  const holds = (each: object) => getOrMake(validators, each, () => responseCompiler()({ ...each, $defs }))
  const { undeclaredProperties: _, ...rest } = schema
  return (value: unknown) => isDeclared(resolve, holds)([rest], value)
}

/** Patterns as the generator takes them. */
export const code = { regExp: Object.assign((pattern: string) => regexOf(pattern) as RegExp, { code: 'undefined' }) }

const newAjv = (options: ConstructorParameters<typeof Ajv2020>[0]) => {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictTuples: false,
    allowMatchingProperties: true,
    // A contract may require properties that it does not describe.
    strictRequired: false,
    allowUnionTypes: true,
    // The generator has validated the schemas; doing it again would add 70 ms to each start.
    validateSchema: false,
    meta: false,
    code,
    formats: formatsForAjv,
    ...options
  })
  for (const [format, isInRange] of Object.entries(formatsOfNumbers))
    ajv.addFormat(format, { type: 'number', validate: isInRange })
  // For Ajv's own, 0.07 is not a multiple of 0.01.
  ajv.removeKeyword('multipleOf')
  ajv.addKeyword({ keyword: 'multipleOf', type: 'number', compile: multipleOf })
  // It has no effect on validity.
  ajv.addKeyword('discriminator')
  return ajv
}

const multipleOf = (of: number) => (value: number) => {
  if (Number.isInteger(of)) return Number.isInteger(value) && BigInt(value) % BigInt(of) === 0n
  // Compares the digits as written.
  const [one, other] = [scientific(value), scientific(of)]
  const power = Math.min(one.power, other.power)
  return (one.digits * 10n ** BigInt(one.power - power)) % (other.digits * 10n ** BigInt(other.power - power)) === 0n
}
const scientific = (value: number) => {
  const [, whole = '', fraction = '', power] = /^(-?\d)(?:\.(\d+))?e(.+)$/.exec(value.toExponential()) ?? []
  return { digits: BigInt(whole + fraction), power: Number(power) - fraction.length }
}

const signed = (bits: number) => (value: number) =>
  value === Math.floor(value) && value >= -(2 ** (bits - 1)) && value < 2 ** (bits - 1)
const unsigned = (bits: number) => (value: number) => value === Math.floor(value) && value >= 0 && value < 2 ** bits
const formatsOfNumbers = {
  ...{ int8: signed(8), int16: signed(16), int32: signed(32) },
  ...{ uint8: unsigned(8), uint16: unsigned(16), uint32: unsigned(32) },
  // Up to the largest number with 24 significant bits.
  float: (value: number) => Math.abs(value) <= (2 ** 24 - 1) * 2 ** 104
}

/** Whether rounding a value beyond 2^53 is allowed, or makes no difference to its bounds. */
const mayRound = ({ type, format, minimum, maximum }: NumberSchema) =>
  [type].flat().includes('number') || format === 'int32' || (minimum !== undefined && maximum !== undefined)

/** The keywords for numbers. */
interface NumberSchema {
  type?: string | string[]
  format?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  multipleOf?: number
  enum?: number[]
  const?: number
}

// Ajv does not support bigint: `type: integer` rejects it, and bounds ignore it.
const withInt64 = (value: unknown, otherNumber: (schema: NumberSchema) => Schema): AnySchemaObject => {
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert)
    if (typeof value !== 'object' || value === null) return value
    const schema = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, convert(each)]))
    // Large bounds: with type: integer, int64 has them.
    for (const [key, each] of Object.entries(schema))
      if (typeof each === 'bigint' && schema.type !== 'integer') schema[key] = Number(each)
    const types: unknown[] =
      typeof schema.type === 'string' ? [schema.type] : Array.isArray(schema.type) ? schema.type : []
    if (!types.includes('integer') && !types.includes('number')) return schema
    if (schema.format !== 'int64')
      return 'default' in schema ? { ...otherNumber(schema), default: schema.default } : otherNumber(schema)
    const { type: _type, format: _format, default: byDefault, allOf, anyOf, oneOf, not, ...bounds } = schema
    const composing = Object.entries({ allOf, anyOf, oneOf, not }).filter(([, each]) => each !== undefined)
    const others = types.filter(type => type !== 'integer' && type !== 'number')
    return {
      ...Object.fromEntries(composing),
      ...(others.length === 0 ? { int64: bounds } : { anyOf: [{ int64: bounds }, { type: others }] }),
      ...(byDefault !== undefined && { default: byDefault })
    }
  }
  return convert(value) as AnySchemaObject
}

const range = { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n }

const int64 =
  ({ convert }: { convert: boolean }) =>
  (bounds: NumberSchema): DataValidateFunction => {
    const isAllowed = within(bounds)
    return (data, context) => {
      const value = typeof data === 'number' && Number.isSafeInteger(data) ? BigInt(data) : data
      if (typeof value !== 'bigint' || !isAllowed(value)) return false
      if (convert && context !== undefined) context.parentData[context.parentDataProperty] = value
      return true
    }
  }

const within = (bounds: NumberSchema) => {
  const most = (a: bigint, b: bigint) => (a > b ? a : b)
  const least = (a: bigint, b: bigint) => (a < b ? a : b)
  let { minimum, maximum } = range
  if (bounds.minimum !== undefined) minimum = most(minimum, BigInt(whole(bounds.minimum, Math.ceil)))
  if (bounds.maximum !== undefined) maximum = least(maximum, BigInt(whole(bounds.maximum, Math.floor)))
  if (bounds.exclusiveMinimum !== undefined)
    minimum = most(minimum, BigInt(whole(bounds.exclusiveMinimum, Math.floor)) + 1n)
  if (bounds.exclusiveMaximum !== undefined)
    maximum = least(maximum, BigInt(whole(bounds.exclusiveMaximum, Math.ceil)) - 1n)
  const listed = bounds.enum ?? (bounds.const === undefined ? undefined : [bounds.const])
  const values = listed && new Set(listed.map(each => BigInt(each)))
  const step = bounds.multipleOf === undefined ? undefined : BigInt(bounds.multipleOf)
  return (value: bigint) =>
    value >= minimum &&
    value <= maximum &&
    (values === undefined || values.has(value)) &&
    (step === undefined || value % step === 0n)
}

const whole = (bound: number | bigint, round: (bound: number) => number) =>
  typeof bound === 'bigint' ? bound : round(bound)

const toDouble: SchemaValidateFunction = (_schema, data, _parent, context) => {
  if (typeof data === 'bigint' && context !== undefined) context.parentData[context.parentDataProperty] = Number(data)
  return true
}
