import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { shortened } from '../api-keys/hidden-keys.ts'
import type { AnyOperation } from '../contract/contract.ts'
import { invalidRequest, notImplemented as notImplementedError } from '../errors/api-error.ts'
import { closeIfUnread, identitySerializer, sendError } from '../http/error-body.ts'
import { isSendable } from '../node/http.ts'
import { exactJson } from '../node/json.ts'
import type { Mock } from '../operations/routes.ts'
import { examplesOf } from './examples.ts'

/** In seconds. */
const longestDelay = 60

/** Responses for what has no example. */
export interface Made {
  /**
   * A response with this status, by default a success; a random one if `isNew`. Its media type is one of the declared ones that
   * are `accepted`, by default any. `undefined` if none can be made.
   */
  reply(
    operation: AnyOperation,
    code: string | undefined,
    isNew: boolean,
    accepted?: readonly string[]
  ): Shown | undefined
}

/**
 * Responds with the contract's examples: those that a request prefers, and for operations without a handler.
 * - `Prefer: code=503` gets the response with this status, `example=NAME` the example of this name, as in Prism;
 * - `Prefer: delay=2.5` delays any response by this many seconds. RFC 7240's `wait`, how long the client is willing to
 *   wait, is ignored like every unknown preference;
 * - with `made`, `Prefer: dynamic` gets random values, and responses without an example get generated ones.
 */
export const mockOf = ({ document, ending, readPreferences, made }: MockParts): Mock => {
  const preferencesOf = preferencesWith(readPreferences)
  let known: ReturnType<typeof examplesOf> | undefined
  const examplesFor = ({ operationId }: AnyOperation) => {
    known ??= examplesOf(document())
    return known.get(operationId)
  }

  return {
    headers: { requestHeaders: ['Prefer'], responseHeaders: ['Preference-Applied'] },

    standIn(operation, hasHandler) {
      // Operations that are only announced respond with 501 to any request.
      const isMade = made !== undefined && !hasHandler && Object.keys(operation.responses).some(isServed)
      const own = hasHandler || made ? undefined : examplesFor(operation)
      const success = own?.lowest(200, 299)
      const notImplemented = success ? undefined : own?.lowest(501, 501)
      const chosen = ({ code, example, isDynamic }: Preferences): Shown | undefined =>
        (example === undefined ? made?.reply(operation, code, isDynamic) : undefined) ??
        examplesFor(operation)?.choose({ code, example })
      return {
        preParsing: async (request, reply) => {
          try {
            const preferences = preferencesOf(request, made !== undefined)
            const { code, example, seconds, applied } = preferences
            const isChosen = code !== undefined || example !== undefined
            const shown = isChosen ? chosen(preferences) : notImplemented
            if (applied !== '') reply.header('preference-applied', applied)
            if (seconds > 0) await delay(seconds * 1000, undefined, { signal: ending }).catch(() => {})
            if (shown !== undefined) return send(shown, request, reply)
          } catch (error) {
            // Even if the operation does not declare this error: preferences are not part of the contract.
            return sendError(error, request, reply)
          }
        },
        ...(isMade && {
          preHandler: async (request: FastifyRequest, reply: FastifyReply) => {
            const { isDynamic } = preferencesOf(request, true)
            const shown = made.reply(operation, undefined, isDynamic, request.accepted)
            return shown === undefined
              ? sendError(notImplementedError(operation.operationId), request, reply)
              : send(shown, request, reply)
          }
        }),
        handler: isMade ? unreachable : success && (async () => success)
      }
    }
  }
}

export interface MockParts {
  /** Parses the contract's JSON, with integers beyond 2^53 as bigint; called once the first example is needed. */
  document: () => unknown
  /** Ends all delays. */
  ending: AbortSignal
  readPreferences: ReadPreferences
  /** Without it, only what has an example is served. */
  made?: Made
}

/** The values of a header `Prefer` by name, empty for a name alone. @throws SyntaxError with the rest that cannot be read */
export type ReadPreferences = (header: string) => ReadonlyMap<string, string>

const isServed = (status: string) => /^[23]|^default$/.test(status)

/** Never called: the generated response is sent before. */
const unreachable = async () => ({ status: 501 })

type Preferences = ReturnType<ReturnType<typeof preferencesWith>>

const preferencesWith =
  (readPreferences: ReadPreferences) =>
  ({ headers }: FastifyRequest, mayBeDynamic: boolean) => {
    const all = readable(String(headers.prefer ?? ''), readPreferences)
    const [code, example, delay] = [all.get('code'), all.get('example'), all.get('delay')]
    const dynamic = mayBeDynamic ? all.get('dynamic') : undefined
    const seconds = delay === undefined ? 0 : /^\d{1,3}(\.\d{1,3})?$/.test(delay) ? Number(delay) : Number.NaN
    if (!(seconds <= longestDelay))
      throw invalidRequest(
        `Prefer: delay must be a number of seconds from 0 to ${longestDelay}, not ${shortened(delay ?? '')}.`
      )
    const applied = Object.entries({ code, example, delay, dynamic })
      .flatMap(([name, value]) => (value === undefined ? [] : [value === '' ? name : `${name}=${written(value)}`]))
      .join(', ')
    return { code, example, seconds, applied, isDynamic: dynamic !== undefined && dynamic !== 'false' }
  }

const readable = (header: string, readPreferences: ReadPreferences) => {
  try {
    return readPreferences(header)
  } catch (error) {
    const rest = shortened((error as Error).message)
    throw invalidRequest(`Prefer cannot be read from ${rest} on: it is a list of NAME=VALUE, separated by commas.`)
  }
}

const written = (value: string) => (isToken.test(value) ? value : quoted(value))
const isToken = /^[!#$%&'*+.^_`|~\w-]+$/
const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`

/** A response to send. */
export interface Shown {
  status: number
  headers: Readonly<Record<string, string | number>>
  /** The media type of the body; JSON if it is not given. */
  type?: string
  body?: unknown
}

const send = (
  { status, headers, type = 'application/json', body }: Shown,
  request: FastifyRequest,
  reply: FastifyReply
) => {
  reply.code(status)
  // Lifecycle headers are already set, and their examples must not replace them. Some examples HTTP cannot carry at all.
  for (const [name, value] of Object.entries(headers))
    if (!reply.hasHeader(name) && isSendable(name, value)) reply.header(name, value)
  closeIfUnread(request, reply)
  if (body === undefined) return reply.send()
  const text = /[/+]json\b/.test(type) ? exactJson(body) : body
  return reply.header('content-type', type).serializer(identitySerializer).send(text)
}
