import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalidRequest, shortened } from '../../src/engine/errors.ts'
import { closeIfUnread, identitySerializer, sendError } from '../../src/engine/http/error-body.ts'
import type { Mock } from '../../src/engine/operations/routes.ts'
import { jsonText } from '../document/json.ts'
import { type Example, examplesOf } from './examples.ts'
import { readPreferences } from './preferences.ts'

/** The longest that an answer can be held back, in seconds. */
const longestDelay = 60

/**
 * Answers with the contract's examples: what a request prefers, and what has no handler yet.
 * - `Prefer: code=503` is the answer with this status, `example=NAME` the example of this name, as Prism has them;
 * - `Prefer: delay=2.5` holds any answer back for so many seconds. RFC 7240's `wait` is how long the client has patience,
 *   another thing, and is ignored like every unknown preference.
 * @param document the contract as parsed from JSON, with integers beyond 2^53 as bigint
 * @param ending what ends all delays
 */
export const mockOf = (document: unknown, ending: AbortSignal): Mock => {
  const examples = examplesOf(document)

  return {
    headers: { requestHeaders: ['Prefer'], responseHeaders: ['Preference-Applied'] },

    standIn({ operationId }, hasHandler) {
      const own = examples.get(operationId)
      const success = hasHandler ? undefined : own?.lowest(200, 299)
      const announced = hasHandler || success ? undefined : own?.lowest(501, 501)
      return {
        preParsing: async (request, reply) => {
          try {
            const { code, example, seconds, applied } = preferencesOf(request)
            const isChosen = code !== undefined || example !== undefined
            const answer = isChosen ? own?.choose({ code, example }) : announced
            if (applied !== '') reply.header('preference-applied', applied)
            if (seconds > 0) await delay(seconds * 1000, undefined, { signal: ending }).catch(() => {})
            if (answer !== undefined) return send(answer, request, reply)
          } catch (error) {
            // Whatever the operation declares: that there are preferences is no part of the contract.
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
  // What is announced on every answer of an operation is more than an example.
  for (const [name, value] of Object.entries(headers)) if (!reply.hasHeader(name)) reply.header(name, value)
  closeIfUnread(request, reply)
  if (body === undefined) return reply.send()
  return reply.header('content-type', 'application/json').serializer(identitySerializer).send(jsonText(body))
}
