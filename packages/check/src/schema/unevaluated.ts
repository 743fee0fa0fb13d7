import { isObject, type Json, type Node, regexOf } from '@contract-first/document'
import { canonical, type Schema } from './schema.ts'
import { type Context, inPlace, type Lowering } from './survey.ts'

/** Expresses `unevaluatedProperties` by what always applies; what depends on more, and `unevaluatedItems`, is not decided. */
export const unevaluated = (lowering: Lowering, node: Node, { whole, view }: Context): Schema[] => {
  const [rest, items] = [node.get('unevaluatedProperties'), node.get('unevaluatedItems')]
  if (rest === undefined && items === undefined) return []
  const always = inPlace(lowering, node)
  const others = [...inPlace(lowering, node, 'any')].filter(each => !always.has(each))
  const unclear = (keyword: string, of: Node, beside: Json[], parts: Node[]): Schema => {
    // Its schema belongs to what is compared, but restricts nothing by itself.
    const items: Schema = { id: 0, keywords: { if: whole(of) } }
    const said: Schema = { id: 0, keywords: { opaque: [`${keyword} beside ${canonical(beside)}`], items } }
    return { id: 0, keywords: { dynamic: [said, ...parts.map(whole)] }, origin: node }
  }
  const schemas: Schema[] = []
  if (items !== undefined) {
    const own = ['prefixItems', 'items', 'contains'].map(keyword => node.get(keyword)?.value ?? null)
    const parts = [...always, ...others].filter(each => each !== node)
    schemas.push(unclear('unevaluatedItems', items, own, parts))
  }
  const { names, patterns, isAny } = evaluatedBy(always, node)
  if (rest === undefined || isAny || (view === 'received' && rest.value === false)) return schemas
  const other = evaluatedBy(others, node)
  const isKnown = (name: string) => names.has(name) || [...patterns].some(each => regexOf(each)?.test(name))
  if (other.isAny || ![...other.names].every(isKnown) || ![...other.patterns].every(each => patterns.has(each)))
    return [...schemas, unclear('unevaluatedProperties', rest, [...names, ...patterns], others)]
  const free = (keys: Iterable<string>) => new Map([...keys].map(key => [key, lowering.solver.anything]))
  const declared = { properties: free(names), ...(patterns.size > 0 && { patternProperties: free(patterns) }) }
  return [...schemas, { id: 0, keywords: { ...declared, additionalProperties: whole(rest) }, origin: node }]
}

/** The properties that schemas which apply together evaluate, except for what `root` itself leaves to the others. */
const evaluatedBy = (nodes: Iterable<Node>, root: Node) => {
  const evaluated = { names: new Set<string>(), patterns: new Set<string>(), isAny: false }
  for (const node of nodes) {
    const has = (keyword: string) => isObject(node.value) && node.value[keyword] !== undefined
    for (const [name] of node.get('properties')?.entries() ?? []) evaluated.names.add(name)
    for (const [pattern] of node.get('patternProperties')?.entries() ?? []) evaluated.patterns.add(pattern)
    evaluated.isAny ||= has('additionalProperties') || (node !== root && has('unevaluatedProperties'))
  }
  return evaluated
}
