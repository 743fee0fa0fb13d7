import type { Request } from './client.ts'
import type { Operation } from './operations.ts'
import type { Thing } from './things.ts'

/** What a response must be, besides what the contract declares; the more certain first. */
const expectations = [
  // Not rejected: the contract allows the request and describes its values completely.
  'accepted',
  // Allowed by the contract, but its strings may have a meaning that no schema describes.
  'allowed',
  // Any declared response.
  'declared',
  'refused',
  // Rejected, by the operation or because its URL is unknown.
  'unknown',
  'unsupported',
  'unauthorized'
] as const
export type Expectation = (typeof expectations)[number]

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

/** What to expect if a request has two parts: a wrong one decides, or else the less certain of both. */
export const weaker = (one: Expectation, other: Expectation): Expectation =>
  expectations.indexOf(one) > expectations.indexOf(other) ? one : other
