import fp from 'fastify-plugin'

/** On every response, for browsers and caches; routes with cacheable responses override them. */
export const securityHeaders = {
  // Clients choose names; no browser may take a response with such a text for a page.
  'x-content-type-options': 'nosniff',
  // What needs a key must not be cached, and has no validator by which a cache could check it again.
  'cache-control': 'no-store'
} as const

/**
 * Not among them: Strict-Transport-Security, which browsers ignore on plain HTTP, and which the proxy with the
 * certificate sends; Cross-Origin-Resource-Policy and X-Frame-Options, since without cookies a page of another origin
 * can embed only 401s. The documentation page has a policy of its own.
 */
export const securing = fp(
  async app => {
    app.addHook('onRequest', (_request, reply, done) => {
      reply.headers(securityHeaders)
      done()
    })
  },
  { name: 'security-headers' }
)
