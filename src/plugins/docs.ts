import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyError, FastifyInstance } from 'fastify'
import { pagePlugins } from './docs-page.ts'
import { notFound, sendError } from './error-body.ts'
import { answerOtherMethods } from './routes.ts'

const contract = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url))

/** The contract for readers: its own bytes, the one document bundled from it, and a page that shows it. */
export const docs = async (app: FastifyInstance) => {
  // Of the two spellings of a prefix's own address the hook is told one.
  const urls = new Set(['/docs/'])
  app.addHook('onRoute', ({ method, url }) => {
    if ([method].flat().includes('GET')) urls.add(url)
  })

  const json = contract('generated/openapi.json')
  const document = JSON.parse(json.toString())
  // RFC 9512 for YAML.
  serve(app, '/openapi.yaml', 'application/yaml', contract('openapi/petstore.yaml'))
  serve(app, '/openapi.json', 'application/json', json)

  await app.register(swagger, { mode: 'static', specification: { document } })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: contentSecurityPolicy,
    theme: { title: document.info.title },
    uiConfig: {
      // Relative servers begin where the document is: the page has to load the very one that we serve.
      urls: [{ url: '../openapi.json', name: document.info.title }],
      deepLinking: true,
      persistAuthorization: true,
      tryItOutEnabled: true,
      plugins: pagePlugins
    } as object
  })

  app.addHook('onRequest', async ({ url, method, raw }, reply) => {
    // Files come whole and without conditions on what they were: else there would be errors that the contract has not.
    for (const name of ['range', 'if-match', 'if-unmodified-since']) delete raw.headers[name]
    const page = elsewhere.get(url.split('?', 1)[0] ?? '')
    if (page !== undefined && (method === 'GET' || method === 'HEAD')) return reply.redirect(page)
  })
  // What might lead out of the folder, or is no file's name.
  app.setErrorHandler<FastifyError>((error, request, reply) =>
    sendError(error?.code === 'FST_STATIC_FORBIDDEN_PATH' ? notFound(request) : error, request, reply)
  )
  app.get('/', (_request, reply) => reply.redirect('docs/'))
  for (const url of urls) answerOtherMethods(app, url, ['GET'])
}

// The page's addresses are relative to the folder /docs/, also behind a path prefix.
const elsewhere = new Map([
  ['/docs', 'docs/'],
  ['/docs/static/', '../'],
  ['/docs/static/index.html', '../'],
  // The plugin's own copies are written anew, and round the bounds of int64.
  ['/docs/json', '../openapi.json'],
  ['/docs/yaml', '../openapi.yaml']
])

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
}
