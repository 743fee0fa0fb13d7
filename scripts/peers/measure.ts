// node scripts/peers/measure.ts [--write] compares five ways to serve one OpenAPI document, each as its own documentation shows it.
// With --write, the table goes into README.md. It installs the others in a folder of its own, as nothing else needs them.
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loads } from '../bench/loads.ts'
import { measureRequests, median, recordOf } from '../bench/measure.ts'
import { machine } from '../bench/report.ts'
import { endServers, projectFolder, startProgram } from '../bench/servers.ts'
import { installPeers } from './install.ts'

const names = {
  ours: '@contract-first/fastify',
  glue: 'fastify-openapi-glue',
  backend: 'openapi-backend',
  nest: 'NestJS, @nestjs/swagger',
  hono: 'Hono, zod-openapi'
} as const
type Name = keyof typeof names
const all = Object.keys(names) as Name[]

const folder = installPeers('package.json')
const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: folder, stdio: 'inherit' })
const start = (name: Name) => startProgram(folder, `servers/${name}.js`)
const startIncomplete = (name: Name) => startProgram(folder, `servers/${name}.js 2> /dev/null`, { MISSING: '1' })

const prepare = () => {
  for (const each of ['openapi.yaml', 'servers'])
    cpSync(join(import.meta.dirname, each), join(folder, each), { recursive: true })
  run(process.execPath, join(projectFolder, 'packages/generator/bin/generator.js'), 'generate')
  // Only this one has decorators, which Node.js cannot run.
  const decorators = '--tsconfig-raw={"compilerOptions":{"experimentalDecorators":true}}'
  const nest = 'servers/nest.js'
  run('node_modules/.bin/esbuild', nest, `--outfile=${nest}`, '--allow-overwrite', '--loader:.js=ts', decorators)
}

const request = (line: string, body = '', fields = 'Authorization: Bearer right\r\n') => {
  const ofBody = body && `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  return Buffer.from(`${line} HTTP/1.1\r\nHost: 127.0.0.1\r\n${fields}${ofBody}\r\n${body}`)
}
const order = '{"sku":9007199254740993,"quantity":2}'

/** Requests, and what the response shows. */
const questions: [title: string, sent: Buffer, yes: RegExp][] = [
  ['int64 exact in and out', request('POST /v1/orders', order), /9007199254740993/],
  ['401 before the body is parsed', request('POST /v1/orders', '{"sku":', ''), /^HTTP\/1\.1 401/],
  ['responses checked', request('GET /v1/orders/13'), /^HTTP\/1\.1 5/],
  ['405 with `Allow`', request('PUT /v1/orders', order), /^HTTP\/1\.1 405.*\nallow: /is],
  ['deprecation headers', request('GET /v1/orders/1'), /\ndeprecation: /i]
]

const answersOf = async (name: Name): Promise<string[]> => {
  const server = await start(name)
  const answers: string[] = []
  for (const [, sent, yes] of questions) answers.push(yes.test(await server.send(sent)) ? 'yes' : 'no')
  await server.end()
  // These two make the document from the code.
  if (name === 'nest' || name === 'hono') return [...answers, 'code first']
  const incomplete = await startIncomplete(name).catch(() => undefined)
  await incomplete?.end()
  return [...answers, incomplete === undefined ? 'yes' : 'no']
}

const measure = async () => {
  const scenarios = {
    get: { request: request('GET /v1/orders/1'), status: 200 },
    create: { request: request('POST /v1/orders', '{"sku":7,"quantity":2}'), status: 201 }
  }
  const sides = recordOf(all, name => () => start(name))
  const cases = recordOf(Object.keys(scenarios) as (keyof typeof scenarios)[], name => ({
    scenario: scenarios[name],
    load: loads.batches
  }))
  const extent = { scenarios: Object.values(scenarios), warmUp: 10_000, rounds: 40, requests: 3000 }
  const { taken } = await measureRequests(sides, { cases, ...extent })
  // As parts of one server's, in the same round: a machine with other things to do slows all of them.
  return Object.entries(taken).map(([scenario, processes]) => [
    `CPU per request: ${scenario}`,
    ...all.map(name => median(processes.flat().map(round => round[name] / round.glue)).toFixed(1))
  ])
}

prepare()
try {
  const columns: string[][] = []
  for (const name of all) columns.push(await answersOf(name))
  const titles = [...questions.map(([title]) => title), 'a missing handler stops the start']
  const answers = titles.map((title, at) => [title, ...columns.map(column => column[at] ?? '')])
  const rows = [['', ...Object.values(names)], ['---', ...all.map(() => '---')], ...answers, ...(await measure())]
  const table = rows.map(cells => `| ${cells.join(' | ')} |\n`).join('')
  console.log(`${machine()}\n${table}`)
  if (process.argv.includes('--write')) {
    const readme = join(projectFolder, 'README.md')
    const between = /(?<=<!-- Written by node scripts\/peers\/measure\.ts --write -->\n\n).*(?=\n<!-- Until here -->)/s
    writeFileSync(readme, readFileSync(readme, 'utf8').replace(between, table))
  }
} finally {
  endServers()
}
