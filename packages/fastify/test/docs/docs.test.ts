import { writeFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import t from 'tap'
import { contractOf } from '../../src/contract/contract.ts'
import { docs } from '../../src/docs/docs.ts'
import { digestOf } from '../../src/docs/files.ts'
import { routedMethods } from '../../src/routing/methods.ts'
import { buildFixtureApp, contract } from '../fixture-app.ts'

// Shared by all tests, so that each file is compressed only once.
const app = await buildFixtureApp(t)
const { documents } = contract

/** The response that a browser gets for a URL behind a proxy with a prefix. */
const browse = async (href: string, prefix = '/some/prefix') => {
  const url = new URL(href)
  if (url.host !== 'a.example' || !url.pathname.startsWith(`${prefix}/`))
    throw new Error(`${href} does not begin with ${prefix}`)
  return app.inject({ url: url.pathname.slice(prefix.length) + url.search })
}

const page = (body: string) => [...body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, reference = '']) => reference)

const policyOf = (header: unknown): Record<string, string> =>
  Object.fromEntries(
    String(header)
      .split(';')
      .map(part => part.trim().split(/ (.*)/))
      .map(([name = '', value = '']) => [name, value])
  )

t.test('the page’s contract has exact integers, and servers relative to the page', async t => {
  const { body } = await app.inject('/docs/json')
  const { servers, ...read } = JSON.parse(body)
  const { servers: written, ...contract } = JSON.parse(documents.json.toString())
  t.strictSame(read, contract)
  const large = (text: string) => text.match(/\d{16,}/g)
  t.strictSame(large(body), large(documents.json.toString()))
  t.strictSame(large(JSON.stringify(app.swagger())), large(body))
  t.equal(app.swagger({ yaml: true }), documents.yaml.toString())
  t.strictSame(
    servers.map(({ url }: { url: string }) => new URL(url, 'http://a.example/prefix/docs/json').href),
    written.map(({ url }: { url: string }) => new URL(url, 'http://a.example/prefix/openapi.json').href)
  )
})

t.test('the YAML of the page is the contract itself', async t => {
  const res = await app.inject('/docs/yaml')
  t.equal(res.statusCode, 302)
  t.equal(res.headers.location, '../openapi.yaml')
})

t.test('/ and /docs lead to the page, by URLs that work behind any prefix', async t => {
  for (const start of ['/', '/docs', '/docs?x=1', '/?x=1']) {
    for (const method of ['GET', 'HEAD'] as const) {
      const res = await app.inject({ method, url: start })
      t.equal(res.statusCode, 302, start)
      t.equal(res.headers.location, 'docs/')
      t.equal(res.body, '')
    }
    const target = new URL('docs/', `http://a.example/some/prefix${start}`).href
    t.equal(target, 'http://a.example/some/prefix/docs/')
    const res = await browse(target)
    t.equal(res.statusCode, 200)
    t.equal(res.headers['content-type'], 'text/html; charset=utf-8')
  }
})

t.test('Swagger UI’s own index page, which would not find the contract, leads to ours', async t => {
  for (const url of ['/docs/static/', '/docs/static/index.html']) {
    const res = await app.inject(url)
    t.equal(res.statusCode, 302)
    t.equal(new URL(String(res.headers.location), `http://a.example/some/prefix${url}`).pathname, '/some/prefix/docs/')
  }
})

t.test('the page and all its files load from the service itself, behind any prefix', async t => {
  const href = 'http://a.example/some/prefix/docs/'
  const { body } = await browse(href)
  const references = page(body)
  t.ok(references.length >= 6)
  t.match(body, '<title>Things</title>')
  for (const reference of references) {
    const res = await browse(new URL(reference, href).href)
    t.equal(res.statusCode, 200, reference)
    t.ok(res.rawPayload.length > 0)
    t.match(
      res.headers['content-type'],
      /^(text\/css|(text|application)\/javascript|image\/png|application\/(json|yaml))/
    )
  }
  t.notMatch(body, /https?:\/\//, 'no file from another server')
  t.notMatch(body, /<script(?![^>]*src=)|<style|style=/, 'no script or style within the page, which its policy forbids')
})

t.test(
  'the page’s files may be cached forever, at URLs with their version; everything else is revalidated',
  async t => {
    const href = 'http://a.example/some/prefix/docs/'
    const references = page((await browse(href)).body).filter(each => each.startsWith('./static/'))
    t.equal(references.length, 9)
    for (const reference of references) {
      const res = await browse(new URL(reference, href).href)
      t.equal(res.headers['cache-control'], 'public, max-age=31536000, immutable', reference)
      const [file = ''] = reference.split('?')
      for (const other of [file, `${file}?v=`, `${file}?v=x`, `${file}?v=x&${reference.split('?')[1]}`]) {
        const res = await browse(new URL(other, href).href)
        t.equal(res.headers['cache-control'], 'no-cache', other)
      }
    }
    for (const url of ['/docs/', '/openapi.yaml', '/openapi.json', '/changelog.md'])
      t.equal((await app.inject(url)).headers['cache-control'], 'no-cache', url)
  }
)

const decoders = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Buffer) => bytes }

