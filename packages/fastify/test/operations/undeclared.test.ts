import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { engineStatuses } from '../../../generator/src/engine-statuses.ts'
import { type AppOptions, buildApp } from '../../src/app.ts'
import { ApiError } from '../../src/errors/api-error.ts'
import type { AnyHandler } from '../../src/operations/handlers.ts'
import { InProgress, KeyReused } from '../../src/store/idempotency.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { derivedContract, petstoreWith } from '../derived-contract.ts'
import { buildFixtureApp, withKey } from '../fixture-app.ts'
import { openFixtureStore } from '../fixture-store.ts'
import { openConnection } from '../http/connection.ts'

// An operation as added by someone who has only read the OpenAPI specification.
const removeCollar = `delete:
  operationId: removeCollar
  summary: Take an animal's collar
  description: Takes it.
  tags: [animals]
  parameters:
    - name: petId
      in: path
      required: true
      schema: { type: integer, format: int64, minimum: 1, maximum: 9007199254740991 }
  responses:
    '204': { description: It is gone }
    '401': { $ref: '#/components/responses/Unauthorized' }
    '404':
      description: There is no such animal
      content: { application/json: { schema: { $ref: '#/components/schemas/Error404' } } }
`
/** The fixture's `removeThing` declares only 204, 401 and 404. */
const appWith = async (t: Test, handler: AnyHandler, options: Partial<AppOptions> = {}) => {
  const logged: string[] = []
  const logger = { stream: { write: (line: string) => void logged.push(line) } }
  const app = await buildFixtureApp(t, {
    logger,
    watched: false,
    ...options,
    handlers: { removeThing: handler as never }
  })
  const del = (url: string, more: object = {}) =>
    app.inject({ method: 'DELETE', url: `/v1/things/${url}`, headers: withKey, ...more })
  return { app, del, errors: () => logged.filter(line => JSON.parse(line).level >= 50) }
}

const done = async () => ({ status: 204 })

t.test('a request that the engine rejects gets the usual status, declared or not', async t => {
  const { del, errors } = await appWith(t, done, { rateLimit: { requests: 4, windowSeconds: 60 } })
  t.equal((await del('1')).statusCode, 204)
  for (const [url, message] of [
    ['rex', /^path parameter thingId must be an integer/],
    ['1?really=yes', /^query parameter "really" is unknown/]
  ] as const) {
    const res = await del(url)
    t.match(res.json(), { code: 'invalid_request', message, status: 400 })
    t.equal(res.statusCode, 400)
  }
  t.equal((await del('1')).statusCode, 204)
  t.match((await del('1')).json(), { code: 'rate_limited', status: 429 })
  t.equal(errors().length, 0)
})

t.test('an unavailable store is a 503, declared or not', async t => {
  const { del, errors } = await appWith(t, async () => {
    throw new StoreUnavailable('busy')
  })
  const res = await del('1')
  t.equal(res.statusCode, 503)
  t.equal(res.headers['retry-after'], '1')
  t.equal(errors().length, 0)
})

t.test('a handler’s response that its operation does not declare is an internal error', async t => {
  const undeclared: [string, AnyHandler, number][] = [
    ['a status', async () => ({ status: 200, body: {} }), 500],
    ['a body', async () => ({ status: 204, body: {} }), 500],
    [
      'an error',
      async () => {
        throw new ApiError(409, 'thing_in_use', 'It is in use.')
      },
      500
    ],
    [
      'not a fault: a declared error',
      async () => {
        throw new ApiError(404, 'thing_not_found', 'There is none.')
      },
      404
    ]
  ]
  for (const [name, handler, status] of undeclared) {
    await t.test(name, async t => {
      const { del, errors } = await appWith(t, handler)
      t.equal((await del('1')).statusCode, status)
      t.equal(errors().length, status === 500 ? 1 : 0)
    })
  }
})

t.test('a body that the operation does not declare is ignored', async t => {
  const { del, errors } = await appWith(t, done)
  const bodies: [string, string | Buffer][] = [
    ['application/json', '{"really": true}'],
    ['application/json', '{'],
    ['application/json', ''],
    ['text/plain', 'really'],
    ['nonsense', 'really'],
    ['application/json; charset=latin1', Buffer.from([0xff])],
    ['text/plain', 'x'.repeat(70_000)]
  ]
  for (const [type, payload] of bodies) {
    const res = await del('1', { headers: { ...withKey, 'content-type': type }, payload })
    t.equal(res.statusCode, 204, `${type} ${payload.length}`)
  }
  t.equal(errors().length, 0)
})

