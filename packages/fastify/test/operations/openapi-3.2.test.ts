import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { checkLive } from '../../../check/src/live/live.ts'
import { readDocument } from '../../../document/src/document.ts'
import { createClientIn } from '../../../generator/test/clients.ts'
import type { AnyHandler } from '../../src/operations/handlers.ts'
import { serve } from './serve.ts'

// What OpenAPI 3.2 adds, and is served: the method QUERY, further methods, and query strings that are one value.

const operation = (id: string, more = '') =>
  `{ operationId: ${id}${more}, responses: { '204': { description: Done } } }`

const paths = `/things:
  get: ${operation('list')}
  query:
    operationId: search
    requestBody:
      required: true
      content: { application/json: { schema: { type: object, required: [name], properties: { name: { type: string } } } } }
    responses: { '204': { description: Done } }
  additionalOperations:
    PURGE: ${operation('purge')}
    M-SEARCH: ${operation('discover')}
/bodiless: { query: ${operation('bodiless')} }
/forms:
  get:
    operationId: form
    parameters:
      - in: querystring
        name: filter
        content:
          application/x-www-form-urlencoded:
            schema:
              type: object
              required: [a]
              properties:
                a: { type: string }
                n: { type: integer, format: int64, default: 3 }
                l: { type: array, items: { type: integer } }
                o: { type: object, properties: { x: { type: integer } } }
                d: { type: object, properties: { y: { type: integer } } }
              additionalProperties: false
            encoding: { d: { style: deepObject } }
    responses: { '204': { description: Done } }
/json:
  get:
    operationId: json
    parameters:
      - in: querystring
        name: filter
        required: true
        content:
          application/json:
            schema: { type: object, properties: { numbers: { type: array, items: { type: integer, format: int64 } }, flag: { type: [boolean, 'null'] } } }
    responses: { '204': { description: Done } }
/text:
  get:
    operationId: text
    parameters: [{ in: querystring, content: { application/jsonpath: { schema: { type: string, maxLength: 12 } } } }]
    responses: { '204': { description: Done } }
`
const ids = ['bodiless', 'list', 'search', 'purge', 'discover', 'form', 'json', 'text']

const start = async (t: Test) => {
  const seen: unknown[] = []
  const handlers = Object.fromEntries(
    ids.map((id): [string, AnyHandler] => [
      id,
      async ({ query, body }) => {
        seen.push([id, query, body])
        return { status: 204 }
      }
    ])
  )
  const { app, contract, files, warnings } = await serve(t, paths, handlers, '3.2.0')
  const send = (method: string, url: string, payload?: object) =>
    app.inject({ method: method as 'GET', url, ...(payload && { payload }) })
  return { app, contract, files, warnings, seen, send }
}

t.test('QUERY and further methods reach their handlers, and Allow names them', async t => {
  const { send, seen } = await start(t)
  t.equal((await send('QUERY', '/things', { name: 'Rex' })).statusCode, 204)
  t.equal((await send('PURGE', '/things')).statusCode, 204)
  t.equal((await send('M-SEARCH', '/things')).statusCode, 204)
  t.strictSame(seen, [
    ['search', {}, { name: 'Rex' }],
    ['purge', {}, undefined],
    ['discover', {}, undefined]
  ])
  t.match((await send('QUERY', '/things', { name: 5 })).json(), { message: 'body.name must be a string, not 5.' })
  t.match((await send('QUERY', '/things')).json(), { message: 'a body is required.' })
  t.equal((await send('QUERY', '/bodiless')).statusCode, 204)
  t.equal((await send('QUERY', '/bodiless', { ignored: true })).statusCode, 204)
  const others = await send('POST', '/things')
  t.strictSame([others.statusCode, others.headers.allow], [405, 'GET, QUERY, PURGE, M-SEARCH, HEAD, OPTIONS'])
  const options = await send('OPTIONS', '/things')
  t.strictSame([options.statusCode, options.headers.allow], [204, 'GET, QUERY, PURGE, M-SEARCH, HEAD, OPTIONS'])
  t.equal((await send('QUERY', '/forms')).statusCode, 405)
  t.equal((await send('PURGE', '/nowhere')).statusCode, 404)
})

