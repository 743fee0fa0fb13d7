import fp from 'fastify-plugin'

/** What every answer says to browsers and caches on the way; who serves something that may be kept says otherwise. */
export const securityHeaders = {
  // Names are of clients' choice, and no browser may take an answer with such a text for a page.
  'x-content-type-options': 'nosniff',
  // What a key may see stays in no cache, neither on a disk nor on the way; and there is nothing by which a cache could
  // ask whether it is still so.
  'cache-control': 'no-store'
} as const

/**
 * Not among them: Strict-Transport-Security, which browsers ignore on plain HTTP, and is for the proxy that has the
 * certificate; Cross-Origin-Resource-Policy and X-Frame-Options, since without a cookie a page of another origin gets
 * nothing but refusals to embed. The documentation, which is a page, has a policy of its own against all of it.
 */
export const securing = fp(async app => {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(securityHeaders)
    done()
  })
})