t.test(
  'after an ignored body, the connection stays open or closes, but the body is never taken for a request',
  async t => {
    const { app } = await appWith(t, done)
    const head = (more: string) =>
      `DELETE /v1/things/1 HTTP/1.1\r\nHost: a\r\nAuthorization: ${withKey.authorization}\r\n${more}\r\n`
    const inner = head('')

    for (const [name, first] of [
      ['small', head(`Content-Length: ${inner.length}\r\n`) + inner],
      ['of another type', head(`Content-Type: text/plain\r\nContent-Length: ${inner.length}\r\n`) + inner],
      ['of 64 KiB', head('Content-Length: 65536\r\n') + 'x'.repeat(65_536)]
    ] as const) {
      const connection = await openConnection(t, app)
      connection.send(first + head('Connection: close\r\n'))
      t.equal((await connection.response('DELETE')).status, 204, name)
      t.match(
        await connection.response('DELETE'),
        { status: 204, headers: { connection: 'close' } },
        `after a body ${name}`
      )
      t.equal(await connection.rest(), '', `the body ${name} is not taken for a request`)
    }
    for (const [name, first] of [
      ['larger', `${head('Content-Length: 1000000\r\n')}x`],
      ['in chunks', `${head('Transfer-Encoding: chunked\r\n')}1\r\nx\r\n`],
      ['that waits for a 100', head(`Expect: 100-continue\r\nContent-Length: ${inner.length}\r\n`)]
    ] as const) {
      const connection = await openConnection(t, app)
      connection.send(first)
      t.match(await connection.response('DELETE'), { status: 204, headers: { connection: 'close' } }, name)
      connection.send(inner)
      connection.finish()
      t.equal(await connection.rest(), '', `bytes after a body ${name} get no response`)
    }
  }
)

t.test('the generator names the missing statuses of an operation, and where they are missing', async t => {
  const { warnings } = await derivedContract(t, petstoreWith(removeCollar))
  const line = petstoreWith(removeCollar).split('\n').indexOf("        '204': { description: It is gone }")
  t.strictSame(
    warnings.map(({ place, message }) => `${place.file}:${place.line}: ${/^.*\)/.exec(message)?.[0]}`),
    [
      '400 is not declared, but the service may respond with it (input that breaks the contract, such as an unknown parameter)',
      '429 is not declared, but the service may respond with it (too many requests)',
      '500 is not declared, but the service may respond with it (a fault of the service)',
      '503 is not declared, but the service may respond with it (overload, or a store that is not available)'
    ].map(message => `petstore.yaml:${line}: ${message}`)
  )

  const declaring = `${removeCollar}    '4XX': { description: A mistake }
    '5XX': { description: A fault }
`
  t.strictSame((await derivedContract(t, petstoreWith(declaring))).warnings, [], 'ranges count as declarations')
  t.strictSame(
    (await derivedContract(t, readFileSync('openapi/petstore.yaml', 'utf8'))).warnings,
    [],
    'and the contract declares them all'
  )
})

const everyKind = `
openapi: 3.1.0
info: { title: Everything, version: 1.0.0 }
servers: [{ url: v1 }]
x-limits: { uriBytes: 8000, headerBytes: 16384, bodyBytes: 1000 }
security: [{ bearerAuth: [] }]
paths:
  /open:
    get: { operationId: open, security: [], responses: { '204': { description: Done } } }
    put:
      operationId: openBody
      security: []
      requestBody: { content: { application/json: { schema: { type: string } } } }
      responses: { '204': { description: Done } }
  /plain:
    get: { operationId: plain, responses: { '204': { description: Done } } }
    post: { operationId: plainPost, responses: { '204': { description: Done } } }
    delete: { operationId: plainDelete, responses: { '204': { description: Done } } }
    put:
      operationId: body
      requestBody: { required: true, content: { application/json: { schema: { type: string } } } }
      responses: { '204': { description: Done } }
  /repeatable:
    post:
      operationId: repeatable
      parameters: [{ name: Idempotency-Key, in: header, schema: { type: string } }]
      responses: { '204': { description: Done } }
  /old:
    get:
      operationId: old
      deprecated: true
      x-deprecated-since: 2020-01-01
      x-deprecated-sunset: 2020-01-02
      responses: { '204': { description: Done } }
  /several:
    put:
      operationId: several
      requestBody: { content: { application/json: { schema: { type: string } }, image/png: {} } }
      responses: { '204': { description: Done }, '200': { description: Done, content: { image/png: {}, image/gif: {} } } }
  /announced:
    get: { operationId: announced, responses: { '501': { description: Not yet } } }
    put:
      operationId: announcedBody
      requestBody: { content: { application/json: { schema: { type: string } } } }
      responses: { '501': { description: Not yet } }
  /scoped:
    get: { operationId: scoped, security: [{ keyWithRoles: [admin] }], responses: { '204': { description: Done } } }
  /optional:
    get: { operationId: optional, security: [{ bearerAuth: [] }, {}], responses: { '204': { description: Done } } }
components:
  securitySchemes:
    bearerAuth: { type: http, scheme: bearer }
    keyWithRoles: { type: apiKey, in: header, name: X-Key }
`

