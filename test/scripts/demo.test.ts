import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { demoKeyOf, isApiKey, newApiKey } from '../../packages/fastify/src/api-keys/api-key.ts'
import type { AnyOperation } from '../../packages/fastify/src/contract/contract.ts'
import { mockOf } from '../../packages/fastify/src/mock/mock.ts'
import { parseJson } from '../../packages/fastify/src/node/json.ts'
import { registerOperations } from '../../packages/fastify/src/operations/routes.ts'
import { jsonBody } from '../../packages/fastify/src/validation/json-body.ts'
import { serializerCompiler } from '../../packages/fastify/src/validation/serializer-compiler.ts'
import { validatorCompiler } from '../../packages/fastify/src/validation/validator-compiler.ts'
import { compileOperations } from '../../packages/fastify/test/compiled.ts'
import { parseExact } from '../../packages/fastify/test/contract-judge.ts'
import { connectTo, openConnection } from '../../packages/fastify/test/http/connection.ts'
import { readPreferences } from '../../packages/generator/src/package/mock-preferences.ts'
import { firstLargeId, largeCategoryId } from '../../scripts/demo/animals.ts'
import { animalStore } from '../../src/animal-store.ts'
import { newPage } from '../browser.ts'
import { buildTestApp, withKey } from '../build-test-app.ts'
import { openSqliteStore } from '../open-store.ts'
import { announced, petstore } from '../petstore.ts'
import { projectFolder, type Running, refusesConnections, run, scriptPath } from '../start-server.ts'

const demoKey = demoKeyOf('ast')

const { operations } = petstore

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape, whose parts are checked where they are read
type Node = any

const document = parseJson(readFileSync(new URL('../../generated/openapi.json', import.meta.url)))

/** The service with the demo's additions; `end` ends all delays. */
const mockedApp = async (t: Test) => {
  const ending = new AbortController()
  const app = await buildTestApp(t, { mock: mockOf({ document, ending: ending.signal, readPreferences }) })
  const send = (
    prefer: string | undefined,
    { method = 'GET', url = '/v1/pets', headers = withKey as object, payload = '' } = {}
  ) =>
    app.inject({
      method: method as 'GET',
      url,
      headers: {
        ...headers,
        ...(prefer !== undefined && { prefer }),
        ...(payload && { 'content-type': 'application/json' })
      },
      ...(payload && { payload })
    })
  return { app, send, end: () => ending.abort() }
}

const urlOf = (path: string) => `/v1${path.replaceAll(/\{\w+\}/g, '1')}`
const responsesOf = ({ definition }: { definition: Node }) =>
  Object.entries<Node>(definition.responses).map(([status, response]) => ({
    status,
    response: petstore.resolved(response)
  }))

/** The headers that are the same in every response of this kind. */
const lasting = ({ date: _, 'x-request-id': __, ...rest }: Record<string, unknown>) => rest

t.test('Prefer: code=… returns every declared response of every operation, with the contract’s example', async t => {
  const { send } = await mockedApp(t)
  for (const operation of operations) {
    const { method, path, operationId } = operation
    for (const { status, response: declared } of responsesOf(operation)) {
      const response = await send(`code=${status}`, { method, url: urlOf(path) })
      const what = `${operationId} ${status}`
      t.equal(response.statusCode, Number(status), what)
      t.equal(response.headers['preference-applied'], `code=${status}`)
      if (declared.content === undefined) {
        t.equal(response.payload, '', what)
      } else {
        t.equal(response.headers['content-type'], 'application/json')
        const [first] = Object.values<Node>(declared.content['application/json'].examples)
        t.strictSame(response.json(), petstore.resolved(first).value, what)
      }
      for (const [name, header] of Object.entries<Node>(declared.headers ?? {}))
        t.equal(response.headers[name.toLowerCase()], String(petstore.resolved(header).example), `${what} ${name}`)
    }
  }
})

