import { getOrMake, isObject, type Json, type JsonObject, withPart } from '@contract-first/document'
import { accepts } from '../schema/accepts.ts'
import { assertionsOf, unionOf, valuesOf } from '../schema/assertions.ts'
import { type Assertion, canonical, type JsonType, type Keywords, type Schema } from '../schema/schema.ts'
import type { Solver } from '../schema/solve.ts'

/** A value, and what it tests. */
export interface Variant {
  what: string
  value: Json
}

const types: readonly JsonType[] = ['null', 'string', 'number', 'boolean', 'array', 'object']

// How many assertions are violated in a schema, in its parts, and in the parts of these: deeper ones differ less.
const maxBroken = [Number.POSITIVE_INFINITY, 12, 3]
const lengthLimit = 50_000
const itemLimit = 200
const maxListed = 20
const mostDrawn = 8
const deepest = 3
const tellingTexts = ['é 😀', '100%', 'a+b&c=d', '"\\"', 'a,b', '007', 'null', '<b>', '#1;2']
const tellingNumbers = [2 ** 53 - 1, 0.1, 1e-7, -1, 1_000_000]
// Most programs round these numbers; only 64-bit integers have to be exact.
const largeIntegers = [9007199254740993n, -9007199254740993n]
const beyondInt64 = 2n ** 64n

export class Values {
  readonly #solver: Solver
  readonly #random: () => number
  /** By depth. */
  readonly #simple = Array.from({ length: deepest + 1 }, () => new Map<Schema, Json | undefined>())

  /** By what was asked for: operations share schemas. */
  readonly #solved = new Map<string, Json | undefined>()

  constructor(solver: Solver, random: () => number) {
    this.#solver = solver
    this.#random = random
  }

