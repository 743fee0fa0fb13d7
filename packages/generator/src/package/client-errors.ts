import type { ClientResponse } from './client-responses.ts'

/** What went wrong: see `ClientError`. */
export type ClientErrorKind =
  /** Nothing was sent: the input does not fit into a request, or is not an input of the operation. */
  | 'invalid-input'
  /** No response, or one that broke off; `cause` is the error of `fetch`. */
  | 'network'
  /** No complete response within `timeoutMs`. */
  | 'timeout'
  /** A response with a status that the contract does not declare for the operation. */
  | 'undeclared-status'
  /** With `orThrow`, or for a page of a list: the response is an error that the contract declares. */
  | 'error-status'
  /** The body is empty, not JSON, or of another media type, where the contract declares JSON. */
  | 'not-json'
  /** An integer that would have to be rounded; `createClient({ int64: 'bigint' })`, or `'string'`, keeps those of format int64. */
  | 'inexact'
  /** The body breaks the contract; the option `validate` checks all of it. */
  | 'invalid-body'
  /** For a list: a `Link` header that cannot be read, or that must not be followed. */
  | 'invalid-link'

/** Thrown by a call without a result. Its message is one sentence: the operation, the status and the server's message. */
export class ClientError extends Error {
  declare readonly name: 'ClientError'
  declare readonly operationId: string
  declare readonly kind: ClientErrorKind
  /** The status of the response, if there is one. */
  declare readonly status: number | undefined
  /** The response's body, if it is JSON; except for `error-status`, numbers beyond ±(2^53 − 1) in it may be rounded. */
  declare readonly body: unknown
  /** The response's body as received. */
  declare readonly text: string | undefined
  /** The response of `fetch`, with its body already read. */
  declare readonly response: Response | undefined

  constructor(operationId: string, kind: ClientErrorKind, message: string, details: ErrorDetails = {}) {
    const { cause, response, body } = details
    super(`${operationId} ${message}`, cause === undefined ? {} : { cause })
    const { status } = response ?? {}
    const text = response && received.get(response)?.text
    Object.assign(this, { name: 'ClientError', operationId, kind, response, status, text, body: body ?? jsonOf(text) })
  }
}
interface ErrorDetails {
  cause?: unknown
  response?: Response
  body?: unknown
}

export type Fail = (kind: ClientErrorKind, message: string, details?: ErrorDetails) => ClientError

/** What a response may no longer have: its body can be read only once, and a response made by hand has no URL. */
export const received = new WeakMap<Response, { url: string; text: string }>()

export const urlOf = (response: Response) => received.get(response)?.url ?? response.url

/** @throws ClientError unless the status is one of success */
export const successful = <Result extends ClientResponse<number, unknown>>(result: Result, fail: Fail): Result => {
  const { response, body } = result
  if (response.ok) return result
  throw fail('error-status', `got ${described(response)}`, { response, body })
}

/** A URL without its query, which may contain private search terms. */
export const shortened = (url: string) => url.replace(/[?#].*/, '')

export const undeclared = ', which the contract does not declare'

/** The status, and the message of the response. */
export const described = (response: Response, addition = ''): string => {
  if (response.status === 0) return 'a redirect, which the client does not follow and a browser does not show'
  const text = received.get(response)?.text ?? ''
  const { code, message, detail, title } = (jsonOf(text) ?? {}) as Readonly<Record<string, unknown>>
  const location = response.headers.get('location')
  const words =
    [message, detail, title].find(each => typeof each === 'string') ??
    (beginning(text) || (location === null ? '' : `it leads to ${location}`))
  return `${response.status}${typeof code === 'string' ? ` ${code}` : ''}${addition}${words && `: ${words}`}`
}

export const beginning = (text: string) => {
  const line = text.trim().replace(/\s+/g, ' ')
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}

export const messageOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  const { message, code } = cause as Error & { code?: string }
  // An error of Node's `fetch` only tells what happened in its cause.
  return (message || code) + (cause.cause === undefined ? '' : `: ${messageOf(cause.cause)}`)
}

const jsonOf = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