t.test('Prefer: example=… chooses by name, with and without a code', async t => {
  const { send } = await mockedApp(t)
  for (const operation of operations) {
    const { method, path } = operation
    const seen = new Set<string>()
    for (const { status, response } of responsesOf(operation)) {
      for (const [name, example] of Object.entries<Node>(response.content?.['application/json'].examples ?? {})) {
        const { value } = petstore.resolved(example)
        const both = await send(`example=${name}, code=${status}`, { method, url: urlOf(path) })
        t.equal(both.statusCode, Number(status))
        t.strictSame(both.json(), value)
        t.equal(both.headers['preference-applied'], `code=${status}, example=${name}`)
        const alone = await send(`example=${name}`, { method, url: urlOf(path) })
        // If several responses have an example of this name, the one with the lowest status is returned.
        if (!seen.has(name)) t.strictSame([alone.statusCode, alone.json()], [Number(status), value])
        seen.add(name)
      }
    }
  }
})

t.test('preferences are parsed according to RFC 7240', async t => {
  const { send } = await mockedApp(t)
  const forms: [string, number, string][] = [
    ['code=503', 503, 'code=503'],
    ['Code=503', 503, 'code=503'],
    ['code = 503', 503, 'code=503'],
    ['code="503"', 503, 'code=503'],
    ['code=\t"5\\03"', 503, 'code=503'],
    ['code=503; why="a, b; c"; x', 503, 'code=503'],
    ['code=503;;', 503, 'code=503'],
    [', ,code=503 , ', 503, 'code=503'],
    ['respond-async, code=503, return=minimal', 503, 'code=503'],
    ['code=503, code=500', 503, 'code=503'],
    ['EXAMPLE=keyInvalid,CODE=401', 401, 'code=401, example=keyInvalid'],
    ['foo="code=500", code=503', 503, 'code=503'],
    ['code=500, delay=0', 500, 'code=500, delay=0']
  ]
  for (const [prefer, status, applied] of forms) {
    const response = await send(prefer)
    t.equal(response.statusCode, status, prefer)
    t.equal(response.headers['preference-applied'], applied, prefer)
  }
})

t.test('several Prefer headers are one list', async t => {
  const { app } = await mockedApp(t)
  const connection = await openConnection(t, app)
  connection.send(
    `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${withKey.authorization}\r\n` +
      'Prefer: respond-async\r\nPrefer: example=keyInvalid\r\nprefer: code=401\r\n\r\n'
  )
  const { status, headers, body } = await connection.response()
  t.equal(status, 401)
  t.equal(headers['preference-applied'], 'code=401, example=keyInvalid')
  t.match(body, 'api_key_invalid')
})

t.test('unknown preferences are ignored, even the `wait` of RFC 7240', async t => {
  const { send } = await mockedApp(t)
  const plain = lasting((await send(undefined)).headers)
  for (const prefer of [
    'wait=10',
    'return=minimal',
    'respond-async',
    'handling=strict; x=1',
    'dynamic=true',
    'codes=503',
    '',
    ' , '
  ]) {
    const { statusCode, payload, headers } = await send(prefer)
    t.strictSame([statusCode, payload], [200, '[]'], prefer)
    t.match(headers, plain)
    t.equal(headers['preference-applied'], undefined)
  }
})

t.test('a preference that does not exist is a 400 that names those that do', async t => {
  const { send } = await mockedApp(t)
  const declared = 'it declares 200, 400, 401, 429, 500, 503.'
  const faults: [string, string][] = [
    ['code=404', `Prefer: code=404 is not a response of listPets; ${declared}`],
    ['code=2000', `Prefer: code=2000 is not a response of listPets; ${declared}`],
    ['code=ok', `Prefer: code=ok is not a response of listPets; ${declared}`],
    ['code', `Prefer: code= is not a response of listPets; ${declared}`],
    ['code=__proto__', `Prefer: code=__proto__ is not a response of listPets; ${declared}`],
    [
      'code=401, example=limit',
      'Prefer: example=limit is not an example of listPets 401; those with a name are: keyMissing, keyInvalid.'
    ],
    [
      'example=rex',
      'Prefer: example=rex is not an example of listPets; those with a name are: page, limit, keyMissing, keyInvalid, limited, fault, unavailable.'
    ],
    ['delay=61', 'Prefer: delay must be a number of seconds from 0 to 60, not 61.'],
    ['delay=-1', 'Prefer: delay must be a number of seconds from 0 to 60, not -1.'],
    ['delay=soon', 'Prefer: delay must be a number of seconds from 0 to 60, not soon.'],
    ['code 503', 'Prefer cannot be read from code 503 on: it is a list of NAME=VALUE, separated by commas.'],
    ['wait=1, code="503', 'Prefer cannot be read from code="503 on: it is a list of NAME=VALUE, separated by commas.'],
    [`code=${'9'.repeat(100)}`, `Prefer: code=${'9'.repeat(60)}… is not a response of listPets; ${declared}`]
  ]
  for (const [prefer, message] of faults) {
    const response = await send(prefer)
    t.strictSame(response.json(), { code: 'invalid_request', message, status: 400 }, prefer)
    t.equal(response.headers['preference-applied'], undefined)
  }
})

