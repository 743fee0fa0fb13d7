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

/** One way to satisfy a choice. */
interface Way {
  /** Adds its demands; returns false if they contradict earlier ones. */
  take: (branch: Branch) => unknown
  /** Whether it is bound to fail, if that is visible beforehand. */
  isFutile?: (branch: Branch) => boolean
}

interface Choice {
  ways: readonly Way[]
  /** The denied schema that caused the choice, which is dropped once that schema is ruled out. */
  denied?: Schema
  /** Alternatives of which any one is sufficient. */
  anyOf?: readonly Schema[]
}

/** The demands on a value of one type, and the choices that remain. */
export class Branch {
  readonly type: JsonType
  readonly solver: Finder
  goal: { all: readonly Schema[]; none: readonly Schema[] } = { all: [], none: [] }
  asserted = new Set<number>()
  denied = new Set<number>()
  choices: Choice[] = []
  /** The remaining values, if a schema lists its values. */
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
    return Object.assign(new Branch(this.type, this.solver), this, {
      asserted: new Set(this.asserted),
      denied: new Set(this.denied),
      choices: [...this.choices],
      excluded: [...this.excluded],
      number: withOwnLists(this.number),
      size: { ...this.size },
      string: withOwnLists(this.string),
      array: withOwnLists(this.array),
      object: withOwnLists(this.object),
      opaque: [...this.opaque],
      notOpaque: [...this.notOpaque]
    })
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
    this.opaque.push(...undecidedOf(keywords, this.type))
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
    const ways = assertions.flatMap(each => this.#waysAgainst(each))
    const [only] = ways
    if (only === undefined) return false
    if (ways.length === 1) return only.take(this) !== false
    this.choices.push({ ways, denied: schema })
    return true
  }

  /** The ways of the choice with the fewest; useless choices are dropped. */
  nextChoice(): readonly Way[] | undefined {
    this.choices = this.choices
      .filter(({ denied }) => denied === undefined || !this.#rulesOut(denied))
      .filter(({ anyOf }) => anyOf?.some(({ id }) => this.asserted.has(id)) !== true)
      .map(choice => ({ ...choice, ways: choice.ways.filter(({ isFutile }) => isFutile?.(this) !== true) }))
    const fewest = this.choices.reduce<Choice | undefined>(
      (one, other) => (one !== undefined && one.ways.length <= other.ways.length ? one : other),
      undefined
    )
    this.choices = this.choices.filter(each => each !== fewest)
    return fewest?.ways
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
    return this.notOpaque.length > 0 && typeof result === 'object' ? 'unknown' : result
  }

  #amongValues(values: readonly Json[]): Found<Json> {
    const given = new Set(this.opaque)
    return firstOf(values, value => {
      const isValid = this.goal.all.map(each => accepts(each, value, given))
      const isDenied = this.goal.none.map(each => accepts(each, value, given))
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
      this.#narrow(keywords.minimum, keywords.maximum)
      if (keywords.multipleOf !== undefined) number.multiplesOf.push(keywords.multipleOf)
    }
    if (this.type === 'string') {
      this.#limit(keywords.minLength, keywords.maxLength)
      if (keywords.pattern !== undefined) string.patterns.push(keywords.pattern)
      if (keywords.format !== undefined) string.formats.push(keywords.format)
    }
    if (this.type === 'array') {
      this.#limit(keywords.minItems, keywords.maxItems)
      if (keywords.prefixItems !== undefined || keywords.items !== undefined) array.shapes.push(keywords)
      if (keywords.uniqueItems !== undefined) array.unique = true
      if (keywords.contains !== undefined) array.contains.push(keywords.contains)
    }
    if (this.type === 'object') {
      this.#limit(keywords.minProperties, keywords.maxProperties)
      if (keywords.properties ?? keywords.patternProperties ?? keywords.additionalProperties)
        object.shapes.push(keywords)
      object.required.push(...(keywords.required ?? []))
      if (keywords.propertyNames !== undefined) object.names.push(keywords.propertyNames)
      object.dependent.push(...(keywords.dependentRequired ?? []))
    }
  }

  #limit(min = 0, max = Number.POSITIVE_INFINITY) {
    this.size = { min: Math.max(this.size.min, min), max: Math.min(this.size.max, max) }
  }

