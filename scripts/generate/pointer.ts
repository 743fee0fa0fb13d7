import { isObject, type Json } from '../document/json.ts'

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

const decodeKey = (key: string) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')

const encodeKey = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))

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
