import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadDocument } from '../../document/src/document.ts'
import { lineOf } from '../../document/src/load-error.ts'
import { buildApp } from '../../fastify/src/app.ts'
import { derivedContract } from '../../fastify/test/derived-contract.ts'
import { openFixtureStore } from '../../fastify/test/fixture-store.ts'
import { closedWith } from '../../fastify/test/watch.ts'
import { derive } from '../src/generate.ts'
import { Report } from '../src/problems.ts'

const bells = join(import.meta.dirname, 'fixtures/swagger/bells.yaml')

t.test('a contract in Swagger 2.0 is served', async t => {
  const { contract } = await derivedContract(t, readFileSync(bells, 'utf8'))
  const seen: Record<string, unknown>[] = []
  const keep = (status: number, body?: unknown, headers?: object) => async (input: Record<string, unknown>) => {
    seen.push(input)
    return { status, ...(body !== undefined && { body }), ...(headers && { headers }) }
  }
  const verify = (_scheme: string, credential: { type: string }) => ({ id: credential.type })
  const app = await buildApp({
    contract,
    store: openFixtureStore(),
    verifiers: { basic: verify, key: verify, oauth: verify } as never,
    handlers: {
      listBells: keep(200, [{ kind: 'Bell', id: 9007199254740993n, weight: null }], { 'X-Sizes': '1,2' }),
      addBell: keep(201),
      tuneBell: keep(204),
      getSound: keep(200, 'ding'),
      addSound: keep(204),
      describeSound: keep(204)
    } as never
  })
  closedWith(t, app)
  const key = { 'x-key': 'secret' }
  const send = async (method: 'GET' | 'PUT' | 'POST', url: string, headers: object, payload?: string | object) =>
    app.inject({ method, url: `/v1${url}`, headers: headers as never, ...(payload !== undefined && { payload }) })

  t.equal((await send('GET', '/bells', {})).statusCode, 401)
  const list = await send('GET', '/bells?ids=1,2&tags=a&tags=b&spans=1|2', key)
  t.equal(list.headers['x-sizes'], '1,2')
  t.strictSame([list.statusCode, list.body], [200, '[{"kind":"Bell","id":9007199254740993,"weight":null}]'])
  t.strictSame(seen.at(-1)?.query, { ids: [1, 2], tags: ['a', 'b'], spans: [1, 2], limit: 20 })
  t.match((await send('GET', '/bells?limit=101', key)).json(), { message: /query parameter limit/ })

  t.equal((await send('POST', '/bells', key, { kind: 'Bell' })).statusCode, 401)
  const basic = { authorization: 'Basic YTpi' }
  t.equal((await send('POST', '/bells', basic, { kind: 'Bell' })).statusCode, 201)
  t.match((await send('POST', '/bells', basic, {})).json(), { message: /body\.kind is required/ })
  t.match((await send('POST', '/bells', { ...basic, 'x-trace': '123456' }, { kind: 'Bell' })).json(), {
    message: /X-Trace/
  })

  t.equal((await send('PUT', '/bells/7', key, { hertz: 440 })).statusCode, 204)
  t.match((await send('PUT', '/bells/7', key, { hertz: 0 })).json(), { message: /body\.hertz/ })

  const sound = await send('GET', '/bells/7/sound', key)
  t.match(sound, { statusCode: 200, body: 'ding', headers: { 'content-type': 'audio/mpeg' } })
  const form = (volume: number) =>
    ['sound"; filename="a.mp3', 'volume']
      .map(
        (name, at) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${at === 0 ? 'ding' : volume}\r\n`
      )
      .concat('--b--\r\n')
      .join('')
  const multipart = { ...key, 'content-type': 'multipart/form-data; boundary=b' }
  t.equal((await send('POST', '/bells/7/sound', multipart, form(11))).statusCode, 204)
  t.match(seen.at(-1), { params: { id: 7n }, body: { volume: 11, sound: { filename: 'a.mp3' } } })
  t.match((await send('POST', '/bells/7/sound', multipart, form(12))).json(), { message: /body\.volume/ })
  const urlencoded = { ...key, 'content-type': 'application/x-www-form-urlencoded' }
  t.equal((await send('PUT', '/bells/7/sound', urlencoded, 'title=Ding&tags=a,b')).statusCode, 204)
  t.match(seen.at(-1), { body: { title: 'Ding', tags: ['a', 'b'] } })
  for (const method of ['POST', 'PUT'] as const)
    t.match(
      (await send(method, '/bells/7/sound', key)).json(),
      { message: /body is required/ },
      `${method} with no form`
    )
})

t.test('one warning says that it is converted', async t => {
  const report = new Report()
  await derive(bells, report)
  t.match(report.carried.map(lineOf)[0], /^bells\.yaml:1:1: Swagger 2\.0 is converted to OpenAPI 3\.0/)
})

const of2 = (t: Test, parts: string) => {
  const file = join(t.testdir(), 'of-2.yaml')
  writeFileSync(file, `swagger: '2.0'\ninfo: { title: Bells, version: 1.0.0 }\n${parts}`)
  return file
}

t.test('what is wrong is said with its place in the document as written', async t => {
  const file = of2(
    t,
    `definitions:
  Bell:
    type: object
    properties:
      tone: { type: tone }
paths:
  /bells/{id}:
    post:
      parameters:
        - { name: bell, in: body, schema: { $ref: '#/definitions/Bell' } }
        - { name: ID, in: path, required: true, type: string }
        - name: limit
          in: query
          type: number
          minimum: low
      responses:
        200: { description: It, schema: { type: object, propertys: {} } }
  /towers:
    post:
      consumes: [application/x-www-form-urlencoded]
      parameters:
        - { name: tower, in: formData, type: string, pattern: '(' }
      responses: { 200: { description: It } }
`
  )
  const error = await derive(file).catch((error: Error) => error)
  t.ok(error instanceof Error)
  const lines = (error as Error).message.split('\n').map(line => line.slice(0, line.indexOf(' ') + 12))
  t.strictSame(lines, [
    'of-2.yaml:7:15: type is "to',
    'of-2.yaml:10:5: {id} of /be',
    'of-2.yaml:13:11: path parame',
    'of-2.yaml:17:11: minimum is ',
    'of-2.yaml:19:57: propertys i',
    'of-2.yaml:24:54: pattern is '
  ])
})

t.test('without media types, bodies are JSON, with a warning', async t => {
  const file = of2(
    t,
    `consumes: [application/xml]
paths:
  /bells:
    post:
      operationId: ring
      consumes: []
      produces: []
      parameters: [{ name: bell, in: body, schema: { type: string } }]
      responses: { 200: { description: It, schema: { type: string } } }
`
  )
  const report = new Report()
  const openapi = JSON.parse((await derive(file, report)).get('openapi.json') ?? '')
  const { requestBody, responses } = openapi.paths['/bells'].post
  const content = { 'application/json': { schema: { type: 'string' } } }
  t.strictSame([requestBody.content, responses[200].content], [content, content])
  const warnings = report.carried.map(lineOf).filter(each => each.includes('JSON') || each.includes('json is'))
  t.strictSame(warnings, [
    'of-2.yaml:8:7: consumes is empty, although there is a body; application/json is assumed',
    'of-2.yaml:9:7: produces is empty, although there is a body; application/json is assumed'
  ])
})

t.test('a list that no style of OpenAPI 3 can write is refused', async t => {
  const file = of2(
    t,
    `paths:
  /bells:
    get:
      parameters:
        - { name: ids, in: query, type: array, items: { type: string }, collectionFormat: tsv }
      responses: { 200: { description: It } }
`
  )
  const message =
    'of-2.yaml:7:11: collectionFormat tsv is not supported in a query parameter; csv or ssv or pipes or multi is expected'
  await t.rejects(derive(file), { message })
  t.throws(() => loadDocument(file, { cwd: '/' }), { message: new RegExp(message.slice(10)) })
  const header = of2(
    t,
    `paths:
  /bells:
    get:
      responses: { 200: { description: It, headers: { X-Ids: { type: array, items: { type: string }, collectionFormat: ssv } } } }
`
  )
  await t.rejects(derive(header), { message: /collectionFormat ssv is not supported in a header; csv is expected/ })
})

t.test('the contract check reads it, and knows where its parts are written', async t => {
  const document = loadDocument(bells)
  t.equal(document.version, '3.0')
  const put = document.root.get('paths')?.get('/bells/{id}/sound')?.get('put')
  const tags = put?.get('requestBody')?.get('content')?.get('application/x-www-form-urlencoded')?.get('schema')
  t.match(tags?.get('properties')?.get('tags')?.place, { line: 83 })
  const weight = document.root.get('components')?.get('schemas')?.get('Bell')?.get('properties')?.get('weight')
  t.match(weight?.place, { line: 32 })
})
