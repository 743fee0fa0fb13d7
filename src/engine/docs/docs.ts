import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { notFound } from '../http/error-body.ts'
import type { Contract } from '../operations/contract.ts'
import { refuseOtherMethods } from '../operations/routes.ts'
import * as browser from './browser.ts'
import { docsPrefixOf } from './docs-prefix.ts'
import { digestOf, keepTexts, servedFile } from './files.ts'

/** Publishes the contract: its source, the document bundled from it, its changelog, and the documentation page. */
export const docs = fp(async (app, contract: Pick<Contract, 'basePath' | 'operations' | 'documents'>) => {
  const { yaml, json, changelog } = contract.documents
  const prefix = docsPrefixOf(contract)
  const document = JSON.parse(json.toString(), exactIntegers) as Document
  await app.register(swagger, { mode: 'static', specification: { document } })

  const routes = async (scope: FastifyInstance) => {
    const urls = new Set<string>()
    scope.addHook(
      'onRoute',
      ({ method, url }) => void (method === 'GET' && !url.includes('*') && urls.add(url.slice(prefix.length)))
    )
    // RFC 9512 for YAML, RFC 7763 for Markdown.
    for (const [url, type, bytes] of [
      ['/openapi.yaml', 'application/yaml', yaml],
      ['/openapi.json', 'application/json', json],
      ['/changelog.md', 'text/markdown; charset=utf-8', changelog]
    ] as const)
      serve(scope, url, type, () => bytes)
    scope.get('/', { prefixTrailingSlash: 'slash' }, (_request, reply) => reply.redirect('docs/'))
    await scope.register(page, { info: document.info, prefix: '', root: prefix })
    for (const url of urls.add('/docs/')) refuseOtherMethods(scope, url, ['GET'])
  }
  await app.register(routes, { prefix })
})

type Document = NonNullable<StaticDocumentSpec['document']>

/** Integers beyond 2^53 as they are written, for plugins that stringify them again. */
const exactIntegers = (_key: string, value: unknown, { source = '' }: { source?: string }) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? JSON.rawJSON(source) : value

const page = async (
  app: FastifyInstance,
  { info, root }: { info: { title: string; summary?: string }; root: string }
) => {
  app.addHook('onRequest', elsewhereThan(root))
  app.addHook('onRequest', async (_request, reply) => void reply.headers(pageHeaders))
  app.addHook('onSend', keepTexts({ version, html: html => withHead(html, info.summary) }))
  for (const [name, type] of Object.entries(assets))
    serve(app, `/docs/static/${name}`, type, () => readFile(new URL(name, staticFiles)))
  // A top bar that is not shown, of 270 kB; the initializer only needs its name.
  serve(app, `/docs/static/${standalonePreset}`, javascript, () => Buffer.from('SwaggerUIStandalonePreset = []\n'))

  await app.register(swaggerUi, {
    routePrefix: '/docs',
    theme: {
      title: escaped(info.title),
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
}

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
const pages: Readonly<Record<string, string>> = {
  '/docs': 'docs/',
  '/docs/static/': '../',
  '/docs/static/index.html': '../',
  // The contract's source, with its comments.
  '/docs/yaml': '../openapi.yaml'
}
const elsewhereThan =
  (root: string): onRequestHookHandler =>
  (request, reply, done) => {
    const target = pages[request.url.split('?', 1)[0]?.slice(root.length) ?? '']
    if (target !== undefined && ['GET', 'HEAD'].includes(request.method)) return reply.redirect(target)
    // All files have routes of their own.
    done(request.routeOptions.url?.endsWith('*') ? notFound(request) : undefined)
  }

const pageHeaders = {
  // Nothing from other origins, no inline script or style; no https requirement, so that plain HTTP works at any host.
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
  // Sites that the documentation links to need not learn where the service is.
  'referrer-policy': 'no-referrer'
}
