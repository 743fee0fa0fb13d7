import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type FastifyInstance, fastify } from 'fastify'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { contract as ours } from '../../../src/contract.ts'
import { petHandlers } from '../../../src/routes/pets.ts'
import { openSqliteStore } from '../../../test/open-store.ts'
import { readDocument } from '../../document/src/document.ts'
import { newApiKey } from '../../fastify/src/api-keys/api-key.ts'
import { type AppOptions, buildApp } from '../../fastify/src/app.ts'
import { isGoneBy } from '../../fastify/src/operations/lifecycle.ts'
import { coverageTable } from '../src/live/coverage.ts'
import { checkLive } from '../src/live/live.ts'
import { folderWith } from './contract-command.ts'

// The parts of our contract that this file is about.
const { listPets, createPet, getPet } = ours.operations
const operations = { listPets, createPet, getPet }
const contractText = (() => {
  const document = parse(readFileSync('openapi/petstore.yaml', 'utf8'), { intAsBigInt: true })
  for (const item of Object.values<Record<string, { operationId?: string }>>(document.paths))
    for (const [method, { operationId }] of Object.entries(item))
      if (operationId !== undefined && !(operationId in operations)) delete item[method]
  return stringify(document)
})()
const contract = readDocument(contractText, 'openapi.yaml')
const key = newApiKey('ast')
const withKey = { authorization: `Bearer ${key}` }

/** A service with only these operations. */
const start = async (t: Test, options: Partial<AppOptions> = {}) => {
  const store = openSqliteStore({ path: ':memory:' })
  const { listPets, createPet, getPet } = petHandlers({ pets: store.pets, isGone: isGoneBy(options) })
  const app = await buildApp({
    now: () => 0,
    ...options,
    store,
    apiKeys: [key],
    contract: { ...ours, operations },
    handlers: { listPets, createPet, getPet }
  })
  t.teardown(async () => {
    app.server.closeAllConnections()
    await app.close()
    await store.close()
  })
  return app
}

const listening = (app: FastifyInstance) => app.listen({ port: 0, host: '127.0.0.1' })

t.test('live: our service conforms to its contract', async t => {
  const app = await start(t)
  const report = await checkLive(contract, { url: await listening(app), keys: [key] })
  t.strictSame(report.failures, [])
  t.strictSame(report.gaps, [])
  // No schema can describe which cursors exist.
  t.match(report.notes, [{ operation: 'GET /pets', what: 'query parameter cursor: any value' }])
  t.equal(report.notes.length, 1)
  t.ok(report.requests < 100)
  t.ok(report.created > 5)
  t.equal(report.left.length, report.created, 'the contract has no way to remove them')
  t.equal(
    coverageTable(report.coverage),
    [
      '                   200   201   400   401   404   409       410       413       415   422       429       500       503',
      'GET /pets          seen        seen  seen                                                      not seen  not seen  not seen',
      'POST /pets               seen  seen  seen        not seen            not seen  seen  not seen  not seen  not seen  not seen',
      'GET /pets/{petId}  seen        seen  seen  seen            not seen                            not seen  not seen  not seen'
    ].join('\n')
  )
})

t.test('live: a removed operation is found to be missing', async t => {
  const app = await start(t, { removedOperations: 'gone', now: () => Date.parse('2031-01-01') })
  const { failures, coverage } = await checkLive(contract, { url: await listening(app), keys: [key] })
  t.strictSame(failures, [])
  const seen = coverage
    .find(({ operation }) => operation === 'GET /pets/{petId}')
    ?.cells.filter(each => each.isSeen)
    .map(each => each.status)
  t.strictSame(seen, ['401', '410'])
})

t.test('live: an invalid key is reported, and nothing is compared', async t => {
  const app = await start(t)
  const url = await listening(app)
  await t.rejects(checkLive(contract, { url, keys: ['no-key'] }), {
    message: `the key is not accepted at ${url}/v1: rejected by GET /pets (401) and 2 more`
  })
  const list = await app.inject({ url: '/v1/pets', headers: withKey })
  t.strictSame(list.json(), [])
})

