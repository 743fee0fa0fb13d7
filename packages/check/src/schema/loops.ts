import { componentsOf, isObject, type Node } from '@contract-first/document'
import { alternativesIn, appliedBy, conditionalIn, type Lowering } from './survey.ts'

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
