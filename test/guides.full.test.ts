import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { newDatabase } from '../packages/fastify/test/store/new-database.ts'
import { documentAt } from './documents.ts'
import { guideIn } from './guides.ts'
import { environment, execute, folderWith, packOwn } from './installing.ts'
import { resultOf } from './start-server.ts'

// From the registry.
const others = {
  '@fastify/aws-lambda': '6.4.1',
  '@fastify/jwt': '10.2.8',
  '@types/node': '22.20.5',
  fastify: '5.12.8',
  kysely: '0.29.9',
  pg: '8.23.1',
  typescript: '5.9.3'
}

// All guides share what they install: their folders are in this one.
const root = folderWith({ ...packOwn('generator'), ...packOwn('check') }, others)

/** A folder for the files of a guide, which continues the first one unless it is that. */
const projectIn = (name: string) => {
  const folder = join(root, name)
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}
const env = { NODE_OPTIONS: environment().NODE_OPTIONS, PORT: '0' }

t.test('existing-app: a contract is mounted in an application, with its JWT and its database', async t => {
  const folder = projectIn('existing-app')
  const { start, perform } = guideIn(t, 'docs/existing-app.md', folder, env)
  await perform('npm pkg set')
  const contract = join(folder, 'openapi.yaml')
  const written = readFileSync(contract, 'utf8')
  await perform('npm run generate -- --fix')
  t.equal(readFileSync(contract, 'utf8'), written, 'default declares what the engine may send')
  writeFileSync(contract, written.replace(/^ +default: .*\n/m, ''))
  await perform('npm run generate -- --fix')
  t.match(readFileSync(contract, 'utf8'), /^ +'401':$/m)
  const server = start('export JWT_SECRET=abc && exec node server.js')
  const [, origin = ''] = await server.printed(/Server listening at (http:\/\/127\.0\.0\.1:\d+)/)
  const printed = await perform('# Your route', { 'http://127.0.0.1:3000': origin })
  t.strictSame(
    printed.match(/(?<=HTTP\/1\.1 )\d+/g),
    ['200', '401', '201', '200', '400', '200'],
    'the requests do what it says'
  )
  t.match(printed, /\{"hello":"Ada"\}[\s\S]*\{"id":1,"sku":9007199254740993,"quantity":2\}/)
  await perform('node --test')
  const contractCheck = (...args: string[]) =>
    execute(environment(), folder, process.execPath, join(root, 'node_modules/.bin/contract'), ...args)
  await contractCheck('release')
  t.match(await contractCheck('check'), {
    status: 0,
    stdout: /generated: up to date\n\s*routes: \d+ routes, no differences[\s\S]*changes: /
  })

  // The same, compiled.
  renameSync(join(folder, 'contract.js'), join(folder, 'contract.ts'))
  for (const name of ['app.js', 'app.test.js', 'orders.js', 'server.js']) rmSync(join(folder, name))
  writeFileSync(
    join(folder, 'main.ts'),
    `import type { Contract, Handlers, Verifiers } from '@contract-first/fastify'
import { contract } from './contract.ts'
import type { operations, securitySchemes } from './generated/operations.ts'
import type { components } from './generated/types-bigint.ts'

declare module '@contract-first/fastify' { interface Principal { admin: boolean } }
const order: components['schemas']['Order'] = { id: 1n, sku: 2n, quantity: 3 }
export const handlers = {
  getOrder: async ({ principal }) => ({ status: 200, body: { ...order, quantity: principal.admin ? 4 : 5 } })
} satisfies Partial<Handlers<typeof operations>>
export const verifiers = {
  bearerAuth: (_scheme, { token }) => ({ id: token, admin: true })
} satisfies Verifiers<typeof securitySchemes>
// @ts-expect-error There is no such operation.
export const others = { dropOrder: async () => ({ status: 204 }) } satisfies Partial<Handlers<typeof operations>>
// @ts-expect-error Its body lacks the quantity.
export const lacking = { getOrder: async () => ({ status: 200, body: { id: 1n, sku: 2n } }) } satisfies Partial<Handlers<typeof operations>>
export const typed: Contract = contract
console.log(contract.operations.getOrder.path, contract.documents.yaml.length > 0)
`
  )
  await perform('npx tsc')
  const compiled = execFileSync(process.execPath, ['dist/main.js'], { cwd: folder, env: environment() })
  t.match(String(compiled), '/orders/{orderId} true')

  // In CommonJS.
  const [, url = ''] = /`` (`file:.*`) ``/.exec(documentAt('docs/existing-app.md').text) ?? []
  const asCommonJs = readFileSync(join(folder, 'contract.ts'), 'utf8')
    .replace(/^import (?:\* as )?(.*) from (.*)$/gm, 'const $1 = require($2)')
    .replace('export const contract =', 'const contract =')
    .replaceAll('import.meta.url', () => url)
  writeFileSync(join(folder, 'contract.cjs'), `${asCommonJs}\nconsole.log(contract.operations.getOrder.path)`)
  const required = execFileSync(process.execPath, ['contract.cjs'], { cwd: folder, env: environment() })
  t.match(String(required), '/orders/{orderId}')
})

/** A project that continues the first guide, with what is generated from the contract of another one. */
const continued = async (t: Test, name: string) => {
  const folder = projectIn(name)
  const first = guideIn(t, 'docs/existing-app.md', folder, env, ['contract.js'])
  const guide = guideIn(t, `docs/${name}.md`, folder, env)
  await first.perform('npm pkg set')
  return { folder, ...guide }
}

t.test('database: handlers use Kysely on PostgreSQL', async t => {
  const { folder, start, perform } = await continued(t, 'database')
  writeFileSync(
    join(folder, 'typed.ts'),
    `import type { Handlers } from '@contract-first/fastify'
import { whileAvailable } from './available.ts'
import type { operations } from './generated/operations.ts'
type All = Handlers<typeof operations>
export const available = (handlers: All): All => whileAvailable(handlers)
`
  )
  const tsc = 'npx tsc --strict --noEmit --module nodenext --target es2024 --allowImportingTsExtensions --skipLibCheck'
  t.match(await resultOf(start(`${tsc} typed.ts`)), { code: 0, stdout: '' })
  const url = await newDatabase(t)
  await perform('DATABASE_URL', { 'postgres://postgres@127.0.0.1:5432/postgres': `'${url}'` })
})

t.test('hosting: a contract in a function, behind a Node.js server, and in a process that is told to end', async t => {
  const { start, perform } = await continued(t, 'hosting')
  await perform('node --test')
  // What an update brings is tested where packages are published.
  await perform('npm update', { 'npm test': 'node --test' })
  const server = start('exec node server.js')
  const [, port] = await server.printed(/Server listening at http:\/\/127\.0\.0\.1:(\d+)/)
  const headers = { connection: 'close' }
  const [, path] = /readinessProbe: \{ httpGet: \{ path: (\/ready),/.exec(documentAt('docs/hosting.md').text) ?? []
  t.equal(await (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).text(), 'ready')
  server.process.kill('SIGTERM')
  t.match(await server.ended, { code: 0 })
})
