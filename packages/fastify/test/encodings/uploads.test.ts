import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import type { AnyHandler } from '../../src/operations/handlers.ts'
import { derivedContract } from '../derived-contract.ts'
import { openFixtureStore } from '../fixture-store.ts'
import { closedWith } from '../watch.ts'

const post = (id: string, type: string, limits = '') => `
  /${id}:
    post:
      operationId: ${id}
      requestBody: { required: true, content: { ${type}: {} } }
      responses: { '200': { description: Its size, content: { application/json: { schema: { type: integer } } } } }${limits}`
const own = (bodyBytes: number) => `\n      x-limits: { bodyBytes: ${bodyBytes} }`

const yaml = `openapi: 3.1.0
info: { title: Uploads, version: 1.0.0 }
x-limits: { bodyBytes: 1000 }
paths:${post('upload', 'application/octet-stream', own(1_000_000))}${post('other', 'application/octet-stream')}${post('json', 'application/json', own(10))}
`

/** Sends a body in chunks, or with its length. */
const start = async (t: Test, handlerMs = 10_000) => {
  const read: AnyHandler = async ({ body }) => {
    let size = 0
    for await (const chunk of body) size += chunk.length
    return { status: 200, body: size }
  }
  const { contract } = await derivedContract(t, yaml)
  const handlers = { upload: read, other: read, json: async () => ({ status: 200, body: 1 }) }
  const app = await buildApp({
    contract,
    store: openFixtureStore(),
    handlers: handlers as never,
    timeouts: { handlerMs }
  })
  closedWith(t, app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return async (path: string, chunks: AsyncIterable<Buffer> | Buffer, type = 'application/octet-stream') => {
    const { port } = app.server.address() as AddressInfo
    const length = Buffer.isBuffer(chunks) && { 'content-length': chunks.length }
    const sending = request({ port, path, method: 'POST', headers: { 'content-type': type, ...length } })
    sending.on('error', () => {})
    if (Buffer.isBuffer(chunks)) sending.end(chunks)
    else Readable.from(chunks).pipe(sending)
    const [response] = await once(sending, 'response')
    return { status: response.statusCode, body: await json(response) }
  }
}

async function* chunksOf(count: number, bytes: number, ms = 0) {
  for (let sent = 0; sent < count; sent++) {
    yield Buffer.alloc(bytes)
    if (ms > 0) await delay(ms)
  }
}

const tooLarge = (bytes: number) => ({
  status: 413,
  body: { code: 'body_too_large', message: `The body is larger than ${bytes} bytes.` }
})

t.test('an operation may have a limit of its own, which is enforced while the body arrives', async t => {
  const send = await start(t)
  t.strictSame(await send('/upload', Buffer.alloc(1_000_000)), { status: 200, body: 1_000_000 })
  t.strictSame(await send('/upload', chunksOf(100, 10_000)), { status: 200, body: 1_000_000 })
  t.match(await send('/upload', Buffer.alloc(1_000_001)), tooLarge(1_000_000))
  t.match(await send('/upload', chunksOf(101, 10_000)), tooLarge(1_000_000))
  t.match(await send('/other', Buffer.alloc(1_001)), tooLarge(1_000), 'the others have that of the contract')
  t.match(await send('/other', chunksOf(2, 501)), tooLarge(1_000))
  t.match(await send('/json', Buffer.from('[1,2,3,4,5]'), 'application/json'), tooLarge(10))
  t.strictSame(await send('/json', Buffer.from('[1,2,3,4] '), 'application/json'), { status: 200, body: 1 })
})

t.test('a handler has its time once the body has arrived', async t => {
  const send = await start(t, 40)
  t.strictSame(await send('/upload', chunksOf(15, 10, 20)), { status: 200, body: 150 })
})