t.test('text is compressed as the client accepts, with an ETag for each encoding', async t => {
  for (const url of [
    '/docs/',
    '/docs/static/swagger-ui-bundle.js',
    '/docs/static/swagger-ui.css',
    '/docs/static/swagger-initializer.js',
    '/docs/static/index.css',
    '/docs/static/theme/page.css',
    '/docs/json',
    '/openapi.yaml',
    '/openapi.json',
    '/changelog.md'
  ]) {
    const whole = await app.inject(url)
    t.equal(whole.headers['content-encoding'], undefined, url)
    t.equal(whole.headers.vary, 'Accept-Encoding')
    const etags = new Set()
    for (const [coding, decode] of Object.entries(decoders)) {
      const headers = { 'accept-encoding': coding }
      const get = await app.inject({ url, headers })
      t.equal(get.statusCode, 200)
      t.equal(get.headers['content-encoding'], coding === 'identity' ? undefined : coding)
      t.equal(get.headers['content-type'], whole.headers['content-type'])
      t.equal(get.headers.vary, 'Accept-Encoding')
      t.strictSame(decode(get.rawPayload), whole.rawPayload)
      if (coding !== 'identity') t.ok(get.rawPayload.length < whole.rawPayload.length)
      const head = await app.inject({ method: 'HEAD', url, headers })
      t.equal(head.headers['content-length'], String(get.rawPayload.length))
      t.equal(head.headers['content-encoding'], get.headers['content-encoding'])
      t.equal(head.headers.etag, get.headers.etag)
      const again = await app.inject({ url, headers: { ...headers, 'if-none-match': String(get.headers.etag) } })
      t.equal(again.statusCode, 304)
      t.equal(again.headers.vary, 'Accept-Encoding')
      t.equal(again.headers.etag, get.headers.etag)
      etags.add(get.headers.etag)
    }
    t.equal(etags.size, 3, 'a cached encoding keeps its ETag')
  }
  const icon = await app.inject({ url: '/docs/static/favicon-32x32.png', headers: { 'accept-encoding': 'br' } })
  t.equal(icon.headers['content-encoding'], undefined)
  t.equal(icon.headers.vary, undefined)
})

t.test('all files of the page together, as browsers get them, are below 450 kB', async t => {
  const href = 'http://a.example/some/prefix/docs/'
  const urls = [...page((await browse(href)).body).filter(each => each.startsWith('./static/')), 'json', '']
  let total = 0
  for (const url of urls) {
    const { pathname, search } = new URL(url, href)
    const headers = { 'accept-encoding': 'br' }
    total += (await app.inject({ url: pathname.slice('/some/prefix'.length) + search, headers })).rawPayload.length
  }
  t.ok(total < 450_000, `${total} bytes`)
})

t.test('a client gets the encoding that it prefers, brotli before gzip', async t => {
  for (const [accepted, coding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0.5,gzip;q=0.5', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['*;q=0.1, br;q=0', 'gzip'],
    ['identity;q=1, *;q=0.5', undefined],
    ['deflate', undefined],
    ['br;q=0', undefined],
    ['br;q=x', undefined],
    ['identity;q=0', undefined],
    ['', undefined]
  ] as const) {
    const res = await app.inject({ url: '/openapi.json', headers: { 'accept-encoding': accepted } })
    t.equal(res.statusCode, 200)
    t.equal(res.headers['content-encoding'], coding, accepted)
  }
})

t.test('Vary lists Origin before other headers', async t => {
  const app = await buildFixtureApp(t, { corsOrigins: ['http://frontend.example'] })
  const res = await app.inject({ url: '/openapi.json', headers: { origin: 'http://frontend.example' } })
  t.equal(res.headers.vary, 'Origin, Accept-Encoding')
})

