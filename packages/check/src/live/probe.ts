import type { Json, Node } from '@contract-first/document'
import { declaredAs, namesIn, type Operation, type Parameter } from '../operations/operations.ts'
import type { Content, Request, Response } from './client.ts'
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
  // Not found, since it was removed, or never existed.
  'gone',
  'absent',
  'unsupported',
  'unauthorized'
] as const
export type Expectation = (typeof expectations)[number]

export interface Body {
  type: string
  content: Content
  /** What the content says; undefined for bytes. */
  value?: Json | undefined
  isExample?: boolean
  /** Where the contract describes it. */
  schema: Node | undefined
}

/** One request to an operation, and the expected response. */
export interface Probe {
  operation: Operation
  /** What is special about it: `above its maximum`. `part` says where, `query parameter limit`; absent for the whole request. */
  what: string
  part?: string | undefined
  /** Where the contract declares that part. */
  place?: string
  request: Request
  expects: Expectation
  values: ReadonlyMap<Parameter, Json>
  body?: Body
  /** What the request is about, if it is known to exist. */
  thing?: Thing
  /** Requests that differ in one part each; together they differ like this one. */
  alone?: Probe[]
}

export const isSafe = (method: string): boolean => ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'].includes(method)

/** What to expect of a request with two parts: an invalid part decides, otherwise the less certain expectation. */
export const weaker = (one: Expectation, other: Expectation): Expectation =>
  expectations.indexOf(one) > expectations.indexOf(other) ? one : other

/** The place of what is wrong with a body before its schema is asked. */
export const anyBody = 'any body'

/** Compares a response with what its request should get; whether the contract declares it is checked elsewhere. */
export const faultsOf = (
  { operation, part, place, what, expects, thing }: Probe,
  { status, body }: Response
): Fault[] => {
  const wrong = `responds with ${status}${body.length === 0 ? '' : `, ${shortened(body.toString())}`}`
  const isValid = expects === 'accepted' || expects === 'allowed' || expects === 'declared'
  // If the simplest valid request has the fault, it says nothing new about others.
  const fault = (kind: string, right: string, isNote = false): Fault[] => {
    const isAbsent = expects === 'gone' || expects === 'absent'
    const id = `path parameter ${namesIn(operation.path).at(-1)}`
    const subject = kind === 'failure' && isAbsent ? id : (part ?? (isValid ? '' : what))
    const cause = `${kind}: ${subject}`
    // What validates requests follows the contract's schemas, which operations share.
    const isShared = place === anyBody || (place !== undefined && (kind === 'accepted' || kind === 'rejected'))
    const shared = isShared ? { shared: `${kind} ${place}` } : {}
    return [{ wrong, right, about: 'request', cause, within: `${kind}: `, isNote, ...shared }]
  }

  if (isFailure(operation, status)) return fault('failure', 'no server error')
  if (expects === 'unauthorized') {
    if (isUnauthorized(operation, status)) return []
    const right = '401, since the operation requires a key'
    return [{ wrong, right, about: 'request', cause: expects, shared: `${expects} ${status}` }]
  }
  if (isValid) {
    if (status === 401)
      return fault(
        'key rejected',
        operation.security.length === 0 ? 'no 401, since no key is required' : 'no 401 with the right key'
      )
    if (expects !== 'declared' && [400, 415, 422].includes(status))
      return fault('rejected', '2xx, since the contract allows the request', expects === 'allowed')
    if (status !== 404 || !thing?.isOwn || thing.path !== operation.path) return []
    return fault('lost', '2xx, since it was created before')
  }
  if (status < 300 && expects === 'gone')
    return fault('there', '404, since it was removed', declaredAs(operation.responses, 404) === undefined)
  if (expects === 'absent') {
    // PUT may create what is not there, and DELETE may have nothing to do.
    const isNote = operation.method === 'PUT' || operation.method === 'DELETE'
    if (status >= 300 || !operation.responses.has('404') || (isNote && status === 201)) return []
    return fault('there', '404, since there is no such thing', isNote)
  }
  if (status < 300) return fault('accepted', '4xx, since the contract does not allow the request')
  return expects === 'unsupported' && status !== 415 ? fault('supported', '415, which is declared') : []
}

/** A 501 or 503 is a failure only if it is not declared. */
const isFailure = ({ responses }: Operation, status: number): boolean =>
  status >= 500 && !((status === 501 || status === 503) && responses.has(String(status)))

/** A declared 403 may replace 401. */
export const isUnauthorized = ({ responses }: Operation, status: number): boolean =>
  status === 401 || (status === 403 && responses.has('403') && declaredAs(responses, 401) === undefined)
