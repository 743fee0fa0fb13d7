import { EventEmitter, on } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { lastEventId, ndjson, sse } from '../../src/index.ts'
import type { AnyHandler } from '../../src/operations/handlers.ts'
import { derivedContract } from '../derived-contract.ts'
import { openFixtureStore } from '../fixture-store.ts'
import { logged } from '../observability/logged.ts'
import { closedWith } from '../watch.ts'

const get = (id: string, content: string) => `
  /${id}: { get: { operationId: ${id}, responses: { '200': { description: They, content: { ${content} } } } } }`

const yaml = `openapi: 3.2.0
info: { title: Streams, version: 1.0.0 }
paths:${get('things', "text/event-stream: { schema: { $ref: '#/components/schemas/Thing' } }")}${
  get('changes', "text/event-stream: { itemSchema: { $ref: '#/components/schemas/Change' } }") +
  get('any', 'text/event-stream: {}, application/jsonl: {}, application/json: { schema: {} }') +
  get('export', "application/x-ndjson: { schema: { type: array, items: { $ref: '#/components/schemas/Thing' } } }") +
  get('lines', "application/jsonl: { itemSchema: { $ref: '#/components/schemas/Thing' } }")
}
components:
  schemas:
    Thing: { type: object, required: [id], properties: { id: { type: integer, format: int64 }, text: { type: string } } }
    Change:
      type: object
      required: [event]
      properties: { id: { type: integer, format: int64 } }
      oneOf:
        - { required: [data], properties: { event: { const: changed }, data: { type: string, contentSchema: { $ref: '#/components/schemas/Thing' } } } }
        - { properties: { event: { const: note }, data: { type: string } } }
`

