import { isObject, type Json } from '@contract-first/document'
import { accepts, schemasFor } from './accepts.ts'
import { type ArrayDemands, arrayDemands, findArray } from './array.ts'
import { assertionsOf, valuesOf } from './assertions.ts'
import type { Finder } from './finder.ts'
import { type Found, firstOf } from './found.ts'
import { isBeyond } from './normal-form.ts'
import { type Bound, findNumber, type NumberConstraints, type Rational } from './numbers.ts'
import { findObject, type ObjectDemands, objectDemands } from './object.ts'
import {
  type Assertion,
  type JsonType,
  type Keywords,
  type Schema,
  typeOf,
  typeOfKeyword,
  undecidedOf
} from './schema.ts'

/** One of several demands that satisfy a choice. */
interface Alternative {
  /** Adds its demands; returns false if they contradict earlier ones. */
  take: (branch: Branch) => unknown
  /** Whether it is bound to fail, if that is visible beforehand. */
  isFutile?: (branch: Branch) => boolean
}

interface Choice {
  alternatives: readonly Alternative[]
  /** The denied schema that caused the choice, which is dropped once that schema is ruled out. */
  denied?: Schema
  /** Schemas of which any one is sufficient. */
  anyOf?: readonly Schema[]
}

export class Branch {
  readonly type: JsonType
  readonly solver: Finder
  goal: { all: readonly Schema[]; none: readonly Schema[] } = { all: [], none: [] }
  asserted = new Set<number>()
  denied = new Set<number>()
  choices: Choice[] = []
  values: readonly Json[] | undefined
  excluded: Json[] = []
  number: Omit<NumberConstraints, 'excluded'> = { multiplesOf: [], notMultiplesOf: [] }
  /** Of characters, items or properties. */
  size = { min: 0, max: Number.POSITIVE_INFINITY }
  string: Record<'patterns' | 'notPatterns' | 'formats' | 'notFormats', string[]> = {
    patterns: [],
    notPatterns: [],
    formats: [],
    notFormats: []
  }
  array: ArrayDemands = arrayDemands()
  object: ObjectDemands = objectDemands()
  opaque: string[] = []
  notOpaque: string[] = []

  constructor(type: JsonType, solver: Finder) {
    this.type = type
    this.solver = solver
  }

  copy(): Branch {
    const own = Object.entries(this).map(([key, value]) => [key, withOwnLists(value)] as const)
    return Object.assign(new Branch(this.type, this.solver), Object.fromEntries(own))
  }

  assert(schema: Schema): boolean {
    if (this.asserted.has(schema.id)) return true
    if (this.denied.has(schema.id)) return false
    const { keywords } = schema
    if (keywords.types !== undefined && !keywords.types.includes(this.type)) return false
    if (keywords.values !== undefined) {
      const own = keywords.values.filter(value => typeOf(value) === this.type)
      this.values = this.values?.filter(value => own.some(each => accepts(this.solver.constant(each), value))) ?? own
      if (this.values.length === 0) return false
    }
    this.opaque.push(...unsearchedIn(keywords, this.type))
    this.#demand(keywords)
    for (const part of keywords.allOf ?? []) if (!this.assert(part)) return false
    if (keywords.not !== undefined && !this.deny(keywords.not)) return false
    // A single alternative is asserted at once: a schema that consists of it has the same id, so a choice would be dropped as made.
    for (const variants of [keywords.anyOf, keywords.oneOf]) {
      const [only, ...others] = variants ?? []
      if (only !== undefined && others.length === 0 && !this.assert(only)) return false
    }
    this.#choose(keywords)
    // Only now, as an `allOf` with one part has the id of that part.
    this.asserted.add(schema.id)
    return true
  }

