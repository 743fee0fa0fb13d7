import type { Unfit } from './judged-samples.ts'

/** The result of generating from one document. */
export interface Generated {
  operations: number
  /** `GET /pets` */
  refused: string[]
  /** Operations whose requests reach another one, so that they are documentation only. */
  unrouted: string[]
  /** The reasons for each refused operation, or for the whole document if that is refused. */
  refusals: string[][]
  /** The number of warnings about parts that have no effect. */
  carried: number
  /** Why nothing was generated. */
  failure?: string
}

export interface Tally {
  ok: number
  all: number
}

/** The results of calling the operations of the generated service. */
export interface CallsMade {
  /** Operations for which all valid calls succeeded. */
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

/** The compiler's errors. */
export interface Typed {
  failures: Failure[]
}

/** The resources that a process used. */
export interface Usage {
  /** CPU time. */
  seconds: number
  megabytes: number
}

export interface Called extends CallsMade {
  start: Usage
}

/** The results for a document; incomplete if it does not run. */
export interface Trial {
  generated: Generated & Usage
  called?: Called & Usage
  typed?: Typed & Usage
  /** Why it does not run. */
  failure?: string
}