  /** Values that the schema allows: the simplest first, then those at its bounds. */
  valid(schema: Schema): Variant[] {
    const variants: Variant[] = []
    const add = (what: string, ...demands: Keywords[]) => {
      const value = this.#find(schema, ...demands)
      const isNew = value !== undefined && !variants.some(each => canonical(each.value) === canonical(value))
      if (isNew && accepts(schema, value) !== false) variants.push({ what, value })
    }
    const assertions = assertionsOf(schema)
    add('any value')
    for (const assertion of assertions) {
      const { keyword, keywords } = assertion
      const { minimum, maximum, minLength, maxLength = 0, minItems, maxItems = 0 } = keywords
      if (keyword === 'values') {
        for (const value of this.#some(keywords.values ?? [], maxListed))
          add(`the value ${canonical(value)}`, { values: [value] })
      }
      for (const [index, variant] of (unionOf(assertion)?.slice(0, maxListed) ?? []).entries())
        add(`the variant ${index + 1}`, variant.keywords)
      if (keyword === 'types')
        for (const type of keywords.types ?? []) add(`a value of type ${type}`, { types: [type] })
      if (minimum !== undefined) add('at its minimum', { types: ['number'], maximum: minimum })
      if (maximum !== undefined) add('at its maximum', { types: ['number'], minimum: maximum })
      if (minLength !== undefined) add('of minimum length', { types: ['string'], maxLength: minLength })
      if (keyword === 'maxLength' && maxLength <= lengthLimit)
        add('of maximum length', { types: ['string'], minLength: maxLength })
      if (minItems !== undefined) add('with the fewest items', { types: ['array'], maxItems: minItems })
      if (keyword === 'maxItems' && maxItems <= itemLimit)
        add('with the most items', { types: ['array'], minItems: maxItems })
    }
    if (partsOf(schema, variants[0]?.value).properties.length === 0) return variants
    const full = this.simple(schema)
    return full === undefined ? variants : distinct([...variants, { what: 'with all properties', value: full }])
  }

  /** Values like this one, each of which differs in as many parts as fit together, until each part had all its telling values. */
  varied(schema: Schema, like: Json): { changes: Change[]; value: Json }[] {
    const rounds: { changes: Change[]; value: Json }[] = []
    let rest = this.#changesIn(schema, like).filter(({ change }) => accepts(schema, change(like)) === true)
    while (rest.length > 0) {
      let value = like
      const chosen: Change[] = []
      for (const each of rest) {
        const isApart = chosen.every(({ place }) => !place.startsWith(each.place) && !each.place.startsWith(place))
        const next = isApart ? each.change(value) : value
        if (!isApart || (chosen.length > 0 && accepts(schema, next) !== true)) continue
        chosen.push(each)
        value = next
      }
      rounds.push({ changes: chosen, value })
      rest = rest.filter(each => !chosen.includes(each))
    }
    return rounds
  }

  /** The changes of each part of a value that its schema allows. */
  #changesIn(schema: Schema, like: Json | undefined, at = '', depth = 0): Change[] {
    if (depth > deepest || !(isObject(like) || Array.isArray(like))) return []
    const { items, properties } = partsOf(schema, like)
    const parts: [string, Schema][] = isObject(like) ? [...properties] : items && like.length > 0 ? [['0', items]] : []
    return parts.flatMap(([key, part]) => {
      const [inner, place] = isObject(like) ? [like[key], `${at}.${key}`] : [like[0], `${at}[0]`]
      const own = this.telling(part).filter(({ value }) => inner === undefined || canonical(value) !== canonical(inner))
      const isListed = valuesOf(part) !== undefined
      const changes = own.map(({ what, value }): Change => {
        const isProven = inner !== undefined || isListed || typeof value === 'boolean' || value === null
        return { place, what: `${place} ${what}`, isSure: isProven && !isIdName.test(key), change: () => value }
      })
      return [...changes, ...this.#changesIn(part, inner, place, depth + 1)].map(each => ({
        ...each,
        change: whole => withPart(whole as JsonObject | Json[], key, each.change((whole as JsonObject)[key] ?? null))
      }))
    })
  }

  /** Valid values, and texts and numbers that programs often get wrong. */
  telling(schema: Schema): Variant[] {
    const valid = this.valid(schema)
    const bounds = assertionsOf(schema).map(({ keywords }) => keywords)
    const longest = Math.max(0, ...bounds.map(({ maxLength = 0 }) => maxLength))
    // A text that is not described may have a meaning of its own.
    const isDescribed = bounds.some(({ minLength, maxLength, pattern }) => minLength ?? maxLength ?? pattern)
    const texts = [
      { what: 'with letters beyond ASCII', value: 'é 😀' },
      { what: 'of maximum length, beyond ASCII', value: longest > lengthLimit ? '' : '😀'.padEnd(longest + 1, 'é') },
      ...this.#some(tellingTexts, 2).map(value => ({ what: `the text ${canonical(value)}`, value }))
    ]
    const others = [
      { what: 'a fraction', value: 0.5 },
      { what: 'the value false', value: false },
      { what: 'empty', value: [] }
    ]
    const more = [...(isDescribed ? texts : []), ...others]
    const isMeant = (value: Json) => valid.some(each => typeof each.value === typeof value)
    return distinct([...valid, ...more.filter(({ value }) => isMeant(value) && accepts(schema, value) === true)])
  }

  /**
   * A value that shows people what a schema allows: as simple as possible, but with optional properties and an item in each list.
   * The same schema gives the same value; deeper levels have fewer details.
   */
  simple(schema: Schema, depth = 0): Json | undefined {
    return getOrMake(this.#simple[depth] ?? new Map(), schema, () => this.#newSimple(schema, depth))
  }

  #newSimple(schema: Schema, depth: number): Json | undefined {
    const { items, properties: all } = partsOf(schema)
    const properties = withoutTrivial(all)
    const simplest = this.#find(schema)
    // A schema with properties but without a type allows any value, and is meant for objects.
    const isMeant = properties.length === 0 || typeof simplest === 'object'
    const value = isMeant ? simplest : (this.#find(schema, { types: ['object'] }) ?? simplest)
    if (depth === deepest || typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      const item = value.length > 0 || items === undefined ? undefined : this.simple(items, depth + 1)
      return item === undefined ? value : changed(schema, value, [item])
    }
    const simple = (part: Schema) => this.simple(part, depth + 1)
    const members = properties.map(([name, part]) => [name, simple(part)] as const)
    const full = { ...value, ...Object.fromEntries(members.filter(([, inner]) => inner !== undefined)) } as JsonObject
    // Usually all properties fit together. Adding them one by one would validate a hundred properties a hundred times.
    return accepts(schema, full) === true ? full : withMembers(schema, value, properties, simple)
  }

  /** A valid value with some of the optional properties, some items, and texts and numbers that programs often get wrong. */
  any(schema: Schema, depth = 0): Json | undefined {
    const [start] = this.#some(this.valid(schema), 1)
    if (start === undefined) return undefined
    let { value } = start
    const change = (other: Json) => {
      value = changed(schema, value, other)
    }
    if (typeof value === 'string') for (const text of this.#some(tellingTexts, 1)) change(text)
    if (typeof value === 'number') {
      const isInt64 = accepts(schema, beyondInt64) === false && accepts(schema, -beyondInt64) === false
      for (const number of this.#some([...tellingNumbers, ...(isInt64 ? largeIntegers : [])], 3)) change(number)
    }
    if (depth > deepest) return value
    const { items, properties } = partsOf(schema)
    if (Array.isArray(value)) {
      for (let count = Math.floor(this.#random() * 3); items !== undefined && count > 0; count--) {
        const item = this.any(items, depth + 1)
        if (item !== undefined) change([...(value as Json[]), item])
      }
    }
    if (!isObject(value)) return value
    return withMembers(schema, value, this.#some(properties, mostDrawn), part => this.any(part, depth + 1))
  }

  /**
   * Values with one violation each: every assertion fails once while all others hold. To violate a property, a copy of `like` is
   * changed; `demands` are further keywords that a value should satisfy, in order of preference.
   */
  invalid(schema: Schema, like?: Json, demands: readonly Keywords[] = [], level = 0): Variant[] {
    const whole = like ?? this.#find(schema)
    const assertions = assertionsOf(schema)
    const variants = this.#some(assertions, maxBroken[level] ?? 0).flatMap(assertion => {
      const inner = level + 1 < maxBroken.length ? this.#faultsWithin(assertion, whole, level) : undefined
      return inner ?? this.#against(assertion, assertions, whole, demands)
    })
    return distinct(variants.filter(({ value }) => accepts(schema, value) === false))
  }

  /** Violations in a property or item; undefined for an assertion about the whole value. */
  #faultsWithin({ keyword, key, keywords }: Assertion, whole: Json | undefined, level: number): Variant[] | undefined {
    const faultsOf = (part: Schema | undefined, place: string, put: (value: Json) => Json) =>
      this.invalid(part as Schema, undefined, [], level + 1).map(({ what, value }) => ({
        what: /^[.[]/.test(what) ? place + what : `${place} ${what}`,
        value: put(value)
      }))
    if (keyword === 'items') return faultsOf(keywords.items, '[]', value => [value])
    if (keyword !== 'properties' || !isObject(whole)) return undefined
    const name = String(key)
    return faultsOf(keywords.properties?.get(name), `.${name}`, value => ({ ...whole, [name]: value }))
  }

  #against(assertion: Assertion, all: readonly Assertion[], whole: Json | undefined, demands: readonly Keywords[]) {
    const { keyword, key, keywords } = assertion
    const what = faultOf(assertion)
    if (keyword === 'required' && isObject(whole) && Object.hasOwn(whole, String(key))) {
      const { [String(key)]: _, ...rest } = whole
      return [{ what, value: rest }]
    }
    if ((keywords.maxLength ?? 0) > lengthLimit || (keywords.maxItems ?? 0) > itemLimit) return []
    const others = all.filter(each => each !== assertion)
    // An assertion implied by another cannot fail alone: a length by a pattern, a bound by a format.
    const independent = others.filter(each => !['pattern', 'format', keyword].includes(each.keyword))
    const denied = this.#solver.make(keywords)
    const wanted = keyword === 'types' ? types.map(type => ({ types: [type] })) : [{}]
    const values = wanted.flatMap(type => {
      const value = [others, independent]
        .flatMap(context => [...demands, {}].map(demand => [...context.map(each => each.keywords), type, demand]))
        .map(all => all.map(each => this.#solver.make(each)))
        .map(all => this.#solve(all, denied))
        .find(each => each !== undefined)
      if (value === undefined) return []
      return [keyword === 'additionalProperties' && isObject(value) && isObject(whole) ? { ...value, ...whole } : value]
    })
    // One wrong type is enough, and null, which implementations check separately.
    return values.slice(0, 2).map(value => ({ what, value }))
  }

  /** The simplest value of a schema that satisfies these demands, too. */
  #find(schema: Schema, ...demands: Keywords[]): Json | undefined {
    return this.#solve([schema, ...demands.map(each => this.#solver.make(each))])
  }

  #solve(all: readonly Schema[], ...denied: Schema[]): Json | undefined {
    return getOrMake(this.#solved, [all, denied].map(each => each.map(({ id }) => id)).join(' not '), () => {
      const result = this.#solver.find(all, denied)
      return typeof result === 'object' ? result.value : undefined
    })
  }

  #some<T>(list: readonly T[], most: number): T[] {
    const rest = [...list]
    while (rest.length > most) rest.splice(Math.floor(this.#random() * rest.length), 1)
    return rest
  }
}

type Properties = readonly [name: string, part: Schema][]

// Such a value may have to exist elsewhere.
const isIdName = /(?:^|_)ids?$|I[dD]s?$/

interface Change {
  what: string
  place: string
  /** Whether it is certain that this is as good as the other value: nothing but its schema can be meant by the part. */
  isSure: boolean
  change: (value: Json) => Json
}

/** The schemas of a value's items and properties, those of the variant that it is included. */
const partsOf = (schema: Schema, value?: Json): { items: Schema | undefined; properties: Properties } => {
  const own = assertionsOf(schema)
  const variants = value === undefined ? [] : own.flatMap(each => unionOf(each)?.find(one => accepts(one, value)) ?? [])
  const assertions = [...own, ...variants.flatMap(assertionsOf)]
  return {
    items: assertions.find(({ keyword }) => keyword === 'items')?.keywords.items,
    properties: assertions.flatMap(({ keywords }) => [...(keywords.properties ?? [])])
  }
}

/** Drops schemas that do not restrict a property, if there is another one. */
const withoutTrivial = (properties: Properties): Properties =>
  properties.filter(
    ([name, { keywords }], index) =>
      Object.keys(keywords).length > 0 || index === properties.findIndex(([each]) => each === name)
  )

const changed = <T extends Json>(schema: Schema, value: T, other: T): T =>
  accepts(schema, other) === true ? other : value

/** Adds each of these properties for which there is a value that the schema allows. */
const withMembers = (
  schema: Schema,
  start: JsonObject,
  properties: Properties,
  valueFor: (part: Schema) => Json | undefined
): JsonObject => {
  let object = start
  for (const [name, part] of properties) {
    const value = valueFor(part)
    if (value !== undefined) object = changed(schema, object, { ...object, [name]: value })
  }
  return object
}

export const distinct = <T extends { value: Json }>(list: readonly T[]): T[] =>
  [...Map.groupBy(list, ({ value }) => canonical(value)).values()].flatMap(([first]) => first ?? [])

const faults: Partial<Record<keyof Keywords, string>> = {
  types: 'of another type',
  values: 'with a value that is not listed',
  minimum: 'below its minimum',
  maximum: 'above its maximum',
  multipleOf: 'not a valid multiple',
  minLength: 'too short',
  maxLength: 'too long',
  pattern: 'not matching its pattern',
  format: 'not in its format',
  minItems: 'with too few items',
  maxItems: 'with too many items',
  additionalProperties: 'with an undeclared property',
  properties: 'with an invalid property',
  items: 'with an invalid item',
  anyOf: 'matching no variant',
  oneOf: 'matching no variant, or several'
}

const faultOf = ({ keyword, key, keywords }: Assertion): string => {
  if (keyword === 'required') return `without ${key}`
  if (keyword === 'multipleOf' && keywords.multipleOf?.n === keywords.multipleOf?.d) return 'not a whole number'
  return faults[keyword] ?? `against ${keyword}`
}
