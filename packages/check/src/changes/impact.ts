import type { Node } from '@contract-first/document'
import type { Rejects } from '../schema/schema-rules.ts'
import type { MediaType } from './media-types.ts'

/** What is compared: of a request, a parameter on both sides, or the body; otherwise something else of the operation. */
export interface Part {
  /** Its name in the earlier contract, if there is one. */
  operation?: string
  parameter?: { before: SentParameter | undefined; after: SentParameter | undefined }
  isBody?: true
  media?: MediaType
}

export interface SentParameter {
  node: Node
  name: string
  location: string
}

/** What a finding is about, for those who look for requests that it concerns; without an operation, the whole document. */
export interface Impact extends Part {
  /** For the reason that the finding gives; absent if no values show it. */
  rejects?: Rejects | undefined
}

/** Requests in access logs, and who sent them when. */
export interface Requests {
  requests: number
  /** Absent if the logs do not tell clients apart. */
  clients?: number
  /** There are more clients than this number, up to which they are counted. */
  isMore?: true
  /** The first and the last day of the logs, YYYY-MM-DD; absent if they have no times. */
  from?: string
  until?: string
}

export interface Hits extends Requests {
  /** All requests to operations of the earlier contract. */
  of: number
  /** Some of them might not have been broken: the logs do not show what decides it. */
  isAtMost?: true
  /** It is let pass, since it would have broken none for long enough. */
  passes?: true
}

/** What access logs contain: requests to operations of the earlier contract, and what else. */
export interface Traffic extends Requests {
  /** Requests to no operation of the earlier contract. */
  outside: number
  /** Lines that are no requests. */
  others: number
  unreadable: number
  /** The first of them: `access.log:5`. */
  unreadableAt: string[]
}
