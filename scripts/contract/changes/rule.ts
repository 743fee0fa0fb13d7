import type { Category, Level } from './finding.ts'

/**
 * Which part of a document an example shows; the rest is always the same. `webhook` and `callback` are operations of one,
 * `request` and `response` are schemas of bodies.
 */
export type Frame = 'document' | 'operation' | 'webhook' | 'callback' | 'request' | 'response'

export interface Rule {
  /** What changed, in one line. */
  title: string
  level: Level
  category: Category
  /** Applies to unstable operations, too. */
  lasting?: true
  /** Why this breaks, may break or does not break a client, in one sentence. */
  why: string
  example: Example
}

/** The smallest pair of contracts in which this rule, and no other, finds something. */
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

/** Makes rules about what is sent. */
const wire =
  (level: Level) =>
  (title: string, why: string, example: Example): Rule => ({ title, level, category: 'wire', why, example })

export const breaking = wire('breaking')
export const compatible = wire('compatible')
export const undecided = wire('undecided')

/** A rule about the names in generated code. */
export const sdk = (title: string, why: string, example: Example): Rule => ({
  title,
  level: 'breaking',
  category: 'sdk',
  why,
  example
})

/** Adds a prefix to ids: `removed` of `request-parameter` is `request-parameter-removed`. */
export const prefixed = <Subject extends string, Change extends string>(
  subject: Subject,
  rules: Rules<Change>
): Rules<`${Subject}-${Change}`> =>
  Object.fromEntries(
    Object.entries(rules).map(([change, rule]) => [`${subject}-${change}`, rule])
  ) as Rules<`${Subject}-${Change}`>
