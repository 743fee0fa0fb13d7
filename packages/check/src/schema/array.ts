import type { Json } from '@contract-first/document'
import { accepts } from './accepts.ts'
import type { Finder, Size } from './finder.ts'
import { type Found, firstOf } from './found.ts'
import { canonical, type Keywords, type Schema } from './schema.ts'

export const arrayDemands = () => ({
  /** The parts with keywords for items by position. */
  shapes: [] as Keywords[],
  unique: false,
  repeats: false,
  /** Requires an item, at the index or somewhere from an index on, that is not valid for `none`. */
  needs: [] as ({ index: number; none: Schema } | { from: number; none: Schema })[]
})
export type ArrayDemands = ReturnType<typeof arrayDemands>

interface Item {
  all: readonly Schema[]
  none: readonly Schema[]
}
/** Requirements on items in addition to those for all: on those at some positions, and on the rest. */
interface Plan {
  at: ReadonlyMap<number, Item>
  rest: Item
}

/** Longer arrays are not generated: comparing all items with each other takes quadratic time. */
const maxItems = 100_000
const maxDifferent = 2_000
/** At most this many different items are searched for; more are guessed. */
const maxSearched = 32

interface Search extends ArrayDemands, Size {
  solver: Finder
  /** From this index on, all positions have the same schemas. */
  alike: number
}
type Need = ArrayDemands['needs'][number]

/**
 * Finds positions for the needs, then for two equal items, then finds the items. For example, with `prefixItems: [A]`, `items: B`
 * and the need for an item that is no string, position 0 is tried first, then 1, which stands for all others.
 */
export const findArray = (demands: ArrayDemands & Size, solver: Finder): Found<Json> => {
  const { needs, unique, repeats, shapes } = demands
  if (unique && repeats) return 'none'
  const alike = Math.max(0, ...shapes.map(({ prefixItems = [] }) => prefixItems.length))
  const search: Search = { ...demands, solver, alike }
  const plan: Plan = { at: new Map(), rest: { all: [], none: [] } }
  // Checked first: otherwise all combinations of positions for the other needs would be tried.
  if (needs.length > 1 && !needs.every(need => canMeet(need, plan, search))) return 'none'
  return assignPositions(plan, needs, search)
}

/** Assigns a position to each need. */
const assignPositions = (plan: Plan, [need, ...rest]: readonly Need[], search: Search): Found<Json> => {
  if (need === undefined) return repeat(plan, search)
  if (search.solver.exceedsLimit()) return 'unknown'
  return firstOf(positionsFor(need, plan, search), position =>
    assignPositions(demanding(plan, position, [], [need.none]), rest, search)
  )
}

/** Whether there is a position for the need, whatever else is needed. */
const canMeet = (need: Need, plan: Plan, search: Search): boolean =>
  positionsFor(need, plan, search).some(position => {
    const { all, none } = itemAt(position, plan, search)
    return search.solver.find(all, [...none, need.none]) !== 'none'
  })

const positionsFor = (need: Need, plan: Plan, search: Search): number[] =>
  'index' in need ? [need.index] : positionsFrom(need.from, plan, search)

/** One position of each kind: those with schemas of their own, those in use, and one beyond. */
const positionsFrom = (from: number, plan: Plan, search: Search): number[] => {
  const end = Math.max(from, endOf(plan, search))
  return Array.from({ length: end - from + 1 }, (_, index) => from + index)
}

/** From there on, one position is as good as another. */
const endOf = (plan: Plan, { alike }: Search): number => Math.max(alike, lengthOf(plan))

/** How long an array with an item at each position in use is. */
const lengthOf = ({ at }: Plan): number => Math.max(0, ...[...at.keys()].map(each => each + 1))

/** Makes two items equal if that is demanded. */
const repeat = (plan: Plan, search: Search): Found<Json> => {
  if (!search.repeats) return fill(plan, search)
  const positions = positionsFrom(0, plan, search)
  const all = [...positions, positions.length]
  return firstOf(all, one => firstOf(all.slice(one + 1), other => repeatAt(one, other, plan, search)))
}

