import type { Json } from '@contract-first/document'
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

/** The chosen names, each with the schemas that its value must not satisfy. */
type Plan = ReadonlyMap<string, readonly Schema[]>

/** At most this many additional properties are searched for; beyond, names are numbered, up to a limit. */
const maxSearched = 32
const maxNumbered = 10_000
/** With more patterns than this, not every combination is tried for a name. */
const maxPatterns = 4

export const findObject = (demands: ObjectDemands & Size, solver: Finder): Found<Json> => {
  const { shapes, required, forbidden, names, needs, dependent, min, max } = demands
  const patterns = new Set(shapes.flatMap(({ patternProperties }) => [...(patternProperties?.keys() ?? [])]))
  const known = new Set([
    ...shapes.flatMap(({ properties }) => [...(properties?.keys() ?? [])]),
    ...required,
    ...forbidden,
    ...needs.flatMap(each => ('name' in each ? [each.name] : [])),
    ...dependent.flatMap(([name, others]) => [name, ...others])
  ])

  /** Assigns a name to each need without one. */
  const settle = (plan: Plan, [need, ...rest]: readonly OpenNeed[]): Found<Json> => {
    if (need === undefined) return fill(plan)
    if (solver.exceedsLimit()) return 'unknown'
    return firstOf(candidates(need, plan), candidate => {
      if (candidate === undefined) return 'unknown'
      return settle(new Map(plan).set(candidate, nonesOf(candidate, need, plan)), rest)
    })
  }

  /** The names to try; undefined if there may be others. */
  function* candidates(need: OpenNeed, plan: Plan): Generator<string | undefined> {
    for (const name of new Set([...known, ...plan.keys()])) {
      const fits = [
        ...need.named.map(each => accepts(each, name)),
        ...need.notNamed.map(each => opposite(accepts(each, name)))
      ]
      if (fits.includes(false) || !isPossible(name, need, plan)) continue
      if (fits.includes(undefined)) yield undefined
      else yield name
    }
    yield* newNames(need, plan)
  }

  const isPossible = (name: string, need: OpenNeed, plan: Plan): boolean =>
    propertyValue(name, nonesOf(name, need, plan)) !== 'none'

  /** An undeclared name of each kind: names are of one kind if they match the same patterns. */
  function* newNames(need: OpenNeed, plan: Plan): Generator<string | undefined> {
    const all = [solver.make({ types: ['string'] }), ...names, ...need.named]
    const none = [...need.notNamed, solver.make({ values: [...known, ...plan.keys()] })]
    const matchers = [...patterns].map(pattern => solver.make({ pattern }))
    for (const matching of subsets(matchers)) {
      const others = matchers.filter(each => !matching.includes(each))
      const name = solver.find([...all, ...matching], [...none, ...others])
      if (name === 'unknown') yield undefined
      else if (name !== 'none' && isPossible(String(name.value), need, plan)) yield String(name.value)
    }
    if (patterns.size > maxPatterns) yield undefined
  }

  /** Adds the other required properties, and finds the values. */
  const fill = (settled: Plan): Found<Json> => {
    if (solver.exceedsLimit()) return 'unknown'
    const plan = withDependents(settled)
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
      const result = propertyValue(name, nones)
      if (result === 'none') return 'none'
      if (result === 'unknown') isKnown = false
      else value.push([name, result.value])
    }
    if (!isKnown) return 'unknown'
    return plan.size >= min ? { value: Object.fromEntries(value) } : addMore(plan)
  }

  /** Adds any possible property. */
  const addMore = (plan: Plan): Found<Json> => {
    const missing = min - plan.size
    if (missing > maxNumbered) return 'unknown'
    if (missing > maxSearched) {
      const names = Array.from({ length: missing }, (_, index) => `p${index + 1}`).filter(name => !plan.has(name))
      const found = fill(new Map([...plan, ...names.slice(0, missing).map(name => [name, []] as const)]))
      return typeof found === 'object' ? found : 'unknown'
    }
    let isCertain = true
    for (const name of candidates({ named: [], notNamed: [] }, plan)) {
      if (name === undefined) isCertain = false
      if (name === undefined || plan.has(name)) continue
      const result = fill(new Map(plan).set(name, []))
      if (typeof result === 'object') return result
      // Adding a possible property never hurts: if none is found with it, none would be found without it.
      if (result === 'unknown') isCertain = false
    }
    return isCertain ? 'none' : 'unknown'
  }

  const withDependents = (settled: Plan): Plan => {
    const plan = new Map(settled)
    // The loop also visits the names that it adds.
    for (const name of plan.keys())
      for (const other of dependent.flatMap(([one, others]) => (one === name ? others : [])))
        if (!plan.has(other)) plan.set(other, [])
    return plan
  }

  const propertyValue = (name: string, nones: readonly Schema[]): Found<Json> => {
    const schemas = shapes.map(shape => schemasFor(shape, name))
    return schemas.every(each => each !== undefined) ? solver.find(schemas.flat(), nones) : 'unknown'
  }

  // Needs come first: most attempts fail because of them.
  const plan = new Map<string, Schema[]>()
  const open: OpenNeed[] = []
  for (const need of needs) {
    if ('name' in need) plan.set(need.name, [...(plan.get(need.name) ?? []), need.none])
    else open.push(need)
  }
  for (const name of required) if (!plan.has(name)) plan.set(name, [])
  // A need that cannot be met at all is not met in any combination with others.
  if (open.length > 1 && open.some(need => candidates(need, plan).next().done)) return 'none'
  return settle(plan, open)
}

/** The schemas that a property must violate if it is also to meet the need. */
const nonesOf = (name: string, { none }: OpenNeed, plan: Plan): Schema[] => [
  ...(plan.get(name) ?? []),
  ...(none === undefined ? [] : [none])
]

/** All subsets of a few items; of many, only the empty one and single items. */
const subsets = <T>(items: readonly T[]): T[][] =>
  items.length > maxPatterns
    ? [[], ...items.map(each => [each])]
    : items.reduce<T[][]>((found, item) => found.concat(found.map(each => [...each, item])), [[]])
