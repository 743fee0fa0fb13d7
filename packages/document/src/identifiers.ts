import { pathToFileURL } from 'node:url'
import { getOrMake } from './get-or-make.ts'
import { isObject } from './json.ts'
import type { Node, Source } from './node.ts'
import { mayBeSchema, placeIn, type SchemaPlace } from './schema-places.ts'

/** Whether a file with this text may have schemas with an `$id`, an `$anchor` or a `$dynamicAnchor`. */
export const mayNameSchemas = (text: Pick<string, 'includes'>): boolean =>
  ['$id', '$anchor', '$dynamicAnchor'].some(each => text.includes(each))

/** The schemas of a file that have an `$id`, an `$anchor` or a `$dynamicAnchor`. */
export class Identifiers {
  /** The schemas with an `$id`, and the file, by URI. */
  readonly resources: ReadonlyMap<string, Node>
  readonly #anchors = new Map<string, Node[]>()
  /** The schemas by `$dynamicAnchor`, for each resource that has any. */
  readonly dynamic: ReadonlyMap<Node, ReadonlyMap<string, readonly Node[]>>

  constructor(source: Source) {
    const dynamic = new Map<Node, Map<string, Node[]>>()
    const resources = new Map<string, Node>()
    const visit = (node: Node, around: SchemaPlace): void => {
      if (typeof node.value !== 'object' || around === 'data') return
      const { $id, $anchor, $dynamicAnchor } = isObject(node.value) && mayBeSchema(around) ? node.value : {}
      if (typeof $id === 'string') resources.set(uriOf(node), node)
      for (const name of new Set([$anchor, $dynamicAnchor])) {
        if (typeof name === 'string') this.#anchors.set(name, [...this.anchors(name), node])
      }
      if (typeof $dynamicAnchor === 'string') {
        const named = dynamic.get(resourceOf(node)) ?? new Map<string, Node[]>()
        dynamic.set(resourceOf(node), named.set($dynamicAnchor, [...(named.get($dynamicAnchor) ?? []), node]))
      }
      const place = around === 'other' && typeof $id === 'string' ? 'schema' : around
      for (const item of node.items()) visit(item, place)
      for (const [key, child] of node.entries()) visit(child, placeIn(place, key))
    }
    if (source.mayNameSchemas) visit(source.root, 'other')
    this.dynamic = dynamic
    const own = uriOf(source.root)
    this.resources = resources.has(own) ? resources : resources.set(own, source.root)
  }

  anchors(name: string): readonly Node[] {
    return this.#anchors.get(name) ?? []
  }

  /** The schemas with this `$dynamicAnchor`, in any resource. */
  withDynamic(name: string): readonly Node[] {
    return [...this.dynamic.values()].flatMap(named => named.get(name) ?? [])
  }
}

/** What the `#…` references of a node are relative to: the closest schema around it with an `$id`, or the root of the file. */
export const resourceOf = (node: Node): Node =>
  node.parent === undefined || (isObject(node.value) && typeof node.value.$id === 'string')
    ? node
    : resourceOf(node.parent)

const uris = new WeakMap<Node, string>()

/** The URI of a resource, without a fragment. */
export const uriOf = (node: Node): string => getOrMake(uris, node, () => newUriOf(node))

const newUriOf = ({ value, parent, source }: Node): string => {
  if (parent === undefined) {
    const location = pathToFileURL(source.path).href
    const own = isObject(value) ? value.$self : undefined
    return typeof own === 'string' ? resolved(own, location).replace(/#.*$/, '') : location
  }
  const { $id = '' } = value as { $id?: string }
  return resolved($id, uriOf(resourceOf(parent))).replace(/#$/, '')
}

/** The reference as a URI. */
export const resolved = (reference: string, base: string): string => {
  if (reference.startsWith('#')) return base + reference
  return URL.canParse(reference, base) ? new URL(reference, base).href : reference
}
