import type { Category, Level } from './finding.ts'
import type { Frame } from './frames.ts'

/** What a finding is an instance of. */
export interface Rule {
  /** What happened, in one line. */
  title: string
  level: Level
  category: Category
  /** It holds for operations too that may break in any other way. */
  lasting?: true
  /** Why it does, may or does not harm a client, in one sentence. */
  why: string
  example: Example
}

/** The smallest pair of contracts of which the rule, and nothing else, is found. */
export interface Example {
  /** What `before` and `after` are, and where in an otherwise equal document they stand. */
  in: Frame
  /** YAML; empty for nothing at all. */
  before: string
  after: string
  strict?: boolean
  /** 2026-11-20 unless given. */
  today?: string
}

export type Rules<Id extends string = string> = Record<Id, Rule>

/** The same rules under longer names: `removed` of `request-parameter` is `request-parameter-removed`. */
export const prefixed = <Subject extends string, Change extends string>(
  subject: Subject,
  rules: Rules<Change>
): Rules<`${Subject}-${Change}`> =>
  Object.fromEntries(
    Object.entries(rules).map(([change, rule]) => [`${subject}-${change}`, rule])
  ) as Rules<`${Subject}-${Change}`>