  deny(schema: Schema): boolean {
    if (this.denied.has(schema.id)) return true
    if (this.asserted.has(schema.id)) return false
    this.denied.add(schema.id)
    const assertions = assertionsOf(schema)
    // A schema that allows no value of this type is denied anyway.
    if (assertions.some(({ keywords }) => keywords.types !== undefined && !keywords.types.includes(this.type)))
      return true
    const alternatives = assertions.flatMap(each => this.#violationsOf(each))
    const [only, ...others] = alternatives
    if (only === undefined) return false
    if (others.length === 0) return only.take(this) !== false
    this.choices.push({ alternatives, denied: schema })
    return true
  }

  /** The alternatives of the choice with the fewest; useless choices are dropped. */
  nextChoice(): readonly Alternative[] | undefined {
    this.choices = this.choices
      .filter(({ denied }) => denied === undefined || !this.#rulesOut(denied))
      .filter(({ anyOf }) => anyOf?.some(({ id }) => this.asserted.has(id)) !== true)
      .map(choice => ({
        ...choice,
        alternatives: choice.alternatives.filter(({ isFutile }) => isFutile?.(this) !== true)
      }))
    const fewest = this.choices.reduce<Choice | undefined>(
      (one, other) => (one !== undefined && one.alternatives.length <= other.alternatives.length ? one : other),
      undefined
    )
    this.choices = this.choices.filter(each => each !== fewest)
    return fewest?.alternatives
  }

  /** Whether no value is in all of the lists for a required property. */
  get isContradictory(): boolean {
    const { required, shapes } = this.object
    return required.some(name => {
      const properties = new Set(shapes.flatMap(shape => shape.properties?.get(name) ?? []))
      const [first, ...others] = [...properties].filter(each => valuesOf(each) !== undefined)
      return valuesOf(first)?.every(value => others.some(each => accepts(each, value) === false)) === true
    })
  }

  value(): Found<Json> {
    if (this.notOpaque.some(each => this.opaque.includes(each))) return 'none'
    const result = this.values === undefined ? this.#byType() : this.#amongValues(this.values)
    if (typeof result === 'string' || this.opaque.length + this.notOpaque.length === 0) return result
    const checked = this.#amongValues([result.value])
    return checked === 'none' ? 'unknown' : checked
  }

  #amongValues(values: readonly Json[]): Found<Json> {
    return firstOf(values, value => {
      const isValid = this.goal.all.map(each => accepts(each, value))
      const isDenied = this.goal.none.map(each => accepts(each, value))
      if (isValid.includes(false) || isDenied.includes(true)) return 'none'
      return isDenied.includes(undefined) ? 'unknown' : { value }
    })
  }

  #byType(): Found<Json> {
    const { number, string, size, excluded } = this
    switch (this.type) {
      case 'number':
        return findNumber({ ...number, excluded: excluded as (number | bigint)[] })
      case 'string':
        return this.solver.findString({
          ...string,
          minLength: size.min,
          maxLength: size.max,
          excluded: excluded as string[]
        })
      case 'array':
        return findArray({ ...this.array, ...size }, this.solver)
      case 'object':
        return findObject({ ...this.object, ...size }, this.solver)
      default: {
        const value = (this.type === 'null' ? [null] : [true, false]).find(each => !excluded.includes(each))
        return value === undefined ? 'none' : { value }
      }
    }
  }

