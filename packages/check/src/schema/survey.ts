import {
  componentsOf,
  isObject,
  type Json,
  type JsonObject,
  type Node,
  type OpenApiDocument,
  regexOf,
  saysOnlyNullable
} from '@contract-first/document'
import type { Finder } from './finder.ts'
import type { Direction, Schema } from './schema.ts'

/**
 * Whose values a schema describes. `plain`: as in JSON Schema. `sent`: a sender that sends only what is declared.
 * `received`: a receiver that ignores what it does not know.
 */
export type View = 'plain' | 'sent' | 'received'

/** Converts the schemas of a document for one direction. */
export interface Lowering {
  readonly document: OpenApiDocument
  readonly direction: Direction
  readonly solver: Finder
  /** Follows references, unless they have siblings that matter. */
  target(node: Node): Node
  /** As in JSON Schema, without a view: for conditions. */
  condition(node: Node): Schema
  occurrencesIn(node: Node): Occurrences
  alternatives(holder: Node, keyword: 'anyOf' | 'oneOf'): Alternative[]
  /** Calls it later, from a shallow stack, but before any schema is used. */
  defer(complete: () => void): void
}

/** How the schemas that a schema contains are converted. */
export interface Context {
  /** The same for contexts in which a node is converted to the same schema. */
  key: string
  whole: (node: Node) => Schema
  part: (node: Node) => Schema
  condition: (node: Node) => Schema
  view: View
  hidden: ReadonlySet<string>
}

export interface Alternative {
  node: Node
  /** Where it is listed. */
  holder: Node
  index: number
}

/** What the schemas that apply to one value in place declare, whichever alternatives match. */
interface Survey extends Declarations {
  nodes: Set<Node>
  /** The object is free-form: any property is declared. */
  isFree: boolean
  /** Properties that never occur in this direction; if any alternative shows a property, it may occur. */
  hidden: Set<string>
}

/** What schemas declare themselves; `isOpen` means that one declares properties of any other name. */
export const declaredBy = (nodes: Iterable<Node>) => {
  const [names, patterns, required] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const declarations = { names, patterns, required, isOpen: false }
  for (const node of nodes) {
    for (const [name] of node.get('properties')?.entries() ?? []) declarations.names.add(name)
    const tag = node.get('discriminator')?.get('propertyName')?.value
    if (typeof tag === 'string') declarations.names.add(tag)
    for (const { value } of node.get('required')?.items() ?? []) declarations.required.add(String(value))
    for (const [pattern] of node.get('patternProperties')?.entries() ?? []) declarations.patterns.add(pattern)
    for (const keyword of ['additionalProperties', 'unevaluatedProperties']) {
      const rest = node.get(keyword)?.value
      if (isObject(rest) && Object.keys(rest).length > 0) declarations.isOpen = true
    }
  }
  return declarations
}

type Declarations = ReturnType<typeof declaredBy>

export const describesProperties = ({ names, patterns, isOpen }: Declarations): boolean =>
  names.size + patterns.size > 0 || isOpen

export const survey = (lowering: Lowering, roots: readonly Node[]): Survey => {
  const nodes = new Set(roots.flatMap(each => [...inPlace(lowering, each, 'any')]))
  const { hidden } = occurrencesIn(lowering, roots)
  const declared = declaredBy(nodes)
  const variants = [...nodes].flatMap(alternativesIn)
  const isFree = !describesProperties(declared) || variants.some(each => isFreeObject(lowering, each))
  return { ...declared, nodes, isFree, hidden }
}

/** The properties that never occur in this direction, and the others. */
export interface Occurrences {
  hidden: Set<string>
  shown: Set<string>
}

export const isHidden = (lowering: Lowering, node: Node): boolean => {
  const flag = lowering.direction === 'request' ? 'readOnly' : 'writeOnly'
  return [...inPlace(lowering, node)].some(({ value }) => (value as JsonObject)[flag] === true)
}

/** The schemas of a property, by name and matching patterns, or else for all other properties. */
export const propertyOf = (node: Node, name: string): Node[] => {
  const named = node.get('properties')?.get(name)
  const patterns = node.get('patternProperties')?.entries() ?? []
  const matching = patterns.filter(([pattern]) => regexOf(pattern)?.test(name))
  const own = [...(named === undefined ? [] : [named]), ...matching.map(([, each]) => each)]
  if (own.length > 0) return own
  return [node.get('additionalProperties') ?? node.get('unevaluatedProperties') ?? []].flat()
}

/** A property that one alternative hides may still occur in another. */
export const occurrencesIn = (lowering: Lowering, roots: readonly Node[]): Occurrences => {
  const always = roots.flatMap(each => [...inPlace(lowering, each, 'conditional')])
  const [hidden, shown, named] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const node of always) {
    for (const [name, each] of node.get('properties')?.entries() ?? [])
      (isHidden(lowering, each) ? hidden : named).add(name)
    for (const { value } of node.get('required')?.items() ?? [])
      if (node.get('properties')?.get(String(value)) === undefined)
        if (propertyOf(node, String(value)).some(each => isHidden(lowering, each))) hidden.add(String(value))
  }
  const inner = always.flatMap(alternativesIn).map(each => lowering.occurrencesIn(each))
  for (const each of inner) for (const name of each.shown) if (!hidden.has(name)) shown.add(name)
  for (const each of inner) for (const name of each.hidden) if (!shown.has(name)) hidden.add(name)
  for (const name of named) if (!hidden.has(name)) shown.add(name)
  return { hidden, shown }
}

