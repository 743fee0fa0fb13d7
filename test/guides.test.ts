import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Fastify, { type FastifyReply, type FastifyRequest, type InjectOptions } from 'fastify'
import openapiGlue from 'fastify-openapi-glue'
import t, { type Test } from 'tap'
import { guideIn } from './guides.ts'
import { projectFolder, resultOf, run } from './start-server.ts'

// Those that need nothing but what is installed here; the others are in guides.full.test.ts.

/** A project in this repository, with what is generated from the guide's contract. */
const projectOf = async (t: Test, path: string) => {
  const folder = t.testdir({ 'package.json': '{ "type": "module", "generator": { "contract": "openapi.yaml" } }' })
  guideIn(t, 'docs/existing-app.md', folder, {}, ['contract.js'])
  const guide = guideIn(t, path, folder)
  const generator = join(projectFolder, 'packages/generator/bin/generator.js')
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
