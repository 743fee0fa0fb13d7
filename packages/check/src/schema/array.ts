import type { Json } from '@contract-first/document'
import { accepts } from './accepts.ts'
import type { Finder, Size } from './finder.ts'
import { type Found, firstOf } from './found.ts'
import { canonical, type Keywords, type Schema } from './schema.ts'

/** What an array must satisfy beside its length; only its items remain to be chosen. */
export const arrayDemands = () => ({
  /** The parts with keywords for items by position. */
  shapes: [] as Keywords[],
  unique: false,
  /** Whether two items must be equal. */
  repeats: false,
  contains: [] as NonNullable<Keywords['contains']>[],
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
/** Nor are those in which more items than this must match `contains`. */
const maxContained = 1_000
/** At most this many different items are searched for; more are guessed. */
const maxSearched = 32

export const findArray = (demands: ArrayDemands & Size, solver: Finder): Found<Json> => {
  /** From this index on, all positions have the same schemas. */
  const alike = Math.max(0, ...demands.shapes.map(({ prefixItems = [] }) => prefixItems.length))

  /** Assigns a position to each need. */
  const settle = (plan: Plan, [need, ...rest]: ArrayDemands['needs']): Found<Json> => {
    if (need === undefined) return contain(plan, joined(demands.contains))
    if (solver.exceedsLimit()) return 'unknown'
    return firstOf(placesFor(plan, need), place => settle(demanding(plan, place, [], [need.none]), rest))
  }

  /** Whether there is a position for the need, whatever else is needed. */
  const canMeet = (plan: Plan, need: ArrayDemands['needs'][number]): boolean =>
    placesFor(plan, need).some(place => {
      const { all, none } = item(plan, place)
      return solver.find(all, [...none, need.none]) !== 'none'
    })

  const placesFor = (plan: Plan, need: ArrayDemands['needs'][number]): number[] =>
    'index' in need ? [need.index] : placesFrom(plan, need.from)

  /** One position of each kind: the distinguished ones, those in use, and one beyond. */
  const placesFrom = (plan: Plan, from: number): number[] => {
    const end = Math.max(from, endOf(plan))
    return Array.from({ length: end - from + 1 }, (_, index) => from + index)
  }

  /** From there on, one position is as good as another. */
  const endOf = (plan: Plan): number => {
    return Math.max(alike, ...[...plan.at.keys()].map(each => each + 1))
  }

  /** Satisfies `contains` with `minContains` and `maxContains`. */
  const contain = (plan: Plan, [contained, ...rest]: ArrayDemands['contains']): Found<Json> => {
    if (contained === undefined) return repeat(plan)
    const { schema, min, max } = contained
    const put = (from: Plan, missing: number, start: number, chosen: readonly number[]): Found<Json> => {
      if (solver.exceedsLimit()) return 'unknown'
      if (missing === 0) return contain(max === Number.POSITIVE_INFINITY ? from : onlyAt(chosen, schema, from), rest)
      return firstOf(placesFrom(from, start), place =>
        put(demanding(from, place, [schema], []), missing - 1, place + 1, [...chosen, place])
      )
    }
    // More matches than the minimum may be unavoidable, but only among items that are needed for another reason.
    const others = rest.reduce((sum, each) => sum + each.min, 2)
    const needed = max === Number.POSITIVE_INFINITY ? 0 : Math.max(endOf(plan), demands.min) + others
    const most = Math.min(max, demands.max, Math.max(min, needed))
    if (most < min) return 'none'
    if (most > maxContained) return 'unknown'
    const counts = Array.from({ length: most - min + 1 }, (_, index) => min + index)
    return firstOf(counts, count => put(plan, count, 0, []))
  }

  const repeat = (plan: Plan): Found<Json> => {
    if (!demands.repeats) return fill(plan)
    const places = placesFrom(plan, 0)
    const all = [...places, places.length]
    return firstOf(all, one => firstOf(all.slice(one + 1), other => repeatAt(plan, one, other)))
  }

  const repeatAt = (plan: Plan, one: number, other: number): Found<Json> => {
    if (other >= demands.max) return 'none'
    if (solver.exceedsLimit()) return 'unknown'
    const both = [item(plan, one), item(plan, other)]
    const result = solver.find(
      both.flatMap(({ all }) => all),
      both.flatMap(({ none }) => none)
    )
    if (typeof result === 'string') return result
    const same = [solver.constant(result.value)]
    return fill(demanding(demanding(plan, one, same, []), other, same, []))
  }

  const fill = (plan: Plan): Found<Json> => {
    if (solver.exceedsLimit()) return 'unknown'
    const { min, max, unique } = demands
    const length = Math.max(min, ...[...plan.at.keys()].map(each => each + 1))
    if (length > max) return 'none'
    if (length > (unique ? maxDifferent : maxItems)) return 'unknown'
    const values: Json[] = []
    const taken = new Map<string, Json>()
    const end = unique ? length : Math.min(length, endOf(plan))
    // Positions with more requirements choose first.
    const order = [
      ...plan.at.keys(),
      ...Array.from({ length: end }, (_, index) => index).filter(index => !plan.at.has(index)),
      ...(end < length ? [end] : [])
    ]
    let isKnown = true
    for (const place of order) {
      const { all, none } = item(plan, place)
      const result = unique ? another({ all, none }, taken) : solver.find(all, none)
      if (result === 'none') {
        // Another choice before might have left an item for this position, unless all positions are alike.
        const withOthers = unique && taken.size > 0 && solver.find(all, none) !== 'none'
        return withOthers && (plan.at.size > 0 || alike > 0) ? 'unknown' : 'none'
      }
      if (result === 'unknown') {
        isKnown = false
        continue
      }
      values[place] = result.value
      if (unique) taken.set(canonical(result.value), result.value)
    }
    const more = Array<Json>(Math.max(0, length - end - 1)).fill(values[end] ?? null)
    return isKnown ? { value: [...values, ...more] } : 'unknown'
  }

  /** An item that differs from those taken; after many, one derived from the last. */
  const another = ({ all, none }: Item, taken: ReadonlyMap<string, Json>): Found<Json> => {
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

  const item = (plan: Plan, place: number): Item => {
    const own = demands.shapes.flatMap(({ prefixItems = [], items }) => prefixItems[place] ?? items ?? [])
    const { all, none } = plan.at.get(place) ?? plan.rest
    return { all: [...own, ...all], none }
  }

  if (demands.unique && demands.repeats) return 'none'
  const plan: Plan = { at: new Map(), rest: { all: [], none: [] } }
  // Checked first: otherwise all combinations of positions for the other needs would be tried.
  if (demands.needs.length > 1 && !demands.needs.every(need => canMeet(plan, need))) return 'none'
  return settle(plan, demands.needs)
}

/** Merges demands for the same items. */
const joined = (demands: ArrayDemands['contains']): ArrayDemands['contains'] => {
  const byId = new Map<number, NonNullable<Keywords['contains']>>()
  for (const { schema, min, max } of demands) {
    const { min: least, max: most } = byId.get(schema.id) ?? { min, max }
    byId.set(schema.id, { schema, min: Math.max(min, least), max: Math.min(max, most) })
  }
  return [...byId.values()]
}

/** Values that contain a number, one of them resembling another value. */
const numbered = (number: number, like: Json): Json[] => {
  const text = String(number)
  const tail = typeof like === 'string' ? [like + text, like.slice(0, -text.length) + text] : []
  return [number, -number, text, `a${text}`, ...tail, [number], { [`a${text}`]: number }]
}

/** Positions that were not chosen for `contains` must not match it. */
const onlyAt = (chosen: readonly number[], schema: Schema, { at, rest }: Plan): Plan => {
  const without = ({ all, none }: Item): Item => ({ all, none: [...none, schema] })
  const items = [...at].map(([place, item]) => [place, chosen.includes(place) ? item : without(item)] as const)
  return { at: new Map(items), rest: without(rest) }
}

const demanding = ({ at, rest }: Plan, place: number, all: readonly Schema[], none: readonly Schema[]): Plan => {
  const before = at.get(place) ?? rest
  return { at: new Map(at).set(place, { all: [...before.all, ...all], none: [...before.none, ...none] }), rest }
}