/** Whether more than one alternative of its `oneOf` may match, because a receiver ignores what one of them rejects. */
export const mayOverlap = (lowering: Lowering, node: Node, view: View): boolean =>
  view === 'received' &&
  node
    .get('oneOf')
    ?.items()
    .some(each => closesItself(lowering, each)) === true

/** Whether the schema, or one inside it, rejects undeclared properties. */
const closesItself = (lowering: Lowering, root: Node, seen = new Set<Node>()): boolean => {
  for (const node of inPlace(lowering, root, 'not as condition')) {
    if (seen.has(node)) continue
    seen.add(node)
    const { value } = node
    if (isObject(value) && (value.additionalProperties === false || value.unevaluatedProperties === false)) return true
    const named = ['properties', 'patternProperties'].flatMap(key => node.get(key)?.entries() ?? [])
    const others = ['additionalProperties', 'unevaluatedProperties', 'items', 'unevaluatedItems']
    const single = others.flatMap(key => node.get(key) ?? [])
    const inner = [...named.map(([, each]) => each), ...single, ...(node.get('prefixItems')?.items() ?? [])]
    if (inner.some(each => closesItself(lowering, each, seen))) return true
  }
  return false
}

export const isNull = ({ document }: Pick<Lowering, 'document'>, { value, pointer }: Node): boolean =>
  document.version === '3.0' && /\/(?:anyOf|oneOf)\/\d+$/.test(pointer) && saysOnlyNullable(value)

export const isFreeObject = (lowering: Lowering, variant: Node) => {
  const nodes = [...inPlace(lowering, variant, 'any')]
  const { names, patterns, required } = declaredBy(nodes)
  return (
    nodes.some(({ value }) => isObject(value) && value.type === 'object') &&
    names.size + patterns.size + required.size === 0
  )
}

/** Schemas to include that may apply: conditional ones, alternatives and what conditions control, or all of them. */
type Applying = 'conditional' | 'not as condition' | 'any'

/** The schema and all that apply to the same value because of it; without `which`, those that do so always. */
export const inPlace = (lowering: Lowering, root: Node, which?: Applying): Set<Node> => {
  const nodes = new Set<Node>()
  const visit = (at: Node) => {
    const node = lowering.target(at)
    if (nodes.has(node) || !isObject(node.value)) return
    nodes.add(node)
    for (const each of appliedBy(lowering, node)) visit(each)
    if (which === 'any' || which === 'not as condition') for (const each of alternativesIn(node)) visit(each)
    if (which !== undefined) for (const each of conditionalIn(node, which !== 'not as condition')) visit(each)
  }
  visit(root)
  return nodes
}

/** The alternatives of a schema. */
export const alternativesIn = (node: Node): Node[] =>
  ['anyOf', 'oneOf'].flatMap(keyword => node.get(keyword)?.items() ?? [])

export const appliedBy = ({ document }: Lowering, node: Node): Node[] => {
  const { $ref, $dynamicRef } = node.value as JsonObject
  const referred = typeof $ref === 'string' ? document.follow(node) : undefined
  const [dynamic, ...others] = typeof $dynamicRef === 'string' ? document.dynamicTargets(node) : []
  return [referred ?? [], others.length === 0 ? (dynamic ?? []) : [], node.get('allOf')?.items() ?? []].flat()
}

export const conditionalIn = (node: Node, withConditions = true): Node[] => [
  ...['then', 'else', ...(withConditions ? ['if'] : [])].flatMap(keyword => node.get(keyword) ?? []),
  ...(node.get('dependentSchemas')?.entries() ?? []).map(([, each]) => each)
]

/** The values that a schema itself lists. */
export const listedIn = ({ value }: Node): readonly Json[] | undefined => {
  const { const: constant, enum: listed } = value as JsonObject
  if (constant !== undefined) return [constant]
  return Array.isArray(listed) ? listed : undefined
}

/** Finds the loop of schemas that a schema is in, each applied to the same value by the one before: validating would not end. */
export const loopFinder = (lowering: Lowering): ((at: Node) => ReadonlySet<Node>) => {
  const loops = new Map<Node, ReadonlySet<Node>>()
  /** The schemas that apply with this one and were not searched yet. */
  const partsOf = (node: Node): Node[] => {
    if (!isObject(node.value)) return []
    return [appliedBy(lowering, node), conditionalIn(node), alternativesIn(node), node.get('not') ?? []]
      .flat()
      .map(each => lowering.target(each))
      .filter(each => !loops.has(each))
  }
  return at => {
    const root = lowering.target(at)
    if (!loops.has(root))
      for (const members of componentsOf(root, partsOf)) {
        const [only] = members
        const isLoop = members.length > 1 || (only !== undefined && partsOf(only).includes(only))
        const loop = isLoop ? new Set(members) : none
        for (const each of members) loops.set(each, loop)
      }
    return loops.get(root) ?? none
  }
}

const none: ReadonlySet<Node> = new Set()
