import { isObject, type Json } from '../../document/json.ts'
import { accepts, schemasFor } from './accepts.ts'
import { type ArrayDemands, arrayDemands, findArray } from './array.ts'
import { assertionsOf, valuesOf } from './assertions.ts'
import type { Finder } from './finder.ts'
import { type Found, firstOf } from './found.ts'
import { isBeyond } from './normal-form.ts'
import { type Bound, findNumber, type Rational } from './numbers.ts'
import { findObject, type ObjectDemands, objectDemands } from './object.ts'
import type { Assertion } from './schema.ts'
import { type JsonType, type Keywords, type Schema, typeOf, undecidedOf } from './schema.ts'
import { findString } from './strings.ts'

/** One way to satisfy a choice. */
interface Way {
  /** Adds its demands; false if they contradict earlier ones. */
  take: (branch: Branch) => boolean
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
  number: {
    minimum?: Bound | undefined
    maximum?: Bound | undefined
    multiplesOf: Rational[]
    notMultiplesOf: Rational[]
  } = { multiplesOf: [], notMultiplesOf: [] }
  length = { min: 0, max: Number.POSITIVE_INFINITY }
  string = {
    patterns: [] as string[],
    notPatterns: [] as string[],
    formats: [] as string[],
    notFormats: [] as string[]
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
    const copy = new Branch(this.type, this.solver)
    copy.goal = this.goal
    copy.asserted = new Set(this.asserted)
    copy.denied = new Set(this.denied)
    copy.choices = [...this.choices]
    copy.values = this.values
    copy.excluded = [...this.excluded]
    copy.number = withOwnLists(this.number)
    copy.length = { ...this.length }
    copy.string = withOwnLists(this.string)
    copy.array = withOwnLists(this.array)
    copy.object = withOwnLists(this.object)
    copy.opaque = [...this.opaque]
    copy.notOpaque = [...this.notOpaque]
    return copy
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
    // A single alternative is no choice, and a schema that consists of it has its id.
    for (const variants of [keywords.anyOf, keywords.oneOf]) {
      const [only, ...others] = variants ?? []
      if (only !== undefined && others.length === 0 && !this.assert(only)) return false
    }
    this.#choose(keywords)
    // Not before: an `allOf` with one part has the id of that part.
    this.asserted.add(schema.id)
    return true
  }

  deny(schema: Schema): boolean {
    if (this.denied.has(schema.id)) return true
    if (this.asserted.has(schema.id)) return false
    this.denied.add(schema.id)
    const assertions = assertionsOf(schema)
    // A schema that allows no value of the type demands nothing.
    if (assertions.some(({ keywords }) => keywords.types !== undefined && !keywords.types.includes(this.type)))
      return true
    const ways = assertions.flatMap(each => this.#waysAgainst(each))
    const [only] = ways
    if (only === undefined) return false
    if (ways.length === 1) return only.take(this)
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

  value(): Found<Json> {
    if (this.notOpaque.some(each => this.opaque.includes(each))) return 'none'
    const found = this.values === undefined ? this.#byType() : this.#amongValues(this.values)
    return this.notOpaque.length > 0 && typeof found === 'object' ? 'unknown' : found
  }

  #amongValues(values: readonly Json[]): Found<Json> {
    const given = new Set([...this.opaque, ...this.string.formats])
    return firstOf(values, value => {
      const isValid = this.goal.all.map(each => accepts(each, value, given))
      const isDenied = this.goal.none.map(each => accepts(each, value, given))
      if (isValid.includes(false) || isDenied.includes(true)) return 'none'
      return isDenied.includes(undefined) ? 'unknown' : { value }
    })
  }

  #byType(): Found<Json> {
    const { number, string, excluded } = this
    switch (this.type) {
      case 'number':
        return findNumber({ ...number, excluded: excluded as (number | bigint)[] })
      case 'string': {
        const { min: minLength, max } = this.length
        const bounded = max === Number.POSITIVE_INFINITY ? { minLength } : { minLength, maxLength: max }
        return findString({ ...string, ...bounded, excluded: excluded as string[] })
      }
      case 'array':
        return findArray(this.array, this.solver)
      case 'object':
        return findObject(this.object, this.solver)
      default: {
        const value = (this.type === 'null' ? [null] : [true, false]).find(each => !excluded.includes(each))
        return value === undefined ? 'none' : { value }
      }
    }
  }

