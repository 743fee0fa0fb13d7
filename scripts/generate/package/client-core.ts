import type { Answer } from './client-answers.ts'
import { bodyText, type Int64, own, type Places, parseBody, Unfit, unsafe } from './client-integers.ts'
import { parseLinks } from './client-links.ts'

export type { Answer, AnswersOf } from './client-answers.ts'
export type { Int64, Places } from './client-integers.ts'

/** What went wrong: see `ClientError`. */
export type ClientErrorKind =
  /** Not sent: an input that no request can carry, or that the operation does not have. */
  | 'invalid-input'
  /** No answer, or one that broke off; `cause` is what `fetch` said. */
  | 'network'
  /** No whole answer within `timeoutMs`. */
  | 'timeout'
  /** An answer with a status that the contract does not declare for the operation. */
  | 'undeclared-status'
  /** While iterating over a list: a page was answered with an error. */
  | 'error-status'
  /** The body is empty, no JSON, or of another media type, where the contract declares JSON. */
  | 'not-json'
  /** An integer that would have to be rounded; `createClient({ int64: 'bigint' })` keeps those of format int64. */
  | 'inexact'
  /** The body is not what the contract says; looked for with the option `validate`. */
  | 'invalid-body'
  /** While iterating over a list: a `Link` header that cannot be read, or that nobody should follow. */
  | 'invalid-link'

/** Why a call has no result. Its message is one sentence, with the operation, the status and what the server says. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly operationId: string
  readonly kind: ClientErrorKind
  /** Of the answer, if there is one. */
  readonly status: number | undefined
  /** The answer's body, if it is JSON; a number beyond ±(2^53 − 1) in it may be rounded. */
  readonly body: unknown
  /** The answer's body as it came. */
  readonly text: string | undefined
  /** The response, whose body has been read. */
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
/** What a response no longer gives: a body can be read once, and a response made by hand has no URL. */
const received = new WeakMap<Response, { address: string; text: string }>()

/**
 * The first page's response to `await`, and the items of all pages to `for await`; the first request is sent once. A page
 * that is not a list ends the loop with a `ClientError`. To a browser, a server of another origin has to expose `Link`:
 * without it, every page looks like the last.
 */
export interface List<Result, Item> extends Promise<Result>, AsyncIterable<Item> {}

/** For one call. */
export interface CallOptions {
  /** Ends the call, which then rejects with the signal's `reason`; of a list, all its pages. */
  signal?: AbortSignal | undefined
  /** How long to wait for a complete response, of a list for each page, in milliseconds. */
  timeoutMs?: number | undefined
  /** Further headers; they replace those that the client would send. */
  headers?: Readonly<Record<string, string>> | undefined
}

/** An operation's announced end; dates are days in UTC, as in `2030-12-05`. */
export interface Deprecation {
  operationId: string
  since: string | undefined
  /** It may be removed from this day on. */
  removalDate: string | undefined
  /** The operation to use instead, or its URL where only the server knows it. */
  replacedBy: string | undefined
  /** The URL of a page that explains it, if the server has one. */
  page: string | undefined
}

/** A secret, or a function that gives it, called before each request. */
export type Credential = string | (() => string | undefined | Promise<string | undefined>)

/** The options of every client. */
export interface CommonOptions<I extends Int64> {
  /** In a browser it may be relative to the page. */
  baseUrl: string
  /** Replaces the global one: for a proxy, retries, a log, tests. */
  fetch?: ((request: Request) => Promise<Response>) | undefined
  /** For calls without their own, in milliseconds; without it a call waits as long as `fetch` does. */
  timeoutMs?: number | undefined
  /**
   * What an integer of format int64 is, in what is sent and received. As a `number`, which is the default, one beyond
   * ±(2^53 − 1) is an error, since it would be rounded. As a `bigint` it is exact, beyond that only where JSON keeps the
   * digits: from Chrome 114, Firefox 135, Safari 18.4 and Node.js 21 on; elsewhere it is an error.
   */
  int64?: I | undefined
  /**
   * Called once for each deprecated operation that is used, when its first answer is there. What it throws is reported
   * as uncaught errors are, and does not concern the call.
   */
  onDeprecated?: ((deprecation: Deprecation) => unknown) | undefined
  /**
   * Holds every body that is received against its JSON Schema; gives what is wrong with it, or undefined. The schemas
   * are loaded only with this option, and allow what may be added to answers without breaking a client.
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
  /** The credentials that it takes; one of them is enough. */
  readonly credentials?: readonly string[]
  /** By status, `4XX` or `default`. */
  readonly answers: Readonly<Record<string, { readonly body?: Places; readonly isList?: true }>>
  readonly deprecated?: { readonly since?: string; readonly removalDate?: string; readonly replacedBy?: string }
}
interface Input {
  readonly in: 'path' | 'query' | 'header'
  /** Where the input is called otherwise. */
  readonly name?: string
  /** Whether an array is sent as `a,b`. */
  readonly commas?: true
  readonly int64?: true
}
type Values = Readonly<Record<string, unknown>>
type AnyAnswer = Answer<number, unknown>

