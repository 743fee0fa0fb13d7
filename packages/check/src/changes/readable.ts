import type { Node } from '@contract-first/document'
import { type Documents, unreadable } from './site.ts'

type Entries = readonly [key: string, node: Node][]

/** Separates what cannot be read on one side, with its counterpart: it is neither new nor gone. */
export const divided = (documents: Documents, before: Entries, after: Entries, keyOf = (key: string) => key) => {
  const [olds, news] = [before, after].map(entries => new Map(entries.map(([key, node]) => [keyOf(key), node])))
  const isBroken = (key: string) =>
    [unreadable(documents.before, olds?.get(key)), unreadable(documents.after, news?.get(key))].some(Boolean)
  const broken = new Set([...before, ...after].map(([key]) => keyOf(key)).filter(isBroken))
  const readable = (entries: Entries) => entries.filter(([key]) => !broken.has(keyOf(key)))
  return {
    before: readable(before),
    after: readable(after),
    unreadable: [...broken].map(key => [key, olds?.get(key), news?.get(key)] as const)
  }
}