  /** Adds the assertions that concern the type alone. */
  #demand(keywords: Keywords) {
    const { number, length, string, array, object } = this
    if (this.type === 'number') {
      this.#narrow(keywords.minimum, keywords.maximum)
      if (keywords.multipleOf !== undefined) number.multiplesOf.push(keywords.multipleOf)
    }
    if (this.type === 'string') {
      limit(length, { min: keywords.minLength, max: keywords.maxLength })
      if (keywords.pattern !== undefined) string.patterns.push(keywords.pattern)
      if (keywords.format !== undefined) string.formats.push(keywords.format)
    }
    if (this.type === 'array') {
      limit(array, { min: keywords.minItems, max: keywords.maxItems })
      if (keywords.prefixItems !== undefined || keywords.items !== undefined) array.shapes.push(keywords)
      if (keywords.uniqueItems !== undefined) array.unique = true
      if (keywords.contains !== undefined) array.contains.push(keywords.contains)
    }
    if (this.type === 'object') {
      limit(object, { min: keywords.minProperties, max: keywords.maxProperties })
      if (keywords.properties ?? keywords.patternProperties ?? keywords.additionalProperties)
        object.shapes.push(keywords)
      object.required.push(...(keywords.required ?? []))
      if (keywords.propertyNames !== undefined) object.names.push(keywords.propertyNames)
      object.dependent.push(...(keywords.dependentRequired ?? []))
    }
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
        { take: branch => yes(branch.object.required.push(name)) && branch.assert(schema) }
      ]
      this.choices.push({ ways })
    }
  }

  /** The ways in which a value of the type can violate an assertion. */
  #waysAgainst({ keyword, key, keywords }: Assertion): Way[] {
    const { anything } = this.solver
    switch (keyword) {
      case 'types':
        return []
      case 'values':
        return [{ take: branch => branch.#exclude(keywords.values ?? []) }]
      case 'anyOf':
        return [{ take: branch => (keywords.anyOf ?? []).every(each => branch.deny(each)) }]
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
        const ways: Way[] = []
        if (then !== undefined) ways.push({ take: branch => branch.assert(condition) && branch.deny(then) })
        if (otherwise !== undefined) ways.push({ take: branch => branch.deny(condition) && branch.deny(otherwise) })
        return ways
      }
      case 'opaque':
      case 'dynamic':
        return undecidedOf(keywords, this.type).map(each => ({ take: ({ notOpaque }) => yes(notOpaque.push(each)) }))
    }
    if (this.type === 'number') return this.#waysOfNumber(keywords)
    if (this.type === 'string') return this.#waysOfString(keywords)
    if (this.type === 'array') return waysOfArray(keyword, key, keywords)
    return this.type === 'object' ? this.#waysOfObject(keyword, key, keywords) : []
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

  #waysOfNumber({ minimum, maximum, multipleOf }: Keywords): Way[] {
    const ways: Way[] = []
    const beyond = ({ value, exclusive }: Bound): Bound => ({ value, exclusive: !exclusive })
    if (minimum !== undefined) ways.push({ take: branch => yes(branch.#narrow(undefined, beyond(minimum))) })
    if (maximum !== undefined) ways.push({ take: branch => yes(branch.#narrow(beyond(maximum))) })
    if (multipleOf !== undefined) ways.push({ take: ({ number }) => yes(number.notMultiplesOf.push(multipleOf)) })
    return ways
  }

  #waysOfString({ minLength, maxLength, pattern, format }: Keywords): Way[] {
    const ways: Way[] = []
    if (minLength !== undefined && minLength > 0)
      ways.push({ take: ({ length }) => limit(length, { max: minLength - 1 }) })
    if (maxLength !== undefined) ways.push({ take: ({ length }) => limit(length, { min: maxLength + 1 }) })
    if (pattern !== undefined) ways.push({ take: ({ string }) => yes(string.notPatterns.push(pattern)) })
    if (format !== undefined) ways.push({ take: ({ string }) => yes(string.notFormats.push(format)) })
    return ways
  }

  #waysOfObject(keyword: keyof Keywords, key: string | number | undefined, keywords: Keywords): Way[] {
    const name = String(key)
    const need = (need: ObjectDemands['needs'][number]): Way[] => [
      { take: ({ object }) => yes(object.needs.push(need)) }
    ]
    const { solver } = this
    switch (keyword) {
      case 'properties': {
        const none = keywords.properties?.get(name) as Schema
        const take = ({ object }: Branch) => yes(object.needs.push({ name, none }))
        return [{ take, isFutile: branch => branch.object.forbidden.includes(name) || branch.#holds(name, none) }]
      }
      case 'patternProperties':
        return need({
          named: [solver.make({ pattern: name })],
          notNamed: [],
          none: keywords.patternProperties?.get(name) as Schema
        })
      case 'additionalProperties':
        return need({
          named: [],
          notNamed: [
            solver.make({ values: [...(keywords.properties?.keys() ?? [])] }),
            ...[...(keywords.patternProperties?.keys() ?? [])].map(pattern => solver.make({ pattern }))
          ],
          none: keywords.additionalProperties as Schema
        })
      case 'propertyNames':
        return need({ named: [], notNamed: [keywords.propertyNames as Schema] })
      case 'required':
        return [{ take: branch => forbid(branch, name), isFutile: ({ object }) => object.required.includes(name) }]
      case 'minProperties': {
        const max = (keywords.minProperties as number) - 1
        return max < 0 ? [] : [{ take: ({ object }) => limit(object, { max }) }]
      }
      case 'maxProperties':
        return [{ take: ({ object }) => limit(object, { min: (keywords.maxProperties as number) + 1 }) }]
      case 'dependentRequired':
        return (keywords.dependentRequired?.get(name) ?? []).map(other => ({
          take: branch => yes(branch.object.required.push(name)) && forbid(branch, other)
        }))
      case 'dependentSchemas': {
        const schema = keywords.dependentSchemas?.get(name) as Schema
        return [{ take: branch => yes(branch.object.required.push(name)) && branch.deny(schema) }]
      }
      default:
        return []
    }
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

const limit = (range: { min: number; max: number }, within: { min?: number | undefined; max?: number | undefined }) => {
  range.min = Math.max(range.min, within.min ?? 0)
  range.max = Math.min(range.max, within.max ?? Number.POSITIVE_INFINITY)
  return true
}

const asserting = (schema: Schema): Way => ({
  take: branch => branch.assert(schema),
  isFutile: ({ denied }) => denied.has(schema.id)
})

const yes = (_done: unknown) => true

const waysOfArray = (keyword: keyof Keywords, key: string | number | undefined, keywords: Keywords): Way[] => {
  const { contains, minItems = 0, maxItems = 0, prefixItems = [], items } = keywords
  switch (keyword) {
    case 'prefixItems':
      return [
        {
          take: ({ array }) =>
            yes(array.needs.push({ index: key as number, none: prefixItems[key as number] as Schema }))
        }
      ]
    case 'items':
      return [{ take: ({ array }) => yes(array.needs.push({ from: prefixItems.length, none: items as Schema })) }]
    case 'minItems':
      return minItems === 0 ? [] : [{ take: ({ array }) => limit(array, { max: minItems - 1 }) }]
    case 'maxItems':
      return [{ take: ({ array }) => limit(array, { min: maxItems + 1 }) }]
    case 'uniqueItems':
      return [{ take: ({ array }) => yes(Object.assign(array, { repeats: true })) }]
    case 'contains': {
      if (contains === undefined) return []
      const { schema, min, max } = contains
      const ways: Way[] = []
      if (min > 0) ways.push({ take: ({ array }) => yes(array.contains.push({ schema, min: 0, max: min - 1 })) })
      if (max < Number.POSITIVE_INFINITY)
        ways.push({
          take: ({ array }) => yes(array.contains.push({ schema, min: max + 1, max: Number.POSITIVE_INFINITY }))
        })
      return ways
    }
    default:
      return []
  }
}

const withOwnLists = <T extends object>(demands: T): T =>
  Object.fromEntries(
    Object.entries(demands).map(([key, value]) => [key, Array.isArray(value) ? [...value] : value])
  ) as T
