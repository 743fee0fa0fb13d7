import { readdirSync, readFileSync } from 'node:fs'
import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi, { type FastifySwaggerUiOptions } from '@fastify/swagger-ui'
import Fastify from 'fastify'
import * as browser from './browser/index.ts'
import { digestOf } from './files.ts'
import { type Server, withServers } from './urls.ts'

export { usedStyles } from './used-styles.ts'

export type Document = NonNullable<StaticDocumentSpec['document']> & { info: { summary?: string } }

/** What Swagger UI's plugin makes of the contract: the texts at these URLs, made in an app of its own. */
export const makeTexts = async (
  urls: readonly string[],
  document: Document,
  clientPackage: string | undefined
): Promise<Map<string, Buffer>> => {
  const app = Fastify()
  await app.register(swagger, { mode: 'static', specification: { document } })
  await app.register(swaggerUi, uiOptions(document.info))
  const made = new Map<string, Buffer>()
  for (const url of urls) made.set(url, (await app.inject(url)).rawPayload)
  await app.close()
  made.set(
    '/docs/',
    Buffer.from(withHead(String(made.get('/docs/')), { summary: document.info.summary, clientPackage }))
  )
  return made
}

const uiOptions = ({ title }: { title: string }): FastifySwaggerUiOptions => ({
  routePrefix: '/docs',
  theme: {
    title: escaped(title),
    css: [{ filename: 'page.css', content: css }],
    js: [{ filename: 'page.js', content: script }]
  },
  uiConfig,
  transformSpecification: spec => withServers(spec, fromDocs),
  transformSpecificationClone: false
})

// The browser gets the source text of this function; what it calls is in page.js.
const additions = (system: unknown) => docsAdditions(system)
declare const docsAdditions: (system: unknown) => object

const uiConfig = {
  layout: 'BaseLayout',
  plugins: [additions],
  persistAuthorization: true,
  tryItOutEnabled: true,
  showCommonExtensions: true,
  defaultModelsExpandDepth: 0
}

/** The first server is this service. */
const fromDocs = ([first, ...others]: Server[]): Server[] =>
  [...(first ? [hereOf(first)] : []), ...others].map(relativeToPage)

/** A server on the page's own host, the only one that it may send requests to. */
const hereOf = (server: Server): Server => {
  const [, path] = /^[^/]*\/\/[^/]*(.*)$/.exec(server.url) ?? []
  if (path === undefined) return server
  return { url: path || '/', ...(path.includes('{') && { variables: server.variables ?? {} }) }
}

/** Relative URLs are relative to that of the contract. */
const relativeToPage = (server: Server): Server =>
  /^\/|^[^/]*\/\//.test(server.url) ? server : { ...server, url: `../${server.url}` }

/** Without comments and indentation, which are a tenth of what browsers load of ours. No text has such lines. */
const compact = (text: string) => text.replace(/^\s*\/\/.*\n|\/\*[\s\S]*?\*\/\n|^ +/gm, '')

// A file of its own: the content security policy forbids inline scripts.
const script = compact(`{
${Object.entries(browser)
  .map(([name, part]) => `const ${name} = ${part}`)
  .join('\n')}
start()
}
`)
const styles = new URL('styles/', import.meta.url)
const css = compact(
  readdirSync(styles)
    .toSorted()
    .map(name => readFileSync(new URL(name, styles), 'utf8'))
    .join('\n')
)

export const staticFiles = new URL('./', import.meta.resolve('@fastify/swagger-ui/static/swagger-ui.css'))

/** Changes with anything that the files of the page are made of. */
export const version = digestOf(
  css + script + JSON.stringify(uiConfig) + readFileSync(new URL('../package.json', staticFiles), 'utf8')
)

/** The plugin's page, with a viewport for phones, our script before all others, and URLs that can be cached for ever. */
const withHead = (html: string, { summary = '', clientPackage = '' }: Partial<Record<string, string>>) => {
  const [ours = ''] = /<script [^>]*theme\/page\.js.*<\/script>/.exec(html) ?? []
  return html
    .replace(ours, '')
    .replace(
      '<head>',
      // A function, since `$` in a replacement text has a meaning.
      () => `<head>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(summary)}">
<meta name="client-package" content="${escaped(clientPackage)}">
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
