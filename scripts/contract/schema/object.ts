import type { Json } from '../../document/json.ts'
import { accepts, opposite, schemasFor } from './accepts.ts'
import type { Finder, Size } from './finder.ts'
import { type Found, firstOf } from './found.ts'
import type { Keywords, Schema } from './schema.ts'

/** What an object must satisfy beside the number of its properties; only names and values remain to be chosen. */
export const objectDemands = () => ({
  /** The parts with keywords for properties by name. */
  shapes: [] as Keywords[],
  required: [] as string[],
  forbidden: [] as string[],
  /** Schemas for every name. */
  names: [] as Schema[],
  /** A property that requires others. */
  dependent: [] as (readonly [string, readonly string[]])[],
  /** Requires a property, of this name or of one that satisfies the schemas, whose value is not valid for `none`. */
  needs: [] as (NamedNeed | OpenNeed)[]
})
export type ObjectDemands = ReturnType<typeof objectDemands>

interface NamedNeed {
  name: string
  none: Schema
}

interface OpenNeed {
  named: Schema[]
  notNamed: Schema[]
  none?: Schema
}

export const findObject = (demands: ObjectDemands & Size, solver: Finder): Found<Json> =>
  new ObjectSearch(demands, solver).find()

/** The chosen names, each with the schemas that its value must not satisfy. */
type Plan = ReadonlyMap<string, readonly Schema[]>

/** At most this many additional properties are searched for; beyond, names are numbered. */
const maxSearched = 32
/** With more patterns than this, not every combination is tried for a name. */
const maxPatterns = 4

class ObjectSearch {
  readonly #demands: ObjectDemands & Size
  readonly #solver: Finder
  readonly #patterns: string[]
  readonly #known: Set<string>