  /** Adds the assertions that concern the type alone. */
  #demand(keywords: Keywords) {
    const { number, string, array, object } = this
    if (this.type === 'number') {
      this.narrow(keywords.minimum, keywords.maximum)
      if (keywords.multipleOf !== undefined) number.multiplesOf.push(keywords.multipleOf)
    }
    if (this.type === 'string') {
      this.limit(keywords.minLength, keywords.maxLength)
      if (keywords.pattern !== undefined) string.patterns.push(keywords.pattern)
      if (keywords.format !== undefined) string.formats.push(keywords.format)
    }
    if (this.type === 'array') {
      this.limit(keywords.minItems, keywords.maxItems)
      if (keywords.prefixItems !== undefined || keywords.items !== undefined) array.shapes.push(keywords)
      if (keywords.uniqueItems !== undefined) array.unique = true
    }
    if (this.type === 'object') {
      this.limit(keywords.minProperties, keywords.maxProperties)
      if (keywords.properties ?? keywords.patternProperties ?? keywords.additionalProperties)
        object.shapes.push(keywords)
      object.required.push(...(keywords.required ?? []))
      if (keywords.propertyNames !== undefined) object.names.push(keywords.propertyNames)
      object.dependent.push(...(keywords.dependentRequired ?? []))
    }
  }

  limit(min = 0, max = Number.POSITIVE_INFINITY) {
    this.size = { min: Math.max(this.size.min, min), max: Math.min(this.size.max, max) }
  }

  narrow(minimum?: Bound, maximum?: Bound) {
    const { number } = this
    if (!isBeyond(number.minimum, minimum, 1)) number.minimum = minimum ?? number.minimum
    if (!isBeyond(number.maximum, maximum, -1)) number.maximum = maximum ?? number.maximum
  }

  /** Adds the assertions that leave a choice. */
  #choose({ anyOf, oneOf, if: condition, ...keywords }: Keywords) {
    if (anyOf !== undefined && anyOf.length !== 1) this.choices.push({ alternatives: anyOf.map(asserting), anyOf })
    if (oneOf !== undefined && oneOf.length !== 1) {
      const alternatives = oneOf.map((one, index): Alternative => {
        const others = oneOf.filter((_, at) => at !== index)
        return {
          take: branch => branch.assert(one) && others.every(other => branch.deny(other)),
          isFutile: ({ asserted, denied }) => denied.has(one.id) || others.some(({ id }) => asserted.has(id))
        }
      })
      this.choices.push({ alternatives })
    }
    if (condition !== undefined) {
      const { anything } = this.solver
      const { then = anything, else: otherwise = anything } = keywords
      this.choices.push({
        alternatives: [
          { take: branch => branch.assert(condition) && branch.assert(then) },
          { take: branch => branch.deny(condition) && branch.assert(otherwise) }
        ]
      })
    }
  }

  /** What a value of the type can do to violate an assertion. */
  #violationsOf({ keyword, key, keywords }: Assertion): Alternative[] {
    if ((typeOfKeyword[keyword] ?? this.type) !== this.type) return []
    return violations[keyword]?.(keywords, this, String(key)) ?? []
  }

  exclude(values: readonly Json[]): boolean {
    const own = values.filter(value => typeOf(value) === this.type)
    const { solver } = this
    return own.every(value => {
      if (Array.isArray(value) || isObject(value)) return this.deny(solver.constant(value))
      this.excluded.push(value)
      return true
    })
  }

  /** Whether the demands so far make a property of this name valid for the schema. */
  holds(name: string, schema: Schema): boolean {
    const demanded = this.object.shapes.flatMap(shape => schemasFor(shape, name) ?? [])
    return this.solver.find(demanded, [schema]) === 'none'
  }

  /** Whether listed values, of the schema or of a property, already show that no value can satisfy it. */
  #rulesOut(schema: Schema): boolean {
    const assertions = assertionsOf(schema)
    return assertions.some(({ keyword, key }) => {
      if (keyword === 'values') return this.values?.every(value => accepts(schema, value) === false) === true
      if (keyword !== 'required' || this.type !== 'object') return false
      const name = key as string
      if (this.object.forbidden.includes(name) || this.holds(name, this.solver.nothing)) return true
      const listed = this.object.shapes.flatMap(shape => valuesOf(shape.properties?.get(name)) ?? [])
      if (listed.length === 0) return false
      return assertions.some(other => {
        const property = other.key === name ? other.keywords.properties?.get(name) : undefined
        return property !== undefined && listed.every(value => accepts(property, value) === false)
      })
    })
  }
}

const forbid = ({ object }: Branch, name: string): boolean => {
  object.forbidden.push(name)
  return !object.required.includes(name)
}

const onlyBy = (take: Alternative['take']): Alternative[] => [{ take }]

const asserting = (schema: Schema): Alternative => ({
  take: branch => branch.assert(schema),
  isFutile: ({ denied }) => denied.has(schema.id)
})

const beyond = ({ value, exclusive }: Bound): Bound => ({ value, exclusive: !exclusive })

const withOwnLists = (value: unknown): unknown => {
  if (Array.isArray(value)) return [...value]
  if (value instanceof Set) return new Set(value)
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  return isPlain ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withOwnLists(each)])) : value
}

const needing = (need: ObjectDemands['needs'][number]) => onlyBy(({ object }) => object.needs.push(need))
const needingItem = (need: ArrayDemands['needs'][number]) => onlyBy(({ array }) => array.needs.push(need))

/** Cannot be shorter than nothing. */
const below = (least = 0) => (least < 1 ? [] : onlyBy(branch => branch.limit(0, least - 1)))
const above = (most = 0) => onlyBy(branch => branch.limit(most + 1))

/** What no value is searched for by: what cannot be decided, and keywords that hardly any contract has. */
const unsearchedIn = (keywords: Keywords, type: JsonType): string[] => {
  const { contains, dependentSchemas = [] } = type === 'array' || type === 'object' ? keywords : {}
  return [
    ...undecidedOf(keywords, type),
    ...(type === 'array' && contains ? [`contains ${contains.schema.id} ${contains.min} ${contains.max}`] : []),
    ...(type === 'object' ? [...dependentSchemas].map(([name, { id }]) => `dependentSchemas ${id} ${name}`) : [])
  ]
}

