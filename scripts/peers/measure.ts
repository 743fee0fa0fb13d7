// node scripts/peers/measure.ts [--write] compares five ways to serve one OpenAPI document, each as its own documentation shows it.
// With --write, the table goes into README.md. The first run installs the others in a folder of its own, as nothing else needs them.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { measureRequests, median } from '../bench/measure.ts'
import { machine } from '../bench/report.ts'
import { endServers, projectFolder, type Server, startProgram } from '../bench/servers.ts'

const names = {
  ours: '@contract-first/fastify',
  glue: 'fastify-openapi-glue',
  backend: 'openapi-backend',
  nest: 'NestJS, @nestjs/swagger',
  hono: 'Hono, zod-openapi'
} as const
type Name = keyof typeof names
const all = Object.keys(names) as Name[]

const peers = join(projectFolder, 'scripts/peers')
const folder = join(peers, 'dist')

const prepare = async () => {
  mkdirSync(folder, { recursive: true })
  const manifest = readFileSync(join(peers, 'package.json'), 'utf8')
  const installed = join(folder, 'package.json')
  const isInstalled = existsSync(installed) && readFileSync(installed, 'utf8') === manifest
  for (const name of ['openapi.yaml', 'servers']) cpSync(join(peers, name), join(folder, name), { recursive: true })
  if (!isInstalled) {
    writeFileSync(installed, manifest)
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: folder, stdio: 'inherit' })
  }
  const generator = join(projectFolder, 'packages/generator/bin/generator.js')
  execFileSync(process.execPath, [generator, 'generate'], { cwd: folder })
  // Only this one has decorators, which Node.js cannot run.
  const { transformSync } = await import(pathToFileURL(join(folder, 'node_modules/esbuild/lib/main.js')).href)
  const nest = join(folder, 'servers/nest.js')
  const tsconfigRaw = { compilerOptions: { experimentalDecorators: true } }
  writeFileSync(nest, transformSync(readFileSync(nest, 'utf8'), { loader: 'ts', tsconfigRaw }).code)
}

const request = (line: string, body = '', fields = 'Authorization: Bearer right\r\n') =>
  Buffer.from(
    `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\n${fields}${body && `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`}\r\n${body}`
  )
const order = '{"sku":9007199254740993,"quantity":2}'

/** What a response shows. */
const questions: Record<string, { sent: Buffer; isMet: (response: string) => boolean }> = {
  'int64 exact in and out': {
    sent: request('POST /v1/orders', order),
    isMet: text => text.includes('9007199254740993')
  },
  '401 before the body is parsed': {
    sent: request('POST /v1/orders', '{"sku":', ''),
    isMet: text => text.startsWith('HTTP/1.1 401')
  },
  'responses checked': { sent: request('GET /v1/orders/13'), isMet: text => /^HTTP\/1\.1 5/.test(text) },
  '405 with `Allow`': {
    sent: request('PUT /v1/orders', order),
    isMet: text => text.startsWith('HTTP/1.1 405') && /^allow: /im.test(text)
  },
  'deprecation headers': { sent: request('GET /v1/orders/1'), isMet: text => /^deprecation: /im.test(text) }
}

/** Whether the start fails if an operation of the document has no handler. */
const noticesMissing = (name: Name) =>
  startProgram(folder, `servers/${name}.js 2> /dev/null`, { MISSING: '1' }).then(
    async server => {
      await server.end()
      return false
    },
    () => true
  )

const answers = async (name: Name): Promise<string[]> => {
  const server = await startProgram(folder, `servers/${name}.js`)
  const met = []
  for (const { sent, isMet } of Object.values(questions)) met.push(isMet(await server.send(sent)) ? 'yes' : 'no')
  await server.end()
  // These two make the document from the code.
  const isCodeFirst = name === 'nest' || name === 'hono'
  return [...met, isCodeFirst ? 'code first' : (await noticesMissing(name)) ? 'yes' : 'no']
}

const measure = async () => {
  const scenarios = {
    get: { request: request('GET /v1/orders/1'), status: 200 },
    create: { request: request('POST /v1/orders', '{"sku":7,"quantity":2}'), status: 201 }
  }
  const sides = Object.fromEntries(all.map(name => [name, () => startProgram(folder, `servers/${name}.js`)])) as Record<
    Name,
    () => Promise<Server>
  >
  const { taken } = await measureRequests(sides, {
    scenarios,
    only: ['get', 'create'],
    warmUp: 10_000,
    rounds: 40,
    seconds: 0.1
  })
  // As parts of one server's, in the same round: a machine with other things to do slows all of them.
  return Object.entries(taken).map(([scenario, processes]) => [
    `CPU per request: ${scenario}`,
    ...all.map(name => median(processes.flat().map(round => round[name] / round.glue)).toFixed(1))
  ])
}

await prepare()
try {
  const columns: string[][] = []
  for (const name of all) columns.push(await answers(name))
  const titles = [...Object.keys(questions), 'a missing handler stops the start']
  const rows = titles.map((title, at) => [title, ...columns.map(column => column[at] ?? '')])
  const head = ['', ...Object.values(names)]
  const text = [head, head.map(() => '---'), ...rows, ...(await measure())]
    .map(cells => `| ${cells.join(' | ')} |`)
    .join('\n')
  console.log(machine())
  console.log(text)
  if (process.argv.includes('--write')) {
    const readme = join(projectFolder, 'README.md')
    const begin = '<!-- Written by node scripts/peers/measure.ts --write -->'
    const document = readFileSync(readme, 'utf8')
    const [before = '', after] = document.split(begin)
    if (after === undefined) throw new Error(`README.md must contain ${begin}`)
    writeFileSync(readme, `${before}${begin}\n\n${text}\n\n${after.slice(after.indexOf('<!-- Until here -->'))}`)
  }
} finally {
  endServers()
}
