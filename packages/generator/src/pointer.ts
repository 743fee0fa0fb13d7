import { isObject, type Json, type JsonObject } from '@contract-first/document'

/** The keys of a JSON Pointer (RFC 6901) in a URI fragment; undefined if it is not one. */
export const parsePointer = (fragment: string): string[] | undefined => {
  if (fragment === '') return []
  if (!fragment.startsWith('/')) return undefined
  try {
    return fragment.slice(1).split('/').map(decodeKey)
  } catch {
    return undefined
  }
}

// Most keys need no encoding.
const isPlain = (key: string) => /^[\w.-]*$/.test(key)

const decodeKey = (key: string) =>
  isPlain(key) ? key : decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')

const encodeKey = (key: string) =>
  // A lone surrogate cannot be encoded.
  isPlain(key)
    ? key
    : key
        .replaceAll('~', '~0')
        .replaceAll('/', '~1')
        .replace(/\P{Cs}+/gu, encodeURIComponent)

/** The value at the given keys. */
export const pointed = (root: Json | undefined, keys: string[]): Json | undefined => {
  let value = root
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as { [key: string]: Json })[key]
  }
  return value
}

export const referenceTo = (section: string, name: string) => `#/components/${section}/${encodeKey(name)}`

/** The component name in a reference created by `referenceTo`. */
export const nameOf = (reference: string) => decodeKey(reference.slice(reference.lastIndexOf('/') + 1))

export const isReference = (value: Json | undefined): value is { $ref: string } =>
  isObject(value) && typeof value.$ref === 'string'

/** The schema of a component. */
export type Lookup = (name: string) => JsonObject

/** The final target of a reference; any other value is itself. */
export const flat = <T extends Json>(value: T, lookup: Lookup): T | JsonObject =>
  isReference(value) ? flat(lookup(nameOf(value.$ref)), lookup) : value

/** The same as an object; a boolean schema has no keywords. */
export const flatObject = (value: Json, lookup: Lookup): JsonObject => {
  const schema = flat(value, lookup)
  return isObject(schema) ? schema : {}
}
