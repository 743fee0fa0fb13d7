// Copied from scripts/generate/package/client-core.ts by `npm run generate`: edit that, not this.

import { bodyText, type Int64, own, type Places, parseBody, Unfit, unsafe } from './client-integers.ts'
import { parseLinks } from './client-links.ts'
import type { ClientResponse } from './client-responses.ts'
import { delayBeforeRetry, pause, type Retries, randomUuid } from './client-retries.ts'

export type { Int64, Places } from './client-integers.ts'
export type { ClientResponse, ResultOf } from './client-responses.ts'
export type { Retries } from './client-retries.ts'

/** What went wrong: see `ClientError`. */
export type ClientErrorKind =
  /** Nothing was sent: no request can carry the input, or the operation does not have it. */
  | 'invalid-input'
  /** No response, or one that broke off; `cause` is the error of `fetch`. */
  | 'network'
  /** No complete response within `timeoutMs`. */
  | 'timeout'
  /** A response with a status that the contract does not declare for the operation. */
  | 'undeclared-status'
  /** While iterating over a list: the response for a page is an error. */
  | 'error-status'
  /** The body is empty, not JSON, or of another media type, where the contract declares JSON. */
  | 'not-json'
  /** An integer that would have to be rounded; `createClient({ int64: 'bigint' })` keeps those of format int64. */
  | 'inexact'
  /** The body breaks the contract; the option `validate` checks all of it. */
  | 'invalid-body'
  /** While iterating over a list: a `Link` header that cannot be read, or that must not be followed. */
  | 'invalid-link'

/** Thrown by a call without a result. Its message is one sentence: the operation, the status and the server's message. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly operationId: string
  readonly kind: ClientErrorKind
  /** Of the response, if there is one. */
  readonly status: number | undefined
  /** The response's body, if it is JSON; numbers beyond ±(2^53 − 1) in it may be rounded. */
  readonly body: unknown
  /** The response's body as received. */
  readonly text: string | undefined
  /** The response of `fetch`, with its body already read. */
  readonly response: Response | undefined

  constructor(operationId: string, kind: ClientErrorKind, message: string, details: ErrorDetails = {}) {
    const { cause, response } = details
    super(`${operationId} ${message}`, cause === undefined ? {} : { cause })
    this.operationId = operationId
    this.kind = kind
    this.response = response
    this.status = response?.status
    this.text = response && received.get(response)?.text
    this.body = jsonOf(this.text)
  }
}
interface ErrorDetails {
  cause?: unknown
  response?: Response
}
/** What a response itself may not tell: its body can be read only once, and a response made by hand has no URL. */
const received = new WeakMap<Response, { url: string; text: string }>()

/**
 * `await` gives the response with the first page, `for await` the items of all pages; the first page is requested once.
 * A page that is not a list ends the loop with a `ClientError`. In a browser, a server of another origin has to expose
 * `Link`: without it, every page looks like the last.
 */
export interface List<Result, Item> extends Promise<Result>, AsyncIterable<Item> {}

/** For one call. */
export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's `reason`; for a list, also while later pages are read. */
  signal?: AbortSignal | undefined
  /** How long to wait for a complete response, in milliseconds, retries included; for a list, for each page. */
  timeoutMs?: number | undefined
  /** Replaces that of the client. */
  retries?: Retries | false | undefined
  /** Further headers; they replace those that the client would send. */
  headers?: Readonly<Record<string, string>> | undefined
}

/** An operation's announced end; dates are days in UTC, as in `2030-12-05`. */
export interface Deprecation {
  operationId: string
  since: string | undefined
  /** It may be removed from this day on. */
  removalDate: string | undefined
  /** The operation to use instead, or its URL if only the server knows it. */
  replacedBy: string | undefined
  /** The URL of a page that explains it, if the server has one. */
  page: string | undefined
}