  #narrow(minimum?: Bound, maximum?: Bound) {
    const { number } = this
    if (!isBeyond(number.minimum, minimum, 1)) number.minimum = minimum ?? number.minimum
    if (!isBeyond(number.maximum, maximum, -1)) number.maximum = maximum ?? number.maximum
  }

  /** Adds the assertions that can be satisfied in several ways. */
  #choose({ anyOf, oneOf, if: condition, ...keywords }: Keywords) {
    if (anyOf !== undefined && anyOf.length !== 1) this.choices.push({ ways: anyOf.map(asserting), anyOf })
    if (oneOf !== undefined && oneOf.length !== 1) {
      const ways = oneOf.map((one, index): Way => {
        const others = oneOf.filter((_, at) => at !== index)
        return {
          take: branch => branch.assert(one) && others.every(other => branch.deny(other)),
          isFutile: ({ asserted, denied }) => denied.has(one.id) || others.some(({ id }) => asserted.has(id))
        }
      })
      this.choices.push({ ways })
    }
    if (condition !== undefined) {
      const { anything } = this.solver
      const { then = anything, else: otherwise = anything } = keywords
      this.choices.push({
        ways: [
          { take: branch => branch.assert(condition) && branch.assert(then) },
          { take: branch => branch.deny(condition) && branch.assert(otherwise) }
        ]
      })
    }
    if (this.type !== 'object') return
    for (const [name, schema] of keywords.dependentSchemas ?? []) {
      const ways: Way[] = [
        { take: branch => forbid(branch, name) },
        { take: branch => branch.object.required.push(name) > 0 && branch.assert(schema) }
      ]
      this.choices.push({ ways })
    }
  }

  /** The ways in which a value of the type can violate an assertion. */
  #waysAgainst({ keyword, key, keywords }: Assertion): Way[] {
    if ((typeOfKeyword[keyword] ?? this.type) !== this.type) return []
    const { solver } = this
    const { anything } = solver
    const name = String(key)
    const { prefixItems = [], properties, patternProperties } = keywords
    const one = (take: Way['take']): Way[] => [{ take }]
    const needOf = (need: ObjectDemands['needs'][number]) => one(({ object }) => object.needs.push(need))
    const needAt = (need: ArrayDemands['needs'][number]) => one(({ array }) => array.needs.push(need))
    const patterned = (pattern: string) => solver.make({ pattern })
    switch (keyword) {
      case 'values':
        return one(branch => branch.#exclude(keywords.values ?? []))
      case 'anyOf':
        return one(branch => (keywords.anyOf ?? []).every(each => branch.deny(each)))
      case 'oneOf': {
        const variants = keywords.oneOf ?? []
        const pairs = variants.flatMap((one, index) => variants.slice(index + 1).map(other => [one, other]))
        return [
          { take: branch => variants.every(each => branch.deny(each)) },
          ...pairs.map(
            (pair): Way => ({
              take: branch => pair.every(each => branch.assert(each)),
              isFutile: ({ denied }) => pair.some(({ id }) => denied.has(id))
            })
          )
        ]
      }
      case 'not':
        return [asserting(keywords.not ?? anything)]
      case 'if': {
        const { if: condition = anything, then, else: otherwise } = keywords
        return [
          ...(then ? one(branch => branch.assert(condition) && branch.deny(then)) : []),
          ...(otherwise ? one(branch => branch.deny(condition) && branch.deny(otherwise)) : [])
        ]
      }
      case 'opaque':
      case 'dynamic':
        return undecidedOf(keywords, this.type).flatMap(each => one(({ notOpaque }) => notOpaque.push(each)))
      case 'minimum':
        return one(branch => branch.#narrow(undefined, beyond(keywords.minimum as Bound)))
      case 'maximum':
        return one(branch => branch.#narrow(beyond(keywords.maximum as Bound)))
      case 'multipleOf':
        return one(({ number }) => number.notMultiplesOf.push(keywords.multipleOf as Rational))
      case 'minLength':
      case 'minItems':
      case 'minProperties': {
        const max = (keywords[keyword] as number) - 1
        return max < 0 ? [] : one(branch => branch.#limit(0, max))
      }
      case 'maxLength':
      case 'maxItems':
      case 'maxProperties':
        return one(branch => branch.#limit((keywords[keyword] as number) + 1))
      case 'pattern':
        return one(({ string }) => string.notPatterns.push(keywords.pattern as string))
      case 'format':
        return one(({ string }) => string.notFormats.push(keywords.format as string))
      case 'prefixItems':
        return needAt({ index: key as number, none: prefixItems[key as number] as Schema })
      case 'items':
        return needAt({ from: prefixItems.length, none: keywords.items as Schema })
      case 'uniqueItems':
        return one(({ array }) => Object.assign(array, { repeats: true }))
      case 'contains': {
        const { schema, min, max } = keywords.contains as NonNullable<Keywords['contains']>
        const counted = (min: number, max: number) => one(({ array }) => array.contains.push({ schema, min, max }))
        return [
          ...(min > 0 ? counted(0, min - 1) : []),
          ...(max < Number.POSITIVE_INFINITY ? counted(max + 1, Number.POSITIVE_INFINITY) : [])
        ]
      }
      case 'properties': {
        const none = properties?.get(name) as Schema
        const isFutile = (branch: Branch) => branch.object.forbidden.includes(name) || branch.#holds(name, none)
        return needOf({ name, none }).map(way => ({ ...way, isFutile }))
      }
      case 'patternProperties':
        return needOf({ named: [patterned(name)], notNamed: [], none: patternProperties?.get(name) as Schema })
      case 'additionalProperties': {
        const patterns = [...(patternProperties?.keys() ?? [])].map(patterned)
        const others = [solver.make({ values: [...(properties?.keys() ?? [])] }), ...patterns]
        return needOf({ named: [], notNamed: others, none: keywords.additionalProperties as Schema })
      }
      case 'propertyNames':
        return needOf({ named: [], notNamed: [keywords.propertyNames as Schema] })
      case 'required':
        return [{ take: branch => forbid(branch, name), isFutile: ({ object }) => object.required.includes(name) }]
      case 'dependentRequired':
        return (keywords.dependentRequired?.get(name) ?? []).flatMap(other =>
          one(branch => branch.object.required.push(name) > 0 && forbid(branch, other))
        )
      case 'dependentSchemas': {
        const schema = keywords.dependentSchemas?.get(name) as Schema
        return one(branch => branch.object.required.push(name) > 0 && branch.deny(schema))
      }
      default:
        return []
    }
  }

  #exclude(values: readonly Json[]): boolean {
    const own = values.filter(value => typeOf(value) === this.type)
    const { solver } = this
    return own.every(value => {
      if (Array.isArray(value) || isObject(value)) return this.deny(solver.constant(value))
      this.excluded.push(value)
      return true
    })
  }

  /** Whether the demands so far make a property of this name valid for the schema. */
  #holds(name: string, schema: Schema): boolean {
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
      if (this.object.forbidden.includes(name) || this.#holds(name, this.solver.nothing)) return true
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

const asserting = (schema: Schema): Way => ({
  take: branch => branch.assert(schema),
  isFutile: ({ denied }) => denied.has(schema.id)
})

const beyond = ({ value, exclusive }: Bound): Bound => ({ value, exclusive: !exclusive })

const withOwnLists = <T extends object>(demands: T): T =>
  Object.fromEntries(
    Object.entries(demands).map(([key, value]) => [key, Array.isArray(value) ? [...value] : value])
  ) as T
