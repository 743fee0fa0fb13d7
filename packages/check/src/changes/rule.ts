import type { Level } from '../schema/schema-rules.ts'
import type { Category } from './finding.ts'

export interface Rule {
  title: string
  level: Level
  category: Category
  /** Applies to unstable operations, too. */
  lasting?: true
  /** Why this breaks, may break or does not break a client, in one sentence. */
  why: string
}

/** Which part of a document an example shows: all of it, an operation of some kind, or the schema of a body. */
export type Frame = 'document' | 'operation' | 'webhook' | 'callback' | 'request' | 'response'

/** The smallest pair of contracts in which a rule, and no other, finds something. */
export interface Example {
  /** Where `before` and `after` are in an otherwise equal document. */
  in: Frame
  /** YAML; empty for nothing. */
  before: string
  after: string
  strict?: boolean
  /** 2026-11-20 by default. */
  today?: string
}

export type Rules<Id extends string = string> = Record<Id, Rule>
export type Examples<Id extends string = string> = Record<Id, Example>

const rule = (level: Level, category: Category) => (title: string, why: string) => ({ title, level, category, why })

export const breaking = rule('breaking', 'wire')
export const compatible = rule('compatible', 'wire')
export const undecided = rule('undecided', 'wire')
/** About the names in generated code. */
export const sdk = rule('breaking', 'sdk')

export const asAnnounced = (what: string) =>
  compatible(`${what} was removed as announced`, 'Clients were told how long it stays.')

export const exampleIn =
  (frame: Frame) =>
  (before: string, after: string, options: Pick<Example, 'strict' | 'today'> = {}): Example => ({
    in: frame,
    before,
    after,
    ...options
  })

/** Adds a prefix to ids: `removed` of `request-parameter` is `request-parameter-removed`. */
export const prefixed = <Subject extends string, Change extends string, T>(subject: Subject, all: Record<Change, T>) =>
  Object.fromEntries(Object.entries(all).map(([change, each]) => [`${subject}-${change}`, each])) as Record<
    `${Subject}-${Change}`,
    T
  >
