// Copied from @contract-first/generator/package/mock-check.ts by `npm run generate`: do not edit it.

import { patternOf } from './client-places.ts'
import { testOfFormat } from './mock-formats.ts'

/** A JSON Schema, draft 2020-12, whose references lead to its own `$defs`. */
export type Schema = boolean | { readonly [keyword: string]: unknown }

type Schemas = Readonly<Record<string, Schema>>
type Values = Readonly<Record<string, unknown>>

/** The parts of a value that the schema evaluates; the rest is for `unevaluated…`. */
interface Seen {
  names: Set<string>
  items: Set<number>
}
const nothing = (): Seen => ({ names: new Set(), items: new Set() })

/** The first violation in a value, as a text that starts with `at`; undefined if it is valid. Integers may be bigints. */
export const violation = (
  schema: Schema,
  value: unknown,
  at: string,
  targetOf = (reference: string) => resolved(schema, reference)
): string | undefined => new Check(targetOf).of(schema, value, at, nothing())

class Check {
  readonly #targetOf: (reference: string) => Schema
  constructor(targetOf: (reference: string) => Schema) {
    this.#targetOf = targetOf
  }

  of(schema: Schema, value: unknown, at: string, seen: Seen): string | undefined {
    if (typeof schema === 'boolean') return schema ? undefined : `${at} is not allowed`
    return (
      ownViolation(schema, value, at) ??
      this.#reference(schema, value, at, seen) ??
      this.#variants(schema, value, at, seen) ??
      (Array.isArray(value) ? this.#array(schema, value, at, seen) : undefined) ??
      (isObject(value) ? this.#object(schema, value, at, seen) : undefined)
    )
  }

  #reference({ $ref }: Values, value: unknown, at: string, seen: Seen) {
    return typeof $ref === 'string' ? this.of(this.#targetOf($ref), value, at, seen) : undefined
  }

  /** Whether the value is valid; if so, adds the parts that the schema evaluates to `seen`. */
  #fits(schema: Schema, value: unknown, seen: Seen): boolean {
    const own: Seen = nothing()
    if (this.of(schema, value, '', own) !== undefined) return false
    for (const name of own.names) seen.names.add(name)
    for (const index of own.items) seen.items.add(index)
    return true
  }

  #variants(schema: Values, value: unknown, at: string, seen: Seen): string | undefined {
    const { allOf = [], anyOf, oneOf, not } = schema as Record<string, Schema[]>
    for (const each of allOf) {
      const wrong = this.of(each, value, at, seen)
      if (wrong !== undefined) return wrong
    }
    const fitting = (variants: Schema[]) => variants.filter(each => this.#fits(each, value, seen)).length
    if (anyOf !== undefined && fitting(anyOf) === 0) return `${at} is none of the variants`
    if (oneOf !== undefined && fitting(oneOf) !== 1) return `${at} must be exactly one of the variants`
    if (not !== undefined && this.#fits(not as never, value, nothing())) return `${at} is excluded`
    const { if: condition, then, else: otherwise } = schema as Record<string, Schema>
    if (condition === undefined) return undefined
    const next = this.#fits(condition, value, seen) ? then : otherwise
    return next === undefined ? undefined : this.of(next, value, at, seen)
  }

  #array(schema: Values, value: readonly unknown[], at: string, seen: Seen): string | undefined {
    const { prefixItems = [], items, contains, minContains = 1, maxContains = Infinity, unevaluatedItems } = schema
    const first = prefixItems as Schema[]
    for (const [index, each] of value.entries()) {
      const own = first[index] ?? (items as Schema | undefined)
      if (own === undefined) continue
      const wrong = this.#inside(own, each, `${at}[${index}]`)
      if (wrong !== undefined) return wrong
      seen.items.add(index)
    }
    if (contains !== undefined) {
      const found = value.flatMap((each, index) =>
        this.#inside(contains as Schema, each, '') === undefined ? [index] : []
      )
      if (found.length < (minContains as number) || found.length > (maxContains as number))
        return `${at} has ${found.length} such items`
      for (const index of found) seen.items.add(index)
    }
    if (unevaluatedItems === undefined) return undefined
    const rest = value
      .filter((_, index) => !seen.items.has(index))
      .map(each => this.#inside(unevaluatedItems as Schema, each, at))
    return rest.find(wrong => wrong !== undefined)
  }

  #object(schema: Values, value: Values, at: string, seen: Seen): string | undefined {
    const { properties = {}, patternProperties = {}, additionalProperties, unevaluatedProperties } = schema
    const { propertyNames, dependentSchemas = {} } = schema
    for (const [name, each] of Object.entries(value)) {
      const own = [
        ...(Object.hasOwn(properties as Schemas, name) ? [(properties as Schemas)[name] as Schema] : []),
        ...Object.entries(patternProperties as Schemas).flatMap(([pattern, one]) =>
          patternOf(pattern).test(name) ? [one] : []
        )
      ]
      if (own.length === 0 && additionalProperties !== undefined) own.push(additionalProperties as Schema)
      if (own.length > 0) seen.names.add(name)
      const wrong =
        own.map(one => this.#inside(one, each, `${at}.${name}`)).find(one => one !== undefined) ??
        (propertyNames === undefined ? undefined : this.#inside(propertyNames as Schema, name, `a name in ${at}`))
      if (wrong !== undefined) return wrong
    }
    for (const [name, each] of Object.entries(dependentSchemas as Schemas)) {
      const wrong = Object.hasOwn(value, name) ? this.of(each, value, at, seen) : undefined
      if (wrong !== undefined) return wrong
    }
    if (unevaluatedProperties === undefined) return undefined
    const rest = Object.keys(value).filter(name => !seen.names.has(name))
    return rest
      .map(name => this.#inside(unevaluatedProperties as Schema, value[name], `${at}.${name}`))
      .find(wrong => wrong !== undefined)
  }

  #inside(schema: Schema, value: unknown, at: string) {
    return this.of(schema, value, at, nothing())
  }
}

/** The target of a reference to `#/$defs/NAME`. */
export const resolved = (root: Schema, reference: string): Schema => {
  const { $defs = {} } = root as { $defs?: Schemas }
  return $defs[reference.replace('#/$defs/', '')] ?? true
}

/** The first violation of keywords about the value itself, not its parts. */
const ownViolation = (schema: Values, value: unknown, at: string): string | undefined => {
  const { type, enum: values, const: constant, required = [], dependentRequired = {} } = schema
  const types = [type ?? []].flat() as string[]
  if (types.length > 0 && !types.some(each => isOfType(value, each)))
    return `${at} must be of type ${types.join(' or ')}`
  // From the text of a request, it would be a bigint; beyond 2^64, services take it as a number, too.
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value as number) <= 2 ** 64
  if (isRounded && types.includes('integer') && !types.includes('number'))
    return `${at} is ${value}, which a number does not hold exactly; use a bigint`
  if (values !== undefined && !(values as unknown[]).some(each => isSame(each, value)))
    return `${at} is not in the list`
  if ('const' in schema && !isSame(constant, value)) return `${at} must be ${JSON.stringify(plain(constant))}`
  if (typeof value === 'number' || typeof value === 'bigint') return numberViolation(schema, value, at)
  if (typeof value === 'string') return textViolation(schema, value, at)
  if (Array.isArray(value)) {
    const size = sizeViolation(schema, value.length, 'Items', at)
    const isUnique = size !== undefined || !schema.uniqueItems || new Set(value.map(canonical)).size === value.length
    return isUnique ? size : `${at} has equal items`
  }
  if (!isObject(value)) return undefined
  const needed = Object.entries(dependentRequired as Record<string, string[]>)
    .flatMap(([name, names]) => (Object.hasOwn(value, name) ? names : []))
    .concat(required as string[])
  const missing = needed.find(name => !Object.hasOwn(value, name))
  const size = sizeViolation(schema, Object.keys(value).length, 'Properties', at)
  return size ?? (missing === undefined ? undefined : `${at}.${missing} is required`)
}

const numberViolation = (schema: Values, value: number | bigint, at: string): string | undefined => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } = schema as Record<string, number>
  if (minimum !== undefined && value < minimum) return `${at} must be at least ${minimum}`
  if (maximum !== undefined && value > maximum) return `${at} must be at most ${maximum}`
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `${at} must be more than ${exclusiveMinimum}`
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `${at} must be less than ${exclusiveMaximum}`
  const bits = { int32: 32, int64: 64 }[format as never] as number | undefined
  if (bits !== undefined && isOfType(value, 'integer') && BigInt.asIntN(bits, BigInt(value)) !== BigInt(value))
    return `${at} must be an ${format}`
  if (multipleOf === undefined) return undefined
  const quotient = Number(value) / multipleOf
  const isMultiple = !Number.isInteger(multipleOf)
    ? Math.abs(quotient - Math.round(quotient)) < 1e-9
    : typeof value === 'bigint'
      ? value % BigInt(multipleOf) === 0n
      : value % multipleOf === 0
  return isMultiple ? undefined : `${at} must be a multiple of ${multipleOf}`
}

