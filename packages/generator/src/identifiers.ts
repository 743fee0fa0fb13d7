import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { isObject, type Json, mayBeSchema, placeIn, resolved, type SchemaPlace } from '@contract-first/document'
import { pointed } from './pointer.ts'

/** A schema with an `$id`, or a whole file: what the `#…` in it is relative to. */
export interface Resource {
  file: string
  /** Its URI, without a fragment. */
  base: string
  keys: string[]
  /** The keys of schemas in the file, by `$anchor` or `$dynamicAnchor`. */
  anchors: Map<string, string[]>
  /** Those of schemas by `$dynamicAnchor`; of one resource, each should be of one schema. */
  dynamic: Map<string, string[][]>
}

/** What `$id`, `$anchor` and `$dynamicAnchor` of a file stand for. */
export class Identifiers {
  readonly resources: readonly Resource[]
  /** By the objects in them, if there is another one than the file. */
  readonly #resourceOf = new Map<object, Resource>()

  constructor(file: string, root: Json) {
    const location = pathToFileURL(file).href
    const whole: Resource = {
      file,
      base:
        isObject(root) && typeof root.$self === 'string'
          ? resolved(root.$self, location).replace(/#.*$/, '')
          : location,
      keys: [],
      anchors: new Map(),
      dynamic: new Map()
    }
    const resources = [whole]
    const visit = (value: Json, keys: string[], around: Resource, place: SchemaPlace): void => {
      if (typeof value !== 'object' || value === null) return
      let resource = around
      let own = place
      if (isObject(value) && mayBeSchema(place)) {
        const { $id, $anchor, $dynamicAnchor } = value
        if (typeof $id === 'string') {
          const base = resolved($id, around.base).replace(/#$/, '')
          resource = { file, base, keys, anchors: new Map(), dynamic: new Map() }
          resources.push(resource)
          own = 'schema'
        }
        for (const name of [$anchor, $dynamicAnchor])
          if (typeof name === 'string') resource.anchors.getOrInsertComputed(name, () => keys)
        if (typeof $dynamicAnchor === 'string')
          resource.dynamic.getOrInsertComputed($dynamicAnchor, () => []).push(keys)
      }
      if (resource !== whole) this.#resourceOf.set(value, resource)
      // What is data may be large, and what refers into it is relative to the file.
      if (own === 'data' && resource === whole) return
      for (const [key, each] of Object.entries(value))
        visit(each, [...keys, key], resource, Array.isArray(value) ? own : placeIn(own, key))
    }
    // Few files have any, and some are large.
    const text = readFileSync(file)
    if (['$id', '$anchor', '$dynamicAnchor'].some(each => text.includes(each))) visit(root, [], whole, 'other')
    this.resources = resources
  }

  /** The closest one around an object of the file. */
  around(value: object): Resource {
    return this.#resourceOf.get(value) ?? (this.resources[0] as Resource)
  }
}

/** The keys of an anchor, or of a JSON pointer, relative to a resource. */
export const keysIn = (
  resource: Resource,
  root: Json,
  fragment: string,
  pointer: string[] | undefined
): string[] | undefined => {
  if (pointer === undefined) return resource.anchors.get(fragment)
  const keys = [...resource.keys, ...pointer]
  return pointed(root, keys) === undefined ? undefined : keys
}
