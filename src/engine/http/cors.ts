import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type AnyOperation, type Contract, type Limits, limitsOf } from '../operations/contract.ts'
import { faultOf } from './faults.ts'

export interface CorsOptions {
  contract: Pick<Contract, 'operations' | 'limits'>
  /** Exact origins, or patterns of whole ones. */
  origins: readonly (string | RegExp)[]
  /** Headers beside those of the contract that pages may send, and read. */
  requestHeaders?: readonly string[]
  responseHeaders?: readonly string[]
}

/** Says to which page an answer may be shown. `true` when the browser only wants to know that: a preflight. */
export type CorsHeaders = (request: FastifyRequest, reply: FastifyReply) => boolean

/**
 * Lets pages of these origins call the service and read what it answers, errors included; of others nothing is said.
 * What a browser asks before a request (a preflight) is answered whatever the address: then the page is told of the 404.
 * @fastify/cors would do it with a route for all OPTIONS, where ours are, and does not see paths that cannot be decoded.
 */
export const corsHeaders = (options: CorsOptions): CorsHeaders => {
  const { contract, origins, requestHeaders = [], responseHeaders = [] } = options
  const isAllowed = (origin: string) =>
    origins.some(each => (typeof each === 'string' ? each === origin : each.test(origin)))
  const entries = Object.values(contract.operations)
  const exposed = listOf([...entries.flatMap(responseHeaderNames), 'X-Request-Id', ...responseHeaders])
  const preflight = {
    'access-control-allow-methods': listOf(['HEAD', ...entries.map(each => each.method)]),
    'access-control-allow-headers': listOf([
      'Authorization',
      'Content-Type',
      ...entries.flatMap(requestHeaderNames),
      ...tracingHeaders,
      ...requestHeaders
    ]),
    'access-control-max-age': maxAgeSeconds
  }

  const limits = limitsOf(contract)
  return (request, reply) => {
    reply.header('vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || !isAllowed(origin)) return false
    reply.header('access-control-allow-origin', origin)
    if (!isPreflight(request, limits)) {
      reply.header('access-control-expose-headers', exposed)
      return false
    }
    reply.headers(preflight)
    return true
  }
}

/** Comes before faults of HTTP, which pages may read too. */
export const cors = fp(async (app, { headers }: { headers: CorsHeaders }) => {
  app.addHook('onRequest', (request, reply, done) => {
    headers(request, reply)
    done()
  })
})

/** Comes after them, and with that in its turn among what the connection has sent. */
export const preflights = fp(async app => {
  app.addHook('onRequest', (_request, reply, done) => {
    if (reply.hasHeader('access-control-allow-methods')) respondToPreflight(reply)
    else done()
  })
})

/** Once it has its headers. */
export const respondToPreflight = (reply: FastifyReply): void => {
  reply.code(204).send()
}

// What the log and the tracing read, and what tracing SDKs add to every request of a page: of those that are ignored here
// nothing can go wrong, while one that a preflight leaves out costs the page all its calls.
const tracingHeaders = ['X-Request-Id', 'traceparent', 'tracestate', 'baggage', 'sentry-trace']

// How long browsers remember a preflight; that an origin has been taken away is felt after that time.
const maxAgeSeconds = 600

/** A preflight (Fetch standard, section 3.3.2), unless it is no proper HTTP: such faults come first. */
const isPreflight = ({ method, headers, raw }: FastifyRequest, limits: Limits) =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined && faultOf(raw, limits) === undefined

const requestHeaderNames = ({ input }: AnyOperation) => Object.keys(input.headers?.properties ?? {})
const responseHeaderNames = ({ responses }: AnyOperation) =>
  Object.values(responses).flatMap(({ headers }) => Object.keys(headers))

const listOf = (names: readonly string[]) => [...new Set(names)].join(', ')
