import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { newApiKey } from '../../../packages/fastify/src/api-keys/api-key.ts'
import { mockOf } from '../../../packages/fastify/src/mock/mock.ts'
import { parseJson } from '../../../packages/fastify/src/node/json.ts'
import { openConnection } from '../../../packages/fastify/test/http/connection.ts'
import { readPreferences } from '../../../packages/generator/src/package/mock-preferences.ts'
import { buildTestApp, withKey } from '../../build-test-app.ts'
import { announced, petstore } from '../../petstore.ts'

const { operations } = petstore

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape, whose parts are checked where they are read
type Node = any

const document = parseJson(readFileSync(new URL('../../../generated/openapi.json', import.meta.url)))

/** The service with the demo's additions; `end` ends all delays. */
const mockedApp = async (t: Test) => {
  const ending = new AbortController()
  const app = await buildTestApp(t, {
    mock: mockOf({ document: () => document, ending: ending.signal, readPreferences })
  })
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
