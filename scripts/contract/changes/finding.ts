import { createHash } from 'node:crypto'
import type { Json } from '../../document/json.ts'
import type { Place } from '../../document/node.ts'

/** How sure it is that a client suffers: it does, it may, it does not. */
export type Level = 'breaking' | 'undecided' | 'compatible'

/** Whom a change reaches: everyone who sends and receives, or those only who compile against generated code. */
export type Category = 'wire' | 'sdk'

/** One cause, reported once, with all the operations that it concerns. */
export interface Finding {
  /** A rule of the catalogue. */
  rule: string
  level: Level
  category: Category
  /** What changed: `Pet.kind`, `GET /pets query parameter limit`, `GET /pets response 200`. */
  place: string
  /** The operations concerned, `GET /pets`, in the contract's order; none for what concerns the whole document. */
  uses: string[]
  before?: Place
  after?: Place
  was?: string
  is?: string
  /** One sentence for people; it may improve, so nothing is to be recognised by it. */
  message: string
  /** A value that was accepted and now is refused, or that may arrive now and could not before. */
  witness?: Json
  fingerprint: string
  approved?: { reason: string; until: string }
}

/**
 * What a finding is recognised by from run to run: 12 hex digits over rule, place and both states, never over the
 * message or the lines, so that an approval outlives a better wording and an insertion above.
 */
export const fingerprintOf = ({ rule, place, was, is }: Pick<Finding, 'rule' | 'place' | 'was' | 'is'>): string =>
  createHash('sha256')
    .update(JSON.stringify([rule, place, was ?? null, is ?? null]))
    .digest('hex')
    .slice(0, 12)