t.test('the contract and its changelog are served unchanged', async t => {
  for (const [url, type, written] of [
    ['/openapi.yaml', 'application/yaml', documents.yaml],
    ['/openapi.json', 'application/json', documents.json],
    ['/changelog.md', 'text/markdown; charset=utf-8', documents.changelog]
  ] as const) {
    const get = await app.inject(url)
    t.equal(get.statusCode, 200)
    t.equal(get.headers['content-type'], type)
    t.strictSame(get.rawPayload, written)
    const head = await app.inject({ method: 'HEAD', url })
    t.equal(head.statusCode, 200)
    t.equal(head.headers['content-length'], String(get.rawPayload.length))
    t.equal(head.headers.etag, get.headers.etag)
    t.equal(head.rawPayload.length, 0)

    const etag = String(get.headers.etag)
    t.match(etag, /^"[^"]+"$/)
    for (const match of [etag, `W/${etag}`, `"x", ${etag}`, `"x",${etag},"y"`, '*']) {
      for (const method of ['GET', 'HEAD'] as const) {
        const res = await app.inject({ method, url, headers: { 'if-none-match': match } })
        t.equal(res.statusCode, 304, match)
        t.equal(res.headers.etag, etag)
        t.equal(res.rawPayload.length, 0)
      }
    }
    for (const other of ['"x"', etag.slice(0, -2), '', `x${etag}`])
      t.equal((await app.inject({ url, headers: { 'if-none-match': other } })).statusCode, 200, other)
  }
  t.not((await app.inject('/openapi.yaml')).headers.etag, (await app.inject('/openapi.json')).headers.etag)
})

t.test('the page’s policy allows only its own files and actions, also on plain HTTP', async t => {
  for (const url of [
    '/docs/',
    '/docs/static/swagger-initializer.js',
    '/docs/static/index.css',
    '/docs/static/theme/page.js'
  ]) {
    const policy = policyOf((await app.inject(url)).headers['content-security-policy'])
    t.equal(policy['default-src'], "'none'", url)
    t.equal(policy['script-src'], "'self'")
    t.equal(policy['connect-src'], "'self'")
    t.equal(policy['style-src'], "'self'")
    t.equal(policy['frame-ancestors'], "'none'")
    t.notOk('upgrade-insecure-requests' in policy)
    t.notMatch(JSON.stringify(policy), /https?:|\*|unsafe/)
  }
})

t.test('the documentation needs no key, and neither does the 404 of a missing file', async t => {
  for (const url of [
    '/docs/nothing',
    '/docs/static/nothing.js',
    '/docs/static',
    '/openapi',
    '/openapi.yml',
    '/docs/static/../../../package.json',
    '/docs/static/%2e%2e/%2e%2e/package.json',
    '/docs/static/..%2f..%2fpackage.json',
    '/docs/static/.%00',
    '/docs/static/%5c..%5c',
    '/docs/static//index.css',
    `/docs/static/${'x'.repeat(5000)}`
  ]) {
    const res = await app.inject(url)
    t.ok([400, 404].includes(res.statusCode), `${url}: ${res.statusCode}`)
    t.match(res.json(), { code: /^(path_not_found|malformed_path)$/, status: res.statusCode })
  }
})

t.test('a file is sent whole, whatever range or version is requested', async t => {
  const whole = await app.inject('/docs/static/index.css')
  for (const headers of [
    { range: 'bytes=0-3' },
    { range: 'bytes=999999-' },
    { 'if-match': '"x"' },
    { 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }
  ]) {
    const res = await app.inject({ url: '/docs/static/index.css', headers })
    t.equal(res.statusCode, 200)
    t.equal(res.body, whole.body)
  }
  const unchanged = { 'if-none-match': String(whole.headers.etag) }
  t.equal((await app.inject({ url: '/docs/static/index.css', headers: unchanged })).statusCode, 304)
})

