import { isObject, type Node } from '@contract-first/document'
import type { Keywords, Schema } from './schema.ts'
import { type Context, type Lowering, mayOverlap } from './survey.ts'

/** What one way to satisfy a schema evaluates, and the conditions for that way; here, nothing without conditions. */
const nothing = {
  conditions: [] as Schema[],
  names: [] as string[],
  patterns: [] as string[],
  allProperties: false,
  /** The number of items evaluated from the first on. */
  prefix: 0,
  allItems: false,
  /** Items that are valid for these are evaluated at any position. */
  contained: [] as Schema[]
}
type Way = typeof nothing

/** With more ways than this, the keyword is not decided. */
const maxWays = 64

/**
 * Expresses `unevaluatedProperties` and `unevaluatedItems` without depending on other keywords: one alternative for each
 * combination of the applicators in place, with what it leaves unevaluated.
 */
export const unevaluated = (lowering: Lowering, node: Node, context: Context): Schema[] => {
  const properties = node.get('unevaluatedProperties')
  const items = node.get('unevaluatedItems')
  const wanted = [properties?.value === false && context.view === 'received' ? undefined : properties, items]
  if (wanted.every(each => each === undefined)) return []
  const ways = waysOf(lowering, context, node)
  const [ofProperties, ofItems] = wanted
  const { solver } = lowering
  if (ways === undefined) {
    const texts = wanted.flatMap(each => (each === undefined ? [] : [`${each.key} ${JSON.stringify(node.value)}`]))
    return [solver.make({ opaque: texts })]
  }
  const left = (way: Way): Keywords[] => {
    const all: Keywords[] = []
    const free = (keys: string[]) => new Map(keys.map(key => [key, solver.anything]))
    if (ofProperties !== undefined && !way.allProperties) {
      const declared = { properties: free(way.names), patternProperties: free(way.patterns) }
      all.push({ ...declared, additionalProperties: context.whole(ofProperties) })
    }
    if (ofItems !== undefined && !way.allItems) {
      const rest = context.whole(ofItems)
      const items = way.contained.length === 0 ? rest : { id: 0, keywords: { anyOf: [...way.contained, rest] } }
      all.push({ prefixItems: Array(way.prefix).fill(solver.anything), items })
    }
    return all
  }
  const alternatives = ways.map(way => {
    const rest = left(way).map((keywords): Schema => ({ id: 0, keywords, origin: node }))
    return [...way.conditions, ...rest]
  })
  const [only] = alternatives
  if (alternatives.length === 1 && only !== undefined) return only
  return [{ id: 0, keywords: { anyOf: alternatives.map(allOf => ({ id: 0, keywords: { allOf } })) }, origin: node }]
}

/** Every way to satisfy the schema; undefined if there are too many or they cannot be distinguished. */
const waysOf = (lowering: Lowering, context: Context, at: Node, above: readonly Node[] = []): Way[] | undefined => {
  const { part } = context
  const node = lowering.target(at)
  const { value } = node
  if (!isObject(value)) return [nothing]
  if (above.includes(node)) return undefined
  const isInner = above.length > 0
  const inner = (each: Node | undefined) =>
    each === undefined ? [nothing] : waysOf(lowering, context, each, [...above, node])
  const not = (each: Node): Schema => ({ id: 0, keywords: { not: part(each) } })

  const contained = node.get('contains')
  const own: Way = {
    conditions: [],
    names: (node.get('properties')?.entries() ?? []).map(([name]) => name),
    patterns: (node.get('patternProperties')?.entries() ?? []).map(([pattern]) => pattern),
    allProperties: value.additionalProperties !== undefined || (isInner && value.unevaluatedProperties !== undefined),
    prefix: node.get('prefixItems')?.items().length ?? 0,
    allItems: value.items !== undefined || (isInner && value.unevaluatedItems !== undefined),
    contained: contained === undefined ? [] : [lowering.condition(contained)]
  }
  const factors: (Way[] | undefined)[] = []
  if (typeof value.$ref === 'string') factors.push(inner(lowering.document.follow(node)))
  for (const each of node.get('allOf')?.items() ?? []) factors.push(inner(each))
  const variants = node.get('oneOf')?.items() ?? []
  const isOpened = mayOverlap(lowering, node, context.view)
  for (const each of [...(node.get('anyOf')?.items() ?? []), ...(isOpened ? variants : [])])
    factors.push(under([part(each)], inner(each))?.concat({ ...nothing, conditions: [not(each)] }))
  const oneOf = isOpened ? [] : variants
  if (oneOf.length > 0)
    factors.push(
      together(oneOf.map(each => under([part(each), ...oneOf.filter(other => other !== each).map(not)], inner(each))))
    )
  const condition = node.get('if')
  if (condition !== undefined)
    factors.push(
      together([
        product([under([part(condition)], inner(condition)), inner(node.get('then'))]),
        under([not(condition)], inner(node.get('else')))
      ])
    )
  for (const [name, each] of node.get('dependentSchemas')?.entries() ?? []) {
    const present: Schema = { id: 0, keywords: { required: [name] } }
    const absent: Schema = { id: 0, keywords: { not: present } }
    factors.push(together([under([present], inner(each)), [{ ...nothing, conditions: [absent] }]]))
  }
  const isTold = (factor: Way[] | undefined) => factor?.every(way => addsNothing(way, own)) !== true
  return product([[own], ...factors.filter(isTold)])
}

/** Whether this way evaluates nothing beyond the other. */
const addsNothing = (way: Way, { names, patterns, allProperties, prefix, allItems }: Way): boolean =>
  (allProperties || !way.allProperties) &&
  (allItems || !way.allItems) &&
  way.names.every(each => allProperties || names.includes(each)) &&
  way.patterns.every(each => allProperties || patterns.includes(each)) &&
  (allItems || way.prefix <= prefix) &&
  way.contained.length === 0

const under = (conditions: Schema[], ways: Way[] | undefined) =>
  ways?.map(way => ({ ...way, conditions: [...conditions, ...way.conditions] }))

const together = (alternatives: (Way[] | undefined)[]): Way[] | undefined =>
  alternatives.includes(undefined) ? undefined : (alternatives as Way[][]).flat()

const product = (factors: (Way[] | undefined)[]): Way[] | undefined => {
  let ways: Way[] = [nothing]
  for (const factor of factors) {
    if (factor === undefined || ways.length * factor.length > maxWays) return undefined
    ways = ways.flatMap(one => factor.map(other => both(one, other)))
  }
  return ways
}

const both = (one: Way, other: Way): Way => ({
  conditions: [...one.conditions, ...other.conditions],
  names: [...one.names, ...other.names],
  patterns: [...one.patterns, ...other.patterns],
  allProperties: one.allProperties || other.allProperties,
  prefix: Math.max(one.prefix, other.prefix),
  allItems: one.allItems || other.allItems,
  contained: [...one.contained, ...other.contained]
})
