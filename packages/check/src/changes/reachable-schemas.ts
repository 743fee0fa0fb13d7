import { type Node, type OpenApiDocument, walk } from '@contract-first/document'

/** The component schemas that operations use, by name; what `isIgnored` matches does not count as a use. */
export const reachableSchemas = (document: OpenApiDocument, isIgnored: (node: Node) => boolean): Map<string, Node> => {
  const { root } = document
  const schemas = new Map<string, Node>()
  const passed = new Set<Node>()
  const pending = new Set(['paths', 'webhooks'].flatMap(key => root.get(key) ?? []))
  const visit = (node: Node) => {
    if (passed.has(node) || isIgnored(node)) return false
    passed.add(node)
    const target = document.follow(node)
    if (target === undefined) return true
    pending.add(target)
    const name = target.source === root.source ? document.nameOf(target) : undefined
    if (name !== undefined) schemas.set(name, target)
    return true
  }
  for (const node of pending) walk(node, visit)
  return schemas
}
