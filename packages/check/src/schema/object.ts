import type { Json } from '@contract-first/document'
import { accepts, opposite, schemasFor } from './accepts.ts'
import type { Finder, Size } from './finder.ts'
import { type Found, firstOf } from './found.ts'
import type { Keywords, Schema } from './schema.ts'

export const objectDemands = () => ({
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

type Plan = ReadonlyMap<string, readonly Schema[]>

/** At most this many additional properties are searched for; beyond, names are numbered, up to a limit. */
const maxSearched = 32
const maxNumbered = 10_000
/** With more patterns than this, not every combination is tried for a name. */
const maxPatterns = 4

interface Search extends ObjectDemands, Size {
  solver: Finder
  /** For names that are not declared. */
  patterns: readonly string[]
  /** All names that the demands mention. */
  mentioned: ReadonlySet<string>
}

/** Finds names for the needs, then the other required names, then the values, then properties up to the minimum. */
export const findObject = (demands: ObjectDemands & Size, solver: Finder): Found<Json> => {
  const { shapes, required, forbidden, needs, dependent } = demands
  const patterns = [...new Set(shapes.flatMap(({ patternProperties }) => [...(patternProperties?.keys() ?? [])]))]
  const mentioned = new Set([
    ...shapes.flatMap(({ properties }) => [...(properties?.keys() ?? [])]),
    ...required,
    ...forbidden,
    ...needs.flatMap(each => ('name' in each ? [each.name] : [])),
    ...dependent.flatMap(([name, others]) => [name, ...others])
  ])
  const search: Search = { ...demands, solver, patterns, mentioned }

  // Needs come first: most attempts fail because of them.
  const plan = new Map<string, Schema[]>()
  const open: OpenNeed[] = []
  for (const need of needs) {
    if ('name' in need) plan.set(need.name, [...(plan.get(need.name) ?? []), need.none])
    else open.push(need)
  }
  for (const name of required) if (!plan.has(name)) plan.set(name, [])
  // A need that cannot be met at all is not met in any combination with others.
  if (open.length > 1 && open.some(need => candidatesFor(need, plan, search).next().done)) return 'none'
  return assignNames(plan, open, search)
}

/** Assigns a name to each need without one. */
const assignNames = (plan: Plan, [need, ...rest]: readonly OpenNeed[], search: Search): Found<Json> => {
  if (need === undefined) return fill(plan, search)
  if (search.solver.exceedsLimit()) return 'unknown'
  return firstOf(candidatesFor(need, plan, search), name =>
    name === undefined ? 'unknown' : assignNames(new Map(plan).set(name, nonesOf(name, need, plan)), rest, search)
  )
}

/** The names to try; undefined if there may be others. */
function* candidatesFor(need: OpenNeed, plan: Plan, search: Search): Generator<string | undefined> {
  for (const name of new Set([...search.mentioned, ...plan.keys()])) {
    const fits = [
      ...need.named.map(each => accepts(each, name)),
      ...need.notNamed.map(each => opposite(accepts(each, name)))
    ]
    if (fits.includes(false) || !isPossible(name, need, plan, search)) continue
    yield fits.includes(undefined) ? undefined : name
  }
  yield* newNames(need, plan, search)
}

const isPossible = (name: string, need: OpenNeed, plan: Plan, search: Search): boolean =>
  findProperty(name, nonesOf(name, need, plan), search) !== 'none'

/** A name of each kind that nothing mentions: names are of one kind if they match the same patterns. */
function* newNames(need: OpenNeed, plan: Plan, search: Search): Generator<string | undefined> {
  const { solver, names, mentioned, patterns } = search
  const all = [solver.make({ types: ['string'] }), ...names, ...need.named]
  const none = [...need.notNamed, solver.make({ values: [...mentioned, ...plan.keys()] })]
  const matchers = patterns.map(pattern => solver.make({ pattern }))
  for (const matching of subsets(matchers)) {
    const others = matchers.filter(each => !matching.includes(each))
    const name = solver.find([...all, ...matching], [...none, ...others])
    if (name === 'unknown') yield undefined
    else if (name !== 'none' && isPossible(String(name.value), need, plan, search)) yield String(name.value)
  }
  if (patterns.length > maxPatterns) yield undefined
}

/** Adds the other required properties, and finds the values. */
const fill = (names: Plan, search: Search): Found<Json> => {
  const { solver, min, max } = search
  if (solver.exceedsLimit()) return 'unknown'
  const plan = withDependents(names, search)
  if (plan.size > max) return 'none'
  for (const name of plan.keys()) {
    const isAllowed = allowsName(name, search)
    if (isAllowed !== true) return isAllowed === false ? 'none' : 'unknown'
  }
  const object = findValues(plan, search)
  return typeof object === 'string' || plan.size >= min ? object : addMore(plan, search)
}

/** Undefined if that is not known. */
const allowsName = (name: string, { forbidden, names }: Search): boolean | undefined => {
  if (forbidden.includes(name)) return false
  const verdicts = names.map(each => accepts(each, name))
  return verdicts.includes(false) ? false : verdicts.includes(undefined) ? undefined : true
}

const withDependents = (names: Plan, { dependent }: Search): Plan => {
  const plan = new Map(names)
  // The loop also visits the names that it adds.
  for (const name of plan.keys())
    for (const other of dependent.flatMap(([one, others]) => (one === name ? others : [])))
      if (!plan.has(other)) plan.set(other, [])
  return plan
}

const findValues = (plan: Plan, search: Search): Found<Json> => {
  const entries: [string, Json][] = []
  for (const [name, nones] of plan) {
    const property = findProperty(name, nones, search)
    if (property === 'none') return 'none'
    if (property !== 'unknown') entries.push([name, property.value])
  }
  return entries.length < plan.size ? 'unknown' : { value: Object.fromEntries(entries) }
}

const findProperty = (name: string, nones: readonly Schema[], { shapes, solver }: Search): Found<Json> => {
  const schemas = shapes.map(shape => schemasFor(shape, name))
  return schemas.every(each => each !== undefined) ? solver.find(schemas.flat(), nones) : 'unknown'
}

/** Adds any possible properties. */
const addMore = (plan: Plan, search: Search): Found<Json> => {
  const missing = search.min - plan.size
  if (missing > maxNumbered) return 'unknown'
  if (missing > maxSearched) return addNumbered(plan, missing, search)
  let isCertain = true
  for (const name of candidatesFor({ named: [], notNamed: [] }, plan, search)) {
    if (name === undefined) isCertain = false
    if (name === undefined || plan.has(name)) continue
    const object = fill(new Map(plan).set(name, []), search)
    if (typeof object === 'object') return object
    // Adding a possible property never hurts: if none is found with it, none would be found without it.
    if (object === 'unknown') isCertain = false
  }
  return isCertain ? 'none' : 'unknown'
}

const addNumbered = (plan: Plan, missing: number, search: Search): Found<Json> => {
  const names = Array.from({ length: missing }, (_, index) => `p${index + 1}`).filter(name => !plan.has(name))
  const object = fill(new Map([...plan, ...names.map(name => [name, []] as const)]), search)
  return typeof object === 'object' ? object : 'unknown'
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
    : items.reduce<T[][]>((sets, item) => sets.concat(sets.map(each => [...each, item])), [[]])
