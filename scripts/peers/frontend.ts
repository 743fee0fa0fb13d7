// node scripts/peers/frontend.ts CONTRACT compares documentation pages and typed clients for one OpenAPI document, such as GitHub's. It
// installs the others in a folder of its own, as nothing else needs them, and prints two tables.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import Fastify from 'fastify'
import type { Browser } from 'playwright-core'
import ts from 'typescript'
import { docs } from '../../packages/fastify/src/docs/docs.ts'
import { routedMethods } from '../../packages/fastify/src/routing/methods.ts'
import { launchBrowser } from '../../test/browser.ts'
import { median } from '../bench/measure.ts'
import { machine, table } from '../bench/report.ts'
import { projectFolder } from '../bench/servers.ts'
import { installPeers } from './install.ts'

const [contract] = process.argv.slice(2)
if (contract === undefined) throw new Error('node scripts/peers/frontend.ts CONTRACT')
const folder = installPeers('frontend.json', { generator: { contract: resolve(contract) } })
const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: folder, stdio: 'ignore' })
run(process.execPath, join(projectFolder, 'packages/generator/bin/generator.js'), 'generate', '--skip-refused')
const json = readFileSync(join(folder, 'generated/openapi.json'))

/** A page that loads one script of a package, and a contract. */
const serveScript = (script: string, html: string) =>
  new Promise<string>(done => {
    const server = createServer(({ url }, response) => {
      const [type, body] =
        url === '/contract.json'
          ? ['application/json', json]
          : url === '/script.js'
            ? ['text/javascript', readFileSync(join(folder, 'node_modules', script))]
            : ['text/html', html]
      const isText = url === '/'
      response.setHeader('content-type', type)
      if (!isText) response.setHeader('content-encoding', 'gzip')
      response.end(isText ? body : gzipSync(body))
    }).listen(0, '127.0.0.1', () => done(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`))
  })

const serveOurs = async () => {
  const app = Fastify({ routerOptions: { querystringParser: text => text as never } })
  app.decorate('routedMethods', routedMethods([]))
  const documents = { yaml: json, json, changelog: Buffer.from('') }
  await app.register(docs, { basePath: '', operations: {}, documents })
  return `${await app.listen({ host: '127.0.0.1', port: 0 })}/docs/`
}

const body = (content: string) => `<!doctype html><html lang="en"><meta charset="utf-8"><body>${content}</body></html>`

const pages = {
  'this page': [serveOurs, '.opblock'],
  Scalar: [
    () =>
      serveScript(
        '@scalar/api-reference/dist/browser/standalone.js',
        body(
          `<div id="app"></div><script src="script.js"></script><script>Scalar.createApiReference('#app', { url: 'contract.json' })</script>`
        )
      ),
    'section h3, section h2'
  ],
  Redoc: [
    () =>
      serveScript(
        'redoc/bundles/redoc.standalone.js',
        body(`<redoc spec-url="contract.json"></redoc><script src="script.js"></script>`)
      ),
    '[data-section-id^="operation"], [data-section-id*="/operation/"], h2'
  ]
} as const

/** What a browser loads and holds until the first operation is seen, and one and a half seconds more. */
const visit = async (browser: Browser, url: string, seen: string) => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  page.setDefaultTimeout(300_000)
  await page.addInitScript(() => {
    const state = Object.assign(globalThis, { longest: 0 })
    new PerformanceObserver(list => {
      for (const { duration } of list.getEntries()) state.longest = Math.max(state.longest, duration)
    }).observe({ type: 'longtask' } as never)
  })
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  let bytes = 0
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  const begunMs = performance.now()
  await page.goto(url)
  await page.locator(seen).first().waitFor()
  const shownMs = performance.now() - begunMs
  await page.waitForTimeout(1500)
  await cdp.send('HeapProfiler.collectGarbage')
  const { usedSize } = await cdp.send('Runtime.getHeapUsage')
  const nodes: number = await page.evaluate('document.querySelectorAll("*").length')
  const longest: number = await page.evaluate('longest')
  await page.close()
  return [bytes / 1000, shownMs / 1000, longest / 1000, usedSize / 1e6, nodes] as const
}

const measurePages = async () => {
  const browser = await launchBrowser()
  const rows: string[][] = []
  for (const [name, [serve, seen]] of Object.entries(pages)) {
    const url = await serve()
    const visits: (readonly number[])[] = []
    for (let i = 0; i < 3; i++) visits.push(await visit(browser, url, seen))
    const [kB, shown, longest, heap, nodes] = [0, 1, 2, 3, 4].map(at => median(visits.map(each => each[at] ?? 0)))
    const figures = [`${kB?.toFixed(0)} kB`, `${shown?.toFixed(1)} s`, `${longest?.toFixed(1)} s`]
    rows.push([name, ...figures, `${heap?.toFixed(0)} MB`, (nodes ?? 0).toLocaleString('en')])
  }
  await browser.close()
  return [['', 'loaded', 'first operation', 'longest task', 'heap', 'nodes'], ...rows]
}

/** The first operations that need nothing but what a path has, as each client calls them. */
const chosen = () => {
  const { paths } = JSON.parse(json.toString()) as { paths: Record<string, { get?: { operationId: string } }> }
  return Object.entries(paths)
    .flatMap(([path, { get }]) => (get === undefined ? [] : [{ path, id: get.operationId }]))
    .slice(0, 20)
}

const nameIn = (module: string, id: string): string => {
  const plain = (text: string) => text.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()
  const names = [...readFileSync(join(folder, module), 'utf8').matchAll(/export const ([\w$]+)/g)].map(
    ([, name]) => name
  )
  return names.find(each => plain(each ?? '') === plain(id)) ?? id
}

const clientsOf = () => {
  run('node_modules/.bin/openapi-typescript', 'generated/openapi.json', '-o', 'fetch-types.ts')
  run('node_modules/.bin/openapi-ts', '-i', './generated/openapi.json', '-o', 'hey')
  const calls = chosen()
  const sdk = 'hey/sdk.gen.ts'
  const ours = calls.map(({ id }) => nameIn('generated/client-calls.ts', id))
  const heys = calls.map(({ id }) => nameIn(sdk, id))
  return {
    'these functions': `import { connect, ${ours} } from './generated/client-calls.ts'
const connection = connect({ baseUrl: 'http://a.example' })
${ours.map((name, i) => `export const r${i} = async () => { const r = await ${name}(connection, {} as never); if (r.status === 200) return r.body }`).join('\n')}`,
    'openapi-fetch': `import createClient from 'openapi-fetch'
import type { paths } from './fetch-types.ts'
const client = createClient<paths>({ baseUrl: 'http://a.example' })
${calls.map(({ path }, i) => `export const r${i} = async () => (await client.GET(${JSON.stringify(path)}, {} as never)).data`).join('\n')}`,
    'hey-api': `import { ${heys} } from './${sdk}'
${heys.map((name, i) => `export const r${i} = async () => (await ${name}({} as never)).data`).join('\n')}`
  }
}

const measureClients = async () => {
  const rows: string[][] = []
  for (const [name, code] of Object.entries(clientsOf())) {
    const file = join(folder, `${name.replaceAll(/\W/g, '-')}.ts`)
    writeFileSync(file, code)
    const program = ts.createProgram([file], {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      types: []
    })
    const wrong = program.getSemanticDiagnostics(program.getSourceFile(file)).length
    const { outputFiles } = await build({
      entryPoints: [file],
      bundle: true,
      splitting: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      write: false,
      outdir: folder
    })
    const gzipped = gzipSync(
      outputFiles.find(each => each.path.endsWith(`${name.replaceAll(/\W/g, '-')}.js`))?.contents ?? ''
    )
    const counted = (program as unknown as { getInstantiationCount(): number }).getInstantiationCount()
    rows.push([
      name,
      counted.toLocaleString('en'),
      `${(gzipped.length / 1000).toFixed(1)} kB`,
      wrong === 0 ? '' : `${wrong} errors`
    ])
  }
  return [['20 calls', 'instantiations', 'first load, gzipped', ''], ...rows]
}

console.log(machine())
console.log(table(await measureClients()))
console.log(table(await measurePages()))
process.exit()
