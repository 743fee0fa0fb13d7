import type { Unfit } from '@contract-first/check/internals'

/** What came of generating from one document. */
export interface Generated {
  operations: number
  /** `GET /pets` */
  refused: string[]
  /** Those of the others that are documentation only, as requests for them reach another one. */
  unrouted: string[]
  /** Why, for each refused operation; if the whole document is refused, why that is. */
  refusals: string[][]
  /** What is kept in the documentation and not enforced. */
  carried: number
  /** Why nothing was generated. */
  failure?: string
}

export interface Tally {
  ok: number
  all: number
}

/** What came of calling the operations of the service that was generated. */
export interface CallsMade {
  /** Operations all of whose valid calls did what they should. */
  called: Tally
  /** Requests with one thing made invalid. */
  rejected: Tally
  examples: Tally
  /** Examples that their schemas do not allow. */
  unfit: Unfit[]
  /** Operations that could not be called, and why. */
  untried: string[]
  failures: Failure[]
}

export interface Failure {
  operation: string
  what: string
}

/** What the compiler says. */
export interface Typed {
  failures: Failure[]
}

/** What a process has used. */
export interface Usage {
  /** CPU time. */
  seconds: number
  megabytes: number
}

export interface Called extends CallsMade {
  start: Usage
}

/** What came of a document; of one that does not run, not all is known. */
export interface Trial {
  generated: Generated & Usage
  called?: Called & Usage
  typed?: Typed & Usage
  /** Why it does not run. */
  failure?: string
}