t.test('the key and the path are checked first', async t => {
  const { send } = await mockedApp(t)
  for (const prefer of ['code=200', 'code=503, delay=60', 'code=999', 'code 1']) {
    t.match((await send(prefer, { headers: {} })).json(), { code: 'api_key_missing' })
    const refused = await send(prefer, { headers: { authorization: `Bearer ${newApiKey('ast')}` } })
    t.match(refused.json(), { code: 'api_key_invalid' })
    t.match(refused.headers['www-authenticate'], 'invalid_token')
    t.match((await send(prefer, { url: '/v1/dogs' })).json(), { code: 'path_not_found' })
    t.match((await send(prefer, { method: 'TRACE' })).json(), { code: 'method_not_allowed' })
    t.equal((await send(prefer, { method: 'OPTIONS' })).statusCode, 204)
  }
})

t.test('a forced response is sent before the content is checked, and adds no animal', async t => {
  const { send } = await mockedApp(t)
  for (const payload of ['{"name":"Rex","categoryId":7}', '{', ' '.repeat(70_000)]) {
    const response = await send('code=201', { method: 'POST', payload })
    t.strictSame([response.statusCode, response.headers.location], [201, 'pets/1'])
  }
  t.equal((await send('code=503', { url: '/v1/pets?limit=0' })).statusCode, 503)
  t.equal((await send('code=200', { url: '/v1/pets/rex' })).statusCode, 200)
  t.equal((await send(undefined)).payload, '[]')
})

const rex = '{"name":"Rex","categoryId":7}'
const postHead = (more: string) =>
  `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${withKey.authorization}\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${rex.length}\r\nPrefer: code=503\r\n${more}\r\n`

t.test('a forced response does not wait for the body, and closes the connection', async t => {
  const { app } = await mockedApp(t)
  for (const [more, early] of [
    ['', ''],
    ['', rex],
    ['Expect: 100-continue\r\n', '']
  ] as const) {
    const connection = await openConnection(t, app)
    connection.send(postHead(more) + early)
    const { status, headers } = await connection.response()
    t.strictSame([status, headers.connection], [503, 'close'])
    if (early === '') connection.send(rex)
    connection.finish()
    t.equal(await connection.rest(), '')
  }
})

t.test('if the body arrives during a delay, the connection stays open', async t => {
  const { app } = await mockedApp(t)
  const connection = await openConnection(t, app)
  for (let count = 0; count < 2; count++) {
    connection.send(postHead('').replace('code=503', 'code=503, delay=0.1') + rex)
    const { status, headers } = await connection.response()
    t.strictSame([status, headers.connection], [503, 'keep-alive'])
  }
})

t.test('HEAD has the headers of GET and no body', async t => {
  const { send } = await mockedApp(t)
  for (const [prefer, url] of [
    ['code=200', '/v1/pets'],
    ['code=404', '/v1/pets/1'],
    ...(announced ? [['code=501', `/v1${announced.path}`]] : [])
  ] as [string, string][]) {
    const headers = lasting((await send(prefer, { url })).headers)
    const head = await send(prefer, { method: 'HEAD', url })
    t.equal(head.payload, '')
    t.match(head.headers, headers)
  }
})

