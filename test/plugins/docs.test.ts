import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { buildTestApp } from '../build-test-app.ts'

const file = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url))

/** What a browser gets at an address below any prefix, where a proxy has put the service. */
const browse = async (app: FastifyInstance, address: string, prefix = '/shop/animals') => {
  const url = new URL(address)
  if (url.host !== 'a.example' || !url.pathname.startsWith(`${prefix}/`))
    throw new Error(`${address} is not behind ${prefix}`)
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

t.test('the copies of the documentation page lead to the contract itself', async t => {
  const app = await buildTestApp(t)
  for (const type of ['json', 'yaml']) {
    const res = await app.inject(`/docs/${type}`)
    t.equal(res.statusCode, 302)
    t.equal(res.headers.location, `../openapi.${type}`)
  }
})

t.test('/ and /docs lead to the page, by addresses that hold behind any prefix', async t => {
  const app = await buildTestApp(t)
  for (const start of ['/', '/docs', '/docs?x=1', '/?x=1']) {
    for (const method of ['GET', 'HEAD'] as const) {
      const res = await app.inject({ method, url: start })
      t.equal(res.statusCode, 302, start)
      t.equal(res.headers.location, 'docs/')
      t.equal(res.body, '')
    }
    const target = new URL('docs/', `http://a.example/shop/animals${start}`).href
    t.equal(target, 'http://a.example/shop/animals/docs/')
    const res = await browse(app, target)
    t.equal(res.statusCode, 200)
    t.equal(res.headers['content-type'], 'text/html; charset=utf-8')
  }
})

t.test('a page that the files bring along, and that would not find the contract, leads to ours', async t => {
  const app = await buildTestApp(t)
  for (const url of ['/docs/static/', '/docs/static/index.html']) {
    const res = await app.inject(url)
    t.equal(res.statusCode, 302)
    t.equal(
      new URL(String(res.headers.location), `http://a.example/shop/animals${url}`).pathname,
      '/shop/animals/docs/'
    )
  }
})

t.test('the page and all that it refers to load from the service itself, behind any prefix', async t => {
  const app = await buildTestApp(t)
  const address = 'http://a.example/shop/animals/docs/'
  const { body } = await browse(app, address)
  const references = page(body)
  t.ok(references.length >= 6)
  t.match(body, '<title>Animal Store</title>')
  for (const reference of references) {
    const res = await browse(app, new URL(reference, address).href)
    t.equal(res.statusCode, 200, reference)
    t.ok(res.rawPayload.length > 0)
    t.match(res.headers['content-type'], /^(text\/css|application\/javascript|text\/javascript|image\/png)/)
  }
  t.notMatch(body, /https?:\/\//, 'nothing from elsewhere')
  t.notMatch(body, /<script(?![^>]*src=)/, 'no script within the page, which its policy forbids')
})

t.test('what the page runs is code that a browser can read, and loads the contract that is served here', async t => {
  const app = await buildTestApp(t)
  const { body } = await app.inject('/docs/static/swagger-initializer.js')
  t.doesNotThrow(() => new Function(body))
  const reference = /"urls":\[\{"url":"([^"]+)"/.exec(body)?.[1] ?? ''
  const res = await browse(app, new URL(reference, 'http://a.example/shop/animals/docs/').href)
  t.strictSame(res.rawPayload, file('generated/openapi.json'))
  const [server] = res.json().servers
  t.equal(new URL(server.url, 'http://a.example/shop/animals/openapi.json').pathname, '/shop/animals/v1')
})

interface Plugin {
  statePlugins?: {
    spec: {
      wrapSelectors: { allowTryItOutFor(original: () => boolean, system: object): (...args: unknown[]) => boolean }
    }
  }
  wrapComponents?: {
    responseBody(original: unknown, system: object): (props: object) => unknown
  }
}

/** The plugins as the browser gets them: from their source text, with nothing else of ours in reach. */
const pluginsOf = async (t: Test): Promise<Plugin[]> => {
  const app = await buildTestApp(t)
  const { body } = await app.inject('/docs/static/swagger-initializer.js')
  let config: { plugins: ((system: object) => Plugin)[] } | undefined
  const bundle = Object.assign(
    (given: typeof config) => {
      config = given
      return { initOAuth() {} }
    },
    { presets: {}, plugins: { DownloadUrl: () => ({ fn: 'DownloadUrl' }) } }
  )
  const window: { onload?: () => void; location: object } = { location: { href: 'http://a.example/docs/' } }
  const document = { createElement: () => ({}), querySelector: () => ({ appendChild() {} }) }
  new Function('window', 'document', 'SwaggerUIBundle', 'SwaggerUIStandalonePreset', body)(window, document, bundle, {})
  window.onload?.()
  return (config?.plugins ?? []).map(plugin => plugin({}))
}

t.test('x-hideTryItPanel takes away the panel of its operation alone', async t => {
  const plugins = await pluginsOf(t)
  t.strictSame(plugins[0], { fn: 'DownloadUrl' }, 'which loads the document, and which naming others takes away')
  const wrap = plugins.find(each => each.statePlugins !== undefined)?.statePlugins?.spec.wrapSelectors.allowTryItOutFor
  const { paths } = JSON.parse(file('generated/openapi.json').toString())
  const specJson = () => ({
    getIn: (names: string[]) => names.slice(1).reduce((at, name) => at?.[name], paths)
  })
  const allows = (original: boolean, path: string, method: string) =>
    wrap?.(() => original, { specSelectors: { specJson } })({}, path, method)
  const hidden = Object.entries<Record<string, object>>(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter(method => allows(true, path, method) !== true)
      .map(method => `${method} ${path}`)
  )
  t.strictSame(hidden, ['get /store/orders'])
  t.equal(allows(false, '/pets', 'get'), false)
})

t.test('the page shows the digits of large integers as they came', async t => {
  const wrap = (await pluginsOf(t)).find(each => each.wrapComponents !== undefined)?.wrapComponents?.responseBody
  const createElement = (type: unknown, props: object | null, ...children: unknown[]) => ({ type, props, children })
  const shown = (content: unknown, contentType: string | undefined = 'application/json') =>
    wrap?.('Original', { React: { createElement }, getComponent: () => 'HighlightCode' })({
      content,
      contentType
    }) as ReturnType<typeof createElement>
  const body = '[{"id":1,"name":"9007199254740993 \\"Rex\\"","categoryId":-9223372036854775808}]'
  const [, code] = shown(body).children as ReturnType<typeof createElement>[]
  t.equal(code?.type, 'HighlightCode')
  const lines = [
    '[',
    '  {',
    '    "id": 1,',
    '    "name": "9007199254740993 \\"Rex\\"",',
    '    "categoryId": -9223372036854775808',
    '  }',
    ']'
  ]
  t.strictSame(code?.children, [lines.join('\n')])
  for (const [content, type] of [
    ['[{"id":1}]'],
    ['{"broken": 9007199254740993'],
    [body, 'text/plain'],
    [undefined],
    [{}],
    ['']
  ] as const) {
    t.equal(shown(content, type).type, 'Original')
  }
})

t.test('the contract is served as it is written', async t => {
  const app = await buildTestApp(t)
  const documents = [
    ['/openapi.yaml', 'application/yaml', 'openapi/petstore.yaml'],
    ['/openapi.json', 'application/json', 'generated/openapi.json']
  ] as const
  for (const [url, type, path] of documents) {
    const get = await app.inject(url)
    t.equal(get.statusCode, 200)
    t.equal(get.headers['content-type'], type)
    t.strictSame(get.rawPayload, file(path))
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
  t.strictSame(
    parse((await app.inject('/openapi.yaml')).body, { intAsBigInt: true }).info.title,
    (await app.inject('/openapi.json')).json().info.title
  )
})

t.test('the page may load and do nothing but its own, on plain HTTP too', async t => {
  const app = await buildTestApp(t)
  for (const url of ['/docs/', '/docs/static/swagger-initializer.js', '/docs/static/index.css']) {
    const policy = policyOf((await app.inject(url)).headers['content-security-policy'])
    t.equal(policy['default-src'], "'none'", url)
    t.equal(policy['script-src'], "'self'")
    t.equal(policy['connect-src'], "'self'")
    t.equal(policy['frame-ancestors'], "'none'")
    t.notOk('upgrade-insecure-requests' in policy)
    t.notMatch(JSON.stringify(policy), /https?:|\*|unsafe-eval/)
  }
})

t.test('no key is needed to read, and none is taken by a file that is not there', async t => {
  const app = await buildTestApp(t)
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

t.test('a file comes whole, whatever part or version of it is asked for', async t => {
  const app = await buildTestApp(t)
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

t.test('what the page is made of takes GET, HEAD and OPTIONS alone', async t => {
  const app = await buildTestApp(t)
  for (const url of [
    '/',
    '/docs',
    '/docs/',
    '/docs/static/index.css',
    '/docs/static/swagger-initializer.js',
    '/openapi.yaml',
    '/openapi.json'
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
