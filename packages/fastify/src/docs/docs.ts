import { readFile } from 'node:fs/promises'
import type {} from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Contract } from '../contract/contract.ts'
import { allowOnlyGet, ignoresTrailingSlash } from '../routing/other-methods.ts'
import { once, servedFile } from './files.ts'
import type { Document } from './page.ts'
import { docsPrefixOf, hasDocsPath, withServers } from './urls.ts'

export type DocumentedContract = Pick<Contract, 'basePath' | 'operations' | 'documents' | 'clientPackage'>

/** Publishes the contract: its source, the document bundled from it, its changelog, and the documentation page. */
export const docs = fp(
  async (app, contract: DocumentedContract & { isGuest?: boolean }) => {
    const { documents } = contract
    const prefix = docsPrefixOf(contract)
    // What @fastify/swagger adds in static mode. The plugin itself would load 75 modules, mostly a YAML parser, and parse
    // a contract that may never be asked for.
    let document: Document | undefined
    const parsed = () =>
      (document ??= below(app.prefix, JSON.parse(documents.json.toString(), exactIntegers) as Document))
    const json = () => (app.prefix === '' ? documents.json : Buffer.from(JSON.stringify(parsed())))
    app.decorate('swagger', (options =>
      options?.yaml ? documents.yaml.toString() : parsed()) as FastifyInstance['swagger'])

    const routes = async (scope: FastifyInstance) => {
      const urls = new Set<string>()
      scope.addHook('onRoute', ({ method, url }) => void (method === 'GET' && urls.add(url.slice(prefix.length))))
      // RFC 9512 for YAML, RFC 7763 for Markdown.
      serve(scope, '/openapi.yaml', 'application/yaml', () => documents.yaml)
      serve(scope, '/openapi.json', 'application/json', json)
      serve(scope, '/changelog.md', 'text/markdown; charset=utf-8', () => documents.changelog)
      // Of an application, only what is below a prefix is the contract's.
      if (!contract.isGuest || scope.prefix !== '')
        scope.get('/', { prefixTrailingSlash: 'slash' }, (_request, reply) => reply.redirect('docs/'))
      await scope.register(documentationPage, { prefix: '', clientPackage: contract.clientPackage })
      for (const url of urls) allowOnlyGet(scope, url)
    }
    await app.register(routes, { prefix })
    if (prefix !== '' && !hasDocsPath(contract)) {
      app.get('/docs/', (_request, reply) => reply.redirect(`..${prefix}/docs/`))
      if (!ignoresTrailingSlash(app)) app.get('/docs', (_request, reply) => reply.redirect(`.${prefix}/docs/`))
    }
  },
  { name: 'docs' }
)

/** The contract with its paths on this host below the application's prefix; other servers stay. */
const below = (prefix: string, document: Document): Document =>
  withServers(document, servers =>
    servers.map(server =>
      /^\/(?!\/)/.test(server.url) ? { ...server, url: prefix + server.url.replace(/^\/$/, '') || '/' } : server
    )
  )

const documentationPage = async (app: FastifyInstance, { clientPackage }: Pick<Contract, 'clientPackage'>) => {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(pageHeaders)
    done()
  })
  const serveFile = (name: string, type: string, read: () => Buffer | Promise<Buffer>) =>
    serve(app, name, type, read, async () => (await page()).version)
  for (const [name, type] of Object.entries(assets))
    serveFile(`/docs/static/${name}`, type, name.endsWith('.css') ? once(() => stylesOf(name)) : () => asset(name))
  // Replaces 270 kB for a top bar that is not shown; the initializer only needs the name.
  serveFile(`/docs/static/${standalonePreset}`, javascript, () => Buffer.from('SwaggerUIStandalonePreset = []\n'))
  const made = once(async () => (await page()).makeTexts(Object.keys(texts), app.swagger() as Document, clientPackage))
  for (const [url, type] of Object.entries(texts)) serveFile(url, type, async () => (await made()).get(url) as Buffer)
  const isOne = ignoresTrailingSlash(app)
  if (isOne)
    app.addHook('onRequest', async ({ raw }, reply) => {
      if (/\/docs(?:\?|$)/.test(raw.url ?? '')) return reply.redirect('docs/')
    })
  for (const [url, target] of Object.entries(redirects))
    if (!isOne || url !== '/docs') app.get(url, (_request, reply) => reply.redirect(target))
}

const asset = async (name: string) => readFile(new URL(name, (await page()).staticFiles))

/** The styles that are used, in a layer, so that ours win whatever the selectors; `!important` in a layer would win over ours. */
const stylesOf = async (name: string) => {
  const styles = String(await asset(name))
  // The other file has no classes.
  const isLarge = name === 'swagger-ui.css'
  const used = isLarge ? (await page()).usedStyles(styles, String(await asset('swagger-ui-bundle.js'))) : styles
  return Buffer.from(`@layer swagger-ui {${used.replaceAll('!important', '')}}`)
}

/** Loaded at the first request for the page, since that would be a tenth of the start. */
const page = once(() => import('./page.ts'))

/** What Swagger UI's plugin makes of the contract. */
const texts = {
  '/docs/': 'text/html; charset=utf-8',
  '/docs/json': 'application/json',
  '/docs/static/swagger-initializer.js': 'application/javascript; charset=utf-8',
  '/docs/static/theme/page.css': 'text/css; charset=UTF-8',
  '/docs/static/theme/page.js': 'application/javascript; charset=utf-8'
}

/** Integers beyond 2^53 as they are written, for plugins that stringify them again. */
const exactIntegers = (_key: string, value: unknown, { source = '' }: { source?: string }) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? JSON.rawJSON(source) : value

const serve = (
  app: FastifyInstance,
  url: string,
  type: string,
  read: () => Buffer | Promise<Buffer>,
  version?: () => Promise<string>
) => {
  const file = servedFile(type, read, version)
  app.get(url, async (request, reply) => reply.send(await file(request, reply)))
}

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

// The page's URLs are relative to /docs/, also behind a path prefix.
const redirects = {
  '/docs': 'docs/',
  '/docs/static/': '../',
  '/docs/static/index.html': '../',
  // The contract's source, with its comments.
  '/docs/yaml': '../openapi.yaml'
}

const pageHeaders = {
  // Nothing from other origins, no inline scripts or styles; no upgrade to https, so that plain HTTP works on any host.
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
  // Sites that the documentation links to need not learn where the service is.
  'referrer-policy': 'no-referrer'
}