t.test('any response can be delayed; delays end with the demo', async t => {
  const { send, end } = await mockedApp(t)
  const start = performance.now()
  const late = await send('delay=0.3')
  t.ok(performance.now() - start >= 299)
  t.strictSame([late.payload, late.headers['preference-applied']], ['[]', 'delay=0.3'])

  const waiting = [
    send('delay=60'),
    send('code=503; x, Delay="60.0"'),
    send('delay=59', { method: 'POST', payload: rex })
  ]
  // The requests must have arrived before the delays end.
  await send('delay=0.1')
  end()
  const [list, forced, created] = await Promise.all(waiting)
  t.strictSame([list?.statusCode, list?.headers['preference-applied']], [200, 'delay=60'])
  t.strictSame([forced?.statusCode, forced?.headers['preference-applied']], [503, 'code=503, delay=60.0'])
  t.strictSame([created?.statusCode, created?.json().id], [201, 1])
})

t.test('many simultaneous delays cause no warning', async t => {
  const { send, end } = await mockedApp(t)
  const warned: Error[] = []
  const warn = (warning: Error) => warned.push(warning)
  process.on('warning', warn)
  t.teardown(() => process.off('warning', warn))
  const waiting = Array.from({ length: 50 }, () => send('delay=60'))
  await send('delay=0.1')
  end()
  for (const { statusCode } of await Promise.all(waiting)) t.equal(statusCode, 200)
  t.strictSame(warned, [])
})

t.test('without the demo, a Prefer header is ignored', async t => {
  const app = await buildTestApp(t)
  for (const { method, path } of operations) {
    for (const headers of [withKey, {}]) {
      const send = async (prefer: object) => {
        const response = await app.inject({
          method: method as 'GET',
          url: urlOf(path),
          headers: { ...headers, ...prefer }
        })
        return [response.statusCode, lasting(response.headers), response.payload]
      }
      const plain = await send({})
      for (const prefer of ['code=503', 'example=keyInvalid', 'delay=60', 'code=999', 'code 1'])
        t.strictSame(await send({ prefer }), plain, `${method} ${path} ${prefer}`)
    }
  }
})

// Operations that the service does not have, from a small contract.

const int64 = { type: 'integer', format: 'int64' }
const toy = {
  type: 'object',
  properties: { id: int64, name: { type: 'string' } },
  required: ['id'],
  additionalProperties: false
}
const fault = {
  type: 'object',
  properties: { code: { type: 'string' }, message: { type: 'string' }, status: { type: 'integer' } },
  additionalProperties: false
}
const toyContract = `{
  "paths": {
    "/toys": { "$comment": "put to the path item", "parameters": [],
      "post": { "operationId": "addToy", "responses": {
        "default": { "description": "", "content": { "application/json": { "example": { "code": "other", "message": "Any.", "status": 500 } } } },
        "202": { "description": "has no example", "content": { "application/json": { "examples": { "far": { "externalValue": "https://a.example" } } } } },
        "203": { "description": "a header has none", "headers": { "ETag": { "required": true } }, "content": { "application/json": { "example": {} } } },
        "204": { "description": "has no body", "headers": { "X-Left": { "example": 9223372036854775807 }, "X-May": {} } },
        "400": { "$ref": "#/components/responses/Bad" },
        "5XX": { "description": "", "content": { "application/json": { "examples": { "a/b, \\"c\\"": { "value": { "code": "full", "message": "Full.", "status": 507 } } } } } }
      } },
      "get": { "operationId": "listToys", "responses": {
        "200": { "description": "", "headers": { "X-Total": { "$ref": "#/components/headers/To~1tal" } },
          "content": { "application/json": { "example": [{ "id": 9007199254740993 }, { "id": 2, "name": "Ball" }] } } },
        "400": { "$ref": "#/components/responses/Bad" }, "501": { "$ref": "#/components/responses/Later" }
      } }
    },
    "/balls": { "get": { "operationId": "listBalls", "responses": { "501": { "$ref": "#/components/responses/Later" } } } },
    "/dolls": { "get": { "operationId": "listDolls", "responses": { "501": { "description": "", "content": { "application/json": {} } } } } }
  },
  "components": {
    "headers": { "To/tal": { "examples": { "some": { "$ref": "#/components/examples/Two" } } } },
    "examples": { "Two": { "value": 2 } },
    "responses": {
      "Bad": { "description": "", "content": { "application/json": { "example": { "code": "bad", "message": "Bad.", "status": 400 } } } },
      "Later": { "description": "", "content": { "application/json": { "examples": {
        "later": { "value": { "code": "not_implemented", "message": "In spring.", "status": 501 } } } } } }
    }
  }
}`
const entry = (
  operationId: string,
  method: string,
  url: string,
  responses: AnyOperation['responses'],
  input = {}
): AnyOperation => ({
  operationId,
  method,
  path: url,
  url,
  tags: [],
  input: { query: { type: 'object', properties: {}, additionalProperties: false }, ...input },
  bodyRequired: 'body' in input,
  commaSeparated: [],
  responses,
  security: [],
  lifecycle: {}
})
const error = { headers: {}, body: fault }
const toyEntries = [
  entry('addToy', 'POST', '/toys', { 204: { headers: {} }, 400: error, '5XX': error, default: error }, { body: toy }),
  entry('listToys', 'GET', '/toys', {
    200: { headers: {}, body: { type: 'array', items: toy } },
    400: error,
    501: error
  }),
  entry('listBalls', 'GET', '/balls', { 501: error }),
  entry('listDolls', 'GET', '/dolls', { 501: error })
]

