import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type AnyOperation, type Contract, type Limits, limitsOf } from '../contract/contract.ts'
import { httpErrorOf } from './invalid-http.ts'

export interface CorsOptions {
  contract: Pick<Contract, 'operations' | 'limits' | 'securitySchemes'>
  /** Exact origins, or patterns of whole ones. */
  origins: readonly (string | RegExp)[]
  /** Headers that pages may send and read in addition to the contract's. */
  requestHeaders?: readonly string[]
  responseHeaders?: readonly string[]
}

/**
 * Lets pages of these origins call the service and read its responses, HTTP errors included. Preflights succeed for every
 * URL, so that a page can read the 404 that follows. @fastify/cors would need a route for all OPTIONS, where ours are, and
 * does not see paths that cannot be decoded.
 */
export const cors = fp(
  async (app, options: CorsOptions) => {
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
        ...Object.values(contract.securitySchemes).flatMap(each => (each.in === 'header' ? (each.name ?? []) : [])),
        ...entries.flatMap(requestHeaderNames),
        ...tracingHeaders,
        ...requestHeaders
      ]),
      'access-control-max-age': maxAgeSeconds
    }

    const limits = limitsOf(contract)
    app.addHook('onRequest', (request, reply, done) => {
      reply.header('vary', 'Origin')
      const { origin } = request.headers
      if (origin !== undefined && isAllowed(origin)) {
        reply.header('access-control-allow-origin', origin)
        if (isPreflight(request, limits)) reply.headers(preflight)
        else reply.header('access-control-expose-headers', exposed)
      }
      done()
    })
  },
  { name: 'cors' }
)

/** After HTTP errors, and so in the order of the connection's requests. */
export const preflights = fp(
  async app => {
    app.addHook('onRequest', (_request, reply, done) => {
      if (reply.hasHeader('access-control-allow-methods')) reply.code(204).send()
      else done()
    })
  },
  { name: 'preflights', dependencies: ['cors', 'invalid-http'] }
)

// What our log and tracing read, and what tracing SDKs add to every request of a page. Allowing a header that is ignored
// here does no harm; one that the preflight does not allow makes every call of the page fail.
const tracingHeaders = ['X-Request-Id', 'traceparent', 'tracestate', 'baggage', 'sentry-trace']

// How long browsers cache a preflight, and so how long a removed origin stays allowed.
const maxAgeSeconds = 600

/** A preflight (Fetch standard, section 3.3.2), unless it is invalid HTTP: that error comes first. */
const isPreflight = ({ method, headers, raw }: FastifyRequest, limits: Limits) =>
  method === 'OPTIONS' &&
  headers['access-control-request-method'] !== undefined &&
  httpErrorOf(raw, limits) === undefined

const requestHeaderNames = ({ input }: AnyOperation) => Object.keys(input.headers?.properties ?? {})
const responseHeaderNames = ({ responses }: AnyOperation) =>
  Object.values(responses).flatMap(({ headers }) => Object.keys(headers))

const listOf = (names: readonly string[]) => [...new Set(names)].join(', ')