const repeatAt = (one: number, other: number, plan: Plan, search: Search): Found<Json> => {
  const { solver, max } = search
  if (other >= max) return 'none'
  if (solver.exceedsLimit()) return 'unknown'
  const both = [itemAt(one, plan, search), itemAt(other, plan, search)]
  const item = solver.find(
    both.flatMap(({ all }) => all),
    both.flatMap(({ none }) => none)
  )
  if (typeof item === 'string') return item
  const same = [solver.constant(item.value)]
  return fill(demanding(demanding(plan, one, same, []), other, same, []), search)
}

/** Finds the items. */
const fill = (plan: Plan, search: Search): Found<Json> => {
  const { solver, min, max, unique } = search
  if (solver.exceedsLimit()) return 'unknown'
  const length = Math.max(min, lengthOf(plan))
  if (length > max) return 'none'
  if (length > (unique ? maxDifferent : maxItems)) return 'unknown'
  const end = unique ? length : Math.min(length, endOf(plan, search))
  const values: Json[] = []
  const taken = new Map<string, Json>()
  let isKnown = true
  for (const position of orderOf(plan, end, length)) {
    const requirements = itemAt(position, plan, search)
    const item = unique ? findDifferent(requirements, taken, solver) : solver.find(requirements.all, requirements.none)
    if (item === 'none') return mayDependOnChoice(requirements, taken, plan, search) ? 'unknown' : 'none'
    if (item === 'unknown') isKnown = false
    else values[position] = item.value
    if (unique && item !== 'unknown') taken.set(canonical(item.value), item.value)
  }
  const more = Array<Json>(Math.max(0, length - end - 1)).fill(values[end] ?? null)
  return isKnown ? { value: [...values, ...more] } : 'unknown'
}

/** Positions with more requirements choose first; the one at the end stands for all that follow. */
const orderOf = ({ at }: Plan, end: number, length: number): number[] => {
  const others = Array.from({ length: end }, (_, index) => index).filter(index => !at.has(index))
  return [...at.keys(), ...others, ...(end < length ? [end] : [])]
}

/** Whether another choice before might have left an item for a position: not if all positions are alike. */
const mayDependOnChoice = ({ all, none }: Item, taken: ReadonlyMap<string, Json>, { at }: Plan, search: Search) =>
  taken.size > 0 && search.solver.find(all, none) !== 'none' && (at.size > 0 || search.alike > 0)

/** An item that differs from those taken; after many, one derived from the last. */
const findDifferent = ({ all, none }: Item, taken: ReadonlyMap<string, Json>, solver: Finder): Found<Json> => {
  const values = [...taken.values()]
  if (taken.size < maxSearched) return solver.find(all, [...none, solver.make({ values })])
  const value = numbered(taken.size, values.at(-1) ?? null).find(
    each =>
      !taken.has(canonical(each)) &&
      all.every(schema => accepts(schema, each) === true) &&
      none.every(schema => accepts(schema, each) === false)
  )
  return value === undefined ? 'unknown' : { value }
}

const itemAt = (position: number, plan: Plan, { shapes }: Search): Item => {
  const own = shapes.flatMap(({ prefixItems = [], items }) => prefixItems[position] ?? items ?? [])
  const { all, none } = plan.at.get(position) ?? plan.rest
  return { all: [...own, ...all], none }
}

/** Values that contain a number, one of them resembling another value. */
const numbered = (number: number, like: Json): Json[] => {
  const text = String(number)
  const tail = typeof like === 'string' ? [like + text, like.slice(0, -text.length) + text] : []
  return [number, -number, text, `a${text}`, ...tail, [number], { [`a${text}`]: number }]
}

/** The plan with further requirements on the item at a position. */
const demanding = ({ at, rest }: Plan, place: number, all: readonly Schema[], none: readonly Schema[]): Plan => {
  const before = at.get(place) ?? rest
  return { at: new Map(at).set(place, { all: [...before.all, ...all], none: [...before.none, ...none] }), rest }
}
