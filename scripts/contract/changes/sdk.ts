import { isObject, type Json } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
import { canonical } from '../schema/schema.ts'
import type { Site } from './site.ts'

/** Compares the names of schemas, which generated code uses; an equal schema under a new name has been renamed. */
export const compareSchemaNames = (site: Site, before: ReadonlyMap<string, Node>, after: ReadonlyMap<string, Node>) => {
  const existsIn = (name: string, { root }: { root: Node }) =>
    root.get('components')?.get('schemas')?.get(name) !== undefined
  const gone = [...before].filter(([name]) => !existsIn(name, site.comparison.after))
  const come = [...after].filter(([name]) => !existsIn(name, site.comparison.before))
  // Renamed schemas may refer to each other.
  const names = new Set([...gone, ...come].map(([name]) => name))
  const byContent = Map.groupBy(come, ([, node]) => canonical(skeletonOf(node.value, names)))
  for (const [name, node] of gone) {
    const [is, target] = byContent.get(canonical(skeletonOf(node.value, names)))?.shift() ?? []
    const at = site.named(name)
    if (is === undefined)
      at.report('schema-removed', { before: node, message: `Generated code no longer has ${name}.` })
    else {
      const message = `Generated code now calls it ${is}.`
      at.report('schema-renamed', { before: node, after: target, was: name, is, message })
    }
  }
}

const annotations = new Set(['title', 'description', 'example', 'examples', 'externalDocs'])

/** A schema without annotations and without names that were added or removed. */
const skeletonOf = (value: Json, names: ReadonlySet<string>, keysAreNames = false): Json => {
  if (Array.isArray(value)) return value.map(each => skeletonOf(each, names))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => keysAreNames || !annotations.has(key))
      .map(([key, each]) => [
        key,
        key === '$ref' && names.has(String(each).split('/').at(-1) ?? '')
          ? '#'
          : skeletonOf(each, names, key === 'properties' && !keysAreNames)
      ])
  )
}
