import { isObject, type Json, type JsonObject } from '../../document/src/json.ts'
import type { Contract } from './policy.ts'
import { formats, names, patterns } from './schema-arbitraries.ts'

/** Draws values that may tell two contracts apart: from their constants, and values close to these. */
export class ValueSampler {
  readonly #contracts: readonly [Contract, Contract]
  readonly #random: () => number
  readonly #numbers: number[]
  readonly #strings: string[]
  readonly #listed: Json[]
  /** The number of values within the one being drawn. */
  #size = 0

  constructor(before: Contract, after: Contract, seed: number) {
    this.#contracts = [before, after]
    this.#random = randomNumbers(seed)
    const said = [before, after].flatMap(({ body, schemas }) => [...spoken(body), ...spoken(schemas)])
    const numbers = said.filter(each => typeof each === 'number')
    this.#numbers = [...new Set([0, 1, -1, 0.5, ...numbers.flatMap(each => [each, each + 1, each - 1, each * 2])])]
    const strings = said.filter(each => typeof each === 'string')
    const samples = strings.flatMap(each => [...(patterns[each] ?? []), ...(formats[each] ?? [])])
    const lengths = ['', 'a', 'ab', 'abc', 'abcd', 'abcde', 'abcdef', 'A', '#']
    this.#strings = [...new Set([...lengths, ...strings.filter(each => !keywordLike.test(each)), ...samples])]
    this.#listed = said.filter(each => typeof each === 'object' || typeof each === 'boolean')
  }

  /** A value that the contract probably allows. */
  draw(side: 0 | 1): Json {
    const contract = this.#contracts[side]
    this.#size = 0
    return this.#valueOf(contract, [contract.body], 0)
  }

  /** The value with one change somewhere, preferably one that the contract might require. */
  vary(value: Json, side: 0 | 1): Json {
    const contract = this.#contracts[side]
    this.#size = 0
    return this.#varied(contract, [contract.body], value, 0)
  }