/** A secret, or a function that returns it, called before each request. */
export type Credential = string | (() => string | undefined | Promise<string | undefined>)

/** The options of every client. */
export interface CommonOptions<I extends Int64> {
  /** In a browser it may be relative to the page. */
  baseUrl: string
  /** Replaces the global one: for a proxy, a log, tests. */
  fetch?: ((request: Request) => Promise<Response>) | undefined
  /** For calls without their own, in milliseconds; without it a call waits as long as `fetch` does. */
  timeoutMs?: number | undefined
  /**
   * After a network failure, a 429, a 503, or a 409 with `Retry-After`, a request is sent again if that is safe: a GET, PUT
   * or DELETE, or with an `Idempotency-Key`, which the client makes up for each call without one. Waits are random, at
   * first up to 0.5 seconds, each time up to twice as long, and longer if `Retry-After` says so. `false` turns retries off.
   */
  retries?: Retries | false | undefined
  /**
   * The type of integers of format int64, in requests and responses. As a `number`, which is the default, one beyond
   * ±(2^53 − 1) is an error, since it would be rounded. As a `bigint` it is exact, beyond that only where JSON keeps the
   * digits: from Chrome 114, Firefox 135, Safari 18.4 and Node.js 21 on; elsewhere it is an error.
   */
  int64?: I | undefined
  /**
   * Called once for each deprecated operation that is used, after its first response. What it throws is reported like
   * an uncaught error, and does not affect the call.
   */
  onDeprecated?: ((deprecation: Deprecation) => unknown) | undefined
  /**
   * Checks each received body against its JSON Schema, and returns what is wrong with it, or undefined. The schemas are
   * loaded only with this option, and allow what may be added to responses without breaking a client.
   */
  validate?: ((schema: object, body: unknown) => string | undefined) | undefined
}

/** What the client has to know of an operation. */
export interface Operation {
  readonly method: string
  readonly path: string
  /** By their names in the input. */
  readonly inputs: Readonly<Record<string, Input>>
  /** Where there are large integers in its body. */
  readonly body?: Places
  /** The credentials that it accepts; one of them is enough. */
  readonly credentials?: readonly string[]
  /** By status, `4XX` or `default`. */
  readonly responses: Readonly<Record<string, { readonly body?: Places; readonly isList?: true }>>
  readonly deprecated?: { readonly since?: string; readonly removalDate?: string; readonly replacedBy?: string }
}
interface Input {
  readonly in: 'path' | 'query' | 'header'
  /** The parameter's name, if the input has another. */
  readonly name?: string
  /** Whether an array is sent as `a,b`. */
  readonly commas?: true
  readonly int64?: true
}
type Values = Readonly<Record<string, unknown>>
type HeaderValues = Readonly<Record<string, string>>
type Call = (input?: Values, callOptions?: CallOptions) => Promise<AnyResponse>
type AnyResponse = ClientResponse<number, unknown>

/** What the calls of one operation share. */
interface Context {
  operationId: string
  operation: Operation
  base: string
  credentials: Readonly<Record<string, Credential | undefined>>
  loadSchemas: () => Promise<Readonly<Record<string, Readonly<Record<string, object>>>>>
  options: CommonOptions<Int64>
  reportDeprecation: ReturnType<typeof deprecationReporter>
  fail: (kind: ClientErrorKind, message: string, details?: ErrorDetails) => ClientError
}

/** One function for every operation, which the generated types describe. */
export const connect = (
  operations: Readonly<Record<string, Operation>>,
  credentials: Context['credentials'],
  loadSchemas: Context['loadSchemas'],
  options: CommonOptions<Int64>
): Record<string, Call> => {
  const base = absolute(options.baseUrl)
  const reportDeprecation = deprecationReporter(options.onDeprecated)
  const shared = { base, credentials, loadSchemas, options, reportDeprecation }
  return Object.fromEntries(
    Object.entries(operations).map(([operationId, operation]) => {
      const fail: Context['fail'] = (kind, message, details) => new ClientError(operationId, kind, message, details)
      return [operationId, callOf({ ...shared, operationId, operation, fail })]
    })
  )
}

