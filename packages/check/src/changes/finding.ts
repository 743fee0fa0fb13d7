import { createHash } from 'node:crypto'
import type { Json, Place } from '@contract-first/document'
import type { Level } from '../schema/schema-rules.ts'
import type { Hits } from './impact.ts'

/** Who is affected: every client, or only those that compile against generated code. */
export type Category = 'wire' | 'sdk'

/** One cause, reported once, with all operations that it affects. */
export interface Finding {
  /** The id of a rule in the catalogue. */
  rule: string
  level: Level
  category: Category
  /** What changed: `Pet.kind`, `GET /pets query parameter limit`, `GET /pets response 200`. */
  place: string
  /** The component that it is in, if it is in one: `Pet`, `shared parameter Limit`. */
  component?: string
  /** The affected operations, `GET /pets`, in the contract's order; empty if the whole document is affected. */
  uses: string[]
  before?: Place
  after?: Place
  /** Of what was removed: its closest container that is left. */
  parent?: Place
  was?: string
  is?: string
  /** Of a list of values or alternatives: those that it has no longer, and new ones. */
  lost?: string
  gained?: string
  /** One sentence for people; the wording may change, so do not identify findings by it. */
  message: string
  /** A value that was accepted and is now rejected, or that can now be sent and could not before. */
  witness?: Json
  /** The text as which the witness is sent, if that is not JSON. */
  sentAs?: string
  /** Where the first affected operation has the witness: `query parameter limit`, `request body`, `response 200`. */
  sentIn?: string
  fingerprint: string
  approved?: { reason: string; until: string }
  /** How many requests it would have broken, if access logs were read. */
  hits?: Hits
}

/**
 * Identifies a finding across runs: 12 hex digits over rule, place and what changed, but not the message or line, so that an
 * approval survives a better wording or a line inserted above.
 */
export const fingerprintOf = ({ rule, place, was, is, identity }: Identified): string =>
  createHash('sha256')
    .update(JSON.stringify([rule, place, ...(identity === undefined ? [was ?? null, is ?? null] : [identity])]))
    .digest('hex')
    .slice(0, 12)

type Identified = Record<'rule' | 'place', string> & Partial<Record<'was' | 'is' | 'identity', string | undefined>>

/** A problem other than a finding: the version number, the approvals, the releases. It cannot be approved. */
export interface Complaint {
  rule: ComplaintRule
  message: string
  at: Place
}

export const complaintRules = {
  'version-too-low': 'info.version does not follow from the changes',
  'approval-invalid': 'an approval is malformed or a duplicate',
  'approval-expired': 'an approval has expired',
  'approval-unused': 'an approval matches no finding; a note, which fails nothing',
  'document-flawed': 'a part of the contract cannot be read, or not by all programs; a note, which fails nothing',
  'release-changed': 'a release was changed, removed, or added by hand, or is missing',
  'release-unknown': 'a lost release would not be noticed here; a note, which fails nothing',
  'draft-outdated': 'the frozen draft differs from the contract',
  'setting-unused': 'an exclusion, a moved prefix or the path of a policy matches nothing; a note, which fails nothing',
  'traffic-too-short': 'the access logs do not cover the days of --pass-unused-days; a note, which fails nothing'
} as const
type ComplaintRule = keyof typeof complaintRules

/** Most severe first. `sdk` breaks generated code only; an approved or unused finding counts as compatible. */
export const severities = ['breaking', 'undecided', 'sdk', 'compatible', 'none'] as const
/** How severe a finding is. */
export type Severity = (typeof severities)[number]

export const severityOf = ({ level, category, approved, hits }: Finding): Severity => {
  if (level === 'compatible' || approved !== undefined || hits?.passes) return 'compatible'
  return category === 'sdk' ? 'sdk' : level
}

export const byGravity = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((a, b) => severities.indexOf(severityOf(a)) - severities.indexOf(severityOf(b)))

export const gravestOf = (findings: readonly Finding[]): Severity => {
  const present = new Set(findings.map(severityOf))
  return severities.find(each => present.has(each)) ?? 'none'
}

/** The findings that fail a check; approved and unused ones never do, and with `none` no finding does. */
export const failing = (findings: readonly Finding[], least: Severity): Finding[] =>
  least === 'none'
    ? []
    : findings.filter(
        each =>
          each.approved === undefined &&
          !each.hits?.passes &&
          severities.indexOf(severityOf(each)) <= severities.indexOf(least)
      )
