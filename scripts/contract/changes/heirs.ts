import type { OpenApiDocument } from '../../document/document.ts'
import type { Node } from '../../document/node.ts'
import { walk } from '../../document/walk.ts'
import { entriesAt } from '../attributes.ts'
import { namesOf } from '../schema/discriminator.ts'
import { kept } from '../schema/memo.ts'

/** By the name of a base and the values of its discriminator. */
type Heirs = ReadonlyMap<string, ReadonlyMap<string, Node>>

/**
 * Finds what values of a schema may also have to be valid for: components that extend a base in their `allOf`, each for the
 * values of its discriminator that name it (OpenAPI 3.1.1, 4.8.25.1), before and after.
 */
export const heirFinder = (before: OpenApiDocument, after: OpenApiDocument) => {
  const [earlier, later] = [heirsIn(before), heirsIn(after)]
  const [usedBefore, usedAfter] = [baseFinder(before, earlier), baseFinder(after, later)]
  return (left: Node, right: Node): [before: Node, after: Node][] => {
    if (earlier.size === 0 || later.size === 0) return []
    const used = usedAfter(right)
    return [...usedBefore(left)].flatMap(base =>
      [...(earlier.get(base) ?? [])].flatMap(([value, heir]): [Node, Node][] => {
        const now = used.has(base) ? later.get(base)?.get(value) : undefined
        return now === undefined ? [] : [[heir, now]]
      })
    )
  }
}

const heirsIn = (document: OpenApiDocument): Heirs => {
  const heirs = new Map<string, Map<string, Node>>()
  for (const [name, schema] of entriesAt(document.root.get('components'), 'schemas'))
    for (const base of basesOf(document, schema)) {
      const discriminators = [base, ...basesOf(document, base)].flatMap(each => discriminatorOf(each) ?? [])
      const baseName = document.nameOf(base)
      if (discriminators[0] === undefined || baseName === undefined) continue
      const values = namesOf(`#/components/schemas/${name}`, discriminators[0].get('mapping')?.value)
      for (const value of values) kept(heirs, baseName, () => new Map<string, Node>()).set(value, schema)
    }
  return heirs
}

/** Beside alternatives, it is about them. */
const discriminatorOf = (schema: Node) =>
  ['oneOf', 'anyOf'].some(keyword => schema.get(keyword) !== undefined) ? undefined : schema.get('discriminator')

const basesOf = (document: OpenApiDocument, schema: Node): Node[] => {
  const all = new Set([schema])
  for (const each of all) for (const part of each.get('allOf')?.items() ?? []) all.add(document.resolve(part))
  return [...all].slice(1)
}

/** The bases that a schema leads to, other than those of which it says that a component is an heir. */
const baseFinder = (document: OpenApiDocument, heirs: Heirs) => {
  const components = new Set([...heirs.values()].flatMap(each => [...each.values()]))
  const found = new WeakMap<Node, ReadonlySet<string>>()
  return (schema: Node) =>
    kept(found, schema, () => {
      const bases = new Set<string>()
      const passed = new Set<Node>()
      const pending = new Set([schema])
      const visit = (node: Node) => {
        if (passed.has(node)) return false
        passed.add(node)
        const target = document.follow(node)
        if (target === undefined) return true
        pending.add(target)
        const holder = node.parent?.key === 'allOf' ? node.parent.parent : undefined
        const name = holder !== undefined && components.has(holder) ? undefined : document.nameOf(target)
        for (const heir of heirs.get(name ?? '')?.values() ?? []) pending.add(heir)
        if (name !== undefined && heirs.has(name)) bases.add(name)
        return true
      }
      for (const node of pending) walk(node, visit)
      return bases
    })
}
