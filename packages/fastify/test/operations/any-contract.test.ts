import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { docsPrefixOf } from '../../src/docs/urls.ts'
import { unwritten } from '../../src/operations/unwritten.ts'
import { derivedContract } from '../derived-contract.ts'
import { openFixtureStore } from '../fixture-store.ts'
import { closedWith } from '../watch.ts'

/** A contract as written by people who do not know this engine: no servers, tags, limits or security. */
const contractWith = (paths: string) => `openapi: 3.0.3
info: { title: Bells, version: 1.0.0 }
paths:
${paths.replace(/^(?=.)/gm, '  ')}`

const bells = `/bells:
  get:
    operationId: listBells
    parameters: [{ name: limit, in: query, schema: { type: integer } }]
    responses: { '200': { description: All bells. } }
  post:
    operationId: createBell
    requestBody:
      content: { application/json: { schema: { type: object, required: [tone, name], properties: { name: { type: string } } } } }
    responses: { '201': { description: It is there. } }
`

const appOf = async (t: Test, paths: string, given: object = {}) => {
  const { contract } = await derivedContract(t, contractWith(paths))
  const ids = Object.keys(contract.operations)
  const returning = ids.map(id => [id, async () => ({ status: id === 'createBell' ? 201 : 200 })])
  const handlers = { ...Object.fromEntries(returning), ...given }
  const store = openFixtureStore()
  const app = await buildApp({ contract, store, handlers: handlers as never })
  closedWith(t, app)
  const statusOf = async (url: string, more: object = {}) => (await app.inject({ url, ...more })).statusCode
  return { app, contract, statusOf }
}

t.test('a contract without servers, security, tags, limits and error statuses is served', async t => {
  const { app, statusOf } = await appOf(t, bells)
  const post = (payload: unknown, type = 'application/json') =>
    statusOf('/bells', { method: 'POST', headers: { 'content-type': type }, payload: JSON.stringify(payload) })
  t.equal(await statusOf('/bells?limit=3'), 200)
  t.equal(await statusOf('/bells?limit=x'), 400)
  t.equal(await post({ name: 'Big Ben', tone: 'e' }), 201)
  t.equal(await post({ name: 'Big Ben' }), 400, 'a required property without a description')
  t.equal(await post({}, 'text/plain'), 415)
  t.equal(await post({ name: 'x'.repeat(70_000), tone: 'e' }), 413)
  t.equal(await statusOf('/bells', { method: 'PUT' }), 405)
  for (const url of ['/nowhere', '/bells/', '/bells/1/2']) t.equal(await statusOf(url), 404, `${url} asks for no key`)
  t.equal(await statusOf('/%zz'), 400)
  t.match(await app.inject('/'), { statusCode: 302, headers: { location: 'docs/' } })
  for (const url of ['/docs/', '/openapi.json', '/openapi.yaml']) t.equal(await statusOf(url), 200, url)
})

t.test('an operation that is not written yet gets a 501, whether its contract declares it or not', async t => {
  const { app, statusOf } = await appOf(t, bells, { listBells: unwritten })
  t.match(await app.inject('/bells?limit=x'), { statusCode: 501, body: /"code":"not_implemented"/ })
  t.equal(await statusOf('/bells', { method: 'POST', payload: { name: 'Big Ben', tone: 'e' } }), 201)
})

t.test('the documentation makes room for what the contract has at its URLs', async t => {
  const own = (path: string, id: string) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const parameters = names.map(name => `{ name: ${name}, in: path, required: true, schema: { type: string } }`)
    return `${path}:
  get:
    operationId: ${id}
    parameters: [${parameters.join(', ')}]
    responses: { '200': { description: Its own. } }
`
  }
  const { app, contract, statusOf } = await appOf(
    t,
    own('/', 'getRoot') + own('/docs/{id}', 'getDoc') + own('/{id}', 'getAny') + own('/-/x', 'getX')
  )
  t.equal(docsPrefixOf(contract), '/--')
  for (const url of ['/', '/docs/1', '/openapi.json', '/-/x']) {
    const res = await app.inject(url)
    t.strictSame([res.statusCode, res.body], [200, ''], `${url} is the contract's`)
  }
  for (const url of ['/--/docs/', '/--/openapi.json', '/--/docs/static/swagger-initializer.js'])
    t.equal(await statusOf(url), 200, url)
  t.match(await app.inject('/--/'), { statusCode: 302, headers: { location: 'docs/' } })
  t.match(await app.inject('/--/docs'), { statusCode: 302, headers: { location: 'docs/' } })
  t.equal(await statusOf('/--/docs/static/nothing.js'), 404)
  t.equal(await statusOf('/docs/static/swagger-initializer.js'), 404)
  t.equal(await statusOf('/--/openapi.json', { method: 'POST' }), 405)
  t.equal(await statusOf('/docs/'), 404, 'it might be a thing with an empty id')
})

