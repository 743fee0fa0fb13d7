import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import type { readItems } from '../../../generated/client-streams.ts'
import { derivedFolder, errorOf, json, serve } from './clients.ts'

type Read = (
  call: string,
  input?: object,
  options?: object
) => ReturnType<typeof readItems<'bigint', unknown[], object>>

/** Reads from a server whose responses are made by these functions in turn. */
const reader = async (t: Test, ...responders: ((response: ServerResponse) => unknown)[]) => {
  const { origin, all } = await serve(t, (_, response) => void responders.shift()?.(response))
  const folder = await derivedFolder(t, 'streams')
  const load = (name: string) => import(pathToFileURL(join(folder, name)).href)
  const [{ connect, ...calls }, { readItems }] = [await load('client-calls.ts'), await load('client-streams.ts')]
  const connection = connect({ baseUrl: origin, int64: 'bigint', retries: false })
  const read: Read = (call, ...given) => readItems(connection, calls[call], ...given)
  return { read, lastIds: () => all.map(({ headers }) => headers['last-event-id']) }
}
const events = (response: ServerResponse, ...texts: (string | Buffer)[]) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const text of texts) response.write(text)
  return response
}
const gone = (response: ServerResponse) => response.writeHead(204).end()
const collect = async (items: AsyncIterable<unknown>) => {
  const all: unknown[] = []
  for await (const item of items) all.push(item)
  return all
}

t.test('events come with the types of the contract, however they are divided into chunks', async t => {
  const text =
    ':\n\nevent: added\r\nid: 1\r\ndata: {"number":\r\ndata: 9007199254740993}\r\n\r\nretry: 1\n\ndata:{"number":2}\nid: é\n\ndata'
  for (const size of [1, 7, 1000]) {
    const bytes = Buffer.from(text)
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size)
    )
    const { read, lastIds } = await reader(t, response => events(response, ...chunks).end(), gone)
    t.strictSame(await collect(read('watch', { kind: 'a' })), [
      { event: 'added', id: '1', data: { number: 9007199254740993n } },
      { data: { number: 2n }, id: 'é' }
    ])
    t.strictSame(lastIds(), [undefined, Buffer.from('é').toString('latin1')])
  }
})

t.test('data are texts or JSON, as the contract says', async t => {
  const { read } = await reader(
    t,
    response => events(response, 'data: 5\n\n').end(),
    response => events(response, 'data: 5\n\ndata: [DONE]\n\n').end(),
    response => events(response, 'data: [DONE]\n\n').end()
  )
  t.strictSame(await collect(read('say', { body: 'a' })), [{ data: '5' }])
  t.strictSame(await collect(read('hear')), [{ data: 5 }, { data: '[DONE]' }])
  t.match(await errorOf(collect(read('watch'))), { operationId: 'watch', kind: 'not-json', status: 200 })
})

t.test('a connection that breaks off is made again after the last event, until there is no more', async t => {
  const { read, lastIds } = await reader(
    t,
    response => events(response, 'retry: 1\nid: 1\ndata: {"number":1}\n\n', 'data: {"num').end(),
    response => events(response, 'id: 2\ndata: {"number":2}\n\n') && setTimeout(() => response.destroy(), 20),
    response => response.destroy(),
    response => events(response, 'data: {"number":3}\n\n').end(),
    response => json(response, {}, { status: 404 })
  )
  const numbers: unknown[] = []
  const all = (async () => {
    for await (const { data } of read('watch') as AsyncIterable<{ data: { number: bigint } }>) numbers.push(data.number)
  })()
  t.match(await errorOf(all), { kind: 'error-status', status: 404 })
  t.strictSame(numbers, [1n, 2n, 3n])
  t.strictSame(lastIds(), [undefined, '1', '2', '2', '2'])
})

t.test('without an id, a stream ends with its connection, and breaks off with an error', async t => {
  const { read, lastIds } = await reader(
    t,
    response => events(response, 'data: {"number":1}\n\n').end(),
    response => events(response, 'data: {"number":1}\n\n') && setTimeout(() => response.destroy(), 20)
  )
  t.equal((await collect(read('watch'))).length, 1)
  t.match(await errorOf(collect(read('watch'))), {
    kind: 'network',
    message: /^watch got 200, but the stream broke off: /
  })
  t.equal(lastIds().length, 2)
})

t.test('values in lines', async t => {
  const { read } = await reader(t, response => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    response.end('{"number":9007199254740993}\n\n{"number":1}')
  })
  t.strictSame(await collect(read('exportValues')), [{ number: 9007199254740993n }, { number: 1n }])
})

t.test('reading ends at an abort, with its reason, or when nobody reads on; the connection is closed', async t => {
  const closed: Promise<unknown>[] = []
  const open = (response: ServerResponse) => {
    closed.push(new Promise(resolve => response.on('close', resolve)))
    events(response, 'id: 1\ndata: {"number":1}\n\n')
  }
  const { read } = await reader(t, open, open, response => events(response, 'id: 1\ndata: {"number":1}\n\n').end())
  const controller = new AbortController()
  const reason = new Error('enough')
  const aborted = async (options: object) => {
    for await (const _ of read('watch', {}, options)) setTimeout(() => controller.abort(reason), 10)
  }
  t.equal(await errorOf(aborted({ signal: controller.signal })), reason)
  for await (const _ of read('watch')) break
  await Promise.all(closed)

  const later = new AbortController()
  const waiting = collect(read('watch', {}, { signal: later.signal }))
  setTimeout(() => later.abort(reason), 50)
  t.equal(await errorOf(waiting), reason, 'while it waits to connect again')
})
