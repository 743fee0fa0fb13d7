import type { OpenApiDocument } from '../../document/document.ts'
import type { Node } from '../../document/node.ts'
import { canonical } from '../schema/schema.ts'

/** The defaults in a schema as canonical text, by location: `.status`. */
export const defaultsOf = (document: OpenApiDocument, schema: Node): Map<string, string> => {
  const found = new Map<string, string>()
  const visit = (node: Node, place: string, above: readonly Node[]) => {
    if (above.includes(node)) return
    const own = node.get('default')
    if (own !== undefined && !found.has(place)) found.set(place, canonical(own.value))
    const inside = [...above, node]
    const target = document.resolve(node)
    if (target !== node) visit(target, place, inside)
    for (const each of node.get('allOf')?.items() ?? []) visit(each, place, inside)
    for (const [name, each] of node.get('properties')?.entries() ?? []) visit(each, `${place}.${name}`, inside)
    const items = node.get('items')
    if (items !== undefined) visit(items, `${place}[]`, inside)
  }
  visit(schema, '', [])
  return found
}