const callOf = (context: Context): Call => {
  const isList = Object.values(context.operation.responses).some(each => each.isList)
  return (input = {}, callOptions = {}) => {
    const request = (url?: string) => exchange(context, input, callOptions, url)
    const first = request()
    return isList ? Object.assign(first, { [Symbol.asyncIterator]: () => items(context, first, request) }) : first
  }
}

/** Sends one request, to `url` if it is given, and returns its response if the contract declares it. */
const exchange = async (
  context: Context,
  input: Values,
  { signal, timeoutMs = context.options.timeoutMs, retries = context.options.retries, headers }: CallOptions,
  url: string | undefined
): Promise<AnyResponse> => {
  const { operationId, operation, base, fail } = context
  if (timeoutMs !== undefined && !(timeoutMs > 0))
    throw fail('invalid-input', `cannot be called: timeoutMs is ${timeoutMs}, but must be greater than 0`)
  let prepared: Prepared
  try {
    prepared = prepare(operation, input, base)
  } catch (cause) {
    const kind = cause instanceof Unfit ? cause.kind : 'invalid-input'
    throw fail(kind, `cannot be called: ${messageOf(cause)}`, { cause })
  }
  if (url !== undefined) prepared.url = url
  const late = () => fail('timeout', `got no complete response from ${shortened(prepared.url)} within ${timeoutMs} ms`)
  return limited(signal, timeoutMs, late, async ending => {
    const begunMs = performance.now()
    const limits = retries !== false && isRepeatable(operation) ? { ...retries } : { max: 0 }
    for (let tried = 0; ; tried++) {
      const again = (response?: Response) => delayBeforeRetry(response, tried, performance.now() - begunMs, limits)
      let delayMs: number | undefined
      try {
        const response = await send(context, prepared, headers, ending)
        delayMs = again(response)
        if (delayMs === undefined) {
          context.reportDeprecation(operationId, operation, response)
          return await read(context, response)
        }
        // Frees the connection.
        response.body?.cancel().catch(() => {})
      } catch (error) {
        delayMs = error instanceof ClientError && error.kind === 'network' && !ending.aborted ? again() : undefined
        if (delayMs === undefined) throw error
      }
      await pause(delayMs, ending)
    }
  })
}

const idempotencyKey = ({ inputs }: Operation): string | undefined =>
  Object.entries(inputs)
    .map(([key, { in: place, name = key }]) => (place === 'header' ? name : ''))
    .find(name => /^idempotency-key$/i.test(name))

const isRepeatable = (operation: Operation): boolean =>
  /^(GET|PUT|DELETE)$/.test(operation.method) || idempotencyKey(operation) !== undefined

/** A request without its credential. */
interface Prepared {
  url: string
  headers: HeaderValues
  body: string | undefined
}

const prepare = (operation: Operation, input: Values, base: string): Prepared => {
  const inPath = new Map<string, string>()
  const query: string[] = []
  const headers: [string, string][] = []
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined || (key === 'body' && operation.body !== undefined)) continue
    const described = own(operation.inputs, key)
    if (described === undefined) throw new TypeError(`unknown input ${key}; ${inputNames(operation)}`)
    const name = described.name ?? key
    const texts = [value].flat().map(each => parameterText(key, each, described.int64))
    if (described.in === 'path') inPath.set(name, texts.join())
    else if (described.in === 'header') headers.push([name, texts.join()])
    else {
      const encoded = texts.map(encodeURIComponent)
      const values = described.commas && encoded.length > 0 ? [encoded.join()] : encoded
      query.push(...values.map(each => `${encodeURIComponent(name)}=${each}`))
    }
  }
  const path = operation.path.replace(/\{([^{}]+)\}/g, (_all, name: string) => {
    const text = inPath.get(name) ?? ''
    // In a URL, `.` and `..` are steps, however they are encoded.
    if (!['', '.', '..'].includes(text)) return encodeURIComponent(text)
    throw new TypeError(`${name} is ${JSON.stringify(text)}, which would change the path`)
  })
  const keyName = idempotencyKey(operation)
  if (keyName !== undefined && !headers.some(([name]) => name === keyName)) headers.push([keyName, randomUuid()])
  return {
    url: `${base}${path}${query.length > 0 ? '?' : ''}${query.join('&')}`,
    headers: Object.fromEntries(headers),
    body: operation.body && input.body !== undefined ? bodyText(input.body, operation.body) : undefined
  }
}

