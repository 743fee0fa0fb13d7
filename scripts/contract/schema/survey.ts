import type { OpenApiDocument } from '../../document/document.ts'
import { isObject } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
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
  /** The target of a reference without siblings that count. */
  target(node: Node): Node
  /** As in JSON Schema, without a view: for conditions. */
  condition(node: Node): Schema
}

/** What the schemas that apply to one value in place declare, whichever alternatives match. */
export interface Survey {
  nodes: Set<Node>
  names: Set<string>
  patterns: Set<string>
  /** Properties with other names are declared, too, by a schema. */
  isOpen: boolean
  /** The object is free-form: any property is declared. */
  isFree: boolean
  /** Properties that never occur in this direction. */
  hidden: Set<string>
}

export const survey = (lowering: Lowering, roots: readonly Node[]): Survey => {
  const nodes = new Set(roots.flatMap(each => [...inPlace(lowering, each)]))
  const found: Survey = {
    nodes,
    names: new Set(),
    patterns: new Set(),
    isOpen: false,
    isFree: false,
    hidden: new Set()
  }
  const required = new Set<string>()
  const flag = lowering.direction === 'request' ? 'readOnly' : 'writeOnly'
  for (const node of nodes) {
    for (const [name, each] of node.get('properties')?.entries() ?? []) {
      found.names.add(name)
      if (isMarked(lowering, each, flag)) found.hidden.add(name)
    }
    for (const { value } of node.get('required')?.items() ?? []) required.add(String(value))
    for (const [pattern] of node.get('patternProperties')?.entries() ?? []) found.patterns.add(pattern)
    for (const keyword of ['additionalProperties', 'unevaluatedProperties']) {
      const rest = node.get(keyword)?.value
      if (isObject(rest) && Object.keys(rest).length > 0) found.isOpen = true
    }
    for (const keyword of ['anyOf', 'oneOf'])
      for (const variant of node.get(keyword)?.items() ?? []) if (isFree(lowering, variant)) found.isFree = true
  }
  if (found.names.size + found.patterns.size === 0 && !found.isOpen) found.isFree = true
  // A required property counts as declared, even without a schema.
  else for (const name of required) found.names.add(name)
  for (const name of found.hidden) found.names.delete(name)
  return found
}

/** Whether the schema, or one inside it, rejects undeclared properties. */
export const closesItself = (lowering: Lowering, root: Node, seen = new Set<Node>()): boolean => {
  for (const node of inPlace(lowering, root, false)) {
    if (seen.has(node)) continue
    seen.add(node)
    const { value } = node
    if (isObject(value) && (value.additionalProperties === false || value.unevaluatedProperties === false)) return true
    const named = ['properties', 'patternProperties'].flatMap(key => node.get(key)?.entries() ?? [])
    const single = ['additionalProperties', 'unevaluatedProperties', 'items', 'unevaluatedItems'].map(key =>
      node.get(key)
    )
    const inner = [...named.map(([, each]) => each), ...single, ...(node.get('prefixItems')?.items() ?? [])]
    if (inner.some(each => each !== undefined && closesItself(lowering, each, seen))) return true
  }
  return false
}

/** An object without declarations, which may have any properties. */
const isFree = (lowering: Lowering, variant: Node) => {
  const nodes = [...inPlace(lowering, variant)]
  const says = (keyword: string) => nodes.some(each => isObject(each.value) && each.value[keyword] !== undefined)
  return (
    nodes.some(({ value }) => isObject(value) && value.type === 'object') &&
    !['properties', 'patternProperties', 'required'].some(says)
  )
}

/** The schema and all that apply to the same value because of it, optionally without conditions. */
export const inPlace = (lowering: Lowering, root: Node, withConditions = true): Set<Node> => {
  const found = new Set<Node>()
  const visit = (at: Node | undefined) => {
    if (at === undefined) return
    const node = lowering.target(at)
    if (found.has(node) || !isObject(node.value)) return
    found.add(node)
    if (typeof node.value.$ref === 'string') visit(lowering.document.follow(node))
    if (typeof node.value.$dynamicRef === 'string') visit(lowering.document.resolveDynamic(node))
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) for (const each of node.get(keyword)?.items() ?? []) visit(each)
    for (const keyword of ['then', 'else', ...(withConditions ? ['if'] : [])]) visit(node.get(keyword))
    for (const [, each] of node.get('dependentSchemas')?.entries() ?? []) visit(each)
  }
  visit(root)
  return found
}

/** Whether the node, the target of its reference or a part of it is marked. */
const isMarked = (lowering: Lowering, at: Node, flag: string, seen = new Set<Node>()): boolean => {
  const node = lowering.target(at)
  if (!isObject(node.value) || seen.has(node)) return false
  seen.add(node)
  if (node.value[flag] === true) return true
  const target = typeof node.value.$ref === 'string' ? [lowering.document.follow(node) as Node] : []
  return [...target, ...(node.get('allOf')?.items() ?? [])].some(each => isMarked(lowering, each, flag, seen))
}
