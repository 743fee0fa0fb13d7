import type { Json } from './json.ts'
import type { Node } from './node.ts'

/** A parsed text. */
export interface Parsed {
  value: Json
  /** The offset of the node's key, or of the node if it has none. */
  offsetOf(node: Node): number
  /** What is wrong with the text, although it can be read. */
  flaws: readonly Fault[]
}

/** Where an object or array and its entries are written. */
export interface Written {
  readonly offset: number
  readonly entries: ReadonlyMap<string | number, number>
  /** The offsets of errors in the text of single entries. */
  faults?: Map<string | number, number[]>
}

/** An error at an offset of a text. */
export interface Fault {
  offset: number
  message: string
  /** An offset whose location is appended to the message. */
  other?: number
  /** The entry with the error, if it is not the last one that begins before it. */
  of?: { holder: object; key: string }
}

export const repeatedKey = (holder: object, key: string, offset: number, first: number): Fault => ({
  offset,
  of: { holder, key },
  message: `the key ${JSON.stringify(key)} is declared twice in one object, where each may be declared once; the first is at`,
  other: first
})

/** A text of at most `length` characters; a longer one loses its middle. */
export const shortened = (text: string, length: number): string => {
  const half = Math.floor((length - 1) / 2)
  return text.length <= length ? text : `${text.slice(0, half)}…${text.slice(-half)}`.toWellFormed()
}

/** Lists at most `max` names, and how many more there are. */
export const listed = (names: readonly string[], max: number): string =>
  names.slice(0, max).join(', ') + (names.length > max ? ` and ${names.length - max} more` : '')
