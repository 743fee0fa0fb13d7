import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ApiError } from '../../src/errors/api-error.ts'
import type { AnyHandler, Statuses } from '../../src/operations/handlers.ts'
import { serve } from './serve.ts'

const paths = `/picture:
  get:
    operationId: picture
    responses:
      '200':
        description: It
        headers: { X-Size: { schema: { type: integer } } }
        content:
          application/json: { schema: { type: object, required: [id], properties: { id: { type: integer, format: int64 } } } }
          image/png: {}
          text/plain: { schema: { type: string, maxLength: 5 } }
      '404': { description: none, content: { application/problem+json: { schema: { type: object, properties: { title: { type: string }, status: { const: 404 } } } } } }
/file:
  get:
    operationId: file
    responses: { '200': { description: It, content: { 'image/*': {} } } }
/events:
  get:
    operationId: events
    responses: { '200': { description: They, content: { text/event-stream: {} } } }
/any:
  get:
    operationId: any
    responses: { '200': { description: It, content: { '*/*': { schema: { type: object, properties: { a: { type: string } } } } } } }
`

const start = async (t: Test, handlers: Record<string, AnyHandler>) => {
  const none: AnyHandler = async () => ({ status: 500 })
  const { app, warnings } = await serve(t, paths, { picture: none, file: none, events: none, any: none, ...handlers })
  const get = (url: string, accept?: string, method: 'GET' | 'HEAD' = 'GET') =>
    app.inject({ method, url, headers: accept === undefined ? {} : { accept } })
  return { get, app, warnings }
}

const bodies: Record<string, unknown> = {
  'application/json': { id: 5n },
  'image/png': Buffer.from('png'),
  'text/plain': 'é'
}
const preferred: AnyHandler = async ({ accepts }) => ({
  status: 200,
  headers: { 'X-Size': 3 },
  contentType: accepts[0],
  body: bodies[accepts[0]]
})

t.test('a handler learns which media types a client accepts', async t => {
  let seen: unknown
  const { get } = await start(t, {
    picture: async input => {
      seen = input.accepts
      return preferred(input)
    }
  })
  const [json, png, text] = ['application/json', 'image/png', 'text/plain'] as const
  for (const [accept, expected] of [
    [undefined, [json, png, text]],
    ['', [json, png, text]],
    ['*/*', [json, png, text]],
    ['image/png', [png]],
    ['IMAGE/*', [png]],
    ['text/*;q=0.5, image/png;q=0.8', [png, text]],
    ['application/json;q=0.1, */*', [png, text, json]],
    ['*/*, image/png;q=0', [json, text]],
    ['image/png;q=0.001', [png]],
    ['image/png;q=2, text/plain', [text]],
    ['text/html, application/xhtml+xml, */*;q=0.8', [json, png, text]],
    ['text/plain;format="a,b", image/png', [png]],
    [' , ,image/png;;q=1 , nonsense', [png]]
  ] as const) {
    const res = await get('/picture', accept)
    t.strictSame([res.statusCode, seen], [200, expected], String(accept))
    t.equal(res.headers['x-size'], '3')
  }
  t.match(await get('/picture', 'text/plain'), {
    body: 'é',
    headers: { 'content-type': 'text/plain; charset=utf-8', 'content-length': '2' }
  })
  t.match(await get('/picture', 'image/png'), { body: 'png', headers: { 'content-type': 'image/png' } })
  t.match(await get('/picture'), { body: '{"id":5}', headers: { 'content-type': 'application/json' } })
  t.match(await get('/picture', 'image/png', 'HEAD'), { body: '', headers: { 'content-type': 'image/png' } })
})

t.test('a client that accepts none of several media types gets a 406 that names them', async t => {
  const { get } = await start(t, { picture: preferred })
  for (const accept of ['text/html', 'image/png;q=0', 'nonsense', '*/*;q=0', 'image/png;q=x', '*/plain']) {
    const res = await get('/picture', accept)
    t.strictSame(res.json(), {
      code: 'not_acceptable',
      message: `The response can be application/json, image/png or text/plain, which Accept rules out: ${accept}.`,
      status: 406
    })
  }
  t.equal((await get('/any', 'text/html')).statusCode, 500, 'where there is no choice, Accept is ignored')
})