t.test('/docs/ leads to the page wherever it is, unless it is the contract’s', async t => {
  const { app, statusOf } = await appOf(
    t,
    `/{user}/{repository}:
  get: { operationId: getRepository, responses: { '200': { description: One. } } }
`
  )
  t.match(await app.inject('/docs/'), { statusCode: 302, headers: { location: '../-/docs/' } })
  t.match(await app.inject('/docs'), { statusCode: 302, headers: { location: './-/docs/' } })
  t.equal(await statusOf('/docs/x'), 200)
})

t.test('paths that differ only in the names of their parameters share 404, 405 and OPTIONS', async t => {
  const parameter = (name: string, type: string) =>
    `{ name: ${name}, in: path, required: true, schema: { type: ${type} } }`
  const { app, statusOf } = await appOf(
    t,
    `/bells/{id}:
  get: { operationId: getBell, parameters: [${parameter('id', 'integer')}], responses: { '200': { description: One. } } }
/bells/{name}:
  delete: { operationId: deleteBell, parameters: [${parameter('name', 'string')}], responses: { '200': { description: Gone. } } }
`
  )
  t.equal(await statusOf('/bells/5'), 200)
  t.equal(await statusOf('/bells/five'), 400)
  t.equal(await statusOf('/bells/five', { method: 'DELETE' }), 200)
  t.match(await app.inject({ method: 'PUT', url: '/bells/5' }), {
    statusCode: 405,
    headers: { allow: 'GET, DELETE, HEAD, OPTIONS' }
  })
  t.equal(await statusOf('/bells/'), 404)
})

t.test('a path without parameters goes before one with them, whatever their methods', async t => {
  const id = 'parameters: [{ name: id, in: path, required: true, schema: { type: string } }]'
  const operation = (operationId: string) =>
    `{ operationId: ${operationId}, responses: { '200': { description: Done. } } }`
  const { app, statusOf } = await appOf(
    t,
    `/bells/biggest: { post: ${operation('ringBiggest')} }
/bells/{id}: { ${id}, get: ${operation('getBell')}, options: ${operation('bellOptions')} }
/bells/{id}/tone: { ${id}, put: ${operation('tuneBell')} }
/{id}/biggest/tone: { ${id}, delete: ${operation('muteBiggest')} }
/v2/{id}: { ${id}, servers: [{ url: 'https://bells.example/bells' }], patch: ${operation('patchSecond')} }
`
  )
  const allows = async (method: 'GET' | 'HEAD' | 'OPTIONS' | 'PUT' | 'PATCH' | 'DELETE', url: string) => {
    const { statusCode, headers } = await app.inject({ method, url })
    return [statusCode, headers.allow]
  }
  const only = 'POST, OPTIONS'
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'] as const)
    t.strictSame(await allows(method, '/bells/biggest'), [405, only], method)
  t.strictSame(await allows('OPTIONS', '/bells/biggest'), [204, only])
  t.equal(await statusOf('/bells/biggest', { method: 'POST' }), 200)
  t.equal(await statusOf('/bells/smallest'), 200)
  t.strictSame(await allows('OPTIONS', '/bells/smallest'), [200, undefined])
  t.strictSame(await allows('PUT', '/bells/smallest'), [405, 'GET, OPTIONS, HEAD'])
  t.equal(await statusOf('/bells/biggest/tone', { method: 'PUT' }), 200)
  t.strictSame(await allows('DELETE', '/bells/biggest/tone'), [405, 'PUT, OPTIONS'])
  t.equal(await statusOf('/towers/biggest/tone', { method: 'DELETE' }), 200)
  t.equal(await statusOf('/bells/v2/5', { method: 'PATCH' }), 200)
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const) {
    for (const url of ['/bells/', '/bells//tone', '//biggest/tone', '/bells/v2/', '/bells/v2'])
      t.equal(await statusOf(url, { method }), url === '/bells/v2' ? (method === 'GET' ? 200 : 405) : 404, url)
  }
})

