import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'

/** On every response, for browsers and caches; routes with cacheable responses override them. */
export const securityHeaders = {
  // Responses have texts chosen by clients, which no browser may take for a page.
  'x-content-type-options': 'nosniff',
  // Responses that need a key must not be cached, and have no validator (ETag) to revalidate them by.
  'cache-control': 'no-store'
} as const

const names = Object.keys(securityHeaders) as (keyof typeof securityHeaders)[]

/**
 * Left out: Strict-Transport-Security, which browsers ignore on plain HTTP, and which the proxy with the
 * certificate sends; Cross-Origin-Resource-Policy and X-Frame-Options, since without cookies a page of another origin
 * can embed only 401s. The documentation page has a policy of its own.
 */
export const securing = fp(
  async app => {
    app.addHook('onRequest', (_request, reply, done) => {
      for (const name of names) reply.header(name, securityHeaders[name])
      done()
    })
  },
  { name: 'security-headers' }
)

/** The same where the application around the contract has not set them, by @fastify/helmet or a hook of its own. */
export const securingUnlessSet = fp(
  async app => {
    app.addHook('onRequest', (_request, reply, done) => {
      for (const [name, value] of Object.entries(securityHeaders)) if (!reply.hasHeader(name)) reply.header(name, value)
      done()
    })
  },
  { name: 'security-headers' }
)

/** Tells caches that the response depends on a header of the request (RFC 9110, section 12.5.5). */
export const varyBy = (reply: FastifyReply, header: string): void => {
  const others = reply.getHeader('vary')
  reply.header('vary', others === undefined ? header : `${others}, ${header}`)
}
