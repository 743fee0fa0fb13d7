import type { Json } from './json.ts'
import type { Node } from './node.ts'

/** What a text says. */
export interface Parsed {
  value: Json
  /** Where in the text the node's key begins, or the node itself if it has none. */
  offsetOf(node: Node): number
}

/** What is wrong at an offset of a text. */
export interface Fault {
  offset: number
  message: string
  /** Where something stands that the message ends with the place of. */
  other?: number
}

export const repeatedKey = (offset: number, first: number): Fault => ({
  offset,
  message: 'this key is declared twice in one object, where each may be declared once; the first is at',
  other: first
})