t.test('a body of a DELETE is read as any other; one of a GET is ignored', async t => {
  const body = `requestBody:
      required: true
      content: { application/json: { schema: { type: object, properties: { name: { type: string } } } } }`
  const { statusOf } = await appOf(
    t,
    `/bells:
  delete:
    operationId: deleteBells
    ${body}
    responses: { '200': { description: Gone. } }
  get:
    operationId: findBells
    ${body}
    responses: { '200': { description: Found. } }
`
  )
  const send = (method: string, payload: string) =>
    statusOf('/bells', { method, headers: { 'content-type': 'application/json' }, payload })
  t.equal(await send('DELETE', '{"name": "x"}'), 200)
  t.equal(await send('DELETE', '{"name": 5}'), 400)
  t.equal(await statusOf('/bells', { method: 'DELETE' }), 400)
  t.equal(await send('GET', '{"name": 5}'), 200)
  t.equal(await statusOf('/bells'), 200)
})

t.test('parameters may be parts of a path segment', async t => {
  const parameters = (...names: string[]) =>
    `[${names.map(name => `{ name: ${name}, in: path, required: true, schema: { type: string } }`).join(', ')}]`
  const yaml = `openapi: 3.0.3
info: { title: Bells, version: 1.0.0 }
servers: [{ url: /v1 }]
paths:
  /bells/{id}.json:
    get: { operationId: getJson, parameters: ${parameters('id')}, responses: { '200': { $ref: '#/components/responses/Seen' } } }
  /bells/{id}:
    get: { operationId: getBell, parameters: ${parameters('id')}, responses: { '200': { $ref: '#/components/responses/Seen' } } }
  /bells/{id}:ring:
    post: { operationId: ring, parameters: ${parameters('id')}, responses: { '200': { $ref: '#/components/responses/Seen' } } }
  /bells/{id}:mute:
    get: { operationId: mute, parameters: ${parameters('id')}, responses: { '200': { $ref: '#/components/responses/Seen' } } }
  /bells:all/{id}:
    get: { operationId: all, parameters: ${parameters('id')}, responses: { '200': { $ref: '#/components/responses/Seen' } } }
  /bells/biggest:
    get: { operationId: biggest, responses: { '200': { $ref: '#/components/responses/Seen' } } }
  /compare/{base}...{to-head}:
    get: { operationId: compare, parameters: ${parameters('base', 'to-head')}, responses: { '200': { $ref: '#/components/responses/Seen' } } }
components:
  responses:
    Seen:
      description: What arrived.
      content: { application/json: { schema: { type: object, properties: { params: { type: object } } } } }
`
  const { contract } = await derivedContract(t, yaml)
  const handler = async ({ params }: { params: object }) => ({ status: 200, body: { params } })
  const handlers = Object.fromEntries(Object.keys(contract.operations).map(id => [id, handler]))
  const app = await buildApp({ contract, store: openFixtureStore(), handlers: handlers as never })
  closedWith(t, app)
  for (const [url, params] of [
    ['/bells/5.json', { id: '5' }],
    ['/bells/5.6.json', { id: '5.6' }],
    ['/bells/a%2Fb.json', { id: 'a/b' }],
    ['/bells/5.xml', { id: '5.xml' }],
    ['/bells/5:mute', { id: '5' }],
    ['/bells/5:6:mute', { id: '5:6' }],
    ['/bells/5%3Amute', { id: '5' }],
    ['/bells/5:other', { id: '5:other' }],
    ['/bells:all/7', { id: '7' }],
    ['/bells/biggest', {}],
    ['/compare/main...feature-1.2', { base: 'main', to_head: 'feature-1.2' }]
  ] as const)
    t.strictSame((await app.inject(`/v1${url}`)).json(), { params }, url)
  const ringing = await app.inject({ method: 'POST', url: '/v1/bells/5:ring' })
  t.strictSame(ringing.json(), { params: { id: '5' } })
  t.match(await app.inject('/v1/bells/5:ring'), { statusCode: 405, headers: { allow: 'POST, OPTIONS' } })
  for (const url of ['/compare/main..x', '/compare/...x', '/compare/main...', '/compare/...', '/bells/'])
    t.equal((await app.inject(`/v1${url}`)).statusCode, 404, url)
  t.match(await app.inject({ method: 'POST', url: '/v1/compare/a...b' }), {
    statusCode: 405,
    headers: { allow: 'GET, HEAD, OPTIONS' }
  })
})

