import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Contract } from '../operations/contract.ts'
import { refuseOtherMethods } from '../operations/routes.ts'
import * as browser from './browser.ts'
import { docsPrefixOf } from './docs-prefix.ts'
import { digestOf, once, servedFile } from './files.ts'

/** Publishes the contract: its source, the document bundled from it, its changelog, and the documentation page. */
export const docs = fp(async (app, contract: Pick<Contract, 'basePath' | 'operations' | 'documents'>) => {
  const { yaml, json, changelog } = contract.documents
  const prefix = docsPrefixOf(contract)
  const document = JSON.parse(json.toString(), exactIntegers) as Document
  await app.register(swagger, { mode: 'static', specification: { document } })

  const routes = async (scope: FastifyInstance) => {
    const urls = new Set<string>()
    scope.addHook('onRoute', ({ method, url }) => void (method === 'GET' && urls.add(url.slice(prefix.length))))
    // RFC 9512 for YAML, RFC 7763 for Markdown.
    for (const [url, type, bytes] of [
      ['/openapi.yaml', 'application/yaml', yaml],
      ['/openapi.json', 'application/json', json],
      ['/changelog.md', 'text/markdown; charset=utf-8', changelog]
    ] as const)
      serve(scope, url, type, () => bytes)
    scope.get('/', { prefixTrailingSlash: 'slash' }, (_request, reply) => reply.redirect('docs/'))
    await scope.register(page, { prefix: '' })
    for (const url of urls) refuseOtherMethods(scope, url, ['GET'])
  }
  await app.register(routes, { prefix })
})

const page = async (app: FastifyInstance) => {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(pageHeaders)
    done()
  })
  for (const [name, type] of Object.entries(assets))
    serve(app, `/docs/static/${name}`, type, () => readFile(new URL(name, staticFiles)))
  // A top bar that is not shown, of 270 kB; the initializer only needs its name.
  serve(app, `/docs/static/${standalonePreset}`, javascript, () => Buffer.from('SwaggerUIStandalonePreset = []\n'))
  const made = once(() => makeTexts(app.swagger() as Document))
  for (const [url, type] of Object.entries(texts)) serve(app, url, type, async () => (await made()).get(url) as Buffer)
  for (const [url, target] of Object.entries(redirects)) app.get(url, (_request, reply) => reply.redirect(target))
}

/** What Swagger UI's plugin makes of the contract. */
const texts = {
  '/docs/': 'text/html; charset=utf-8',
  '/docs/json': 'application/json',
  '/docs/static/swagger-initializer.js': 'application/javascript; charset=utf-8',
  '/docs/static/theme/page.css': 'text/css; charset=UTF-8',
  '/docs/static/theme/page.js': 'application/javascript; charset=utf-8'
}

/**
 * The texts by their URLs. The page's plugin loads with the first request for one of them, in an app of its own that is
 * gone once they are made: it would be a tenth of the start.
 */
const makeTexts = async (document: Document): Promise<Map<string, Buffer>> => {
  const [{ default: Fastify }, { default: swaggerUi }] = await Promise.all([
    import('fastify'),
    import('@fastify/swagger-ui')
  ])
  const app = Fastify()
  await app.register(swagger, { mode: 'static', specification: { document } })
  await app.register(swaggerUi, uiOptions(document.info))
  const made = new Map<string, Buffer>()
  for (const url of Object.keys(texts)) made.set(url, (await app.inject(url)).rawPayload)
  await app.close()
  made.set('/docs/', Buffer.from(withHead(String(made.get('/docs/')), document.info.summary)))
  return made
}

type Document = NonNullable<StaticDocumentSpec['document']> & { info: { summary?: string } }

/** Integers beyond 2^53 as they are written, for plugins that stringify them again. */
const exactIntegers = (_key: string, value: unknown, { source = '' }: { source?: string }) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? JSON.rawJSON(source) : value

const uiOptions = ({ title }: { title: string }): FastifySwaggerUiOptions => ({
  routePrefix: '/docs',
  theme: {
    title: escaped(title),
    css: [{ filename: 'page.css', content: css }],
    js: [{ filename: 'page.js', content: script }]
  },
  uiConfig: {
    layout: 'BaseLayout',
    plugins: [additions],
    persistAuthorization: true,
    tryItOutEnabled: true,
    showCommonExtensions: true,
    defaultModelsExpandDepth: 0
  },
  // Relative URLs in the contract are relative to its own URL.
  transformSpecification: spec => ({ ...spec, servers: spec.servers?.map(fromDocs) }),
  transformSpecificationClone: false
})

const fromDocs = (server: { url: string }) =>
  URL.canParse(server.url) || server.url.startsWith('/') ? server : { ...server, url: `../${server.url}` }

// The browser gets its source text; what it calls is in page.js.
const additions = (system: unknown) => docsAdditions(system)
declare const docsAdditions: (system: unknown) => object

const serve = (app: FastifyInstance, url: string, type: string, read: () => Buffer | Promise<Buffer>) => {
  const file = servedFile(type, read, version)
  app.get(url, async (request, reply) => reply.send(await file(request, reply)))
}

const staticFiles = new URL('./', import.meta.resolve('@fastify/swagger-ui/static/swagger-ui.css'))
const standalonePreset = 'swagger-ui-standalone-preset.js'
const javascript = 'text/javascript; charset=utf-8'
/** Files that the page uses. */
const assets = {
  'swagger-ui-bundle.js': javascript,
  'swagger-ui.css': 'text/css; charset=utf-8',
  'index.css': 'text/css; charset=utf-8',
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png'
}

// A file of its own: the content security policy forbids inline scripts.
const script = `{
${Object.entries(browser)
  .map(([name, part]) => `const ${name} = ${part}`)
  .join('\n')}
start()
}
`
const css = readFileSync(new URL('page.css', import.meta.url), 'utf8')

/** Changes with anything that the page is made of. */
const version = digestOf(css + script + readFileSync(new URL('../package.json', staticFiles), 'utf8'))

/** The plugin's page, also for phones, with our script before all others, and with files that can be cached for ever. */
const withHead = (html: string, summary = '') => {
  const [ours = ''] = /<script [^>]*theme\/page\.js.*<\/script>/.exec(html) ?? []
  return html
    .replace(ours, '')
    .replace(
      '<head>',
      // A function: in a text, $ stands for parts of the page.
      () => `<head>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(summary)}">
<link rel="preload" as="fetch" href="json" crossorigin>
${ours}`
    )
    .replace(
      '<body>',
      `<body>
<noscript><p>This page needs JavaScript. Its content is also in <a href="../openapi.yaml">openapi.yaml</a>.</p></noscript>`
    )
    .replace(/(?<=(?:href|src)="\.\/static\/[^"?]+)(?=")/g, `?v=${version}`)
}

const escaped = (text: string) => text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)

// The page's URLs are relative to /docs/, also behind a path prefix.
const redirects = {
  '/docs': 'docs/',
  '/docs/static/': '../',
  '/docs/static/index.html': '../',
  // The contract's source, with its comments.
  '/docs/yaml': '../openapi.yaml'
}

const pageHeaders = {
  // Nothing from other origins, no inline script or style; no https requirement, so that plain HTTP works at any host.
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
  // Sites that the documentation links to need not learn where the service is.
  'referrer-policy': 'no-referrer'
}