const inputNames = ({ inputs, body }: Operation) => {
  const names = [...Object.keys(inputs), ...(body === undefined ? [] : ['body'])]
  return names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`
}

const parameterText = (key: string, value: unknown, int64 = false): string => {
  if (int64 && typeof value === 'number' && !Number.isSafeInteger(value)) throw new Unfit(unsafe(key, value))
  if (['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return String(value)
  throw new TypeError(
    `${key} is ${value === null ? 'null' : `of type ${typeof value}`}, which is not allowed for a parameter`
  )
}

// The limit of timers: almost 25 days.
const longestMs = 2 ** 31 - 1

/** The result of `work`, unless signal or timeout come first: then its own signal aborts, and nothing waits for it. */
const limited = async <T>(
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
  late: () => Error,
  work: (ending: AbortSignal) => Promise<T>
): Promise<T> => {
  signal?.throwIfAborted()
  const ending = new AbortController()
  const ended = new Promise<never>((_resolve, reject) => {
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason))
  })
  const abort = () => ending.abort(signal?.reason)
  signal?.addEventListener('abort', abort)
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => ending.abort(late()), Math.min(timeoutMs, longestMs))
  try {
    return await Promise.race([work(ending.signal), ended])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

const send = async (
  { operation, credentials, options, fail }: Context,
  { url, headers, body }: Prepared,
  further: HeaderValues | undefined,
  signal: AbortSignal
): Promise<Response> => {
  const credential = await authorization(operation, credentials, fail)
  let request: Request
  let response: Response
  try {
    const sent = new Headers(body === undefined ? {} : { 'content-type': 'application/json' })
    // Each replaces an earlier one of its name, in whatever case that is written.
    for (const [name, value] of Object.entries({ ...headers, ...credential, ...further })) sent.set(name, value)
    request = new Request(url, {
      method: operation.method,
      headers: sent,
      ...(body !== undefined && { body }),
      signal,
      redirect: operation.method === 'GET' && !declaresRedirect(operation) ? 'follow' : 'manual'
    })
  } catch (cause) {
    throw fail('invalid-input', `cannot be called: ${messageOf(cause)}`, { cause })
  }
  try {
    response = await (options.fetch ?? globalThis.fetch)(request)
  } catch (cause) {
    throw fail('network', `got no response from ${shortened(url)}: ${messageOf(cause)}`, { cause })
  }
  received.set(response, { url: response.url || url, text: '' })
  return response
}

/** The header with the first credential that there is. */
const authorization = async (
  operation: Operation,
  credentials: Context['credentials'],
  fail: Context['fail']
): Promise<HeaderValues> => {
  for (const name of operation.credentials ?? []) {
    const given = credentials[name]
    const secret = typeof given === 'function' ? await given() : given
    if (secret === undefined) continue
    // The error about an invalid header would contain the secret.
    if (/^[\x21-\x7e]+$/.test(secret)) return { authorization: `Bearer ${secret}` }
    throw fail(
      'invalid-input',
      `cannot be called: ${name} must consist of visible ASCII characters, without the word Bearer`
    )
  }
  return {}
}

/** Whether a redirect is a result, and so must not be followed. */
const declaresRedirect = ({ responses }: Operation) =>
  Object.keys(responses).some(each => /^3/.test(each) && each !== '304')

const read = async (context: Context, response: Response): Promise<AnyResponse> => {
  const { operation, fail } = context
  const { status, headers } = response
  const text = await textOf(response, fail)
  const range = rangeOf(operation, status)
  if (range === undefined) throw fail('undeclared-status', `got ${described(response, undeclared)}`, { response })
  const places = operation.responses[range]?.body
  const isEmpty = places === undefined || [204, 205, 304].includes(status)
  return { status, headers, response, body: isEmpty ? undefined : await bodyOf(context, response, text, range, places) }
}

const textOf = async (response: Response, fail: Context['fail']): Promise<string> => {
  try {
    const text = await response.text()
    received.set(response, { url: urlOf(response), text })
    return text
  } catch (cause) {
    const message = `got ${response.status}, but the response broke off: ${messageOf(cause)}`
    throw fail('network', message, { cause, response })
  }
}

const bodyOf = async (
  { operationId, loadSchemas, options, fail }: Context,
  response: Response,
  text: string,
  range: string,
  places: Places
): Promise<unknown> => {
  const rejected = (kind: ClientErrorKind, why: string, cause?: unknown) =>
    fail(kind, `got ${response.status} with ${why}`, { response, cause })
  if (text.trim() === '') throw rejected('not-json', 'an empty body instead of JSON')
  const type = response.headers.get('content-type') ?? 'no content type'
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw rejected('not-json', `${type} instead of application/json: ${beginning(text)}`)
  let body: unknown
  try {
    body = parseBody(text, places, options.int64 ?? 'number')
  } catch (cause) {
    if (cause instanceof Unfit) throw rejected(cause.kind, `a body that cannot be read: ${cause.message}`)
    throw rejected('not-json', `a body that is not JSON: ${beginning(text)}`, cause)
  }
  if (options.validate !== undefined) {
    const schema = (await loadSchemas())[operationId]?.[range] ?? {}
    const complaint = options.validate(schema, JSON.parse(text))
    if (complaint !== undefined) throw rejected('invalid-body', `a body that breaks the contract: ${complaint}`)
  }
  return body
}

/** The items of all pages. */
async function* items(
  { base, fail }: Context,
  first: Promise<AnyResponse>,
  request: (url: string) => Promise<AnyResponse>
) {
  const visited = new Set<string>()
  let page = await first
  for (;;) {
    const { body, response } = page
    if (!response.ok) throw fail('error-status', `got ${described(response)}`, { response })
    if (body === undefined) return
    if (!Array.isArray(body))
      throw fail('invalid-body', `got ${response.status} with a body that is not a list`, { response })
    yield* body
    visited.add(urlOf(response))
    const next = nextPage(response, base, fail)
    if (next === undefined) return
    if (visited.has(next)) throw fail('invalid-link', `got a Link back to ${shortened(next)}`, { response })
    visited.add(next)
    page = await request(next)
  }
}

const nextPage = (response: Response, base: string, fail: Context['fail']): string | undefined => {
  let next: URL | undefined
  try {
    next = linked(response, 'next')
  } catch (cause) {
    throw fail('invalid-link', `got an unreadable Link: ${messageOf(cause)}`, { cause, response })
  }
  if (next === undefined) return undefined
  const { origin } = new URL(base)
  // It would get the credential.
  if (next.origin !== origin)
    throw fail('invalid-link', `got a Link to ${shortened(next.href)}, away from ${origin}`, { response })
  // None of these belongs to a request.
  next.username = next.password = next.hash = ''
  return next.href
}

/** What declares a status: `404`, `4XX` or `default`. In a browser, a redirect that is not followed has the status 0. */
const rangeOf = ({ responses }: Operation, status: number) =>
  status === 0
    ? undefined
    : [`${status}`, `${`${status}`[0]}XX`, 'default'].find(each => Object.hasOwn(responses, each))

const urlOf = (response: Response) => received.get(response)?.url ?? response.url

/** The target of the first link with this relation. */
const linked = (response: Response, rel: string): URL | undefined => {
  const link = parseLinks(response.headers.get('link') ?? '').find(({ rels }) => rels.includes(rel))
  return link && new URL(link.target, urlOf(response))
}

const deprecationReporter = (hook: CommonOptions<Int64>['onDeprecated']) => {
  const reported = new Set<string>()
  return (operationId: string, { deprecated }: Operation, response: Response) => {
    const header = response.headers.get('deprecation')
    const sunset = response.headers.get('sunset')
    const isDeprecated = deprecated !== undefined || header !== null || sunset !== null
    if (hook === undefined || !isDeprecated || reported.has(operationId)) return
    reported.add(operationId)
    const url = (rel: string) => {
      try {
        return linked(response, rel)?.href
      } catch {
        return undefined
      }
    }
    const deprecation = {
      operationId,
      // RFC 9745: seconds since 1970, as a structured field.
      since: dayOf(Number(/^@(-?\d+)/.exec(header ?? '')?.[1]) * 1000) ?? deprecated?.since,
      removalDate: dayOf(Date.parse(sunset ?? '')) ?? deprecated?.removalDate,
      replacedBy: deprecated?.replacedBy ?? url('successor-version'),
      page: url('deprecation') ?? url('sunset')
    }
    const { reportError = console.error } = globalThis as { reportError?: (error: unknown) => void }
    new Promise(resolve => resolve(hook(deprecation))).catch(reportError)
  }
}

/** As in `2030-12-05`. */
const dayOf = (milliseconds: number): string | undefined => {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, 10)
}

/** @throws TypeError if paths cannot be appended to it */
const absolute = (baseUrl: string): string => {
  const { document, location } = globalThis as { document?: { baseURI: string }; location?: { href: string } }
  const page = document?.baseURI ?? location?.href
  let url: URL
  try {
    url = new URL(baseUrl, page)
  } catch (cause) {
    const wanted = page === undefined ? 'an absolute URL, like https://animals.example/v1,' : 'a URL'
    throw new TypeError(`baseUrl is ${JSON.stringify(baseUrl)}; ${wanted} is expected`, { cause })
  }
  const { protocol, username, password, search, hash, origin, pathname } = url
  if (!/^https?:$/.test(protocol) || username + password + search + hash !== '')
    throw new TypeError(`baseUrl must be an http or https URL without user, query or fragment`)
  return origin + pathname.replace(/\/+$/, '')
}

/** Without the query, which may hold what somebody searched for. */
const shortened = (url: string) => url.replace(/[?#].*/, '')

const undeclared = ', which the contract does not declare'

/** The status, and the message of the response. */
const described = (response: Response, addition = ''): string => {
  if (response.status === 0) return 'a redirect, which the client does not follow and a browser does not show'
  const text = received.get(response)?.text ?? ''
  const { code, message, detail, title } = (jsonOf(text) ?? {}) as Values
  const location = response.headers.get('location')
  const words =
    [message, detail, title].find(each => typeof each === 'string') ??
    (beginning(text) || (location === null ? '' : `it leads to ${location}`))
  const status = typeof code === 'string' ? `${response.status} ${code}` : `${response.status}`
  return words === '' ? status + addition : `${status}${addition}: ${words}`
}

const beginning = (text: string) => {
  const line = text.trim().replace(/\s+/g, ' ')
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}

const messageOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  const { message, code } = cause as Error & { code?: string }
  // Only the cause of an error of Node's `fetch` tells what happened.
  return [message || code, ...(cause.cause === undefined ? [] : [messageOf(cause.cause)])].join(': ')
}

const jsonOf = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
