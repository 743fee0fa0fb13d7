import { patternOf } from './client-places.ts'

/** A JSON Schema, draft 2020-12, whose references lead to its own `$defs`. */
export type Schema = boolean | { readonly [keyword: string]: unknown }

type Schemas = Readonly<Record<string, Schema>>
type Values = Readonly<Record<string, unknown>>

/** What breaks a rule, whose keyword has the name and the limit; `false` stands for the schema of that name. */
export interface Violation {
  readonly path: Path
  readonly rule: string
  readonly limit?: unknown
}
type Path = readonly (string | number)[]

/** The test of a string format; undefined if there is none. */
export type TestOfFormat = (name: string) => ((text: string) => boolean) | undefined
export type TargetOf = (reference: string) => Schema

/** The parts of a value that the schema evaluates; the rest is for `unevaluated…`. */
interface Seen {
  names: Set<string>
  items: Set<number>
}
const nothing = (): Seen => ({ names: new Set(), items: new Set() })

/**
 * All violations in a value, first those that a reader of the schema meets first. Integers may be bigints. A value must not
 * change as long as the same check is used.
 */
export class Check {
  readonly targetOf: TargetOf
  readonly #testOf: TestOfFormat
  /** Whether it does not matter which violation there is. */
  #isQuick = false
  /** What each schema evaluates of an object, unless it is not valid: recursive variants would ask again and again. */
  readonly #known = memory<Seen | false>()
  constructor(targetOf: TargetOf, testOf: TestOfFormat) {
    this.targetOf = targetOf
    this.#testOf = testOf
  }

  *of(schema: Schema, value: unknown, path: Path = [], seen = nothing()): Generator<Violation> {
    if (typeof schema === 'boolean') {
      if (!schema) yield { path, rule: 'false' }
      return
    }
    for (const [rule, limit, name] of ownViolations(schema, value, this.#testOf))
      yield { path: name === undefined ? path : [...path, name], rule, limit }
    if (typeof schema.$ref === 'string') yield* this.of(this.targetOf(schema.$ref), value, path, seen)
    yield* this.#variants(schema, value, path, seen)
    if (Array.isArray(value)) yield* this.#array(schema, value, path, seen)
    else if (isObject(value)) yield* this.#object(schema, value, path, seen)
  }

  /** Whether the value is valid; if so, adds the parts that the schema evaluates to `seen`. */
  fits(schema: Schema, value: unknown, seen = nothing()): boolean {
    const found = this.#known(schema, value, () => {
      const own = nothing()
      const before = this.#isQuick
      this.#isQuick = true
      const isValid = this.of(schema, value, [], own).next().done
      this.#isQuick = before
      return isValid ? own : false
    })
    if (!found) return false
    for (const name of found.names) seen.names.add(name)
    for (const index of found.items) seen.items.add(index)
    return true
  }

