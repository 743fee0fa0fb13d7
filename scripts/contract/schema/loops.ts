import { isObject } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
import { appliedBy, conditionalIn, type Lowering } from './survey.ts'

/** Schemas that apply to a value because each of them does: validating it would not end. */
export class Loops {
  readonly #lowering: Lowering
  readonly #loops = new Map<Node, ReadonlySet<Node>>()

  constructor(lowering: Lowering) {
    this.#lowering = lowering
  }

  /** The other schemas that apply to a value in place because this one does, and because of which it does. */
  of(at: Node): ReadonlySet<Node> {
    const node = this.#lowering.target(at)
    if (!this.#loops.has(node)) this.#search(node)
    return this.#loops.get(node) ?? none
  }

  /** Tarjan's algorithm; not recursive, because chains may be longer than the call stack allows. */
  #search(root: Node) {
    const index = new Map<Node, number>()
    const low = new Map<Node, number>()
    const stack: Node[] = []
    const visits: { node: Node; parts: Node[]; next: number }[] = []
    const enter = (node: Node) => {
      low.set(node, index.size)
      index.set(node, index.size)
      stack.push(node)
      visits.push({ node, parts: this.#partsOf(node), next: 0 })
    }
    const lower = (node: Node, to = 0) => low.set(node, Math.min(low.get(node) ?? 0, to))
    enter(root)
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const { node } = visit
      const part = visit.parts[visit.next++]
      if (part !== undefined) {
        if (!index.has(part)) enter(part)
        else if (!this.#loops.has(part)) lower(node, index.get(part))
        continue
      }
      visits.pop()
      const above = visits.at(-1)
      if (above !== undefined) lower(above.node, low.get(node))
      if (low.get(node) !== index.get(node)) continue
      const members = stack.splice(stack.lastIndexOf(node))
      const isLoop = members.length > 1 || this.#partsOf(node).includes(node)
      const loop = isLoop ? new Set(members) : none
      for (const each of members) this.#loops.set(each, loop)
    }
  }

  /** Those that were not searched yet. */
  #partsOf(node: Node): Node[] {
    if (!isObject(node.value)) return []
    const variants = ['anyOf', 'oneOf'].flatMap(key => node.get(key)?.items() ?? [])
    return [...appliedBy(this.#lowering, node), ...conditionalIn(node), ...variants, node.get('not')]
      .filter(each => each !== undefined)
      .map(each => this.#lowering.target(each))
      .filter(each => !this.#loops.has(each))
  }
}

const none: ReadonlySet<Node> = new Set()