t.test(
  'a file is in memory once for all clients, so that clients that read nothing do not fill the memory',
  async t => {
    const { readFile } = fs
    let reads = 0
    fs.readFile = ((...args: Parameters<typeof readFile>) => {
      if (String(args[0]).endsWith('swagger-ui.css')) reads++
      return readFile(...args)
    }) as typeof readFile
    syncBuiltinESMExports()
    t.teardown(() => {
      fs.readFile = readFile
      syncBuiltinESMExports()
    })
    const app = await buildFixtureApp(t)
    const loadAll = async () => {
      for (const coding of ['identity', 'gzip', 'br']) {
        const headers = { 'accept-encoding': coding }
        const responses = await Promise.all(
          Array.from({ length: 20 }, () => app.inject({ url: '/docs/static/swagger-ui.css', headers }))
        )
        t.equal(new Set(responses.map(each => each.rawPayload.toString('base64'))).size, 1, coding)
        t.equal(responses[0]?.statusCode, 200)
      }
    }
    await loadAll()
    t.equal(reads, 1)
    await loadAll()
    t.equal(reads, 1)
  }
)

t.test('the documents are read at their first request, and must be there at the start', async t => {
  const folder = t.testdir({ 'openapi.yaml': 'openapi: 3.1.0 # as written', 'openapi.json': '{}' })
  const generated = pathToFileURL(`${folder}/`)
  const files = { contract: new URL('openapi.yaml', generated), generated }
  const contractThere = () => contractOf({ ...contract, operations: {} }, files)
  t.throws(contractThere, { code: 'ENOENT', path: join(folder, 'CHANGELOG.md') })
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Earlier')
  const there = contractThere()
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Later')
  const app = Fastify()
  t.teardown(() => app.close())
  app.decorate('routedMethods', routedMethods([]))
  await app.register(docs, there)
  t.equal((await app.inject('/changelog.md')).body, '# Later')
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Too late')
  t.equal(
    (await app.inject({ url: '/changelog.md', headers: { 'accept-encoding': 'gzip' } })).headers.etag,
    `"${digestOf('# Later')}-gzip"`
  )
  t.equal((await app.inject('/openapi.yaml')).body, 'openapi: 3.1.0 # as written')
})

t.test('the page sends requests to the service that it comes from, whatever host the contract names', async t => {
  const contract = JSON.parse(documents.json.toString())
  const other = { url: 'https://other.example/v1', description: 'Elsewhere' }
  const version = { default: 'v1' }
  for (const [server, here] of [
    [{ url: 'https://api.example/v1', description: 'Production' }, { url: '/v1' }],
    [{ url: '//api.example' }, { url: '/' }],
    [{ url: 'https://{region}.example/v1', variables: { region: { default: 'eu' } } }, { url: '/v1' }],
    [
      { url: '{scheme}://api.example/{version}', variables: { version } },
      { url: '/{version}', variables: { version } }
    ],
    [
      { url: '/v1', description: 'Here' },
      { url: '/v1', description: 'Here' }
    ]
  ]) {
    const app = Fastify()
    t.teardown(() => app.close())
    app.decorate('routedMethods', routedMethods([]))
    const json = Buffer.from(JSON.stringify({ ...contract, servers: [server, other] }))
    await app.register(docs, { basePath: '/v1', operations: {}, documents: { ...documents, json } })
    t.strictSame((await app.inject('/docs/json')).json().servers, [here, other])
  }
})

t.test('title and summary are on the page exactly as in the contract', async t => {
  const contract = JSON.parse(documents.json.toString())
  const info = { ...contract.info, title: '$& <b>', summary: '$& $` $\' "x"' }
  const app = Fastify()
  t.teardown(() => app.close())
  app.decorate('routedMethods', routedMethods([]))
  const json = Buffer.from(JSON.stringify({ ...contract, info }))
  await app.register(docs, { basePath: '/v1', operations: {}, documents: { ...documents, json } })
  const { body } = await app.inject('/docs/')
  t.match(body, '<title>$&#38; &#60;b&#62;</title>')
  t.match(body, `content="$&#38; $\` $' &#34;x&#34;"`)
})

t.test('the page’s files allow only GET, HEAD and OPTIONS', async t => {
  for (const url of [
    '/',
    '/docs',
    '/docs/',
    '/docs/static/index.css',
    '/docs/static/swagger-initializer.js',
    '/openapi.yaml',
    '/openapi.json',
    '/changelog.md'
  ]) {
    const options = await app.inject({ method: 'OPTIONS', url })
    t.equal(options.statusCode, 204, url)
    t.equal(options.headers.allow, 'GET, HEAD, OPTIONS')
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'] as const) {
      const res = await app.inject({ method, url, payload: '{' })
      t.equal(res.statusCode, 405, `${method} ${url}`)
      t.equal(res.headers.allow, 'GET, HEAD, OPTIONS')
    }
  }
})
