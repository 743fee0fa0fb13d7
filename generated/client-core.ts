// Copied from @contract-first/generator/package/client-core.ts by `npm run generate`: do not edit it.

import {
  beginning,
  ClientError,
  type ClientErrorKind,
  described,
  type Fail,
  messageOf,
  received,
  shortened,
  successful,
  undeclared
} from './client-errors.ts'
import { readBody } from './client-json.ts'
import { type Int64, type Places, Unfit } from './client-places.ts'
import { absolute, type Prepared, prepare } from './client-requests.ts'
import { delayBeforeRetry, pause } from './client-retries.ts'
import type {
  AnyResponse,
  Authorize,
  CallOptions,
  CommonOptions,
  Connection,
  Credential,
  HeaderValues,
  Operation,
  Validate,
  Values
} from './client-types.ts'

export { ClientError, type ClientErrorKind } from './client-errors.ts'
export type { Int64, Places } from './client-places.ts'
export type { ClientResponse, ErrorResult, ResultOf, Success } from './client-responses.ts'
export type { Retries } from './client-retries.ts'
export type * from './client-types.ts'

type AnyCall = (input?: Values, callOptions?: CallOptions) => Promise<AnyResponse>

/** @throws TypeError if paths cannot be appended to `baseUrl` */
export const connect = <I extends Int64>(options: CommonOptions<I>, authorize = bearer): Connection<I> => ({
  base: absolute(options.baseUrl),
  options,
  authorize,
  reported: new Set()
})

/** A connection that checks each received body against its schema; the schemas are loaded only then. */
export const checked = <I extends Int64>(
  connection: Connection<I>,
  validate: Validate,
  loadSchemas: () => Promise<Readonly<Record<string, Readonly<Record<string, object>>>>>
): Connection<I> => ({
  ...connection,
  complaint: async (operationId, range, text) =>
    validate((await loadSchemas())[operationId]?.[range] ?? {}, JSON.parse(text))
})

/** One function for every operation, which the generated types describe. */
export const callsOf = (
  connection: Connection<Int64>,
  operations: Readonly<Record<string, Operation>>
): Record<string, AnyCall> =>
  Object.fromEntries(Object.values(operations).map(each => [each.id, callOf(each).bind(undefined, connection)]))

/** The function that calls an operation, as the generated types describe it; others find the operation there. */
export const callOf = (operation: Operation) =>
  Object.assign(
    (
      connection: Connection<Int64>,
      // Not its type, since comparing that for each operation of a large contract takes long.
      input: unknown = {},
      callOptions: CallOptions = {}
    ): Promise<AnyResponse> => {
      const fail: Fail = (kind, message, details) => new ClientError(operation.id, kind, message, details)
      const request = (of: Values) => exchange({ ...connection, operation, fail }, of, callOptions)
      const first = request(input as Values)
      const orThrow = () => first.then(result => successful(result, fail).body)
      operation.list?.listed(first, input as Values, request, connection.base, fail)
      return Object.assign(first, { orThrow })
    },
    { operation }
  )

/** What a call needs. */
interface Context extends Connection<Int64> {
  operation: Operation
  fail: Fail
}

/** Whether an error is a response that the contract declares for the operation. */
export const isErrorOf = (operationId: string, error: unknown): boolean =>
  error instanceof ClientError && error.operationId === operationId && error.kind === 'error-status'

