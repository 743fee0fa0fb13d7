import type { Node } from '../../document/node.ts'

/** The text under a key; undefined for anything else. */
export const textAt = (node: Node | undefined, key: string): string | undefined => {
  const value = node?.get(key)?.value
  return typeof value === 'string' ? value : undefined
}

/** Whether `true` stands under a key. */
export const isSet = (node: Node | undefined, key: string): boolean => node?.get(key)?.value === true

/** The entries under a key, without extensions. */
export const entriesAt = (node: Node | undefined, key: string): [string, Node][] =>
  (node?.get(key)?.entries() ?? []).filter(([name]) => !name.startsWith('x-'))
