import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Fastify, { type FastifyReply, type FastifyRequest, type InjectOptions } from 'fastify'
import openapiGlue from 'fastify-openapi-glue'
import t, { type Test } from 'tap'
import { documentAt, read } from './documents.ts'
import { guideIn } from './guides.ts'
import { projectFolder, resultOf, run } from './start-server.ts'

// Those that need nothing but what is installed here; the others are in guides.full.test.ts.

const generator = join(projectFolder, 'packages/generator/bin/generator.js')

/** A project in this repository, with what is generated from the guide's contract. */
const projectOf = async (t: Test, path: string) => {
  const folder = t.testdir({ 'package.json': '{ "type": "module", "generator": { "contract": "openapi.yaml" } }' })
  guideIn(t, 'docs/existing-app.md', folder, {}, ['contract.js'])
  const guide = guideIn(t, path, folder)
  t.match(await resultOf(run(t, process.execPath, [generator, 'generate'], { cwd: folder })), { code: 0, stderr: '' })
  return { folder, ...guide }
}

t.test('credentials-and-errors: tokens of an identity provider, API keys, and problem+json', async t => {
  const { folder, perform } = await projectOf(t, 'docs/credentials-and-errors.md')
  await perform('node --test')
  const include = ['*.ts', join(projectFolder, 'packages/*.d.ts')]
  const config = { extends: join(projectFolder, 'tsconfig.json'), include, compilerOptions: { incremental: false } }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = [join(projectFolder, 'node_modules/typescript-native/bin/tsc')]
  t.match(await resultOf(run(t, process.execPath, tsc, { cwd: folder })), { code: 0, stdout: '' })
})

t.test('migrating: handlers of fastify-openapi-glue, and what changes for its clients', async t => {
  const { folder, perform } = await projectOf(t, 'docs/migrating.md')
  await perform('node --test')

  const { buildApp } = await import(join(folder, 'app.js'))
  const before = Fastify()
  before.register(openapiGlue, {
    specification: join(folder, 'openapi.yaml'),
    serviceHandlers: {
      createPet: async ({ body }: { body: object }, reply: FastifyReply) => {
        reply.code(201)
        return { id: 1, ...body }
      },
      getPet: async () => ({ id: 1, name: 'Rex', secret: 'left out' })
    },
    securityHandlers: {
      key: async ({ headers }: FastifyRequest) => {
        if (headers['x-key'] !== 'let me in') throw new Error('no key')
      }
    },
    prefix: 'v1'
  })
  const after = await buildApp()
  t.teardown(() => Promise.all([before.close(), after.close()]))
  const key = { 'x-key': 'let me in' }
  const post = (payload: string, headers: object = key, type = 'application/json') => ({
    ...{ method: 'POST', url: '/v1/pets', payload },
    headers: { 'content-type': type, ...headers }
  })
  t.equal((await after.inject(post('{"name":"Rex"}'))).statusCode, 201)
  for (const [change, request, was, is] of [
    ['an undeclared parameter', { url: '/v1/pets/1?color=red', headers: key }, 200, 400],
    ['a property that is forbidden', post('{"name":"Rex","color":"red"}'), 201, 400],
    ['a value that was coerced', post('{"name":5}'), 201, 400],
    ['nothing is read before credentials', post('{"name":""}', {}), 400, 401],
    ['a wrong method', { method: 'DELETE', url: '/v1/pets/1', headers: key }, 404, 405],
    ['another media type', post('Rex', key, 'application/xml'), 415, 415],
    ['a large body', post(`{"name":"${'x'.repeat(2_000_000)}"}`), 413, 413]
  ] as [string, InjectOptions, number, number][]) {
    t.equal((await before.inject(request)).statusCode, was, `${change}: before`)
    t.equal((await after.inject(request)).statusCode, is, change)
  }
  t.notMatch((await before.inject({ url: '/v1/pets/1', headers: key })).payload, 'secret')
})

t.test('files-and-events: uploads, downloads and server-sent events', async t => {
  const { perform } = await projectOf(t, 'docs/files-and-events.md')
  await perform('node --test')
})

/** The document of which docs/generator.md shows what is printed, with the same lines. */
const odd = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths:
  /orders/{orderId}:
    parameters:
      - { name: orderId, in: path, required: true, schema: { type: integer, minimum: 1 } }
    get:
      operationId: getOrder
      summary: Get an order
      responses:
        '200':
          description: The order
          content:
            application/json: { schema: { $ref: '#/components/schemas/Order' } }
    trace:
      responses: { '200': { description: The request } }
  /pallets:
    get:
      responses:
        '200':
          description: Pallets
          content:
            application/json: { schema: { $ref: '#/components/schemas/Pallet' } }
components:
  schemas:
    Order:
      type: object
      properties:
        # Whatever the paint is.
        # Of the box.
        # Of its lid.
        colour: { type: string, format: colour }
    Pallet:
      type: object
      dependencies:
        lid: [box]
`

t.test('generator: refusals and warnings are printed as it shows them', async t => {
  const cwd = t.testdir({ 'openapi.yaml': odd, 'package.json': '{ "generator": { "contract": "openapi.yaml" } }' })
  const { text, blocks } = documentAt('docs/generator.md')
  const shown = blocks.filter(({ language }) => language === 'text').map(({ code }) => code)
  const [served = '', refused = '', warnings = ''] = shown
  const start = (...args: string[]) => run(t, process.execPath, [generator, ...args], { cwd })
  const mock = start('mock', 'openapi.yaml', '--port', '0')
  await mock.printed(/^ {2}501 .*\n/m)
  t.equal(mock.output().stdout.replaceAll(/(?<=127\.0\.0\.1:)\d+/g, '4010'), served)

  t.match(await resultOf(start('generate')), { code: 1, stderr: refused })
  const { code, stderr } = await resultOf(start('generate', '--skip-refused'))
  t.equal(code, 0)
  t.match(stderr, /\d of \d operations are served, \d refused/.exec(text)?.[0])
  // Here it is once.
  for (const line of warnings.trim().split('\n')) t.match(stderr, `${line.replace(/ \[and at .*/, '')}\n`)
})

t.test('contract-check: a breaking change is printed as it shows it', async t => {
  const cwd = t.testdir({ openapi: {} })
  const write = (maximum: number, version: string) => {
    // As if it were published.
    const published = read('openapi/petstore.yaml').replace('x-draft: true', 'x-draft: false')
    const contract = published.replace('maximum: 100\n', `maximum: ${maximum}\n`)
    writeFileSync(join(cwd, 'openapi/petstore.yaml'), contract.replace('version: 1.0.0', `version: ${version}`))
  }
  const contract = (...args: string[]) =>
    resultOf(run(t, process.execPath, [join(projectFolder, 'packages/check/bin/contract.js'), ...args], { cwd }))
  write(100, '1.0.0')
  t.match(await contract('release'), { code: 0 })
  write(50, '2.0.0')
  const { code, stdout } = await contract('check', 'changes')
  t.equal(code, 1)
  const shownIn = (path: string) => documentAt(path).blocks.find(({ language }) => language === 'text')?.code ?? ''
  t.match(stdout, shownIn('docs/contract-check.md'))
  // Then comes how it was called, and a date of its own.
  t.match(
    stdout,
    shownIn('packages/check/README.md')
      .replace(/^\$.*\n/, '')
      .replace(/npx contract .*\n/, '')
  )
})
