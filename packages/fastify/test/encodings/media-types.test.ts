import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { serve } from '../operations/serve.ts'

const echo = `/echo:
  post:
    operationId: echo
    requestBody:
      required: true
      content:
        application/json: { schema: { type: object, required: [id], properties: { id: { type: integer, format: int64 } } } }
        application/merge-patch+json: { schema: { type: object } }
        application/vnd.thing+json;version=2: { schema: { type: array, items: { type: string } } }
        application/json;simple: { schema: { type: boolean } }
        text/plain: { schema: { type: string, maxLength: 5 } }
        text/csv: {}
        application/octet-stream: {}
        image/*: {}
        model/*+json: { schema: { type: boolean } }
    responses: { '204': { description: done } }
`

const post = (
  type: string | undefined,
  payload: string | Buffer | Readable = '',
  more: Record<string, string> = {}
) => ({
  method: 'POST' as const,
  url: '/echo',
  headers: type === undefined ? more : { 'content-type': type, ...more },
  payload
})

const start = async (t: Test) => {
  const seen: unknown[] = []
  const { app } = await serve(t, echo, {
    echo: async ({ contentType, body }) => {
      seen.push([contentType, body instanceof Readable ? { stream: await text(body) } : body])
      return { status: 204 }
    }
  })
  return { app, seen }
}

t.test('handlers get a body in the form of its media type', async t => {
  const { app, seen } = await start(t)
  for (const [type, payload, expected] of [
    ['application/json', '{"id":9007199254740993}', ['application/json', { id: 9007199254740993n }]],
    ['application/json; charset=utf-8', '{"id":1}', ['application/json', { id: 1n }]],
    ['application/merge-patch+json', '{"a":null}', ['application/merge-patch+json', { a: null }]],
    ['Application/Vnd.Thing+JSON; Version="2"', '["a"]', ['application/vnd.thing+json;version=2', ['a']]],
    ['application/JSON; simple', 'true', ['application/json;simple', true]],
    ['text/plain', 'früh', ['text/plain', 'früh']],
    ['text/plain; charset=US-ASCII', '', ['text/plain', '']],
    ['text/csv', 'a,b\n', ['text/csv', 'a,b\n']],
    ['application/octet-stream', Buffer.from([0x61, 0]), ['application/octet-stream', { stream: 'a\0' }]],
    ['image/PNG; x=y', 'png', ['image/png', { stream: 'png' }]],
    ['model/gltf+json', 'true', ['model/gltf+json', true]]
  ] as const) {
    const res = await app.inject(post(type, payload as string))
    t.equal(res.statusCode, 204, `${type} ${res.body}`)
    t.strictSame(seen.pop(), expected, type)
  }
})

t.test('a body of another media type gets a 415 that names those declared', async t => {
  const { app } = await start(t)
  const expected =
    'application/json in UTF-8, application/merge-patch+json in UTF-8, application/vnd.thing+json;version=2 in UTF-8, ' +
    'application/json;simple in UTF-8, text/plain in UTF-8, text/csv in UTF-8, application/octet-stream, image/* or model/*+json in UTF-8'
  for (const [type, shown] of [
    ['text/html', 'text/html'],
    ['application/vnd.thing+json', 'application/vnd.thing+json'],
    ['application/vnd.thing+json;version=3', 'application/vnd.thing+json;version=3'],
    ['text/plain; charset=latin1', 'text/plain; charset=latin1'],
    ['application/vnd.collected', 'application/vnd.collected'],
    ['model/json', 'model/json'],
    ['nonsense', 'nonsense'],
    ['application/json;other', 'application/json;other'],
    ['image/', 'image/']
  ] as const) {
    const res = await app.inject(post(type, 'x'))
    t.strictSame([res.statusCode, res.json().message], [415, `The body must be ${expected}, not ${shown}.`])
  }
  t.equal((await app.inject(post(undefined, 'x'))).statusCode, 415)
  t.equal((await app.inject(post('image/png', 'x', { 'content-encoding': 'gzip' }))).statusCode, 415)
})

t.test('a body that does not fit its schema gets a 400', async t => {
  const { app } = await start(t)
  for (const [type, payload, message] of [
    ['application/json', '{"id":"1"}', 'body.id must be an integer, not "1".'],
    ['application/json', '', 'a body is required.'],
    ['application/json', '{', 'The body must be well-formed JSON'],
    ['application/vnd.thing+json;version=2', '[1]', 'body[0] must be a string, not 1.'],
    ['text/plain', 'abcdef', 'body must have at most 5 characters.'],
    ['text/plain', Buffer.from([0xff]), 'The body must be UTF-8.']
  ] as const) {
    const res = await app.inject(post(type, payload as string))
    t.strictSame([res.statusCode, res.json().message.slice(0, message.length)], [400, message])
  }
  t.strictSame((await app.inject({ method: 'POST', url: '/echo' })).json().message, 'a body is required.')
})

t.test('a stream ends with a 413 at the limit, whether its length is known or not', async t => {
  const { app, seen } = await start(t)
  const most = 65_536
  t.equal((await app.inject(post('image/png', 'x'.repeat(most)))).statusCode, 204)
  t.equal((seen.pop() as [string, { stream: string }])[1].stream.length, most)
  const tooLarge = { code: 'body_too_large', message: `The body is larger than ${most} bytes.`, status: 413 }
  t.strictSame((await app.inject(post('image/png', 'x'.repeat(most + 1)))).json(), tooLarge)
  const chunked = Readable.from(Array.from({ length: 9 }, () => Buffer.alloc(8_000)))
  t.strictSame((await app.inject(post('image/png', chunked))).json(), tooLarge)
  t.strictSame((await app.inject(post('text/csv', 'x'.repeat(most + 1)))).json(), tooLarge)
  t.strictSame(seen, [])
})
