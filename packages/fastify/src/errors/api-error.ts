import { inspect } from 'node:util'
import { shortened, withoutKeys } from '../api-keys/hidden-keys.ts'
import type { Detail } from '../contract/violations.ts'
import { refuseUnsendable } from '../node/http.ts'

const noDetails: readonly Detail[] = []

/** What is wrong, before it is put into a body. */
export interface ServiceError {
  /** The status of the response. */
  readonly status: number
  /** In snake case; a code keeps its meaning. */
  readonly code: string
  /** One sentence. */
  readonly message: string
  /** The violations if the request breaks the contract, up to eleven; together they say the same as the message. */
  readonly details: readonly Detail[]
}

/** An error for the client: an HTTP status, a code that keeps its meaning, and one sentence. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
  /** The violations if a request breaks the contract, which the message lists too; otherwise empty. */
  readonly details: readonly Detail[] = noDetails
  #text: string | undefined

  /** @throws TypeError for a status that is none of an error, or headers that HTTP cannot carry */
  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    if (!(Number.isInteger(status) && status >= 400 && status <= 599))
      throw new TypeError(`the status of an ApiError must be an integer from 400 to 599, not ${inspect(status)}`)
    refuseUnsendable(headers)
    // This is a response, not a bug: a stack trace would mean nothing and cost more than the response.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    this.status = status
    this.code = code
    this.headers = headers
  }

  /** The body, the contract's Error, without any key that the client sent in the wrong place. */
  text(): string {
    this.#text ??= withoutKeys(JSON.stringify({ code: this.code, message: this.message, status: this.status }))
    return this.#text
  }
}

export const malformedRequest = (message: string, headers?: Readonly<Record<string, string>>) =>
  new ApiError(400, 'malformed_request', message, headers)
/** For logs and signals: the client does not read it any more. */
export const brokenOff = () => malformedRequest('The client broke off the request.')
export const malformedPath = () =>
  new ApiError(
    400,
    'malformed_path',
    'The path cannot be decoded: percent signs must be followed by two hexadecimal digits, together UTF-8.'
  )
export const malformedJson = (reason: string) =>
  new ApiError(400, 'malformed_json', `The body must be well-formed JSON: ${reason}.`)
/** A 400; `violations` says what is wrong and what would be right, as the sentences of its message. */
export const invalidRequest = (violations: string) => new ApiError(400, 'invalid_request', violations)

/** `challenge` is the value of `WWW-Authenticate` (RFC 9110, section 11.6.1). */
export const apiKeyMissing = (challenge: string) =>
  new ApiError(
    401,
    'api_key_missing',
    'An API key is required: send it in the header Authorization: Bearer <API key>.',
    {
      'www-authenticate': challenge
    }
  )
export const apiKeyInvalid = (challenge: string) =>
  new ApiError(401, 'api_key_invalid', 'The API key is not valid.', {
    'www-authenticate': `${challenge}, error="invalid_token"`
  })

/** `words` say which credentials; `challenge` is the value of `WWW-Authenticate` (RFC 9110, section 11.6.1). */
export const credentialsMissing = (words: string, challenge: string) =>
  new ApiError(401, 'credentials_missing', `Credentials are required: ${words}.`, { 'www-authenticate': challenge })
export const credentialsInvalid = (challenge: string) =>
  new ApiError(401, 'credentials_invalid', 'The credentials are not valid.', { 'www-authenticate': challenge })
export const insufficientScope = (scopes: readonly string[], challenge?: string) =>
  new ApiError(
    403,
    'insufficient_scope',
    `The credentials do not permit this: ${scopes.join(', ')} ${scopes.length === 1 ? 'is' : 'are'} required.`,
    challenge === undefined ? {} : { 'www-authenticate': challenge }
  )

export const pathNotFound = (path: string) =>
  new ApiError(404, 'path_not_found', `Nothing exists at ${shortened(path)}.`)
export const methodNotAllowed = (method: string, allow: string) =>
  new ApiError(405, 'method_not_allowed', `This URL does not allow ${method}, only ${allow}.`, { allow })
export const notAcceptable = (accept: string, declared: string) =>
  new ApiError(406, 'not_acceptable', `The response can be ${declared}, which Accept rules out: ${shortened(accept)}.`)
export const requestTimeout = () => new ApiError(408, 'request_timeout', 'The request did not arrive in time.')
export const requestInProgress = () =>
  new ApiError(
    409,
    'request_in_progress',
    'A request with this Idempotency-Key is in progress; try again.',
    retryAfter(1)
  )
export const operationRemoved = (operation: string, date: string, replacement: string | undefined) =>
  new ApiError(
    410,
    'operation_removed',
    `${operation} was removed on ${date}${replacement === undefined ? '' : `; use ${replacement} instead`}.`
  )
export const bodyTooLarge = (bytes: number) =>
  new ApiError(413, 'body_too_large', `The body is larger than ${bytes} bytes.`)
export const uriTooLong = (bytes: number) =>
  new ApiError(414, 'uri_too_long', `The request's URL is longer than ${bytes} bytes.`)
export const unsupportedMediaType = (found = 'one without a Content-Type', expected = 'application/json in UTF-8') =>
  new ApiError(415, 'unsupported_media_type', `The body must be ${expected}, not ${shortened(found)}.`)
export const expectationFailed = () =>
  new ApiError(417, 'expectation_failed', 'The only supported expectation is 100-continue.', { connection: 'close' })
export const idempotencyKeyReused = () =>
  new ApiError(422, 'idempotency_key_reused', 'This Idempotency-Key was used for another request; send a new one.')
export const rateLimited = (requests: string, seconds: number) =>
  new ApiError(
    429,
    'rate_limited',
    `Too many ${requests}; try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    retryAfter(seconds)
  )
export const headersTooLarge = (bytes: number) =>
  new ApiError(431, 'headers_too_large', `The request's header section is larger than ${bytes} bytes.`)
export const internalError = () => new ApiError(500, 'internal_error', 'Internal error.')
export const notImplemented = (operation: string) =>
  new ApiError(501, 'not_implemented', `${operation} is not available yet.`)
export const unsupportedTransferCoding = () =>
  new ApiError(501, 'unsupported_transfer_coding', 'The only supported transfer coding is chunked.', {
    connection: 'close'
  })
export const serviceUnavailable = (message = 'The store is temporarily unavailable; try again.', seconds = 1) =>
  new ApiError(503, 'service_unavailable', message, retryAfter(seconds))

const retryAfter = (seconds: number) => ({ 'retry-after': String(seconds) })