  constructor(demands: ObjectDemands & Size, solver: Finder) {
    this.#demands = demands
    this.#solver = solver
    const { shapes, required, forbidden, needs, dependent } = demands
    this.#patterns = [...new Set(shapes.flatMap(({ patternProperties }) => [...(patternProperties?.keys() ?? [])]))]
    this.#known = new Set([
      ...shapes.flatMap(({ properties }) => [...(properties?.keys() ?? [])]),
      ...required,
      ...forbidden,
      ...needs.flatMap(each => ('name' in each ? [each.name] : [])),
      ...dependent.flatMap(([name, others]) => [name, ...others])
    ])
  }

  find(): Found<Json> {
    const { required, needs } = this.#demands
    // Needs come first: most attempts fail because of them.
    const plan = new Map<string, Schema[]>()
    const open: OpenNeed[] = []
    for (const need of needs) {
      if ('name' in need) plan.set(need.name, [...(plan.get(need.name) ?? []), need.none])
      else open.push(need)
    }
    for (const name of required) if (!plan.has(name)) plan.set(name, [])
    // A need that cannot be met at all is not met in any combination with others.
    if (open.length > 1 && open.some(need => this.#candidates(need, plan).next().done)) return 'none'
    return this.#settle(plan, open)
  }

  /** Assigns a name to each need without one. */
  #settle(plan: Plan, [need, ...rest]: readonly OpenNeed[]): Found<Json> {
    if (need === undefined) return this.#fill(plan)
    if (this.#solver.exceedsLimit()) return 'unknown'
    return firstOf(this.#candidates(need, plan), candidate => {
      if (candidate === undefined) return 'unknown'
      return this.#settle(new Map(plan).set(candidate, nonesOf(candidate, need, plan)), rest)
    })
  }

  /** The names to try; undefined if there may be others. */
  *#candidates(need: OpenNeed, plan: Plan): Generator<string | undefined> {
    for (const name of new Set([...this.#known, ...plan.keys()])) {
      const fits = [
        ...need.named.map(each => accepts(each, name)),
        ...need.notNamed.map(each => opposite(accepts(each, name)))
      ]
      if (fits.includes(false) || !this.#isPossible(name, need, plan)) continue
      if (fits.includes(undefined)) yield undefined
      else yield name
    }
    yield* this.#newNames(need, plan)
  }

  #isPossible(name: string, need: OpenNeed, plan: Plan): boolean {
    return this.#valueOf(name, nonesOf(name, need, plan)) !== 'none'
  }

  /** An undeclared name of each kind: names are of one kind if they match the same patterns. */
  *#newNames(need: OpenNeed, plan: Plan): Generator<string | undefined> {
    const { named, notNamed } = need
    const solver = this.#solver
    const taken = solver.make({ values: [...this.#known, ...plan.keys()] })
    const patterns = this.#patterns.map(pattern => solver.make({ pattern }))
    for (const matching of subsets(patterns)) {
      const others = patterns.filter(each => !matching.includes(each))
      const name = solver.find(
        [solver.make({ types: ['string'] }), ...this.#demands.names, ...named, ...matching],
        [...notNamed, ...others, taken]
      )
      if (name === 'unknown') yield undefined
      else if (name !== 'none' && this.#isPossible(String(name.value), need, plan)) yield String(name.value)
    }
    if (patterns.length > maxPatterns) yield undefined
  }

  /** Adds the other required properties, and finds the values. */
  #fill(settled: Plan): Found<Json> {
    if (this.#solver.exceedsLimit()) return 'unknown'
    const { min, max, forbidden, names } = this.#demands
    const plan = this.#withDependents(settled)
    if (plan.size > max) return 'none'
    for (const name of plan.keys()) {
      if (forbidden.includes(name)) return 'none'
      const verdicts = names.map(each => accepts(each, name))
      if (verdicts.includes(false)) return 'none'
      if (verdicts.includes(undefined)) return 'unknown'
    }
    const value: [string, Json][] = []
    let isKnown = true
    for (const [name, nones] of plan) {
      const found = this.#valueOf(name, nones)
      if (found === 'none') return 'none'
      if (found === 'unknown') isKnown = false
      else value.push([name, found.value])
    }
    if (!isKnown) return 'unknown'
    return plan.size >= min ? { value: Object.fromEntries(value) } : this.#addMore(plan)
  }

  /** Adds any possible property. */
  #addMore(plan: Plan): Found<Json> {
    const missing = this.#demands.min - plan.size
    if (missing > maxSearched) {
      const names = Array.from({ length: missing }, (_, index) => `p${index + 1}`).filter(name => !plan.has(name))
      const found = this.#fill(new Map([...plan, ...names.slice(0, missing).map(name => [name, []] as const)]))
      return typeof found === 'object' ? found : 'unknown'
    }
    let isCertain = true
    for (const name of this.#candidates({ named: [], notNamed: [] }, plan)) {
      if (name === undefined) isCertain = false
      if (name === undefined || plan.has(name)) continue
      const found = this.#fill(new Map(plan).set(name, []))
      if (typeof found === 'object') return found
      // Adding a possible property never hurts: what is missing afterwards would be missing without it, too.
      if (found === 'unknown') isCertain = false
    }
    return isCertain ? 'none' : 'unknown'
  }

  #withDependents(settled: Plan): Plan {
    const plan = new Map(settled)
    for (let size = -1; size !== plan.size; ) {
      size = plan.size
      for (const [name, others] of this.#demands.dependent)
        if (plan.has(name)) for (const other of others) if (!plan.has(other)) plan.set(other, [])
    }
    return plan
  }

  #valueOf(name: string, nones: readonly Schema[]): Found<Json> {
    const schemas: Schema[] = []
    for (const shape of this.#demands.shapes) {
      const own = schemasFor(shape, name)
      if (own === undefined) return 'unknown'
      schemas.push(...own)
    }
    return this.#solver.find(schemas, nones)
  }
}

/** What a property must not be valid for if it meets the need, too. */
const nonesOf = (name: string, { none }: OpenNeed, plan: Plan): Schema[] => [
  ...(plan.get(name) ?? []),
  ...(none === undefined ? [] : [none])
]

/** All subsets of a few items; of many, only the empty one and single items. */
const subsets = <T>(items: readonly T[]): T[][] =>
  items.length > maxPatterns
    ? [[], ...items.map(each => [each])]
    : items.reduce<T[][]>((found, item) => found.concat(found.map(each => [...each, item])), [[]])
