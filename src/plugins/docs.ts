import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { answerOtherMethods } from './routes.ts'

const contract = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url))

/** The contract for readers: its own bytes, the one document bundled from it, and a page that shows it. */
export const docs = async (app: FastifyInstance) => {
  const json = contract('generated/openapi.json')
  // RFC 9512 for YAML.
  serve(app, '/openapi.yaml', 'application/yaml', contract('openapi/petstore.yaml'))
  serve(app, '/openapi.json', 'application/json', json)

  await app.register(swagger, { mode: 'static', specification: { document: JSON.parse(json.toString()) } })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: contentSecurityPolicy,
    uiConfig: {
      // Relative servers begin where the document is: the page has to load the very one that we serve.
      urls: [{ url: '../openapi.json', name: 'Animal Store' }],
      deepLinking: true,
      persistAuthorization: true,
      tryItOutEnabled: true
    } as object
  })

  // The page's addresses are relative to the folder /docs/, also behind a path prefix.
  app.addHook('onRequest', async (request, reply) => {
    if (request.url === '/docs') return reply.redirect('docs/')
  })
  app.get('/', (_request, reply) => reply.redirect('docs/'))
  answerOtherMethods(app, '/', ['GET'])
}

// The plugin's own policy upgrades to https, which breaks the page on plain HTTP at any other host than this one.
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"

const serve = (app: FastifyInstance, url: string, type: string, bytes: Buffer) => {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
  app.get(url, (request, reply) => {
    reply.header('etag', etag).header('cache-control', 'no-cache')
    if (
      request.headers['if-none-match']
        ?.split(',')
        .some(each => each.trim().replace(/^W\//, '') === etag || each.trim() === '*')
    ) {
      return reply.code(304).send()
    }
    return reply.header('content-type', type).send(bytes)
  })
  answerOtherMethods(app, url, ['GET'])
}
