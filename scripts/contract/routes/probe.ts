import type { Request } from './client.ts'
import type { Operation } from './operations.ts'
import type { Thing } from './things.ts'

/** What a response must be, besides what the contract declares. */
export type Expectation =
  /** Not rejected: the contract allows the request and describes its values completely. */
  | 'accepted'
  /** Allowed by the contract, but its strings may have a meaning that no schema describes. */
  | 'allowed'
  /** Any declared response. */
  | 'declared'
  | 'refused'
  /** Rejected, by the operation or because its URL is unknown. */
  | 'unknown'
  | 'unsupported'
  | 'unauthorized'

/** One request to an operation, and the expected response. */
export interface Probe {
  operation: Operation
  /** `query parameter limit: above its maximum` */
  what: string
  request: Request
  expects: Expectation
  /** What the request is about, if it is known to exist. */
  thing?: Thing
}

export const isSafe = (method: string): boolean => ['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method)

const valid = ['accepted', 'allowed', 'declared'] as const

/** The less certain of two expectations of a valid request. */
export const weaker = (one: ValidExpectation, other: ValidExpectation): ValidExpectation =>
  valid[Math.max(valid.indexOf(one), valid.indexOf(other))] ?? 'declared'

export type ValidExpectation = (typeof valid)[number]
