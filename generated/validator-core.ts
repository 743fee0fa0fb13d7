// Copied from @contract-first/generator/package/validator-core.ts by `npm run generate`: do not edit it.

import { type Int64, patternOf } from './client-places.ts'
import { Check, memory, resolved, type Schema, type TestOfFormat, type Violation, words } from './schema-check.ts'

/** Standard Schema, version 1: https://standardschema.dev. */
export interface Validator<Output, Input = Entered<Output>> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'contract-first'
    readonly validate: (value: unknown) => Outcome<Output>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}
type Outcome<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly Issue[] }
export interface Issue {
  readonly message: string
  readonly path: Violation['path']
}

/** What a form may have for a value: numbers and booleans as texts, and an empty text where nothing has been entered. */
export type Entered<Value> = Value extends number | bigint | boolean
  ? Value | string
  : Value extends string
    ? Value | ''
    : Value extends Date
      ? Value | string
      : Value extends Blob | ArrayBuffer | ArrayBufferView
        ? Value
        : { [Name in keyof Value]: Entered<Value[Name]> }

export interface ValidatorOptions<I extends Int64 = Int64> {
  /** The type of an int64 in the value, as in the options of the client. */
  int64?: I | undefined
  /** Replaces a message, unless it returns undefined. */
  message?: ((broken: Broken) => string | undefined) | undefined
}
/** What is wrong with a field. */
export interface Broken extends Violation {
  /** The name of the field in words: `Category id`. */
  readonly label: string
}

/** Checks what was entered, and converts it; `testOf` tests the formats that the schema has. */
export const validator = (
  schema: Schema,
  { int64 = 'number', message }: ValidatorOptions = {},
  testOf: TestOfFormat = () => undefined
): Validator<unknown> => {
  const validate = (given: unknown): Outcome<unknown> => {
    const check = new Check(reference => resolved(schema, reference), testOf)
    const value = replaceParts(check, schema, given, (own, each) => entered(own, each, int64))
    const issues = new Map<string, Issue>()
    for (const { path, rule, limit } of check.of(schema, value)) {
      const key = JSON.stringify(path)
      if (issues.has(key)) continue
      const label = labelOf(path)
      const usual = `${label} ${(plainWords[rule] ?? words[rule])?.(limit as never) ?? 'is not valid'}`
      issues.set(key, { message: message?.({ path, rule, limit, label }) ?? usual, path })
    }
    if (issues.size > 0) return { issues: [...issues.values()] }
    return { value: replaceParts(check, schema, value, (own, each) => typed(own, each, int64)) }
  }
  return { '~standard': { version: 1, vendor: 'contract-first', validate } }
}

/** The value with all its parts replaced. */
const replaceParts = (
  check: Check,
  root: Schema,
  whole: unknown,
  replaced: (schema: Values, value: unknown) => unknown
): unknown => {
  const known = memory<unknown>()
  const walk = (schema: Schema, value: unknown) => known(schema, value, () => walked(schema, value))
  const walked = (schema: Schema, value: unknown): unknown => {
    if (typeof schema === 'boolean') return value
    const { $ref, allOf = [], anyOf = [], oneOf = [], prefixItems = [], items = true } = schema as Parts
    const { properties = {}, patternProperties = {}, additionalProperties = true } = schema as Parts
    let result = value
    for (const each of $ref === undefined ? allOf : [check.targetOf($ref), ...allOf]) result = walk(each, result)
    for (const all of [anyOf, oneOf]) {
      const before = result
      const variants = all.filter(each => check.isMeant(each, before))
      const ways = variants.map(each => walk(each, before))
      const isIt = (way: unknown, at: number) =>
        ways.length === 1 || [way, before].some(each => check.fits(variants[at] as Schema, each))
      result = [...ways.filter(isIt), ...ways.filter(each => each !== before), before][0]
    }
    if (Array.isArray(result)) result = result.map((each, index) => walk(prefixItems[index] ?? items, each))
    else if (isPlain(result))
      result = Object.fromEntries(
        Object.entries(result).flatMap(([name, each]) => {
          const pattern = Object.keys(patternProperties).find(each => patternOf(each).test(name)) ?? ''
          const others = patternProperties[pattern] ?? additionalProperties
          const own = Object.hasOwn(properties, name) ? (properties[name] as Schema) : others
          const inside = walk(own, each)
          return inside === undefined || (inside === '' && !check.fits(own, '')) ? [] : [[name, inside]]
        })
      )
    return replaced(schema, result)
  }
  return walk(root, whole)
}