const start = async (t: Test, handlers: Record<string, AnyHandler>) => {
  const { lines, logger } = logged()
  const { contract } = await derivedContract(t, yaml)
  const none: AnyHandler = async () => ({ status: 200 })
  const all = { things: none, changes: none, any: none, export: none, lines: none, ...handlers }
  const app = await buildApp({ contract, store: openFixtureStore(), handlers: all as never, logger })
  closedWith(t, app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return { app, lines, get: (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init) }
}

const emitter = new EventEmitter()
const large = 2n ** 53n + 1n
const returning =
  (body: unknown, contentType?: string): AnyHandler =>
  async () => ({ status: 200, body, contentType })

t.test('sse: events are written field by field, with exact integers', async t => {
  const { get } = await start(t, {
    things: returning(
      sse([{ data: { id: large } }, { event: 'b', id: 'é', retry: 5, data: { id: 1n, text: 'a\nb\u2028' } }])
    ),
    changes: returning(
      sse([
        { event: 'changed', id: large, data: { id: large } },
        { event: 'note', data: 'a\nb\r\nc\rd\n' },
        { event: 'note' }
      ])
    ),
    any: returning(sse([{ data: [large, null] }, { data: '' }, { data: 0.5, id: '' }]), 'text/event-stream')
  })
  const response = await get('/things')
  t.equal(response.headers.get('content-type'), 'text/event-stream')
  t.equal(
    await response.text(),
    ':\n\ndata: {"id":9007199254740993}\n\nevent: b\nid: é\nretry: 5\ndata: {"id":1,"text":"a\\nb\u2028"}\n\n'
  )
  t.equal(
    await (await get('/changes')).text(),
    ':\n\nevent: changed\nid: 9007199254740993\ndata: {"id":9007199254740993}\n\n' +
      'event: note\ndata: a\ndata: b\ndata: c\ndata: d\ndata: \n\nevent: note\n\n'
  )
  t.equal(
    await (await get('/any', { headers: { accept: 'text/event-stream' } })).text(),
    ':\n\ndata: [9007199254740993,null]\n\ndata: \n\nid: \ndata: 0.5\n\n'
  )
})

t.test('ndjson: a value on each line, with exact integers, as it comes', async t => {
  const { get } = await start(t, {
    export: returning(ndjson([{ id: large }, { id: 1n, text: 'a\nb' }])),
    lines: returning(
      ndjson(
        (async function* () {
          yield { id: 1n }
          await delay(1)
          yield { id: large }
        })()
      )
    ),
    any: returning(ndjson(['a', large, null]), 'application/jsonl')
  })
  const response = await get('/export')
  t.equal(response.headers.get('content-type'), 'application/x-ndjson')
  t.equal(await response.text(), '{"id":9007199254740993}\n{"id":1,"text":"a\\nb"}\n')
  t.equal(await (await get('/lines')).text(), '{"id":1}\n{"id":9007199254740993}\n')
  t.equal(await (await get('/any')).text(), '"a"\n9007199254740993\nnull\n')
})

t.test('an item that breaks the contract breaks off the response, and the log says why', async t => {
  for (const [path, body, reason] of [
    ['things', sse([{ data: { id: 1n } }, { data: { id: 'x' } }]), /body\.data\.id must be an integer/],
    ['things', sse([{ data: { id: 1n, more: 1 } }]), /body\.data\.more is not declared/],
    ['things', sse([{ data: { id: 1n }, id: 'a\nb' }]), /an event has the id "a\\nb"/],
    ['things', sse([{ data: { id: 1n }, id: 'a\0' }]), /an event has the id/],
    ['things', sse([{ data: { id: 1n }, event: 'a\rdata: b' }]), /an event has the event/],
    ['changes', sse([{ event: 'changed', data: 'text' }]), /oneOf|must/],
    ['lines', ndjson([{ id: 1n }, { id: 2n ** 63n }]), /body\.id must be an integer/]
  ] as const) {
    const { get, lines } = await start(t, { [path]: returning(body) })
    await t.rejects(
      get(`/${path}`).then(response => response.text()),
      path
    )
    while (lines.length === 0) await delay(1)
    t.match(lines, [{ level: 50, err: { message: reason } }], String(reason))
  }
})

t.test('what is not of the declared media type is a 500', async t => {
  for (const [path, result] of [
    ['things', { body: ndjson([]) }],
    ['lines', { body: sse([]) }],
    ['any', { body: sse([]), contentType: 'application/json' }],
    ['any', { body: (async function* () {})() }]
  ] as const) {
    const { get } = await start(t, { [path]: async () => ({ status: 200, ...result }) })
    t.equal((await get(`/${path}`)).status, 500)
  }
})

t.test('sse: a heartbeat while there is no event, from the beginning on', async t => {
  let hasEnded = false
  const { get, app } = await start(t, {
    things: async ({ signal }) => ({
      status: 200,
      body: sse(
        (async function* () {
          try {
            yield* on(emitter, 'change', { signal })
          } finally {
            hasEnded = true
          }
        })(),
        { heartbeatMs: 10 }
      )
    }),
    changes: returning(sse((async function* () {})(), { heartbeatMs: 1 }))
  })
  t.equal(await (await get('/changes')).text(), ':\n\n')
  const { body } = await get('/things')
  let text = ''
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString()
    if (text.length >= 9) void app.close()
  }
  t.match(text, /^(?::\n\n){3,}$/, 'ended in order when the service closes')
  t.ok(hasEnded)
})

t.test('a client that leaves ends the iterable', async t => {
  const ended: string[] = []
  const forever = (what: string) =>
    (async function* () {
      try {
        for (;;) {
          yield { data: { id: 1n }, id: 1n }.data
          await delay(1)
        }
      } finally {
        ended.push(what)
      }
    })()
  const { get } = await start(t, {
    things: returning(sse(map(forever('sse')))),
    lines: returning(ndjson(forever('ndjson')))
  })
  for (const path of ['/things', '/lines']) {
    const leaving = new AbortController()
    const { body } = await get(path, { signal: leaving.signal })
    await body?.getReader().read()
    leaving.abort()
  }
  while (ended.length < 2) await delay(5)
  t.strictSame(ended.toSorted(), ['ndjson', 'sse'])
  const response = await get('/things', { method: 'HEAD' })
  t.equal(await response.text(), '')
})
async function* map(items: AsyncIterable<unknown>) {
  for await (const data of items) yield { data }
}

t.test('lastEventId: what the client has got last', async t => {
  const seen: (string | undefined)[] = []
  const { app } = await start(t, {
    things: async ({ request }) => {
      seen.push(lastEventId(request))
      return { status: 200, body: sse([]) }
    }
  })
  for (const id of [undefined, '', '17', Buffer.from('é1').toString('latin1')])
    await app.inject({ url: '/things', headers: id === undefined ? {} : { 'last-event-id': id } })
  t.strictSame(seen, [undefined, undefined, '17', 'é1'])
})