  *#variants(schema: Values, value: unknown, path: Path, seen: Seen): Generator<Violation> {
    const { allOf = [], anyOf, oneOf, not } = schema as Record<string, Schema[]>
    for (const each of allOf) yield* this.of(each, value, path, seen)
    const fitting = (variants: Schema[]) => variants.filter(each => this.fits(each, value, seen)).length
    if (anyOf !== undefined && fitting(anyOf) === 0) yield* this.#nearest(anyOf, value, path, 'anyOf')
    const count = oneOf === undefined ? 1 : fitting(oneOf)
    if (count === 0) yield* this.#nearest(oneOf ?? [], value, path, 'oneOf')
    else if (count > 1) yield { path, rule: 'oneOf' }
    if (not !== undefined && this.fits(not as never, value)) yield { path, rule: 'not' }
    const { if: condition, then, else: otherwise } = schema as Record<string, Schema>
    if (condition === undefined) return
    const next = this.fits(condition, value, seen) ? then : otherwise
    if (next !== undefined) yield* this.of(next, value, path, seen)
  }

  /** Whether a variant may be what the value is meant to be, by its type, and by properties that have a single value. */
  isMeant(variant: Schema, value: unknown): boolean {
    if (typeof variant === 'boolean') return variant
    const { $ref, type, properties = {} } = variant
    if (typeof $ref === 'string') return this.isMeant(this.targetOf($ref), value)
    const types = [type ?? []].flat() as string[]
    // A text may stand for a number or a boolean.
    const mayBe = (each: string) =>
      isOfType(value, each) ||
      (typeof value === 'string'
        ? !/^(?:array|object|null)$/.test(each)
        : each === 'integer' && isOfType(value, 'number'))
    if (types.length > 0 && !types.some(mayBe)) return false
    if (!isObject(value)) return true
    return Object.entries(properties as Record<string, Values>).every(([name, each]) => {
      const { enum: only = 'const' in Object(each) ? [each.const] : [] } = Object(each) as { enum?: unknown[] }
      return only.length !== 1 || !Object.hasOwn(value, name) || isSame(only[0], value[name])
    })
  }

  /** The violations of the only variant that is meant. */
  *#nearest(variants: Schema[], value: unknown, path: Path, rule: string): Generator<Violation> {
    const [meant, ...others] = this.#isQuick ? [] : variants.filter(each => this.isMeant(each, value))
    if (meant !== undefined && others.length === 0) yield* this.of(meant, value, path)
    else yield { path, rule }
  }

  *#array(schema: Values, value: readonly unknown[], path: Path, seen: Seen): Generator<Violation> {
    const { prefixItems = [], items, contains, minContains = 1, maxContains = Infinity, unevaluatedItems } = schema
    const first = prefixItems as Schema[]
    for (const [index, each] of value.entries()) {
      const own = first[index] ?? (items as Schema | undefined)
      if (own === undefined) continue
      yield* this.of(own, each, [...path, index])
      seen.items.add(index)
    }
    if (contains !== undefined) {
      const found = value.flatMap((each, index) => (this.fits(contains as Schema, each) ? [index] : []))
      if (found.length < (minContains as number) || found.length > (maxContains as number))
        yield { path, rule: 'contains', limit: found.length }
      for (const index of found) seen.items.add(index)
    }
    if (unevaluatedItems === undefined) return
    for (const [index, each] of value.entries())
      if (!seen.items.has(index)) yield* this.of(unevaluatedItems as Schema, each, [...path, index])
  }

  *#object(schema: Values, value: Values, path: Path, seen: Seen): Generator<Violation> {
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
      for (const one of own) yield* this.of(one, each, [...path, name])
      if (propertyNames !== undefined && !this.fits(propertyNames as Schema, name))
        yield { path: [...path, name], rule: 'propertyNames' }
    }
    for (const [name, each] of Object.entries(dependentSchemas as Schemas))
      if (Object.hasOwn(value, name)) yield* this.of(each, value, path, seen)
    if (unevaluatedProperties === undefined) return
    for (const [name, each] of Object.entries(value))
      if (!seen.names.has(name)) yield* this.of(unevaluatedProperties as Schema, each, [...path, name])
  }
}

/** Makes the result for a schema and a value, that for an object only once. */
export const memory = <Result>() => {
  const known = new WeakMap<object, Map<Schema, Result>>()
  return (schema: Schema, value: unknown, make: () => Result): Result => {
    if (Object(value) !== value) return make()
    const results = known.get(value as object) ?? new Map<Schema, Result>()
    known.set(value as object, results)
    const result = results.get(schema) ?? make()
    results.set(schema, result)
    return result
  }
}

/** The target of a reference to `#/$defs/NAME`. */
export const resolved = (root: Schema, reference: string): Schema => {
  const { $defs = {} } = root as { $defs?: Schemas }
  return $defs[reference.replace('#/$defs/', '')] ?? true
}

const bound = (relation: string) => (limit: unknown) => `must be ${relation} ${limit}`
const size = (relation: string, noun: string) => (limit: number) =>
  `must have at ${relation} ${limit} ${noun}${limit === 1 ? '' : 's'}`