  #varied(contract: Contract, schemas: readonly Json[], value: Json, depth: number): Json {
    const parts = this.#chosen(contract, schemas)
    if (this.#chance(0.75) && Array.isArray(value) && value.length > 0) {
      const index = this.#below(value.length)
      return value.with(
        index,
        this.#varied(contract, parts.flatMap(itemSchemas(index)), value[index] as Json, depth + 1)
      )
    }
    if (this.#chance(0.75) && isObject(value) && Object.keys(value).length > 0) {
      const name = this.#one(Object.keys(value))
      const inner = parts.flatMap(propertySchemas(name))
      return { ...value, [name]: this.#varied(contract, inner, value[name] as Json, depth + 1) }
    }
    if (this.#chance(0.4)) return this.#valueOf(contract, schemas, depth)
    if (Array.isArray(value)) {
      const item = this.#valueOf(contract, parts.flatMap(itemSchemas(value.length)), depth + 1)
      return this.#chance(0.5) ? [...value, this.#chance(0.3) ? (value[0] ?? item) : item] : value.slice(0, -1)
    }
    if (!isObject(value)) return this.#any()
    const name = this.#one([...names, ...Object.keys(value)])
    if (Object.hasOwn(value, name)) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
    return { ...value, [name]: this.#valueOf(contract, parts.flatMap(propertySchemas(name)), depth + 1) }
  }

  #valueOf(contract: Contract, schemas: readonly Json[], depth: number): Json {
    if (depth > deepest || ++this.#size > largest) return this.#any()
    const parts = this.#chosen(contract, schemas)
    const listed = parts.flatMap(({ enum: values, const: only }) =>
      only === undefined ? (Array.isArray(values) ? values : []) : [only]
    )
    if (listed.length > 0 && this.#chance(0.9)) return this.#one(listed)
    switch (this.#typeFor(parts, depth)) {
      case 'null':
        return null
      case 'boolean':
        return this.#chance(0.5)
      case 'integer':
        return Math.round(this.#fitting(this.#numbers, parts, fitsNumber))
      case 'number':
        return this.#fitting(this.#numbers, parts, fitsNumber)
      case 'string':
        return this.#fitting(this.#strings, parts, fitsString)
      case 'array':
        return this.#array(contract, parts, depth)
      case 'object':
        return this.#object(contract, parts, depth)
      default:
        return this.#any()
    }
  }

  #typeFor(parts: readonly JsonObject[], depth: number): string {
    const types = parts.flatMap(({ type }) => (type === undefined ? [] : [Array.isArray(type) ? type : [type]]))
    const [first, ...rest] = types
    const common = first?.filter(each => rest.every(others => others.includes(each)))
    if (common !== undefined && common.length > 0) return String(this.#one(common))
    const says = (...keywords: string[]) => parts.some(part => keywords.some(keyword => part[keyword] !== undefined))
    if (this.#chance(0.2)) return this.#one(['null', 'boolean', 'number', 'string', 'other'])
    const likely = [
      ...(says('properties', 'required', 'additionalProperties', 'minProperties', 'patternProperties')
        ? ['object']
        : []),
      ...(says('items', 'prefixItems', 'contains', 'minItems', 'unevaluatedItems') ? ['array'] : []),
      ...(says('minimum', 'maximum', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum') ? ['number'] : []),
      ...(says('minLength', 'maxLength', 'pattern', 'format') ? ['string'] : [])
    ]
    return this.#one(likely.length > 0 ? likely : ['string', 'number', ...(depth < 3 ? ['object', 'array'] : [])])
  }

  #array(contract: Contract, parts: readonly JsonObject[], depth: number): Json[] {
    const least = Math.max(0, ...parts.map(({ minItems }) => Number(minItems ?? 0)))
    const most = Math.min(4, ...parts.map(({ maxItems }) => Number(maxItems ?? 4)))
    const length = least + this.#below(Math.max(0, most - least) + 1)
    const items = Array.from({ length }, (_, index) =>
      this.#valueOf(contract, parts.flatMap(itemSchemas(index)), depth + 1)
    )
    for (const { contains, minContains = 1 } of parts) {
      if (contains === undefined || this.#chance(0.2)) continue
      const inner = [contains, ...parts.flatMap(itemSchemas(0))]
      for (let index = 0; index < Number(minContains); index++) items[index] = this.#valueOf(contract, inner, depth + 1)
    }
    return items
  }

  #object(contract: Contract, parts: readonly JsonObject[], depth: number): JsonObject {
    const required = parts.flatMap(({ required }) => (Array.isArray(required) ? required.map(String) : []))
    const declared = parts.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []))
    const isWanted = this.#one([0.1, 0.5, 0.9])
    const chosen = new Set([
      ...required.filter(() => this.#chance(0.95)),
      ...declared.filter(() => this.#chance(depth < 5 ? isWanted : 0.1)),
      ...(this.#chance(0.25) ? [this.#one(names)] : [])
    ])
    for (const { dependentRequired } of parts)
      for (const [name, others] of isObject(dependentRequired) ? Object.entries(dependentRequired) : [])
        if (chosen.has(name) && this.#chance(0.8)) for (const other of others as string[]) chosen.add(other)
    const least = Math.max(0, ...parts.map(({ minProperties }) => Number(minProperties ?? 0)))
    for (let tries = 0; chosen.size < least && tries < 4; tries++) chosen.add(this.#one([...declared, ...names]))
    return Object.fromEntries(
      [...chosen].map(name => [name, this.#valueOf(contract, parts.flatMap(propertySchemas(name)), depth + 1)])
    )
  }

  /** The schemas that apply to a value because of these, with one of several alternatives chosen. */
  #chosen(contract: Contract, schemas: readonly Json[]): JsonObject[] {
    const found: JsonObject[] = []
    const visit = (schema: Json | undefined) => {
      if (!isObject(schema)) return
      found.push(schema)
      if (schema.$ref !== undefined) visit(contract.schemas[String(schema.$ref).split('/').at(-1) as string])
      for (const part of list(schema.allOf)) visit(part)
      for (const variants of [list(schema.anyOf), list(schema.oneOf)])
        if (variants.length > 0) visit(this.#one(variants))
      if (schema.if !== undefined) {
        const holds = this.#chance(0.5)
        if (holds) visit(schema.if)
        visit(holds ? schema.then : schema.else)
      }
      for (const part of isObject(schema.dependentSchemas) ? Object.values(schema.dependentSchemas) : [])
        if (this.#chance(0.5)) visit(part)
      // A schema that is denied twice applies.
      if (isObject(schema.not) && schema.not.not !== undefined) visit(schema.not.not)
      else if (schema.not !== undefined && this.#chance(0.1)) visit(schema.not)
    }
    for (const schema of schemas) visit(schema)
    return found
  }

  #fitting<T extends Json>(
    values: readonly T[],
    parts: readonly JsonObject[],
    fits: (value: T, part: JsonObject) => boolean
  ): T {
    const isCareful = this.#chance(0.8)
    const fitting = isCareful ? values.filter(value => parts.every(part => fits(value, part))) : []
    return this.#one(fitting.length > 0 ? fitting : values)
  }

  #any(): Json {
    return this.#one<Json>([
      ...[null, true, false, [], {}],
      ...[this.#one(this.#numbers), this.#one(this.#strings)],
      ...(this.#listed.length > 0 ? [this.#one(this.#listed)] : [])
    ])
  }

  #chance(probability: number): boolean {
    return this.#random() < probability
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end)
  }

  #one<T>(items: readonly T[]): T {
    return items[this.#below(items.length)] as T
  }
}

// Some recursive schemas never end.
const deepest = 8
const largest = 50

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

const itemSchemas =
  (index: number) =>
  ({ prefixItems, items, unevaluatedItems }: JsonObject): Json[] => {
    const schema = list(prefixItems)[index] ?? items ?? unevaluatedItems
    return schema === undefined ? [] : [schema]
  }

const propertySchemas =
  (name: string) =>
  ({ properties, patternProperties, additionalProperties, unevaluatedProperties }: JsonObject): Json[] => {
    const own = isObject(properties) && Object.hasOwn(properties, name) ? [properties[name] as Json] : []
    const matching = Object.entries(isObject(patternProperties) ? patternProperties : {})
    const all = [...own, ...matching.filter(([pattern]) => new RegExp(pattern, 'u').test(name)).map(([, each]) => each)]
    const rest = additionalProperties ?? unevaluatedProperties
    return all.length > 0 || rest === undefined ? all : [rest]
  }

const fitsNumber = (value: number, part: JsonObject): boolean =>
  value >= Number(part.minimum ?? -Infinity) &&
  value <= Number(part.maximum ?? Infinity) &&
  (typeof part.exclusiveMinimum !== 'number' || value > part.exclusiveMinimum) &&
  (typeof part.exclusiveMaximum !== 'number' || value < part.exclusiveMaximum) &&
  (typeof part.multipleOf !== 'number' ||
    Math.abs(value / part.multipleOf - Math.round(value / part.multipleOf)) < 1e-9)

const fitsString = (value: string, part: JsonObject): boolean =>
  value.length >= Number(part.minLength ?? 0) &&
  value.length <= Number(part.maxLength ?? Infinity) &&
  (typeof part.pattern !== 'string' || new RegExp(part.pattern, 'u').test(value)) &&
  (typeof part.format !== 'string' || (formats[part.format] ?? [value]).includes(value))

const keywordLike = /^(#\/|\^|array$|object$|string$|integer$|number$|boolean$|null$)/

/** All numbers, strings and listed values in a schema. */
const spoken = (value: Json): Json[] => {
  if (Array.isArray(value)) return value.flatMap(spoken)
  if (!isObject(value)) return [value]
  const listed = [...list(value.enum), ...(value.const === undefined ? [] : [value.const])]
  return [...listed, ...Object.values(value).flatMap(spoken)]
}

/** Mulberry32. */
const randomNumbers = (seed: number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