const violatingOpaque = (keywords: Keywords, { type }: Branch) =>
  unsearchedIn(keywords, type).flatMap(each => onlyBy(({ notOpaque }) => notOpaque.push(each)))

type Violations = (keywords: Keywords, branch: Branch, key: string) => Alternative[]

/**
 * What a value can do to violate an assertion, by its keyword; what no value violates has no alternative. For example, an object
 * violates `required: ['a']` only without `a`; an array violates `contains` with `minContains: 1` and `maxContains: 2` with no
 * match, or with three.
 */
const violations: { readonly [keyword in keyof Keywords]?: Violations } = {
  values: ({ values = [] }) => onlyBy(branch => branch.exclude(values)),

  anyOf: ({ anyOf = [] }) => onlyBy(branch => anyOf.every(each => branch.deny(each))),
  oneOf: ({ oneOf = [] }) => {
    const pairs = oneOf.flatMap((one, index) => oneOf.slice(index + 1).map(other => [one, other]))
    const asBoth = pairs.map(
      (pair): Alternative => ({
        take: branch => pair.every(each => branch.assert(each)),
        isFutile: ({ denied }) => pair.some(({ id }) => denied.has(id))
      })
    )
    return [{ take: branch => oneOf.every(each => branch.deny(each)) }, ...asBoth]
  },
  not: ({ not }, { solver }) => [asserting(not ?? solver.anything)],
  if: ({ if: condition, then, else: otherwise }, { solver: { anything } }) => [
    ...(then ? onlyBy(branch => branch.assert(condition ?? anything) && branch.deny(then)) : []),
    ...(otherwise ? onlyBy(branch => branch.deny(condition ?? anything) && branch.deny(otherwise)) : [])
  ],
  opaque: violatingOpaque,
  dynamic: violatingOpaque,

  minimum: ({ minimum }) => onlyBy(branch => branch.narrow(undefined, beyond(minimum as Bound))),
  maximum: ({ maximum }) => onlyBy(branch => branch.narrow(beyond(maximum as Bound))),
  multipleOf: ({ multipleOf }) => onlyBy(({ number }) => number.notMultiplesOf.push(multipleOf as Rational)),

  minLength: ({ minLength }) => below(minLength),
  maxLength: ({ maxLength }) => above(maxLength),
  pattern: ({ pattern }) => onlyBy(({ string }) => string.notPatterns.push(pattern as string)),
  format: ({ format }) => onlyBy(({ string }) => string.notFormats.push(format as string)),

  minItems: ({ minItems }) => below(minItems),
  maxItems: ({ maxItems }) => above(maxItems),
  prefixItems: ({ prefixItems }, _branch, key) =>
    needingItem({ index: Number(key), none: prefixItems?.[Number(key)] as Schema }),
  items: ({ prefixItems = [], items }) => needingItem({ from: prefixItems.length, none: items as Schema }),
  uniqueItems: () => onlyBy(({ array }) => Object.assign(array, { repeats: true })),
  contains: violatingOpaque,

  minProperties: ({ minProperties }) => below(minProperties),
  maxProperties: ({ maxProperties }) => above(maxProperties),
  properties: ({ properties }, _branch, name) => {
    const none = properties?.get(name) as Schema
    const isFutile = (branch: Branch) => branch.object.forbidden.includes(name) || branch.holds(name, none)
    return needing({ name, none }).map(each => ({ ...each, isFutile }))
  },
  patternProperties: ({ patternProperties }, { solver }, pattern) =>
    needing({ named: [solver.make({ pattern })], notNamed: [], none: patternProperties?.get(pattern) as Schema }),
  additionalProperties: ({ properties, patternProperties, additionalProperties }, { solver }) => {
    const patterns = [...(patternProperties?.keys() ?? [])].map(pattern => solver.make({ pattern }))
    const notNamed = [solver.make({ values: [...(properties?.keys() ?? [])] }), ...patterns]
    return needing({ named: [], notNamed, none: additionalProperties as Schema })
  },
  propertyNames: ({ propertyNames }) => needing({ named: [], notNamed: [propertyNames as Schema] }),
  required: (_keywords, _branch, name) => [
    { take: branch => forbid(branch, name), isFutile: ({ object }) => object.required.includes(name) }
  ],
  dependentRequired: ({ dependentRequired }, _branch, name) =>
    (dependentRequired?.get(name) ?? []).flatMap(other =>
      onlyBy(branch => branch.object.required.push(name) > 0 && forbid(branch, other))
    ),
  dependentSchemas: violatingOpaque
}
