import type { Node, OpenApiDocument } from '@contract-first/document'
import { unreadable } from './site.ts'

type Entries = readonly [key: string, node: Node][]

export interface Documents {
  before: OpenApiDocument
  after: OpenApiDocument
}

/** Entries of both sides: those that can be read, and pairs of which one cannot. */
export interface Division {
  before: [key: string, node: Node][]
  after: [key: string, node: Node][]
  unreadable: [key: string, before: Node | undefined, after: Node | undefined][]
}

/** Separates what cannot be read on one side, with its counterpart: it is neither new nor gone. */
export const divided = (
  documents: Documents,
  before: Entries,
  after: Entries,
  keyOf = (key: string) => key
): Division => {
  const [olds, news] = [before, after].map(entries => new Map(entries.map(([key, node]) => [keyOf(key), node])))
  const isBroken = (key: string) =>
    [unreadable(documents.before, olds?.get(key)), unreadable(documents.after, news?.get(key))].some(Boolean)
  const broken = new Set([...(olds?.keys() ?? []), ...(news?.keys() ?? [])].filter(isBroken))
  const readable = (entries: Entries) => entries.filter(([key]) => !broken.has(keyOf(key)))
  return {
    before: readable(before),
    after: readable(after),
    unreadable: [...broken].map(key => [key, olds?.get(key), news?.get(key)])
  }
}
