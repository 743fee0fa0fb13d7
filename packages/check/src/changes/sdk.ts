import { isObject, type Json, Missing, type Node, type OpenApiDocument, walk } from '@contract-first/document'
import { canonical } from '../schema/schema.ts'
import type { Site } from './site.ts'

/** Compares the names of schemas, which generated code uses; an equal schema under a new name has been renamed. */
export const compareSchemaNames = (site: Site, before: ReadonlyMap<string, Node>, after: ReadonlyMap<string, Node>) => {
  const isIn = (name: string, { root }: { root: Node }, used: ReadonlyMap<string, Node>) =>
    used.has(name) || root.get('components')?.get('schemas')?.get(name) !== undefined
  const lackedBy = (others: typeof after, own: typeof before, document: OpenApiDocument) =>
    [...own].filter(([name, node]) => !isIn(name, document, others) && !(node instanceof Missing))
  const gone = lackedBy(after, before, site.comparison.after)
  const come = lackedBy(before, after, site.comparison.before)
  const targets = renamed(gone, come)
  for (const [name, node] of gone) {
    const [is, target] = targets.get(name) ?? []
    const sides = is === undefined ? { before: node } : { before: node, after: target, was: name, is }
    const message =
      is === undefined ? 'It is no longer in generated code.' : `It is now called ${is} in generated code.`
    site.named(name).report(is === undefined ? 'schema-removed' : 'schema-renamed', { ...sides, message })
  }
}

type Named = [name: string, node: Node]

/** Pairs removed schemas with equal new ones; pairs whose descriptions are equal as well come first. */
const renamed = (gone: readonly Named[], come: readonly Named[]): Map<string, Named> => {
  // Renamed schemas may refer to each other.
  const names = new Set([...gone, ...come].map(([name]) => name))
  const textOf = (value: Json, ignored: ReadonlySet<string>) => canonical(nameless(names, ignored)(value))
  const targets = new Map<string, Named>()
  const pair = (contentOf: (value: Json) => string | undefined) => {
    const taken = new Set(targets.values())
    const left = come.filter(each => !taken.has(each))
    const free = Map.groupBy(left, ([, { value }]) => contentOf(value))
    for (const [name, { value }] of gone) {
      const content = targets.has(name) ? undefined : contentOf(value)
      const target = content === undefined ? undefined : free.get(content)?.shift()
      if (target !== undefined) targets.set(name, target)
    }
  }
  pair(value => textOf(value, new Set()))
  pair(value => {
    const text = textOf(value, annotations)
    // Other schemas, such as a plain string, are equal by chance too often.
    return /"(?:properties|enum)":/.test(text) ? text : undefined
  })
  return targets
}

const annotations = new Set(['title', 'description', 'example', 'examples', 'externalDocs'])

/** Of a schema, leaves out the names that were added or removed, and these keywords. */
const nameless = (names: ReadonlySet<string>, ignored: ReadonlySet<string>) => {
  const isGone = (key: string, each: Json) => key === '$ref' && names.has(String(each).split('/').at(-1) ?? '')
  const rest = (value: Json, areNames = false): Json => {
    if (Array.isArray(value)) return value.map(each => rest(each))
    if (!isObject(value)) return value
    const left = Object.entries(value).filter(([key]) => areNames || !ignored.has(key))
    const inner = (key: string, each: Json) => (isGone(key, each) ? '#' : rest(each, key === 'properties' && !areNames))
    return Object.fromEntries(left.map(([key, each]) => [key, inner(key, each)]))
  }
  return rest
}

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