t.test('a query string that is one value is read as its media type says', async t => {
  const { send, seen } = await start(t)
  const whole = async (url: string) => {
    seen.length = 0
    const response = await send('GET', url)
    return response.statusCode === 204 ? seen[0] : response.json().message
  }
  const json = (value: string) => `/json?${encodeURIComponent(value)}`
  t.strictSame(await whole('/forms?a=a+%2B+b&l=1&l=2&o=%7B%22x%22%3A1%7D&d[y]=4'), [
    'form',
    { filter: { a: 'a + b', n: 3n, l: [1, 2], o: { x: 1 }, d: { y: 4 } } },
    undefined
  ])
  t.strictSame(await whole('/forms'), ['form', {}, undefined])
  t.equal(
    await whole('/forms?n=9223372036854775808'),
    'query parameter filter.a is required; query parameter filter.n must be an integer from -9223372036854775808 to 9223372036854775807, not 9223372036854775808.'
  )
  t.equal(await whole('/forms?a=1&x=2'), 'query parameter filter.x is unknown; known: a, n, l, o, d.')
  t.strictSame(await whole(json('{"numbers":[1,9007199254740993],"flag":null}')), [
    'json',
    { filter: { numbers: [1n, 9007199254740993n], flag: null } },
    undefined
  ])
  t.equal(await whole(json('{"flag":1}')), 'query parameter filter.flag must be a boolean or null, not 1.')
  t.match(await whole(json('{')), /^query parameter filter must be JSON: /)
  t.equal(await whole('/json'), 'query parameter filter is required.')
  t.strictSame(await whole('/text?%24.a.b%5B1%3A1%5D'), ['text', { query: '$.a.b[1:1]' }, undefined])
  t.strictSame(await whole('/text'), ['text', {}, undefined])
  t.equal(await whole('/text?0123456789abc'), 'query parameter query must have at most 12 characters.')
})

t.test('the client and its mock agree with what the service reads', async t => {
  const { app, files, seen } = await start(t)
  const folder = t.testdir()
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
  const createClient = await createClientIn(folder)
  const { createMock } = await import(pathToFileURL(join(folder, 'mock.ts')).href)
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  for (const options of [{}, { fetch: createMock() }]) {
    const client = createClient({ baseUrl, retries: false, int64: 'bigint', ...options })
    const statuses = [
      await client.search?.({ body: { name: 'Rex' } }),
      await client.purge?.(),
      await client.form?.({ filter: { a: 'a + b', l: [1, 2], o: { x: 1 }, d: { y: 4 } } }),
      await client.json?.({ filter: { numbers: [9007199254740993n], flag: null } }),
      await client.text?.({ query: '$.a[1:1]' })
    ].map(each => each.status)
    t.strictSame(statuses, [204, 204, 204, 204, 204])
  }
  t.strictSame(seen, [
    ['search', {}, { name: 'Rex' }],
    ['purge', {}, undefined],
    ['form', { filter: { a: 'a + b', n: 3n, l: [1, 2], o: { x: 1 }, d: { y: 4 } } }, undefined],
    ['json', { filter: { numbers: [9007199254740993n], flag: null } }, undefined],
    ['text', { query: '$.a[1:1]' }, undefined]
  ])
})

t.test('the check of the routes finds that the service does what the contract declares', async t => {
  const { app, contract } = await start(t)
  const document = readDocument(contract.documents.json.toString(), 'openapi.json')
  const report = await checkLive(document, { url: await app.listen({ host: '127.0.0.1', port: 0 }) })
  // The contract declares no errors.
  const others = report.failures.filter(({ wrong }) => !/^responds with 4\d\d, which is not declared/.test(wrong))
  t.strictSame(others, [])
  t.strictSame(report.coverage.map(({ operation }) => operation).sort(), [
    'GET /forms',
    'GET /json',
    'GET /text',
    'GET /things',
    'M-SEARCH /things',
    'PURGE /things',
    'QUERY /bodiless',
    'QUERY /things'
  ])
})
