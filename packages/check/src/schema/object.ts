import type { Json } from '@contract-first/document'
import { schemasFor } from './accepts.ts'
import type { Finder, Size } from './finder.ts'
import { type Found, firstOf } from './found.ts'
import type { Keywords, Schema } from './schema.ts'

export const objectDemands = () => ({
  shapes: [] as Keywords[],
  required: [] as string[],
  forbidden: [] as string[],
  /** Requires a property of this name whose value is not valid for `none`. */
  needs: [] as { name: string; none: Schema }[],
  /** Requires the same of a property with any name that is meant. */
  others: [] as OpenNeed[]
})
export type ObjectDemands = ReturnType<typeof objectDemands>

interface OpenNeed {
  isMeant: (name: string) => boolean
  none?: Schema
}

type Plan = ReadonlyMap<string, readonly Schema[]>

/** At most this many additional properties are searched for; beyond, names are numbered, up to a limit. */
const maxSearched = 32
const maxNumbered = 10_000

interface Search extends ObjectDemands, Size {
  solver: Finder
  mentioned: ReadonlySet<string>
}

/** Finds names for the needs, then the other required names, then the values, then properties up to the minimum. */
export const findObject = (demands: ObjectDemands & Size, solver: Finder): Found<Json> => {
  const { shapes, required, forbidden, needs, others } = demands
  const mentioned = new Set([
    ...shapes.flatMap(({ properties }) => [...(properties?.keys() ?? [])]),
    ...required,
    ...forbidden,
    ...needs.map(({ name }) => name)
  ])
  const search: Search = { ...demands, solver, mentioned }
  // Needs come first: most attempts fail because of them.
  const plan = new Map<string, readonly Schema[]>()
  for (const { name, none } of needs) plan.set(name, [...(plan.get(name) ?? []), none])
  for (const name of required) if (!plan.has(name)) plan.set(name, [])
  // A need that cannot be met at all is not met in any combination with others.
  const isVain = others.length > 1 && others.some(need => candidatesFor(need, plan, search).next().done)
  const found = isVain ? 'none' : assignNames(plan, others, search)
  // Names that match patterns are not searched for.
  return found === 'none' && shapes.some(({ patternProperties }) => patternProperties) ? 'unknown' : found
}

const assignNames = (plan: Plan, [need, ...rest]: readonly OpenNeed[], search: Search): Found<Json> => {
  if (need === undefined) return fill(plan, search)
  if (search.solver.exceedsLimit()) return 'unknown'
  return firstOf(candidatesFor(need, plan, search), name =>
    name === undefined ? 'unknown' : assignNames(new Map(plan).set(name, nonesOf(name, need, plan)), rest, search)
  )
}

/** The names to try, the last of which nothing mentions; undefined if there may be others. */
function* candidatesFor(need: OpenNeed, plan: Plan, search: Search): Generator<string | undefined> {
  const names = new Set([...search.mentioned, ...plan.keys()])
  const isPossible = (name: string) => findProperty(name, nonesOf(name, need, plan), search) !== 'none'
  for (const name of names) if (need.isMeant(name) && isPossible(name)) yield name
  const other = newNames.find(name => !names.has(name) && need.isMeant(name))
  if (other === undefined || isPossible(other)) yield other
}

const numberedNames = Array.from({ length: maxNumbered }, (_, index) => `p${index + 1}`)
const newNames = [...'abcdefghijklmnopqrstuvwxyz', ...numberedNames]

const fill = (plan: Plan, search: Search): Found<Json> => {
  const { solver, min, max, forbidden } = search
  if (solver.exceedsLimit()) return 'unknown'
  if (plan.size > max || forbidden.some(name => plan.has(name))) return 'none'
  const object = findValues(plan, search)
  return typeof object === 'string' || plan.size >= min ? object : addMore(plan, search)
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

const addMore = (plan: Plan, search: Search): Found<Json> => {
  const missing = search.min - plan.size
  if (missing > maxNumbered) return 'unknown'
  if (missing > maxSearched) {
    const names = numberedNames.slice(0, missing).filter(name => !plan.has(name))
    const object = fill(new Map([...plan, ...names.map(name => [name, []] as const)]), search)
    return typeof object === 'object' ? object : 'unknown'
  }
  let isCertain = true
  for (const name of candidatesFor({ isMeant: each => !plan.has(each) }, plan, search)) {
    const object = name === undefined ? 'unknown' : fill(new Map(plan).set(name, []), search)
    if (typeof object === 'object') return object
    // Adding a possible property never hurts: if none is found with it, none would be found without it.
    if (object === 'unknown') isCertain = false
  }
  return isCertain ? 'none' : 'unknown'
}

const nonesOf = (name: string, { none }: OpenNeed, plan: Plan): readonly Schema[] => [
  ...(plan.get(name) ?? []),
  ...(none === undefined ? [] : [none])
]
