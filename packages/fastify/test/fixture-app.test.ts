import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { generate } from '../../generator/src/generate.ts'
import { buildFixtureApp, withKey } from './fixture-app.ts'

const folder = 'packages/fastify/test/fixture'
const command = 'npx tap run --snapshot packages/fastify/test/fixture-app.test.ts'

const modules = [
  'openapi.json',
  'compiled.js',
  'compiled.d.ts',
  'operations.ts',
  'request-schemas.ts',
  'response-schemas.ts'
]

t.test(`the fixture's modules are those generated from its contract; ${command} generates them`, async t => {
  const files = await generate(`${folder}/openapi.yaml`)
  for (const name of modules) {
    const text =
      files.get(name)?.replace(/^\/\/ Generated .*/, `// Generated from openapi.yaml by \`${command}\`.`) ?? ''
    if (process.env.TAP_SNAPSHOT === '1') writeFileSync(`${folder}/${name}`, text)
    t.equal(readFileSync(`${folder}/${name}`, 'utf8'), text, name)
  }
})

t.test('the entry point loads only what every command needs, and no package', async t => {
  const program = `
    import { registerHooks } from 'node:module'
    registerHooks({
      load: (url, context, next) => {
        console.log(url)
        return next(url, context)
      }
    })
    await import('./packages/fastify/src/index.ts')
  `
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  const loaded = stdout.trim().split('\n')
  t.ok(loaded.some(url => url.endsWith('packages/fastify/src/index.ts')))
  t.strictSame(
    loaded.filter(url => url.includes('/node_modules/') || url === 'node:http' || url === 'node:sqlite'),
    []
  )
})

t.test('parameters of every type reach the handler as the contract declares them', async t => {
  const given: unknown[] = []
  const app = await buildFixtureApp(t, {
    handlers: {
      listThings: async ({ query, headers }) => {
        given.push({ ...query, ...headers })
        return { status: 200, body: [] }
      }
    }
  })
  const query = 'above=-9223372036854775808&ratio=0.5&open=true&shape=flat&tag=a&tag=b%2Cc&ids=1,9007199254740993'
  const headers = { ...withKey, 'x-colour': 'red' }
  t.equal((await app.inject({ url: `/v1/things?${query}`, headers })).statusCode, 200)
  t.equal((await app.inject({ url: '/v1/things', headers: withKey })).statusCode, 200)
  t.strictSame(given, [
    {
      limit: 20,
      above: -(2n ** 63n),
      ratio: 0.5,
      open: true,
      shape: 'flat',
      tag: ['a', 'b,c'],
      ids: [1n, 9007199254740993n],
      'X-Colour': 'red'
    },
    { limit: 20 }
  ])
  for (const wrong of [
    'above=1.5',
    'ratio=2',
    'open=yes',
    'shape=long',
    'tag=a&tag=b&tag=c&tag=d',
    'ids=1,x',
    'ids=1&ids=2'
  ])
    t.match((await app.inject({ url: `/v1/things?${wrong}`, headers: withKey })).json(), {
      code: 'invalid_request',
      message: new RegExp(`^query parameter ${wrong.split('=', 1)}\\b`)
    })
})

t.test('a public operation needs no key, one without content sends none, a body may be omitted', async t => {
  const app = await buildFixtureApp(t)
  t.strictSame((await app.inject('/v1/weather')).json(), { sunny: true })
  const removed = await app.inject({ method: 'DELETE', url: '/v1/things/1', headers: withKey })
  t.strictSame([removed.statusCode, removed.payload, removed.headers['content-type']], [204, '', undefined])
  t.equal((await app.inject({ method: 'DELETE', url: '/v1/things/2', headers: withKey })).statusCode, 404)
  const changed = await app.inject({ method: 'PATCH', url: '/v1/things/1', headers: withKey })
  t.match(changed.json(), { name: 'Brick' })
})