type Values = Readonly<Record<string, unknown>>
interface Parts {
  readonly $ref?: string
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly prefixItems?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema
}

/** Unlike a file. */
const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value))

const typesOf = ({ type }: Values) => [type ?? []].flat() as string[]

/** What a text stands for. One that a number would round stays a text's digits, or becomes an integer that is not exact. */
const entered = (schema: Values, value: unknown, int64: Int64): unknown => {
  const types = typesOf(schema)
  const isExact = schema.format === 'int64' && int64 !== 'number'
  // Of an empty field, where a library makes numbers of texts.
  if (Number.isNaN(value)) return undefined
  if (types.length === 0) return value
  if (typeof value === 'bigint') return isExact ? value : Number(value)
  if (typeof value !== 'string' || types.includes('string')) return value
  const text = value.trim()
  if (text === '') return undefined
  if (types.includes('boolean') && /^(?:true|on|false)$/.test(text)) return text !== 'false'
  if (!types.some(each => /^(?:integer|number)$/.test(each))) return value
  if (!/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) return value
  const number = Number(text)
  return isExact && /^-?\d+$/.test(text) && !Number.isSafeInteger(number) ? BigInt(text) : number
}

/** An int64 that may be beyond 2^53 as the option has it. */
const typed = (schema: Values, value: unknown, int64: Int64): unknown => {
  if (typeof value !== 'number' && typeof value !== 'bigint') return value
  const {
    minimum,
    exclusiveMinimum = minimum,
    maximum,
    exclusiveMaximum = maximum,
    enum: only = [schema.const]
  } = schema
  const isSmall = [[exclusiveMinimum, exclusiveMaximum], only as unknown[]].some(each =>
    each.every(Number.isSafeInteger)
  )
  if (schema.format !== 'int64' || int64 === 'number' || isSmall) return value
  return int64 === 'bigint' ? BigInt(value) : String(BigInt(value))
}

const labelOf = (path: Violation['path']): string => {
  const name = path.filter(each => typeof each === 'string').at(-1) ?? 'the input'
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[^\p{L}\d]+/gu, ' ')
    .trim()
    .toLowerCase()
  const numbers = path.slice(path.lastIndexOf(name) + 1).map(each => ` ${Number(each) + 1}`)
  return words.charAt(0).toUpperCase() + words.slice(1) + numbers.join('')
}

/** What people who fill in a form understand. */
const plainWords: typeof words = {
  type: (types: string[]) => `must be ${typeWords[types.find(each => each !== 'null') ?? ''] ?? 'empty'}`,
  exact: (value: number) =>
    value > 0 ? `must be at most ${Number.MAX_SAFE_INTEGER}` : `must be at least ${Number.MIN_SAFE_INTEGER}`,
  enum: (values: unknown[]) => (values.length > 10 ? 'is not in the list' : `must be one of ${values.join(', ')}`),
  format: (name: string) =>
    /^int/.test(name) ? 'is out of range' : `must be ${formatWords[name] ?? `a valid ${name}`}`
}
const typeWords: Readonly<Record<string, string>> = {
  ...{ integer: 'a whole number', number: 'a number', boolean: 'true or false' },
  ...{ string: 'a text', array: 'a list', object: 'an object' }
}
const formatWords: Readonly<Record<string, string>> = {
  ...{ email: 'an email address', uri: 'a URL', url: 'a URL', uuid: 'a UUID' },
  ...{ date: 'a date, such as 2030-12-31', 'date-time': 'a date and time, such as 2030-12-31T23:59:00Z' }
}
