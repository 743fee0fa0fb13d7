import type { Node } from '../../document/node.ts'

/** The string under a key; undefined for any other value. */
export const textAt = (node: Node | undefined, key: string): string | undefined => {
  const value = node?.get(key)?.value
  return typeof value === 'string' ? value : undefined
}

export const isSet = (node: Node | undefined, key: string): boolean => node?.get(key)?.value === true

/** The entries under a key, except extensions. */
export const entriesAt = (node: Node | undefined, key: string): [string, Node][] =>
  (node?.get(key)?.entries() ?? []).filter(([name]) => !name.startsWith('x-'))