t.test('a response that breaks the contract is a 500', async t => {
  for (const result of [
    { status: 200, body: Buffer.from('gif') },
    { status: 200, contentType: 'image/gif', body: 'gif' },
    { status: 200, contentType: 'nonsense', body: 'gif' },
    { status: 200, contentType: 'application/json', body: {} },
    { status: 200, contentType: 'text/plain', body: 'abcdef' },
    { status: 200, contentType: 'image/png', body: 5 },
    { status: 200, contentType: 'image/png', body: { a: 1 } },
    { status: 200, contentType: 'image/png' }
  ]) {
    const { get } = await start(t, { picture: async () => result })
    const res = await get('/picture')
    t.strictSame([res.statusCode, res.json().code], [500, 'internal_error'], JSON.stringify(result.contentType))
    t.equal(res.headers['x-size'], undefined)
  }
})

t.test('beside a declared success, default is for the rest', async t => {
  const contents = '{ application/json: { schema: { type: string } } }'
  const responses = `{ '200': { description: It }, default: { description: No, content: ${contents} } }`
  type Rest = Statuses<'default', 200 | 'default'>
  let status: Rest = 404
  const rest = async () => ({ status, body: 'cracked' })
  const { app } = await serve(t, `/rest: { get: { operationId: rest, responses: ${responses} } }`, { rest })
  t.match(await app.inject('/rest'), { statusCode: 404, payload: '"cracked"' })
  // @ts-expect-error
  status = 202
  t.equal((await app.inject('/rest')).statusCode, 500)
})

t.test('bytes are sent as they are, from a value or a stream', async t => {
  async function* chunks() {
    yield 'a'
    await setTimeout(1)
    yield Buffer.from('b')
  }
  for (const body of ['ab', Buffer.from('ab'), new Uint8Array([97, 98]), Readable.from(['a', 'b']), chunks()]) {
    const { get } = await start(t, { file: async () => ({ status: 200, contentType: 'image/webp', body }) })
    t.match(await get('/file'), { statusCode: 200, body: 'ab', headers: { 'content-type': 'image/webp' } })
  }
  const { get } = await start(t, {
    events: async () => ({ status: 200, body: chunks() }),
    any: async () => ({ status: 200, body: { a: 'b' } }),
    picture: async () => ({ status: 404, body: { title: 'No' } })
  })
  t.match(await get('/events'), { body: 'ab', headers: { 'content-type': 'text/event-stream' } })
  t.match(await get('/any'), { body: '{"a":"b"}', headers: { 'content-type': 'application/json' } })
  t.match(await get('/picture'), { statusCode: 404, headers: { 'content-type': 'application/problem+json' } })
})

t.test('a header that HTTP cannot carry is a 500, whatever the body, and the service stays', async t => {
  const paths = `/things/{kind}:
  get:
    operationId: get
    parameters: [{ name: kind, in: path, required: true, schema: { type: string } }]
    responses:
      '200': { description: a thing, content: { application/json: { schema: { type: object } }, text/plain: {} } }
      '204': { description: none }
      '404': { description: no thing }
/plain:
  get: { operationId: plain, responses: { '200': { description: a thing, content: { application/json: { schema: { type: object } } } } } }
`
  let headers: Record<string, string> = {}
  const results: Record<string, () => object> = {
    json: () => ({ status: 200, contentType: 'application/json', headers, body: {} }),
    text: () => ({ status: 200, contentType: 'text/plain', headers, body: 'x' }),
    none: () => ({ status: 204, headers }),
    thrown: () => {
      throw new ApiError(404, 'not_found', 'No such thing.', headers)
    }
  }
  const { app } = await serve(t, paths, {
    get: async ({ params }) => results[(params as { kind: string }).kind]?.() as never,
    plain: async () => ({ status: 200, headers, body: {} })
  })
  // Without a socket, Node checks no header.
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  for (const path of ['/things/json', '/things/text', '/things/none', '/things/thrown', '/plain']) {
    for (const wrong of [
      { 'x-a': 'a\r\nb: c' },
      { 'x-a': '\u2603' },
      { 'x a': 'a' },
      { Trailer: 'x-a' },
      { 'transfer-encoding': 'chunked' }
    ]) {
      headers = wrong as Record<string, string>
      const response = await fetch(origin + path)
      t.equal(response.status, 500, `${path} ${JSON.stringify(wrong)}`)
      t.match(await response.json(), { code: 'internal_error' })
    }
    headers = { 'x-a': 'a' }
    t.equal((await fetch(origin + path)).headers.get('x-a'), 'a', path)
  }
})