t.test('the engine responds with exactly the statuses that the generator knows', async t => {
  const { contract, warnings } = await derivedContract(t, everyKind)
  // Its parameters stand in between.
  const ofRepeatable = everyKind.split('\n').indexOf('      operationId: repeatable') + 3
  t.strictSame(
    warnings.flatMap(({ place, message }) => (place.line === ofRepeatable ? message.slice(0, 3) : [])),
    ['400', '401', '409', '422', '429', '500', '503']
  )
  const found = new Map<string, Set<number>>(Object.keys(contract.operations).map(id => [id, new Set()]))
  const store = openFixtureStore()
  t.teardown(() => store.close())
  const handlers: [AnyHandler, Partial<AppOptions>][] = [
    [done, {}],
    [done, { rateLimit: { requests: 1, windowSeconds: 60 }, authFailureLimit: { requests: 1, windowSeconds: 60 } }],
    [done, { removedOperations: 'gone' }],
    [async () => Promise.reject(new Error('broken')), {}],
    [async () => Promise.reject(new StoreUnavailable('busy')), {}],
    [async ({ once }) => (once ? Promise.reject(new InProgress()) : done()), {}],
    [async ({ once }) => (once ? Promise.reject(new KeyReused()) : done()), {}]
  ]
  for (const [handler, options] of handlers) {
    const all = Object.entries(contract.operations).filter(([id]) => !id.startsWith('announced'))
    const app = await buildApp({
      ...options,
      store,
      apiKeys: [withKey.authorization.replace('Bearer ', '')],
      contract,
      verifiers: {
        keyWithRoles: async (_scheme: string, { key }: { key: string }) => ({ id: 'ann', scopes: [key] })
      } as never,
      handlers: Object.fromEntries(all.map(([id]) => [id, handler])) as never
    })
    for (const { operationId, method, url } of Object.values(contract.operations)) {
      const body = (type: string, payload: string) => ({ headers: { ...withKey, 'content-type': type }, payload })
      for (const request of [
        { headers: withKey },
        { headers: { ...withKey, 'x-key': 'admin' } },
        { headers: { ...withKey, 'x-key': 'admin' } },
        { headers: { 'x-key': 'admin' }, query: { unknown: 'a' } },
        { headers: { 'x-key': 'guest' } },
        { headers: { authorization: 'Bearer wrong' } },
        { headers: { authorization: 'Bearer wrong' } },
        { headers: { ...withKey, 'Idempotency-Key': '1' } },
        { headers: {} },
        { headers: {} },
        { headers: withKey, query: { unknown: 'a' } },
        { headers: { ...withKey, accept: 'text/html' } },
        body('text/plain', 'text'),
        body('nonsense', 'text'),
        body('application/json', '{'),
        body('application/json', '"taken"'),
        body('application/json', JSON.stringify('x'.repeat(2_000)))
      ]) {
        const { statusCode } = await app.inject({ method: method as 'GET', url: `/v1${url}`, ...request })
        if (statusCode !== 204 && statusCode !== 501) found.get(operationId)?.add(statusCode)
      }
    }
    await app.close()
  }
  for (const { operationId, security, input, bodies, lifecycle, responses } of Object.values(contract.operations)) {
    const promised = engineStatuses({
      isSecured: security.length > 0,
      isScoped: operationId === 'scoped',
      hasBody: input.body !== undefined || bodies !== undefined,
      isRepeatable: operationId === 'repeatable',
      hasRemovalDate: lifecycle.deprecation?.removalDate !== undefined,
      isNegotiated: operationId === 'several',
      statuses: Object.keys(responses)
    })
    const seen = [...(found.get(operationId) ?? [])]
    // Operations without a handler may get 500 and 503, too; here the handler causes them.
    if (operationId.startsWith('announced')) seen.push(500, 503)
    t.strictSame(seen.toSorted(), [...promised.keys()], operationId)
  }
})