t.test('contract check live: each security scheme may have a key of its own', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const open = (path: string, isRight: (headers: IncomingHttpHeaders) => boolean) =>
    app.get(path, async ({ headers }, reply) =>
      reply
        .code(isRight(headers) ? 204 : 401)
        .header('www-authenticate', 'Bearer')
        .send()
    )
  const isAdmin = ({ authorization }: IncomingHttpHeaders) => authorization === 'Bearer e30=.e30='
  const isRobot = (headers: IncomingHttpHeaders) => headers['x-key'] === 'a=b'
  open('/me', isAdmin)
  open('/jobs', isRobot)
  open('/state', headers => isAdmin(headers) || isRobot(headers))
  const url = await listening(app)
  const operation = (...security: string[]) => ({
    get: { security: security.map(name => ({ [name]: [] })), responses: { 204: {}, 401: {} } }
  })
  const { contract, write } = folderWith(t)
  const securitySchemes = {
    jwt: { type: 'http', scheme: 'bearer' },
    robot: { type: 'apiKey', in: 'header', name: 'X-Key' }
  }
  const paths = { '/me': operation('jwt'), '/jobs': operation('robot'), '/state': operation('jwt', 'robot') }
  write('openapi.json', JSON.stringify({ openapi: '3.1.0', paths, components: { securitySchemes } }))
  const check = (...keys: string[]) => contract('check', 'live', '--url', url, ...keys.flatMap(each => ['--key', each]))
  t.match(await check('jwt=e30=.e30=', 'robot=a=b'), { status: 0, stdout: /GET \/me +seen +seen/ })
  const robotsOnly = await check('robot=a=b')
  t.equal(robotsOnly.stderr, 'live: GET /me requires a key: give it with --key\n')
  t.match(robotsOnly.stdout, /GET \/state +seen +seen/)
  t.match(await check('jwt=e30=.e30=', 'wrong'), {
    status: 3,
    stderr: /not accepted at .*: rejected by GET \/jobs \(401\)/
  })
})