/** The service with the operations of another contract as well; its responses are not checked against a contract. */
const toyApp = async (t: Test, mocked: boolean): Promise<FastifyInstance> => {
  const store = openSqliteStore({ path: ':memory:' })
  const app = await animalStore.build({ store })
  t.teardown(async () => {
    await app.close().catch(() => {})
    await store.close()
  })
  const mock = mockOf({
    document: parseJson(Buffer.from(toyContract)),
    ending: new AbortController().signal,
    readPreferences
  })
  const addToys = async (scope: FastifyInstance) => {
    await scope.register(jsonBody)
    const compiled = compileOperations(toyEntries)
    scope.setValidatorCompiler(validatorCompiler(compiled)).setSerializerCompiler(serializerCompiler(compiled))
    registerOperations(scope, toyEntries, {}, compiled, mocked ? mock : undefined)
  }
  await app.register(addToys, { prefix: '/toyland' })
  return app
}

t.test('an operation without a handler returns the example of its lowest 2xx, or else its 501', async t => {
  const app = await toyApp(t, true)
  const list = await app.inject('/toyland/toys')
  t.equal(list.statusCode, 200)
  t.equal(list.payload, '[{"id":9007199254740993},{"id":2,"name":"Ball"}]')
  t.equal(list.headers['x-total'], '2')
  t.equal(list.headers['content-type'], 'application/json')
  t.equal(list.headers['preference-applied'], undefined)

  const add = await app.inject({ method: 'POST', url: '/toyland/toys', payload: { id: 1 } })
  t.strictSame([add.statusCode, add.payload, add.headers['x-left']], [204, '', '9223372036854775807'])
  t.equal(add.headers['x-may'], undefined)

  t.strictSame((await app.inject('/toyland/balls')).json(), {
    code: 'not_implemented',
    message: 'In spring.',
    status: 501
  })
  const plain = { code: 'not_implemented', message: 'listDolls is not available yet.', status: 501 }
  t.strictSame((await app.inject('/toyland/dolls?x=1')).json(), plain)
})

t.test('requests to an operation without a handler are validated as well', async t => {
  const app = await toyApp(t, true)
  t.match((await app.inject('/toyland/toys?x=1')).json(), { code: 'invalid_request', message: /query parameter "x"/ })
  t.match((await app.inject({ method: 'POST', url: '/toyland/toys', payload: {} })).json(), {
    message: 'body.id is required.'
  })
  t.match((await app.inject({ method: 'POST', url: '/toyland/toys' })).json(), { message: 'a body is required.' })
})

t.test('without a mock, an operation without a handler prevents the start', async t => {
  await t.rejects(toyApp(t, false), {
    name: 'ContractNotServed',
    message:
      'The contract cannot be served: no handler for addToy (POST /toys); only an operation whose contract declares 501 needs none.'
  })
})

