import type { Json } from '@contract-first/document'
import { accepts } from './accepts.ts'
import type { Finder, Size } from './finder.ts'
import { type Found, firstOf } from './found.ts'
import { canonical, type Schema } from './schema.ts'

export const arrayDemands = () => ({
  items: [] as Schema[],
  unique: false,
  repeats: false,
  /** For each of these, there must be an item that is not valid for it. */
  needs: [] as Schema[]
})
export type ArrayDemands = ReturnType<typeof arrayDemands>

/** Longer arrays are not generated: comparing all items with each other takes quadratic time. */
const maxItems = 100_000
const maxDifferent = 2_000
/** At most this many different items are searched for; more are guessed. */
const maxSearched = 32

interface Search extends ArrayDemands, Size {
  solver: Finder
}

export const findArray = (demands: ArrayDemands & Size, solver: Finder): Found<Json> => {
  const { needs, unique, repeats, items } = demands
  if (unique && repeats) return 'none'
  // Checked first: otherwise all combinations with the other needs would be tried.
  if (needs.length > 1 && needs.some(need => solver.find(items, [need]) === 'none')) return 'none'
  return assign([], needs, { ...demands, solver })
}

/** Lets each need be met by an item that meets others as well, or by one of its own; `groups` are the needs of each item. */
const assign = (
  groups: readonly (readonly Schema[])[],
  [need, ...rest]: readonly Schema[],
  search: Search
): Found<Json> => {
  if (need === undefined) return fill(groups, search)
  if (search.solver.exceedsLimit()) return 'unknown'
  return firstOf([...groups.keys(), groups.length], index => {
    const more = [...groups]
    more[index] = [...(groups[index] ?? []), need]
    return assign(more, rest, search)
  })
}

const fill = (groups: readonly (readonly Schema[])[], search: Search): Found<Json> => {
  const { solver, items, min, max, unique, repeats } = search
  if (solver.exceedsLimit()) return 'unknown'
  const own = repeats ? Math.max(groups.length, 1) : groups.length
  const length = Math.max(min, repeats ? own + 1 : own)
  if (length > max) return 'none'
  if (length > (unique ? maxDifferent : maxItems)) return 'unknown'
  const values: Json[] = []
  const taken = new Map<string, Json>()
  let isKnown = true
  const different = unique ? length : repeats ? own : Math.min(length, own + 1)
  for (let index = 0; index < different; index++) {
    const none = groups[index] ?? []
    const item = unique ? findDifferent(items, none, taken, solver) : solver.find(items, none)
    // Another choice before might have left an item.
    if (item === 'none')
      return taken.size > 0 && groups.length > 0 && solver.find(items, none) !== 'none' ? 'unknown' : 'none'
    if (item === 'unknown') isKnown = false
    else values.push(item.value)
    if (unique && item !== 'unknown') taken.set(canonical(item.value), item.value)
  }
  const more = Array<Json>(length - different).fill((repeats ? values[0] : values.at(-1)) ?? null)
  return isKnown ? { value: [...values, ...more] } : 'unknown'
}

const findDifferent = (
  all: readonly Schema[],
  none: readonly Schema[],
  taken: ReadonlyMap<string, Json>,
  solver: Finder
): Found<Json> => {
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

const numbered = (number: number, like: Json): Json[] => {
  const text = String(number)
  const tail = typeof like === 'string' ? [like + text, like.slice(0, -text.length) + text] : []
  return [number, -number, text, `a${text}`, ...tail, [number], { [`a${text}`]: number }]
}
