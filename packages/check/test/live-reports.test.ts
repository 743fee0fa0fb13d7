import t from 'tap'
import { readDocument } from '../../document/src/document.ts'
import { checkLive } from '../src/live/live.ts'
import {
  contract,
  failing,
  giving,
  goodService,
  isList,
  key,
  listen,
  run,
  type ServiceResponse
} from './live-service.ts'

t.test('live: a missing 405 is no difference if the contract does not mention it', async t => {
  const good = goodService()
  const { url } = await listen(t, request => {
    const response = good(request)
    return response?.status === 405 ? failing(404) : response
  })
  const silent = readDocument(contract.replace(/description: A method that .*/, ''), 'things.yaml')
  const { failures, notes } = await checkLive(silent, { url, keys: [key] })
  t.strictSame([failures, notes], [[], []])
})

t.test('live: what varies from one response to the next is told once', async t => {
  const good = goodService()
  let count = 0
  const { url } = await listen(t, request => {
    const response = good(request)
    if (response === undefined || response.status !== 200) return response
    if (!isList(request)) return { ...response, body: `{"time": ${++count}` }
    return { ...response, headers: { ...response.headers, 'x-total': String(--count) } }
  })
  const { failures } = await run(url)
  t.match(failures, [
    {
      operation: 'GET /things',
      wrong: /^has X-Total: -\d+$/,
      right: 'integer (minimum 0), as the contract declares'
    },
    { operation: 'GET /things/{thingId}', wrong: /^has a body that is not JSON/ }
  ])
  t.equal(failures.length, 2)
})

t.test('live: if the simplest valid request is rejected, the others tell no more', async t => {
  const good = goodService()
  const { url } = await listen(t, request =>
    isList(request) && request.headers['x-tenant'] === undefined && request.headers.authorization === `Bearer ${key}`
      ? failing(400)
      : good(request)
  )
  const { failures } = await run(url)
  t.match(failures, [{ operation: 'GET /things', what: 'a valid request', wrong: /^responds with 400/ }])
  t.equal(failures.length, 1)
})

t.test('live: an operation that the contract does not have is told by its response', async t => {
  const good = goodService()
  const { url } = await listen(t, request => {
    return request.method === 'PATCH' ? giving(200, '{}') : good(request)
  })
  const { failures } = await run(url)
  t.match(failures, [{ operation: 'PATCH /things/{thingId}', wrong: 'responds with 200' }])
  t.equal(failures.length, 1)
})

t.test('live: a list that is null in five operations is one difference, with the names of the four others', async t => {
  const { url } = await listen(t, ({ method, path }) => {
    if (method !== 'GET') return failing(405, { allow: 'GET' })
    const shelf = '{"books":null}'
    return giving(200, path === '/1' ? `[${shelf}]` : path === '/2' ? `{"shelf":${shelf}}` : shelf)
  })
  const shelf = { $ref: '#/components/schemas/Shelf' }
  const schemas = [shelf, { type: 'array', items: shelf }, { properties: { shelf } }, { allOf: [shelf] }, shelf]
  const paths = Object.fromEntries(
    schemas.map((schema, index) => {
      const responses = { 200: { content: { 'application/json': { schema } } } }
      return [`/${index}`, { get: { responses } }]
    })
  )
  const Shelf = { type: 'object', properties: { books: { type: 'array' } } }
  const document = { openapi: '3.1.0', paths, components: { schemas: { Shelf } } }
  const { failures } = await checkLive(readDocument(JSON.stringify(document), 'shelves.json'), { url })
  t.match(failures, [
    {
      wrong: 'has a body that the contract does not allow: /books must be array, not null',
      right: /^a body as declared at shelves\.json:1:\d+$/,
      others: ['GET /1', 'GET /2', 'GET /3', 'GET /4']
    }
  ])
  t.equal(failures.length, 1)
})

t.test('live: an undeclared property is a note if the schema allows it', async t => {
  const good = goodService()
  const { url } = await listen(t, (request): ServiceResponse | undefined => {
    const response = good(request)
    if (response?.status === 200) return { ...response, body: response.body.replace('"size":', '"secret":[],$&') }
    return response?.status === 400 ? { ...response, body: '{"error":"Not so.","stack":"at"}' } : response
  })
  const { failures, notes } = await run(url)
  t.strictSame(failures, [])
  t.strictSame(
    notes.map(({ operation, others, wrong }) => `${[operation, ...others].join(', ')}: ${wrong}`),
    [
      'GET /things, GET /things/{thingId}: has a body that the contract does not describe: undeclared property /0/secret',
      'GET /things, GET /things/{thingId}, POST /things: has a body that the contract does not describe: undeclared property /stack'
    ]
  )
})

t.test('live: a key that one operation accepts is right, and another that rejects it differs', async t => {
  const good = goodService()
  const { url } = await listen(t, request =>
    request.path === '/api/things' && request.method === 'GET'
      ? failing(401, { 'www-authenticate': 'Bearer' })
      : good(request)
  )
  const { failures } = await run(url)
  t.ok(failures.some(({ operation, right }) => operation === 'GET /things' && right === 'no 401 with the right key'))
  t.ok(failures.every(({ operation }) => operation === 'GET /things'))
})