t.test('ranges, default, unnamed examples, and responses without an example', async t => {
  const app = await toyApp(t, true)
  const post = async (prefer: string) => {
    const { statusCode, payload, headers } = await app.inject({
      method: 'POST',
      url: '/toyland/toys',
      headers: { prefer }
    })
    return { statusCode, payload, applied: headers['preference-applied'] }
  }
  t.match(await post('code=507'), { statusCode: 507, payload: /Full/ })
  t.match(await post('code=500'), { statusCode: 500, payload: /Full/ }, 'a range takes precedence over default')
  t.match(await post('code=409'), { statusCode: 409, payload: /Any/ })
  t.match(await post('code=400'), { statusCode: 400, payload: /"bad"/ })
  t.match(await post('code=204'), { statusCode: 204, payload: '' })
  const quoted = 'example="a/b, \\"c\\""'
  t.strictSame((await post(quoted)).applied, quoted)
  t.match(await post(`${quoted}, code=503`), { statusCode: 503, payload: /Full/ })
  const unshown = /"Prefer: code=20\d cannot be shown: the contract has no example of its (body|header ETag)\."/
  t.match(await post('code=202'), { statusCode: 400, payload: unshown })
  t.match(await post('code=203'), { statusCode: 400, payload: unshown })
  t.match(await post('code=204, example=x'), { statusCode: 400, payload: /those with a name are: none\./ })
})

// The demo as a process.

interface Demo extends Running {
  origin: string
  port: number
}

const node = [process.execPath, scriptPath('scripts/demo.ts')]
const npm = ['npm', 'run', 'demo']

const startDemo = async (
  t: Test,
  {
    command = node,
    cwd = projectFolder,
    env = {}
  }: { command?: string[]; cwd?: string; env?: Record<string, string> } = {}
): Promise<Demo> => {
  // Without tap's loader, which writes files; npm and its child processes as a group, as a shell starts them.
  const running = run(t, 'env', command, {
    cwd,
    env: { PORT: '0', npm_config_update_notifier: 'false', ...env },
    detached: command === npm
  })
  const [, origin = '', port = ''] = await running.printed(/service +(http:\/\/\S+:(\d+))\/v1[\s\S]*delay=2/)
  return { ...running, origin, port: Number(port) }
}

const sender =
  ({ origin }: Demo) =>
  (path: string, { headers = {}, ...init }: RequestInit = {}) =>
    fetch(origin + path, { ...init, headers: { authorization: `Bearer ${demoKey}`, connection: 'close', ...headers } })

t.test('in the demo, too, anything but HTTP/1.x is a 400, and an unknown method a 405', async t => {
  const demo = await startDemo(t)
  for (const [first, status] of [
    ['PRI * HTTP/2.0', 400],
    ['GET /v1/pets HTTP/0.9', 400],
    ['DESCRIBE /v1/pets HTTP/1.1', 405]
  ] as const) {
    const connection = await connectTo(t, demo.port)
    connection.send(`${first}\r\nHost: a\r\nAuthorization: Bearer ${demoKey}\r\n\r\n`)
    const response = await connection.response()
    t.equal(response.status, status, first)
    t.match(response.headers, { 'x-content-type-options': 'nosniff', 'x-request-id': /./, connection: 'close' })
    t.equal(await connection.rest(), '')
  }
  t.notMatch(demo.output().stdout, /error/i, 'there are no complaints')
  t.equal(demo.output().stderr, '')
})

t.test('the start prints everything that is needed to send requests', async t => {
  const demo = await startDemo(t)
  const { stdout, stderr } = demo.output()
  t.equal(stderr, '')
  t.ok(isApiKey(demoKey))
  t.match(stdout, `  API key        ${demoKey}\n`)
  t.match(stdout, `  documentation  ${demo.origin}/docs/\n`)
  t.match(stdout, 'beyond 2^53')
  const [, key = '', url = ''] = /curl -H 'Authorization: Bearer (\S+)' '(\S+)'/.exec(stdout) ?? []
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  t.equal(response.status, 200)
  t.equal(((await response.json()) as unknown[]).length, 3)
  t.equal((await fetch(`${demo.origin}/docs/`)).status, 200)
  t.equal((await fetch(`${demo.origin}/v1/pets`)).status, 401)
})

t.test('on all addresses of a container, it prints URLs that can be opened outside', async t => {
  const demo = await startDemo(t, { env: { HOST: '0.0.0.0' } })
  t.equal(demo.origin, `http://127.0.0.1:${demo.port}`)
  t.equal((await fetch(`${demo.origin}/docs/`)).status, 200)
})

