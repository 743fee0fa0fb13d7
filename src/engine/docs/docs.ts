import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { Contract } from '../operations/contract.ts'
import { answerOtherMethods } from '../operations/routes.ts'
import { type ServedFile, servedFile } from './files.ts'
import { pageHtml, pageScript } from './page.ts'

/**
 * The contract for readers: its own bytes, the one document bundled from it, its changelog, and a page that shows them.
 *
 * Of `@fastify/swagger-ui` only the files of Swagger UI are used. Its page wants a second script of 270 kB for a bar that
 * has nothing to choose from, its files go out uncompressed, and its copies of the contract round the bounds of int64.
 */
export const docs = async (app: FastifyInstance, { yaml, json, changelog }: Contract['documents']) => {
  const document = JSON.parse(json.toString())
  // Where plugins of Fastify look for the document. What readers get are its bytes: an object has rounded int64's bounds.
  await app.register(swagger, { mode: 'static', specification: { document } })

  const files: Record<string, ServedFile> = {
    // RFC 9512 for YAML, RFC 7763 for Markdown.
    '/openapi.yaml': kept('application/yaml', yaml),
    '/openapi.json': kept('application/json', json),
    '/changelog.md': kept('text/markdown; charset=utf-8', changelog),
    '/docs/static/swagger-initializer.js': kept(javascript, Buffer.from(pageScript)),
    '/docs/static/index.css': kept('text/css; charset=utf-8', readFileSync(new URL('page.css', import.meta.url))),
    '/docs/static/swagger-ui.css': swaggerUi('text/css; charset=utf-8', 'swagger-ui.css'),
    '/docs/static/swagger-ui-bundle.js': swaggerUi(javascript, 'swagger-ui-bundle.js'),
    '/docs/static/favicon-16x16.png': swaggerUi('image/png', 'favicon-16x16.png'),
    '/docs/static/favicon-32x32.png': swaggerUi('image/png', 'favicon-32x32.png')
  }
  files['/docs/'] = servedFile('text/html; charset=utf-8', async () => {
    const versions = await Promise.all(
      Object.entries(files)
        .filter(([url]) => url.startsWith('/docs/static/'))
        .map(async ([url, file]) => [url.slice('/docs/'.length), await file.version()] as const)
    )
    return Buffer.from(pageHtml(document.info, new Map(versions)))
  })

  for (const [url, file] of Object.entries(files)) {
    const isPage = url.startsWith('/docs/')
    app.get(url, (request, reply) => {
      if (isPage) reply.headers(pageHeaders)
      return file.answer(request, reply)
    })
  }
  for (const [url, page] of Object.entries(elsewhere)) app.get(url, (_request, reply) => reply.redirect(page))
  for (const url of [...Object.keys(files), ...Object.keys(elsewhere)]) answerOtherMethods(app, url, ['GET'])
}

const kept = (type: string, bytes: Buffer) => servedFile(type, () => bytes)
const swaggerUi = (type: string, name: string) => {
  const file = new URL(import.meta.resolve(`@fastify/swagger-ui/static/${name}`))
  return servedFile(type, () => readFile(file))
}
const javascript = 'text/javascript; charset=utf-8'

// The page's addresses are relative to the folder /docs/, also behind a path prefix.
const elsewhere = {
  '/': 'docs/',
  '/docs': 'docs/',
  '/docs/static/': '../',
  '/docs/static/index.html': '../',
  '/docs/json': '../openapi.json',
  '/docs/yaml': '../openapi.yaml'
}

const pageHeaders = {
  // Nothing from elsewhere and no script or style within the page. It says nothing of https, so that plain HTTP works at
  // any host.
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
  // Where the service is, concerns none that the documentation leads to.
  'referrer-policy': 'no-referrer'
}
