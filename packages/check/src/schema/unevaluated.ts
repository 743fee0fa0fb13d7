import { isObject, type Node, regexOf } from '@contract-first/document'
import type { Keywords, Schema } from './schema.ts'
import { type Context, inPlace, type Lowering } from './survey.ts'

/**
 * Expresses `unevaluatedProperties` and `unevaluatedItems` by what the schemas in place evaluate. If that depends on alternatives,
 * conditions or `contains`, it is not decided.
 */
export const unevaluated = (lowering: Lowering, node: Node, context: Context): Schema[] => {
  const isOpened = context.view === 'received' && node.get('unevaluatedProperties')?.value === false
  const properties = isOpened ? undefined : node.get('unevaluatedProperties')
  const items = node.get('unevaluatedItems')
  if (properties === undefined && items === undefined) return []
  const always = inPlace(lowering, node)
  const evaluated = evaluatedBy(always, node)
  const others = [...inPlace(lowering, node, 'any')].filter(each => !always.has(each))
  const isUnclear = (kind: 'Properties' | 'Items') =>
    others.some(each => addsTo(evaluated, evaluatedBy([each], node), kind))
  const contained = [...always].filter(each => each.get('contains') !== undefined)
  if ((properties && isUnclear('Properties')) || (items && (isUnclear('Items') || contained.length > 0)))
    return [{ id: 0, keywords: { dynamic: [...others, ...contained].map(context.whole) }, origin: node }]
  const { anything } = lowering.solver
  const free = (keys: Iterable<string>) => new Map([...keys].map(key => [key, anything]))
  const left: Keywords[] = []
  if (properties && !evaluated.allProperties) {
    const declared = { properties: free(evaluated.names), patternProperties: free(evaluated.patterns) }
    left.push({ ...declared, additionalProperties: context.whole(properties) })
  }
  if (items && !evaluated.allItems)
    left.push({ prefixItems: Array(evaluated.prefix).fill(anything), items: context.whole(items) })
  return left.map(keywords => ({ id: 0, keywords, origin: node }))
}

/** What schemas that apply together evaluate, except for what `root` itself leaves to the others. */
const evaluatedBy = (nodes: Iterable<Node>, root: Node) => {
  const [names, patterns] = [new Set<string>(), new Set<string>()]
  const evaluated = { names, patterns, allProperties: false, prefix: 0, allItems: false }
  for (const node of nodes) {
    const has = (keyword: string) => isObject(node.value) && node.value[keyword] !== undefined
    for (const [name] of node.get('properties')?.entries() ?? []) names.add(name)
    for (const [pattern] of node.get('patternProperties')?.entries() ?? []) patterns.add(pattern)
    const isInner = node !== root
    evaluated.allProperties ||= has('additionalProperties') || (isInner && has('unevaluatedProperties'))
    evaluated.allItems ||= has('items') || (isInner && has('unevaluatedItems'))
    evaluated.prefix = Math.max(evaluated.prefix, node.get('prefixItems')?.items().length ?? 0)
  }
  return evaluated
}

type Evaluated = ReturnType<typeof evaluatedBy>

const addsTo = (own: Evaluated, other: Evaluated, kind: 'Properties' | 'Items'): boolean => {
  if (kind === 'Items') return !own.allItems && (other.allItems || other.prefix > own.prefix)
  const isKnown = (name: string) => own.names.has(name) || [...own.patterns].some(each => regexOf(each)?.test(name))
  const isMore = other.allProperties || [...other.names].some(each => !isKnown(each))
  return !own.allProperties && (isMore || [...other.patterns].some(each => !own.patterns.has(each)))
}
