import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalidRequest, shortened } from '../../src/engine/errors.ts'
import { closeIfUnread, identitySerializer, sendError } from '../../src/engine/http/error-body.ts'
import type { Mock } from '../../src/engine/operations/routes.ts'
import { jsonText } from '../document/json.ts'
import { type Example, examplesOf } from './examples.ts'
import { readPreferences } from './preferences.ts'

/** In seconds. */
const longestDelay = 60

/**
 * Responds with the contract's examples: those that a request prefers, and for operations without a handler.
 * - `Prefer: code=503` gets the response with this status, `example=NAME` the example of this name, as in Prism;
 * - `Prefer: delay=2.5` delays any response by this many seconds. RFC 7240's `wait`, how long the client is willing to
 *   wait, is ignored like every unknown preference.
 * @param document the contract as parsed from JSON, with integers beyond 2^53 as bigint
 * @param ending ends all delays
 */
export const mockOf = (document: unknown, ending: AbortSignal): Mock => {
  const examples = examplesOf(document)

  return {
    headers: { requestHeaders: ['Prefer'], responseHeaders: ['Preference-Applied'] },

    standIn({ operationId }, hasHandler) {
      const own = examples.get(operationId)
      const success = hasHandler ? undefined : own?.lowest(200, 299)
      const notImplemented = hasHandler || success ? undefined : own?.lowest(501, 501)
      return {
        preParsing: async (request, reply) => {
          try {
            const { code, example, seconds, applied } = preferencesOf(request)
            const isChosen = code !== undefined || example !== undefined
            const shown = isChosen ? own?.choose({ code, example }) : notImplemented
            if (applied !== '') reply.header('preference-applied', applied)
            if (seconds > 0) await delay(seconds * 1000, undefined, { signal: ending }).catch(() => {})
            if (shown !== undefined) return send(shown, request, reply)
          } catch (error) {
            // Even if the operation does not declare this error: preferences are not part of the contract.
            return sendError(error, request, reply)
          }
        },
        handler: success && (async () => success)
      }
    }
  }
}

const preferencesOf = ({ headers }: FastifyRequest) => {
  const all = readable(String(headers.prefer ?? ''))
  const [code, example, delay] = [all.get('code'), all.get('example'), all.get('delay')]
  const seconds = delay === undefined ? 0 : /^\d{1,3}(\.\d{1,3})?$/.test(delay) ? Number(delay) : Number.NaN
  if (!(seconds <= longestDelay))
    throw invalidRequest(
      `Prefer: delay must be a number of seconds from 0 to ${longestDelay}, not ${shortened(delay ?? '')}.`
    )
  const applied = Object.entries({ code, example, delay })
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${isToken.test(value) ? value : quoted(value)}`]))
    .join(', ')
  return { code, example, seconds, applied }
}

const readable = (header: string) => {
  try {
    return readPreferences(header)
  } catch (error) {
    const rest = shortened((error as Error).message)
    throw invalidRequest(`Prefer cannot be read from ${rest} on: it is a list of NAME=VALUE, separated by commas.`)
  }
}

const isToken = /^[!#$%&'*+.^_`|~\w-]+$/
const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`

const send = ({ status, headers, body }: Example, request: FastifyRequest, reply: FastifyReply) => {
  reply.code(status)
  // Lifecycle headers, which are already set, are not replaced by their examples.
  for (const [name, value] of Object.entries(headers)) if (!reply.hasHeader(name)) reply.header(name, value)
  closeIfUnread(request, reply)
  if (body === undefined) return reply.send()
  return reply.header('content-type', 'application/json').serializer(identitySerializer).send(jsonText(body))
}
