import { isObject } from './json.ts'
import type { Node, Source } from './node.ts'
import { walk } from './walk.ts'

/** The schemas of a file that have an `$id`, an `$anchor` or a `$dynamicAnchor`. */
export class Identifiers {
  readonly #schemas = new Map<string, Node>()
  readonly #anchors = new Map<string, Node[]>()

  constructor(source: Source) {
    walk(source.root, node => {
      const { $id, $anchor, $dynamicAnchor } = isObject(node.value) ? node.value : {}
      if (typeof $id === 'string') this.#schemas.set($id, node)
      for (const name of new Set([$anchor, $dynamicAnchor])) {
        if (typeof name === 'string') this.#anchors.set(name, [...this.anchors(name), node])
      }
      return true
    })
  }

  schema(id: string): Node | undefined {
    return this.#schemas.get(id)
  }

  anchors(name: string): readonly Node[] {
    return this.#anchors.get(name) ?? []
  }
}

/** The closest schema with an `$id` around a node, which its `#…` references are relative to; otherwise the root of the file. */
export const resourceOf = (node: Node): Node =>
  node.parent === undefined || (isObject(node.value) && typeof node.value.$id === 'string')
    ? node
    : resourceOf(node.parent)
