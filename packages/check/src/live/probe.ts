import { declaredAs, type Operation } from '../operations/operations.ts'
import type { Request, Response } from './client.ts'
import { type Fault, shortened } from './judge.ts'
import type { Thing } from './things.ts'

/** What is expected of a response beyond what the contract declares, the more certain first. */
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
  // Not found, since it was removed.
  'gone',
  'unsupported',
  'unauthorized'
] as const
export type Expectation = (typeof expectations)[number]

/** One request to an operation, and the expected response. */
export interface Probe {
  operation: Operation
  /** What is special about it: `above its maximum`. `part` says where, `query parameter limit`; absent for the whole request. */
  what: string
  part?: string | undefined
  request: Request
  expects: Expectation
  /** What the request is about, if it is known to exist. */
  thing?: Thing
}

export const isSafe = (method: string): boolean => ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'].includes(method)

/** What to expect of a request with two parts: an invalid part decides, otherwise the less certain expectation. */
export const weaker = (one: Expectation, other: Expectation): Expectation =>
  expectations.indexOf(one) > expectations.indexOf(other) ? one : other

/** Compares a response with what its request should get; whether the contract declares it is checked elsewhere. */
export const faultsOf = ({ operation, part, what, expects, thing }: Probe, { status, body }: Response): Fault[] => {
  const wrong = `responds with ${status}${body.length === 0 ? '' : `, ${shortened(body.toString())}`}`
  const isValid = expects === 'accepted' || expects === 'allowed' || expects === 'declared'
  // If the simplest valid request has the fault, it says nothing new about others.
  const fault = (kind: string, right: string, isNote = false): Fault[] => {
    const cause = `${kind}: ${part ?? (isValid ? '' : what)}`
    return [{ wrong, right, about: 'request', cause, within: `${kind}: `, isNote }]
  }

  if (isFailure(operation, status)) return fault('failure', `no server error${rejections(operation, expects)}`)
  if (expects === 'unauthorized') {
    if (isUnauthorized(operation, status)) return []
    return [{ wrong, right: '401, since the operation requires a key', about: 'request', cause: expects }]
  }
  if (isValid) {
    if (status === 401) return fault('key rejected', 'no 401 with the right key')
    if (expects !== 'declared' && [400, 415, 422].includes(status))
      return fault('rejected', '2xx, since the contract allows the request', expects === 'allowed')
    if (status !== 404 || !thing?.isOwn || thing.path !== operation.path) return []
    return fault('lost', '2xx, since it was created before')
  }
  const isDeclared = [404, 410].some(each => declaredAs(operation.responses, each) !== undefined)
  if (expects === 'gone') return status < 300 ? fault('there', '404, since it was removed', !isDeclared) : []
  if (status < 300)
    return fault('accepted', `4xx, since the contract does not allow the request${rejections(operation, expects)}`)
  if (expects !== 'unsupported' || status === 415 || declaredAs(operation.responses, 415) !== '415') return []
  return fault('supported', '415, which is declared')
}

/** A 501 or 503 is a failure only if it is not declared. */
const isFailure = ({ responses }: Operation, status: number): boolean =>
  status >= 500 && !((status === 501 || status === 503) && responses.has(String(status)))

/** A declared 403 may replace 401. */
export const isUnauthorized = ({ responses }: Operation, status: number): boolean =>
  status === 401 || (status === 403 && responses.has('403') && declaredAs(responses, 401) === undefined)

const rejections = ({ responses }: Operation, expects: Expectation): string => {
  const declared = [...responses.keys()].filter(each => ['400', '404', '415', '422', '4XX'].includes(each))
  const isRejected = expects === 'refused' || expects === 'unknown' || expects === 'unsupported'
  return isRejected && declared.length > 0 ? ` (${declared.join(', ')})` : ''
}