const textViolation = (schema: Values, value: string, at: string): string | undefined => {
  const { pattern, format } = schema as Record<string, string>
  const size = sizeViolation(schema, [...value].length, 'Length', at)
  if (size !== undefined) return size
  if (pattern !== undefined && !patternOf(pattern).test(value)) return `${at} must match ${pattern}`
  if (format !== undefined && testOfFormat(format)?.(value) === false) return `${at} must be of the format ${format}`
  return undefined
}

const sizeViolation = (schema: Values, size: number, of: string, at: string): string | undefined => {
  const [least = 0, most = Infinity] = [schema[`min${of}`], schema[`max${of}`]] as number[]
  const what = of === 'Length' ? 'characters' : of.toLowerCase()
  if (size > most) return `${at} must have at most ${most} ${what}`
  return size < least ? `${at} must have at least ${least} ${what}` : undefined
}

const isOfType = (value: unknown, type: string): boolean => {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return typeof value === 'bigint' || Number.isInteger(value)
    case 'number':
      return typeof value === 'bigint' || typeof value === 'number'
    default:
      return typeof value === type
  }
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isSame = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other)

/** A text that is the same for the same values only. A bigint equals the number of the same value. */
const canonical = (value: unknown): string => {
  if (typeof value === 'number') return String(Number.isInteger(value) ? BigInt(value) : value)
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const properties = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`)
  return `{${properties.sort().join()}}`
}

const plain = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value)