t.test('live: a stream that does not end is a response', async t => {
  const server = createServer(({ method }, response) => {
    if (method !== 'GET') response.writeHead(405, { allow: 'GET' }).end()
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const responses = { 200: { content: { 'text/event-stream': { schema: { type: 'object' } } } }, default: {} }
  const document = readDocument(
    JSON.stringify({ openapi: '3.1.0', paths: { '/events': { get: { responses } } } }),
    'a.json'
  )
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { failures, coverage } = await checkLive(document, { url })
  t.match(failures, [])
  t.match(coverage, [{ cells: [{ status: '200', isSeen: true }, {}] }])
})

t.test('contract check live: warns that it writes before it starts, and need not write', async t => {
  const app = await start(t)
  const url = await listening(app)
  const { contract, write } = folderWith(t)
  write('openapi.yaml', contractText)
  const written = await contract('check', 'live', '--url', url, '--key', key)
  t.equal(written.status, 0, written.stdout)
  t.equal(
    written.stderr,
    `live: creates, changes and removes data at ${url} (POST /pets), unless --read-only is given\n`
  )
  t.match(written.stdout, `\nLeft on the server\n  ${url}/v1/pets/1\n  ${url}/v1/pets/2\n  ${url}/v1/pets/3\n`)
  const [, created] = /; (\d+) resources created there, 0 removed, \1 left\n$/.exec(written.stdout) ?? []

  const read = await contract('check', 'live', '--url', url, '--key', key, '--read-only')
  t.equal(read.status, 0, read.stdout)
  t.equal(read.stderr, '')
  t.match(read.stdout, '\nNot tried\n  POST /pets: it may change something there\n')
  t.notMatch(read.stdout, /created|Left on the server/)
  t.equal((await app.inject({ url: '/v1/pets', headers: withKey })).json().length, Number(created))

  const wrong = await contract('check', 'live', '--url', url, '--key', 'no-key', '--read-only')
  t.strictSame(wrong, {
    status: 3,
    stdout: '',
    stderr: `live: the key is not accepted at ${url}/v1: rejected by GET /pets (401) and 1 more\n`
  })
})

t.test('contract check live: without a key that operations require, the check fails', async t => {
  const server = createServer(({ method = '', url = '' }, response) => {
    if (method !== 'GET' && method !== 'HEAD') response.writeHead(405, { allow: 'GET' }).end()
    else if (url === '/open') response.end()
    else response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
  })
  t.teardown(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const get = { responses: { 200: { description: 'Fine' }, 401: { description: 'No key' } } }
  const paths = {
    '/open': { get: { ...get, security: [] } },
    '/closed': { get, delete: get }
  }
  const components = { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } }
  const { contract, write } = folderWith(t)
  write('openapi.json', JSON.stringify({ openapi: '3.1.0', security: [{ key: [] }], paths, components }))
  const { status, stdout, stderr } = await contract('check', 'live', '--url', url, '--read-only')
  t.equal(status, 3)
  t.equal(stderr, 'live: GET /closed requires a key: give it with --key\n')
  t.match(stdout, '\n  GET /closed: it requires a key, and none is given\n')
  t.match(stdout, '\nlive: 0 differences in ', 'the rest is compared')

  write('openapi.json', JSON.stringify({ openapi: '3.1.0', paths: { '/open': paths['/open'] } }))
  t.match(await contract('check', 'live', '--url', url), { status: 0, stderr: '' })
})

t.test('contract check live: a POST with another status than 201 may have created something', async t => {
  const app = await start(t)
  app.addHook('onSend', async (_, reply) => void (reply.statusCode === 201 && reply.code(200)))
  const url = await listening(app)
  const { contract, write } = folderWith(t)
  write('openapi.yaml', contractText)
  const { stdout } = await contract('check', 'live', '--url', url, '--key', key)
  t.match(stdout, /\nLeft on the server\n {2}POST \/pets: \d+ requests that may have created something\n/)
  t.match(stdout, /, seed 1; \d+ requests that may have created something\n$/)
})

t.test("live: the URL may end with the path of the contract's server, or omit it", async t => {
  let requested = new Set<string>()
  const server = createServer(({ url = '' }, response) => {
    requested.add(url)
    response.end()
  })
  t.teardown(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const get = { get: { responses: { 200: { description: 'Fine' } } } }
  const pathsAt = async (path: string, ...servers: string[]) => {
    requested = new Set()
    const paths = { '/a': get, '/b': { ...get, servers: [{ url: 'https://b.example/x' }] } }
    const document = { openapi: '3.1.0', servers: servers.map(url => ({ url })), paths }
    const { url } = await checkLive(readDocument(JSON.stringify(document), 'a'), { url: origin + path })
    return [url.slice(origin.length), ...requested].join(' ')
  }
  for (const path of ['', '/', '/v1', '/v1/', '/v1?a=b']) {
    for (const url of ['/v1', '/v1/', 'https://example.com/v1'])
      t.equal(await pathsAt(path, url, '/v2'), '/v1 /v1/a /x/b', `${path} of ${url}`)
  }
  t.equal(await pathsAt('/shop/v1', '/v1'), '/shop/v1 /shop/v1/a /shop/x/b', 'behind a prefix')
  t.equal(await pathsAt('/v2', '/v1', '/v2'), '/v2 /v2/a /v2/b', 'another path replaces that of every server')
  t.equal(await pathsAt('/v1v1', '/v1'), '/v1v1 /v1v1/a /v1v1/b')
  t.equal(await pathsAt(''), ' /a /x/b', 'without a server')
  t.equal(await pathsAt('/shop'), '/shop /shop/a /shop/x/b')
})

t.test('live: a response is judged by schemas that are too dense for Ajv to compile', async t => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end('{"size":"large"}')
  })
  t.teardown(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const count = 1_200
  const reference = (index: number) => ({ $ref: `#/components/schemas/S${index % count}` })
  const schemas = Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const properties = { size: { type: 'integer' }, next: reference(index + 1), other: reference(index * 7 + 3) }
      return [`S${index}`, { properties }]
    })
  )
  const content = { 'application/json': { schema: reference(0) } }
  const paths = { '/a': { get: { responses: { 200: { description: 'Fine', content } } } } }
  const document = readDocument(JSON.stringify({ openapi: '3.1.0', paths, components: { schemas } }), 'dense.json')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { failures } = await checkLive(document, { url })
  t.match(failures, [{ wrong: 'has a body that the contract does not allow: it does not match its schema' }])
})