/** Sends one request, and returns its response if the contract declares it. */
const exchange = async (
  context: Context,
  input: Values,
  { signal, timeoutMs = context.options.timeoutMs, retries = context.options.retries, headers }: CallOptions
): Promise<AnyResponse> => {
  const { operation, base, fail, reported, options } = context
  const { int64 = 'number', onDeprecated } = options
  if (timeoutMs !== undefined && !(timeoutMs > 0))
    throw refused(fail, `timeoutMs is ${timeoutMs}, but must be greater than 0`)
  let prepared: Prepared
  try {
    prepared = await prepare(operation, input, base, int64)
  } catch (cause) {
    throw refused(fail, messageOf(cause), cause)
  }
  const late = () => fail('timeout', `got no complete response from ${shortened(prepared.url)} within ${timeoutMs} ms`)
  return limited(signal, timeoutMs, late, async ending => {
    const begunMs = performance.now()
    const limits = retries !== false && !operation.once ? { ...retries } : { max: 0 }
    for (let tried = 0; ; tried++) {
      const again = (response?: Response) => delayBeforeRetry(response, tried, performance.now() - begunMs, limits)
      let delayMs: number | undefined
      try {
        const response = await send(context, prepared, headers, ending)
        delayMs = again(response)
        if (delayMs === undefined) {
          if (onDeprecated !== undefined)
            (await import('./client-deprecation.ts')).reportDeprecation(onDeprecated, reported, operation, response)
          return await read(context, response, int64, input, prepared.url)
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

/** The error if nothing can be sent. */
const refused = (fail: Fail, why: string, cause?: unknown) =>
  fail(cause instanceof Unfit ? cause.kind : 'invalid-input', `cannot be called: ${why}`, { cause })

// The limit of timers: almost 25 days.
const longestMs = 2 ** 31 - 1

/** The result of `work`, unless the signal or the timeout comes first; then the signal of `work` aborts, and it is not awaited. */
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
  context: Context,
  { url, headers, body }: Prepared,
  further: HeaderValues | undefined,
  signal: AbortSignal
): Promise<Response> => {
  const { operation, authorize, options, fail } = context
  const { withQuery, headers: credential } = await authorize(
    operation.credentials ?? [],
    async name => {
      const given = (options as unknown as Readonly<Record<string, Credential | undefined>>)[name]
      return typeof given === 'function' ? given() : given
    },
    name => refused(fail, `${name} must consist of visible ASCII characters, without the word Bearer`),
    headers
  )
  let request: Request
  let response: Response
  try {
    // Bodies other than texts have their own media type.
    const sent = new Headers(typeof body === 'string' ? { 'content-type': 'application/json' } : {})
    // `set` replaces an earlier header of the same name, whatever its case.
    for (const [name, value] of Object.entries({ ...headers, ...credential, ...further })) sent.set(name, value)
    request = new Request(withQuery?.(url) ?? url, {
      method: operation.method,
      headers: sent,
      body: body ?? null,
      signal,
      redirect: operation.redirect ?? (operation.method === 'GET' ? 'follow' : 'manual')
    })
  } catch (cause) {
    throw refused(fail, messageOf(cause), cause)
  }
  try {
    response = await (options.fetch ?? globalThis.fetch)(request)
  } catch (cause) {
    throw fail('network', `got no response from ${shortened(url)}: ${messageOf(cause)}`, { cause })
  }
  received.set(response, { url: response.url || url, text: '' })
  return response
}

/** The header with the first bearer token that is available. */
const bearer: Authorize = async (names, secretOf, refuse) => {
  for (const name of names.flat() as string[]) {
    const secret = await secretOf(name)
    if (secret === undefined) continue
    // Rejected here, since the error about an invalid header would contain the secret.
    if (!/^[\x21-\x7e]+$/.test(secret)) throw refuse(name)
    return { headers: { authorization: `Bearer ${secret}` } }
  }
  return {}
}

const read = async (
  context: Context,
  response: Response,
  int64: Int64,
  input: Values,
  requested: string
): Promise<AnyResponse> => {
  const { operation, base, fail } = context
  const { status, headers } = response
  const range = rangeOf(operation, status)
  const { body: places, kindOf, read } = operation.responses[`${range}`] ?? { body: {} }
  const isEmpty = places === undefined || [204, 205, 304].includes(status)
  const kind = isEmpty ? undefined : kindOf?.(response)
  const text = typeof kind === 'function' ? '' : await textOf(response, fail)
  if (range === undefined) throw fail('undeclared-status', `got ${described(response, undeclared)}`, { response })
  const body = isEmpty
    ? undefined
    : typeof kind === 'function'
      ? await complete(response, fail, kind)
      : kind === 'text'
        ? text
        : await bodyOf(context, response, text, range, places, kind, read)
  const result = { status, headers, response, body }
  const { list } = operation
  return list && response.ok ? list.withNext(result, operation, input, requested, base, int64, fail) : result
}

const textOf = async (response: Response, fail: Fail): Promise<string> => {
  const text = await complete(response, fail, () => response.text())
  Object.assign(received.get(response) ?? {}, { text })
  return text
}

const complete = async <Body>(response: Response, fail: Fail, read: () => Body): Promise<Awaited<Body>> => {
  try {
    return await read()
  } catch (cause) {
    const message = `got ${response.status}, but the response broke off: ${messageOf(cause)}`
    throw fail('network', message, { cause, response })
  }
}

const bodyOf = async (
  { operation, complaint, options, fail }: Context,
  response: Response,
  text: string,
  range: string,
  places: Places,
  kind: string | undefined,
  readText = readBody
): Promise<unknown> => {
  const rejected = (kind: ClientErrorKind, why: string, cause?: unknown) =>
    fail(kind, `got ${response.status} with ${why}`, { response, cause })
  if (text.trim() === '') throw rejected('not-json', 'an empty body instead of JSON')
  const type = response.headers.get('content-type') ?? 'no content type'
  if (kind !== 'json' && !/^application\/json\s*(;|$)/i.test(type))
    throw rejected('not-json', `${type} ${kind ?? 'instead of application/json'}: ${beginning(text)}`)
  let body: unknown
  try {
    body = await readText(text, places, options.int64 ?? 'number')
  } catch (cause) {
    if (cause instanceof Unfit) throw rejected(cause.kind, `a body that cannot be read: ${cause.message}`)
    throw rejected('not-json', `a body that is not JSON: ${beginning(text)}`, cause)
  }
  const wrong = await complaint?.(operation.id, range, text)
  if (wrong !== undefined) throw rejected('invalid-body', `a body that breaks the contract: ${wrong}`)
  return body
}

/**
 * The key that declares a status: `404`, `4XX` or `default`, which is for the rest beside a declared success. In a browser, a
 * redirect that is not followed has status 0.
 */
const rangeOf = ({ responses, json = [] }: Operation, status: number) => {
  const keys = [...Object.keys(responses), ...json.map(String)]
  const isForRest = status >= 300 || (status > 0 && !/\b2/.test(`${keys}`))
  return [`${status}`, `${`${status}`[0]}XX`, isForRest ? 'default' : ''].find(each => keys.includes(each))
}