t.test('operations whose servers have another path are served below that', async t => {
  const { app, contract, statusOf } = await appOf(
    t,
    `/bells:
  servers: [{ url: https://api.example/v1 }]
  get: { operationId: listBells, responses: { '200': { description: All bells. } } }
  put:
    servers: [{ url: https://upload.example/api/v1 }]
    operationId: putBell
    parameters: [{ name: limit, in: query, schema: { type: integer } }]
    responses: { '200': { description: It is there. } }
/towers: { get: { operationId: listTowers, responses: { '200': { description: All towers. } } } }
`
  )
  t.equal(contract.basePath, '')
  for (const url of ['/v1/bells', '/towers']) t.equal(await statusOf(url), 200, url)
  t.equal(await statusOf('/api/v1/bells', { method: 'PUT' }), 200)
  t.equal(await statusOf('/api/v1/bells?limit=x', { method: 'PUT' }), 400)
  t.match(await app.inject('/api/v1/bells'), { statusCode: 405, headers: { allow: 'PUT, OPTIONS' } })
  for (const url of ['/bells', '/v1/towers', '/api/bells', '/v1', '/v1/', '/api/v1/no'])
    t.equal(await statusOf(url), 404, url)
  for (const url of ['/v1/%zz', '/api/v1/%zz', '/%zz']) t.equal(await statusOf(url), 400, url)
})

t.test('without a key, nothing is revealed below any base path', async t => {
  const { contract } = await derivedContract(
    t,
    `${contractWith(`/bells:
  get: { operationId: listBells, responses: { '200': { description: All bells. } } }
  put:
    servers: [{ url: https://upload.example/v2 }]
    operationId: putBell
    responses: { '200': { description: It is there. } }
`)}
servers: [{ url: https://api.example/v1 }]
security: [{ key: [] }]
components: { securitySchemes: { key: { type: http, scheme: bearer } } }
`
  )
  const handler = async () => ({ status: 200 })
  const app = await buildApp({
    contract,
    store: openFixtureStore(),
    handlers: { listBells: handler, putBell: handler } as never
  })
  closedWith(t, app)
  for (const url of ['/v1/bells', '/v1/no', '/v2/no', '/v2/%zz']) t.equal((await app.inject(url)).statusCode, 401, url)
  t.equal((await app.inject({ method: 'PUT', url: '/v2/bells' })).statusCode, 401)
  t.equal((await app.inject('/v3/bells')).statusCode, 404)
})

t.test('OPTIONS, and HEAD without a GET, are operations where the contract has them', async t => {
  const { contract } = await derivedContract(
    t,
    `${contractWith(`/bells:
  options:
    operationId: describeBells
    security: [{ key: [] }]
    responses: { '200': { description: What there is., content: { application/json: { schema: { type: string } } } } }
  head:
    operationId: countBells
    parameters: [{ name: limit, in: query, schema: { type: integer } }]
    responses:
      '200':
        description: How many there are.
        headers: { X-Count: { schema: { type: integer } } }
        content: { application/json: { schema: { type: string } } }
/bells#all: { put: { operationId: putBells, responses: { '204': { description: Done. } } } }
`)}
components: { securitySchemes: { key: { type: http, scheme: bearer } } }
`
  )
  const handlers = {
    describeBells: async () => ({ status: 200, body: 'bells' }),
    countBells: async () => ({ status: 200, headers: { 'X-Count': 3 } }),
    putBells: async () => ({ status: 204 })
  }
  const app = await buildApp({ contract, store: openFixtureStore(), handlers: handlers as never })
  closedWith(t, app)
  const send = (method: 'OPTIONS' | 'HEAD' | 'PUT', url = '/bells') => app.inject({ method, url })
  t.equal((await send('OPTIONS')).statusCode, 401)
  t.match(await send('HEAD'), { statusCode: 200, body: '', headers: { 'x-count': '3' } })
  t.equal((await send('HEAD', '/bells?limit=x')).statusCode, 400)
  t.equal((await send('PUT')).statusCode, 204)
})
