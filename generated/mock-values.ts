// Copied from @contract-first/generator/package/mock-values.ts by `npm run generate`: do not edit it.

import { violation } from './mock-check.ts'
import { textOf } from './mock-pattern.ts'
import { resolved, type Schema } from './schema-check.ts'

type Random = () => number
type Keywords = Readonly<Record<string, unknown>>

/** Random numbers from 0 to 1, always the same ones for a text (mulberry32, seeded by FNV-1a). */
export const randomFor = (text: string): Random => {
  let state = 0x811c9dc5
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const attempts = 200

/**
 * A random value that a schema allows.
 * @throws Error if none is found
 */
export const validValue = (schema: Schema, random: Random): unknown => {
  let wrong: string | undefined
  for (let attempt = 0; attempt < attempts; attempt++) {
    // Later attempts are simpler.
    const value = new Values(schema, random, 4 - Math.floor((attempt * 4) / attempts)).of(schema, 0)
    wrong = violation(schema, value, 'the value')
    if (wrong === undefined) return value
  }
  throw new Error(`no valid value was found: ${wrong}`)
}

class Values {
  readonly #root: Schema
  readonly #random: Random
  /** The depth up to which objects have optional properties, and arrays optional items. */
  readonly #depth: number
  constructor(root: Schema, random: Random, depth: number) {
    this.#root = root
    this.#random = random
    this.#depth = depth
  }

  of(schema: Schema, depth: number): unknown {
    // No schema that ends is as deep; the check rejects the null.
    if (depth > 40) return null
    const whole = this.#flat(schema)
    if ('const' in whole) return whole.const
    if (whole.enum !== undefined) return this.#among(whole.enum as unknown[])
    const types = [whole.type ?? this.#typeBy(whole)].flat() as string[]
    const type = this.#among(depth > this.#depth && types.includes('null') ? ['null'] : types)
    if (type === 'object') return this.#object(whole, depth)
    if (type === 'array') return this.#array(whole, depth)
    if (type === 'string') return this.#text(whole)
    if (type === 'boolean') return this.#random() < 0.5
    return type === 'null' ? null : this.#number(whole, type === 'integer')
  }

  /** Merges a schema with one of its variants and all that applies to the same value. */
  #flat(schema: Schema): Keywords {
    if (typeof schema === 'boolean') return {}
    const { $ref, allOf = [], anyOf, oneOf, if: _, then, ...rest } = schema as Record<string, Schema[]>
    const parts: Schema[] = [...allOf]
    if ($ref !== undefined) parts.push(resolved(this.#root, String($ref)))
    for (const variants of [anyOf, oneOf]) if (variants !== undefined) parts.push(this.#among(variants))
    return parts.map(each => this.#flat(each)).reduce((one, other) => merged(...this.#ordered(one, other)), rest)
  }

  /** Which of two patterns or formats is tried first is random. */
  #ordered(one: Keywords, other: Keywords): [Keywords, Keywords] {
    return this.#random() < 0.5 ? [one, other] : [other, one]
  }

  #typeBy(schema: Keywords): string {
    if (['properties', 'required', 'additionalProperties', 'minProperties'].some(each => each in schema))
      return 'object'
    if (['items', 'prefixItems', 'minItems', 'contains'].some(each => each in schema)) return 'array'
    return ['minimum', 'maximum', 'multipleOf'].some(each => each in schema) ? 'number' : 'string'
  }

  #object(schema: Keywords, depth: number): unknown {
    const { properties = {}, required = [], minProperties = 0, additionalProperties = true } = schema
    const declared = Object.entries(properties as Record<string, Schema>)
    const isNeeded = (name: string) => (required as string[]).includes(name)
    const object: Record<string, unknown> = {}
    const put = (name: string, value: unknown) =>
      Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
    for (const [name, each] of declared)
      if (each !== false && (isNeeded(name) || (depth < this.#depth && this.#random() < 0.8)))
        put(name, this.#property(each, depth + 1))
    const others = this.#others(additionalProperties as Schema, schema)
    for (const name of required as string[]) if (!Object.hasOwn(object, name)) put(name, this.of(others, depth + 1))
    for (let count = 1; Object.keys(object).length < (minProperties as number) && count < 100; count++) {
      const [next] = declared.filter(([name, each]) => each !== false && !Object.hasOwn(object, name))
      put(next?.[0] ?? `name${count}`, this.of(next?.[1] ?? others, depth + 1))
    }
    return object
  }

  /** A property is tried by itself, as attempts seldom succeed for all properties at once. */
  #property(schema: Schema, depth: number): unknown {
    const { $defs = {} } = this.#root as { $defs?: object }
    let value: unknown
    for (let attempt = 0; attempt < 10; attempt++) {
      value = this.of(schema, depth)
      if (violation({ allOf: [schema], $defs }, value, '') === undefined) break
    }
    return value
  }

  #others(additional: Schema, { patternProperties = {} }: Keywords): Schema {
    return additional === true ? (Object.values(patternProperties as Record<string, Schema>)[0] ?? {}) : additional
  }

  #array(schema: Keywords, depth: number): unknown {
    const { prefixItems = [], items = true, minItems = 0, maxItems = Infinity, contains } = schema
    const first = prefixItems as Schema[]
    const wished = depth < this.#depth ? 1 + Math.floor(this.#random() * 4) : 0
    const wanted = Math.max(wished, contains === undefined ? 0 : 1, items === false ? first.length : 0)
    const length = Math.min(Math.max(minItems as number, wanted), maxItems as number)
    const most = items === false ? first.length : length
    return Array.from({ length: Math.min(length, most) }, (_, index) =>
      this.of(first[index] ?? (contains as Schema | undefined) ?? (items as Schema), depth + 1)
    )
  }

  #text({ format, pattern, minLength = 0, maxLength = Infinity }: Keywords): string {
    const two = (below: number) => String(1 + Math.floor(this.#random() * below)).padStart(2, '0')
    const date = () => `20${two(29)}-${two(12)}-${two(28)}`
    const time = () => `${two(23)}:${two(59)}:${two(59)}Z`
    const hex = (count: number) => textOf(`[0-9a-f]{${count}}`, this.#random)
    const host = `${textOf('[a-z]{4,8}', this.#random)}.example`
    const formats: Record<string, () => string> = {
      date,
      time,
      'date-time': () => `${date()}T${time()}`,
      duration: () => `P${two(9)}D`,
      email: () => `${textOf('[a-z]{3,8}', this.#random)}@${host}`,
      hostname: () => host,
      ipv4: () => `192.0.2.${1 + Math.floor(this.#random() * 254)}`,
      ipv6: () => `2001:db8::${hex(4)}`,
      uri: () => `https://${host}/`,
      url: () => `https://${host}/`,
      'uri-template': () => `https://${host}/{id}`,
      'uri-reference': () => `/${textOf('[a-z]{4,8}', this.#random)}`,
      uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
      byte: () => btoa(textOf('[a-z]{6}', this.#random)),
      'json-pointer': () => `/${textOf('[a-z]{4,8}', this.#random)}`,
      'relative-json-pointer': () => `1/${textOf('[a-z]{4,8}', this.#random)}`,
      regex: () => '^[a-z]+$'
    }
    if (pattern !== undefined) return textOf(String(pattern), this.#random)
    if (typeof format === 'string' && Object.hasOwn(formats, format)) return formats[format]?.() ?? ''
    const [least, most] = [Math.max(minLength as number, 1), maxLength as number]
    const words = textOf('[A-Z][a-z]{2,6}( [a-z]{3,8}){0,2}', this.#random)
    return words.padEnd(least, words).slice(0, Math.max(most, 0))
  }

  #number(schema: Keywords, isInteger: boolean): number | bigint {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<string, number>
    const step = multipleOf ?? (isInteger ? 1 : 0.01)
    const bounds = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].map(each =>
      each === undefined ? undefined : Number(each)
    )
    const low = bounds[0] ?? (bounds[2] === undefined ? undefined : bounds[2] + step)
    const high = bounds[1] ?? (bounds[3] === undefined ? undefined : bounds[3] - step)
    // Small if the contract allows it, since numbers beyond 2^53 would surprise most callers.
    const isWide = (low ?? -Infinity) <= 1 && (high ?? Infinity) >= 1000
    const from = isWide ? 1 : (low ?? (high ?? 0) - 1000)
    const least = Math.ceil(from / step)
    const most = Math.max(least, Math.floor(Math.min(high ?? Infinity, from + 999) / step))
    const value = (least + Math.floor(this.#random() * (most - least + 1))) * step
    if (!isInteger || !Number.isInteger(step)) return Number(value.toPrecision(12))
    return Number.isSafeInteger(value) ? value : BigInt(value)
  }

  #among<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random() * choices.length)] as T
  }
}

/** A rough merge is good enough, since the check decides. */
const merged = (one: Keywords, other: Keywords): Keywords => ({
  ...one,
  ...other,
  ...(one.type !== undefined && other.type === undefined && { type: one.type }),
  ...(one.properties !== undefined || other.properties !== undefined
    ? { properties: { ...(one.properties as object), ...(other.properties as object) } }
    : {}),
  ...(one.required !== undefined && other.required !== undefined
    ? { required: [...(one.required as string[]), ...(other.required as string[])] }
    : {})
})
