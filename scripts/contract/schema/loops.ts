import { isObject } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
import { componentsOf } from './components.ts'
import { alternativesIn, appliedBy, conditionalIn, type Lowering } from './survey.ts'

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

  #search(root: Node) {
    for (const members of componentsOf(root, node => this.#partsOf(node))) {
      const [only] = members
      const isLoop = members.length > 1 || (only !== undefined && this.#partsOf(only).includes(only))
      const loop = isLoop ? new Set(members) : none
      for (const each of members) this.#loops.set(each, loop)
    }
  }

  /** Those that were not searched yet. */
  #partsOf(node: Node): Node[] {
    if (!isObject(node.value)) return []
    return [appliedBy(this.#lowering, node), conditionalIn(node), alternativesIn(node), node.get('not') ?? []]
      .flat()
      .map(each => this.#lowering.target(each))
      .filter(each => !this.#loops.has(each))
  }
}

const none: ReadonlySet<Node> = new Set()