/** What is wrong, as the rest of a sentence about it. */
export const words: Readonly<Record<string, (limit: never) => string>> = {
  false: () => 'is not allowed',
  required: () => 'is required',
  const: (only: unknown) => `must be ${JSON.stringify(plain(only))}`,
  minimum: bound('at least'),
  maximum: bound('at most'),
  exclusiveMinimum: bound('more than'),
  exclusiveMaximum: bound('less than'),
  multipleOf: bound('a multiple of'),
  minLength: size('least', 'character'),
  maxLength: size('most', 'character'),
  minItems: size('least', 'item'),
  maxItems: size('most', 'item'),
  minProperties: size('least', 'field'),
  maxProperties: size('most', 'field'),
  uniqueItems: () => 'has equal items'
}

/** The rule, its limit, and the name of the property that is missing. */
type Broken = [rule: string, limit?: unknown, missing?: string]

/** The violations of keywords about the value itself, not its parts. */
function* ownViolations(schema: Values, value: unknown, testOf: TestOfFormat): Generator<Broken> {
  const { type, enum: values, const: constant, required = [], dependentRequired = {} } = schema
  const types = [type ?? []].flat() as string[]
  if (types.length > 0 && !types.some(each => isOfType(value, each))) yield ['type', types]
  // From a text, it would be a bigint; beyond 2^64, services take it as a number, too.
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value as number) <= 2 ** 64
  if (isRounded && types.includes('integer') && !types.includes('number')) yield ['exact', value]
  if (values !== undefined && !(values as unknown[]).some(each => isSame(each, value))) yield ['enum', values]
  if ('const' in schema && !isSame(constant, value)) yield ['const', constant]
  if (typeof value === 'number' || typeof value === 'bigint') yield* numberViolations(schema, value)
  if (typeof value === 'string') yield* textViolations(schema, value, testOf)
  if (Array.isArray(value)) {
    yield* sizeViolations(schema, value.length, 'Items')
    if (schema.uniqueItems && new Set(value.map(canonical)).size < value.length) yield ['uniqueItems']
  } else if (isObject(value)) {
    const needed = Object.entries(dependentRequired as Record<string, string[]>)
      .flatMap(([name, names]) => (Object.hasOwn(value, name) ? names : []))
      .concat(required as string[])
    yield* sizeViolations(schema, Object.keys(value).length, 'Properties')
    for (const name of needed) if (!Object.hasOwn(value, name)) yield ['required', undefined, name]
  }
}

function* numberViolations(schema: Values, value: number | bigint): Generator<Broken> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } = schema as Record<string, number>
  if (minimum !== undefined && value < minimum) yield ['minimum', minimum]
  if (maximum !== undefined && value > maximum) yield ['maximum', maximum]
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) yield ['exclusiveMinimum', exclusiveMinimum]
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) yield ['exclusiveMaximum', exclusiveMaximum]
  const bits = { int32: 32, int64: 64 }[format as never] as number | undefined
  if (bits !== undefined && isOfType(value, 'integer') && BigInt.asIntN(bits, BigInt(value)) !== BigInt(value))
    yield ['format', format]
  if (multipleOf === undefined) return
  const quotient = Number(value) / multipleOf
  const isMultiple = !Number.isInteger(multipleOf)
    ? Math.abs(quotient - Math.round(quotient)) < 1e-9
    : typeof value === 'bigint'
      ? value % BigInt(multipleOf) === 0n
      : value % multipleOf === 0
  if (!isMultiple) yield ['multipleOf', multipleOf]
}

function* textViolations(schema: Values, value: string, testOf: TestOfFormat): Generator<Broken> {
  const { pattern, format } = schema as Record<string, string>
  yield* sizeViolations(schema, [...value].length, 'Length')
  if (pattern !== undefined && !patternOf(pattern).test(value)) yield ['pattern', pattern]
  if (format !== undefined && testOf(format)?.(value) === false) yield ['format', format]
}

function* sizeViolations(schema: Values, size: number, of: string): Generator<Broken> {
  const [least, most] = [`min${of}`, `max${of}`]
  if (size > ((schema[most] ?? Infinity) as number)) yield [most, schema[most]]
  if (size < ((schema[least] ?? 0) as number)) yield [least, schema[least]]
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
      // A file, in a form.
      return typeof value === type || (type === 'string' && value instanceof Blob)
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
