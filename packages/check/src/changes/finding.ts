import { createHash } from 'node:crypto'
import type { Json, Place } from '@contract-first/document'

/** How certain it is that a client breaks: it does, it may, it does not. */
export type Level = 'breaking' | 'undecided' | 'compatible'

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
  was?: string
  is?: string
  /** One sentence for people; the wording may change, so do not identify findings by it. */
  message: string
  /** A value that was accepted and is now rejected, or that can now be sent and could not before. */
  witness?: Json
  /** The text as which the witness is sent, if that is not JSON. */
  sentAs?: string
  fingerprint: string
  approved?: { reason: string; until: string }
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