t.test('there are some thousand plausible animals, the same each time', async t => {
  /** The bodies of all pages of 100. */
  const pagesOf = async (send: ReturnType<typeof sender>) => {
    const pages: string[] = []
    for (let query: string | undefined = '?limit=100'; query !== undefined; ) {
      const response: Response = await send(`/v1/pets${query}`)
      pages.push(await response.text())
      query = /<(\?[^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    }
    return pages
  }
  const first = sender(await startDemo(t))
  const pages = await pagesOf(first)
  t.strictSame(await pagesOf(sender(await startDemo(t))), pages)

  const animals = pages.flatMap(
    text => parseExact(text) as { id: bigint; name: string; categoryId: bigint; status: string }[]
  )
  t.ok(animals.length >= 2000 && animals.length < 10_000)
  t.strictSame(
    animals.map(each => each.id),
    animals.map((_, index) => BigInt(index + 1))
  )
  const share = (isOne: (animal: (typeof animals)[number]) => boolean) => animals.filter(isOne).length / animals.length
  for (const status of ['available', 'pending', 'sold']) t.ok(share(each => each.status === status) > 0.05, status)
  const large = share(each => each.categoryId > 2n ** 53n)
  t.ok(large > 0.01 && large < 0.2)
  t.ok(share(each => each.categoryId === 7n) > 0.2)
  t.ok(new Set(animals.map(each => each.name)).size > 50)
  t.equal(animals.find(each => each.categoryId > 2n ** 53n)?.id, BigInt(firstLargeId), 'not on the first pages')
  t.equal(animals[firstLargeId - 1]?.categoryId, largeCategoryId)
  t.strictSame(petstore.faultsOf(JSON.parse(pages[0] ?? ''), '/components/schemas/Pets', 'page'), [])

  const examples = await (await first('/v1/pets', { headers: { prefer: 'code=200' } })).json()
  t.strictSame(await (await first('/v1/pets?limit=2')).json(), examples, "the contract's own animals come first")
})

t.test('it works without write permission, and needs no other program', async t => {
  const cwd = t.testdir()
  const confined = ['--permission', '--allow-fs-read=*', '--allow-net', '--disable-warning=ExperimentalWarning']
  const demo = await startDemo(t, { command: [process.execPath, ...confined, scriptPath('scripts/demo.ts')], cwd })
  const send = sender(demo)
  const created = await send('/v1/pets', { method: 'POST', body: rex, headers: { 'content-type': 'application/json' } })
  t.equal(created.status, 201)
  t.equal((await send(`/v1/${created.headers.get('location')}`)).status, 200)
  t.equal((await send('/v1/pets', { headers: { prefer: 'code=500' } })).status, 500)
  t.equal((await send('/docs/')).status, 200)
  demo.process.kill('SIGINT')
  t.equal((await demo.ended).code, 0)
  t.strictSame(readdirSync(cwd), [])
  t.equal(demo.output().stderr, '')
})

t.test('it ignores the database and the keys of the service', async t => {
  const env = { DATABASE_URL: 'nonsense', API_KEYS: 'nonsense', LOG_LEVEL: 'nonsense', NODE_ENV: 'production' }
  t.equal((await sender(await startDemo(t, { env }))('/v1/pets')).status, 200)
})

t.test('its own 400 is sent even if the operation declares none', async t => {
  const send = sender(await startDemo(t))
  if (announced === undefined) return
  const { path, operationId } = announced
  const response = await send(`/v1${path}`, { headers: { prefer: 'code=200' } })
  t.equal(response.status, 400)
  t.strictSame(await response.json(), {
    code: 'invalid_request',
    message: `Prefer: code=200 is not a response of ${operationId}; it declares 401, 429, 500, 501, 503.`,
    status: 400
  })
  t.strictSame(await (await send(`/v1${path}`)).json(), {
    code: 'not_implemented',
    message: `${operationId} is not available yet.`,
    status: 501
  })
})

t.test('pages of this machine may call it, with any port, and no others', async t => {
  const send = sender(await startDemo(t))
  const allowedTo = async (origin: string) =>
    (await send('/v1/pets', { headers: { origin } })).headers.get('access-control-allow-origin')
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    for (const origin of [`http://${host}`, `https://${host}:8443`, `http://${host}:5173`])
      t.equal(await allowedTo(origin), origin)
  }
  for (const host of [
    'localhost.evil.example',
    'evil.example',
    'evil-localhost',
    '127.0.0.1.evil.example',
    'localhost:1@evil.example'
  ])
    t.equal(await allowedTo(`http://${host}`), null, host)
  t.equal(await allowedTo('null'), null)
})

t.test('a port in use and an invalid one are reported as by the service', async t => {
  const other = createServer().listen(0, '127.0.0.1')
  t.teardown(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  for (const [value, message] of [
    [String(port), new RegExp(`^.*EADDRINUSE.*:${port}: another process uses it; set PORT to another number\\.\n$`)],
    ['70000', /^PORT is "70000", but must be a number from 0 to 65535\n$/]
  ] as const) {
    const demo = run(t, process.execPath, [scriptPath('scripts/demo.ts')], { cwd: t.testdir(), env: { PORT: value } })
    t.equal((await demo.ended).code, 1)
    t.equal(demo.output().stdout, '')
    t.match(demo.output().stderr, message)
  }
})

/** Ends the demo while a response is delayed, and returns its exit code. */
const endsCleanly = async (t: Test, demo: Demo, end: () => void) => {
  const send = sender(demo)
  const held = send('/v1/pets?limit=1', { headers: { prefer: 'delay=60' } })
  // By the time of the response to a later request, this one is in progress.
  await send('/v1/pets', { headers: { prefer: 'delay=0.1' } })
  end()
  await refusesConnections(demo.port)
  t.match(await (await held).text(), /^\[\{"id":1,/, 'the delayed response is sent')
  const { code } = await demo.ended
  t.equal(demo.output().stderr.replace(/^npm .*\n/gm, ''), '')
  return code
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  t.test(`${signal} ends it cleanly, even while responses are delayed`, async t => {
    const demo = await startDemo(t)
    t.equal(await endsCleanly(t, demo, () => demo.process.kill(signal)), 0)
  })
}

t.test('npm run demo: SIGTERM to npm, and Ctrl-C to all, end it cleanly', async t => {
  const byNpm = await startDemo(t, { command: npm })
  await endsCleanly(t, byNpm, () => byNpm.process.kill('SIGTERM'))
  const demo = await startDemo(t, { command: npm })
  const { pid = Number.NaN } = demo.process
  t.equal(await endsCleanly(t, demo, () => process.kill(-pid, 'SIGINT')), 0)
})

t.test('a page of another origin on this machine uses it from a browser', async t => {
  const pages = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>A frontend</title>')
  }).listen(0)
  t.teardown(() => pages.close())
  await once(pages, 'listening')
  const { port } = pages.address() as AddressInfo
  const { origin } = await startDemo(t)
  const page = await newPage(t)
  /** What a script on the page can read. */
  const call = (path: string, headers = {}, init: { method?: string; body?: string } = {}) =>
    page.evaluate(
      async ([url, options]) => {
        const response = await fetch(url, options)
        return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
      },
      [origin + path, { ...init, headers: { authorization: `Bearer ${demoKey}`, ...headers } }] as const
    )
  for (const host of ['localhost', '127.0.0.1']) {
    await page.goto(`http://${host}:${port}/`)
    const listed = await call('/v1/pets?limit=3')
    t.match(listed, { status: 200, text: /"categoryId":7,/ })
    const [, next = ''] = /^<(\?cursor=\S+)>; rel="next"$/.exec(listed.headers.link ?? '') ?? []
    t.match(await call(`/v1/pets${next}`), { status: 200, text: /^\[\{"id":4,/ })
    const created = await call('/v1/pets', { 'content-type': 'application/json' }, { method: 'POST', body: rex })
    t.match(created, { status: 201, headers: { location: /^pets\/\d+$/ } })
    t.match(await call('/v1/pets', { prefer: 'code=503' }), {
      status: 503,
      headers: { 'retry-after': '1', 'preference-applied': 'code=503' },
      text: /service_unavailable/
    })
    t.match(await call(`/v1/pets/${firstLargeId}`), { status: 200, text: `"categoryId":${largeCategoryId}` })
    t.match(await call('/v1/pets/1'), { headers: { deprecation: /^@\d+$/, sunset: /GMT$/ } })
    t.match(await call('/v1/pets/0', { prefer: 'code=418' }), { status: 400, text: /it declares 200, 400/ })
  }
})