/** What goes over the wire, but for the credential. */
interface Prepared {
  address: string
  headers: Readonly<Record<string, string>>
  body: string | undefined
}

/** One function for every operation, which the generated types describe. */
export const connect = (
  operations: Readonly<Record<string, Operation>>,
  credentials: Readonly<Record<string, Credential | undefined>>,
  loadSchemas: () => Promise<Readonly<Record<string, Readonly<Record<string, object>>>>>,
  options: CommonOptions<Int64>
): Record<string, (input?: Values, callOptions?: CallOptions) => Promise<AnyAnswer>> => {
  const base = absolute(options.baseUrl)
  const report = deprecationReporter(options.onDeprecated)

  const callerOf = (operationId: string, operation: Operation) => {
    const fail = (kind: ClientErrorKind, message: string, details?: ErrorDetails) =>
      new ClientError(operationId, kind, message, details)

    const call = (input: Values = {}, callOptions: CallOptions = {}) => {
      const answer = exchange(() => prepare(operation, input, base), callOptions)
      if (!Object.values(operation.answers).some(each => each.isList)) return answer
      return Object.assign(answer, { [Symbol.asyncIterator]: () => items(answer, input, callOptions) })
    }

    /** Sends one request, and gives its response if the contract declares it. */
    const exchange = async (preparing: () => Prepared, callOptions: CallOptions): Promise<AnyAnswer> => {
      const { signal, timeoutMs = options.timeoutMs } = callOptions
      if (timeoutMs !== undefined && !(timeoutMs > 0))
        throw fail('invalid-input', `cannot be called: timeoutMs is ${timeoutMs}, but must be greater than 0`)
      const prepared = withoutFault(preparing)
      const late = () =>
        fail('timeout', `got no complete response from ${shortened(prepared.address)} within ${timeoutMs} ms`)
      return limited(signal, timeoutMs, late, async ending => {
        const response = await send(prepared, await authorization(), callOptions.headers, ending)
        received.set(response, { address: response.url || prepared.address, text: '' })
        report(operationId, operation, response)
        return read(response, await textOf(response))
      })
    }

    const withoutFault = (preparing: () => Prepared): Prepared => {
      try {
        return preparing()
      } catch (cause) {
        const kind = cause instanceof Unfit ? cause.kind : 'invalid-input'
        throw fail(kind, `cannot be called: ${messageOf(cause)}`, { cause })
      }
    }

    const authorization = async (): Promise<Record<string, string>> => {
      for (const name of operation.credentials ?? []) {
        const given = credentials[name]
        const secret = typeof given === 'function' ? await given() : given
        if (secret === undefined) continue
        // The error about an invalid header would hold the secret.
        if (/^[\x21-\x7e]+$/.test(secret)) return { authorization: `Bearer ${secret}` }
        throw fail(
          'invalid-input',
          `cannot be called: ${name} must consist of visible ASCII characters, without the word Bearer`
        )
      }
      return {}
    }

    const send = async (
      { address, headers, body }: Prepared,
      credential: Readonly<Record<string, string>>,
      further: Readonly<Record<string, string>> | undefined,
      signal: AbortSignal
    ): Promise<Response> => {
      let request: Request
      try {
        const sent = new Headers(body === undefined ? {} : { 'content-type': 'application/json' })
        // Each replaces an earlier one of its name, in whatever case that is written.
        for (const [name, value] of Object.entries({ ...headers, ...credential, ...further })) sent.set(name, value)
        request = new Request(address, {
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
        return await (options.fetch ?? globalThis.fetch)(request)
      } catch (cause) {
        throw fail('network', `got no response from ${shortened(address)}: ${messageOf(cause)}`, { cause })
      }
    }

    const textOf = async (response: Response): Promise<string> => {
      try {
        const text = await response.text()
        received.set(response, { address: addressOf(response), text })
        return text
      } catch (cause) {
        const message = `got ${response.status}, but the response broke off: ${messageOf(cause)}`
        throw fail('network', message, { cause, response })
      }
    }

    const read = async (response: Response, text: string): Promise<AnyAnswer> => {
      const { status, headers } = response
      const range = rangeOf(operation, status)
      if (range === undefined) throw fail('undeclared-status', `got ${described(response, undeclared)}`, { response })
      const places = operation.answers[range]?.body
      const isEmpty = places === undefined || [204, 205, 304].includes(status)
      return { status, headers, response, body: isEmpty ? undefined : await bodyOf(response, text, range, places) }
    }

    const bodyOf = async (response: Response, text: string, range: string, places: Places): Promise<unknown> => {
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
    async function* items(first: Promise<AnyAnswer>, input: Values, callOptions: CallOptions) {
      const visited = new Set<string>()
      let answer = await first
      for (;;) {
        const { body, response } = answer
        if (!response.ok) throw fail('error-status', `got ${described(response)}`, { response })
        if (body === undefined) return
        if (!Array.isArray(body))
          throw fail('invalid-body', `got ${response.status} with a body that is not a list`, { response })
        yield* body
        visited.add(addressOf(response))
        const next = nextPage(response)
        if (next === undefined) return
        if (visited.has(next)) throw fail('invalid-link', `got a Link back to ${shortened(next)}`, { response })
        visited.add(next)
        answer = await exchange(() => ({ ...prepare(operation, input, base), address: next }), callOptions)
      }
    }

    const nextPage = (response: Response): string | undefined => {
      let next: URL | undefined
      try {
        next = linked(response, 'next')
      } catch (cause) {
        throw fail('invalid-link', `got an unreadable Link: ${messageOf(cause)}`, { cause, response })
      }
      if (next === undefined) return undefined
      const { origin } = new URL(base)
      // The credential would go there.
      if (next.origin !== origin)
        throw fail('invalid-link', `got a Link to ${shortened(next.href)}, away from ${origin}`, { response })
      // None of these belongs to a request.
      next.username = next.password = next.hash = ''
      return next.href
    }
    return call
  }
  return Object.fromEntries(Object.entries(operations).map(([id, operation]) => [id, callerOf(id, operation)]))
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
    else if (described.commas)
      query.push(
        ...(texts.length > 0 ? [texts.map(encodeURIComponent).join()] : []).map(
          each => `${encodeURIComponent(name)}=${each}`
        )
      )
    else query.push(...texts.map(each => `${encodeURIComponent(name)}=${encodeURIComponent(each)}`))
  }
  const path = operation.path.replace(/\{([^{}]+)\}/g, (_all, name: string) => {
    const text = inPath.get(name) ?? ''
    // In a URL, `.` and `..` are steps, however they are encoded.
    if (!['', '.', '..'].includes(text)) return encodeURIComponent(text)
    throw new TypeError(`${name} is ${JSON.stringify(text)}, which would change the path`)
  })
  return {
    address: `${base}${path}${query.length > 0 ? '?' : ''}${query.join('&')}`,
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

// What timers take: almost 25 days.
const longestMs = 2 ** 31 - 1

/** The work's result, unless the signal or the time ends it before; then it has a signal to end by, and is not waited for. */
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

/** What an answer's status is declared as: `404`, `4XX` or `default`. A browser tells none of a redirect. */
const rangeOf = ({ answers }: Operation, status: number) =>
  status === 0 ? undefined : [`${status}`, `${`${status}`[0]}XX`, 'default'].find(each => Object.hasOwn(answers, each))

/** Whether a redirect is an answer to be seen, and not to be followed. */
const declaresRedirect = ({ answers }: Operation) =>
  Object.keys(answers).some(each => /^3/.test(each) && each !== '304')

const addressOf = (response: Response) => received.get(response)?.address ?? response.url

/** Where the first link of this kind leads. */
const linked = (response: Response, rel: string): URL | undefined => {
  const link = parseLinks(response.headers.get('link') ?? '').find(({ rels }) => rels.includes(rel))
  return link && new URL(link.target, addressOf(response))
}

const deprecationReporter = (hook: CommonOptions<Int64>['onDeprecated']) => {
  const reported = new Set<string>()
  return (operationId: string, { deprecated }: Operation, response: Response) => {
    const header = response.headers.get('deprecation')
    const sunset = response.headers.get('sunset')
    const isDeprecated = deprecated !== undefined || header !== null || sunset !== null
    if (hook === undefined || !isDeprecated || reported.has(operationId)) return
    reported.add(operationId)
    const address = (rel: string) => {
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
      replacedBy: deprecated?.replacedBy ?? address('successor-version'),
      page: address('deprecation') ?? address('sunset')
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

/** @throws TypeError when paths cannot be appended to it */
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

/** Without the query, which holds what somebody looked for. */
const shortened = (address: string) => address.replace(/[?#].*/, '')

const undeclared = ', which the contract does not declare'

/** The status, and the message of the response. */
const described = (response: Response, addition = ''): string => {
  if (response.status === 0) return 'a redirect, which the client does not follow and a browser does not show'
  const text = received.get(response)?.text ?? ''
  const { code, message, detail, title } = (jsonOf(text) ?? {}) as Values
  const location = response.headers.get('location')
  const [words = beginning(text) || (location === null ? '' : `it leads to ${location}`)] = [
    message,
    detail,
    title
  ].filter(each => typeof each === 'string')
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
  // Of Node's `fetch`, only the cause says what it was.
  return [message || code, ...(cause.cause === undefined ? [] : [messageOf(cause.cause)])].join(': ')
}

const jsonOf = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
