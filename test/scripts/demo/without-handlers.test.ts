import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import type { AnyOperation } from '../../../packages/fastify/src/contract/contract.ts'
import { mockOf } from '../../../packages/fastify/src/mock/mock.ts'
import { parseJson } from '../../../packages/fastify/src/node/json.ts'
import { registerOperations } from '../../../packages/fastify/src/operations/routes.ts'
import { jsonBody } from '../../../packages/fastify/src/validation/json-body.ts'
import { serializerCompiler } from '../../../packages/fastify/src/validation/serializer-compiler.ts'
import { validatorCompiler } from '../../../packages/fastify/src/validation/validator-compiler.ts'
import { compileOperations } from '../../../packages/fastify/test/compiled.ts'
import { readPreferences } from '../../../packages/generator/src/package/mock-preferences.ts'
import { animalStore } from '../../../src/animal-store.ts'
import { openSqliteStore } from '../../open-store.ts'

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
    document: () => parseJson(Buffer.from(toyContract)),
    ending: new AbortController().signal,
    readPreferences
  })
  const addToys = async (scope: FastifyInstance) => {
    await scope.register(jsonBody)
    const compiled = compileOperations(toyEntries)
    scope.setValidatorCompiler(validatorCompiler(compiled)).setSerializerCompiler(serializerCompiler(compiled))
    const contract = { securitySchemes: {}, limits: {} }
    registerOperations(scope, toyEntries, {
      contract,
      compiled,
      handlers: {},
      keepsKeys: true,
      mock: mocked ? mock : undefined
    })
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
      'The contract cannot be served: no handler for addToy (POST /toys); only an operation whose contract declares 501 needs none; `unwritten` in its place responds with 501.'
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
