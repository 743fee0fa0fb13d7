import { EventEmitter, on } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type AppOptions, buildApp } from '../../src/app.ts'
import type { AnyHandler } from '../../src/operations/handlers.ts'
import { derivedContract } from '../derived-contract.ts'
import { openFixtureStore } from '../fixture-store.ts'
import { logged } from '../observability/logged.ts'
import { connectTo } from './connection.ts'

const yaml = `openapi: 3.1.0
info: { title: Streams, version: 1.0.0 }
paths:
  /events:
    get:
      operationId: events
      responses: { '200': { description: Events, content: { text/event-stream: {} } } }
  /export:
    get:
      operationId: export
      responses: { '200': { description: All, content: { application/x-ndjson: {} } } }
  /slow:
    get:
      operationId: slow
      responses:
        '200': { description: It, content: { application/json: { schema: { type: string } } } }
        '503': { description: Not now }
  /upload:
    post:
      operationId: upload
      requestBody: { required: true, content: { application/octet-stream: {} } }
      responses: { '200': { description: Its size, content: { application/json: { schema: { type: integer } } } } }
`

const none: AnyHandler = async () => ({ status: 500 })

const start = async (t: Test, handlers: Record<string, AnyHandler>, options: Partial<AppOptions> = {}) => {
  const { lines, logger } = logged('info')
  const { contract } = await derivedContract(t, yaml)
  const all = { events: none, export: none, slow: none, upload: none, ...handlers }
  const app = await buildApp({
    contract,
    store: openFixtureStore(),
    handlers: all as never,
    logger,
    shutdownTimeoutMs: 2_000,
    ...options
  })
  t.teardown(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const get = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init)
  /** How long closing has taken. */
  const close = async () => {
    const beganMs = performance.now()
    await app.close()
    return performance.now() - beganMs
  }
  return { app, port, get, close, faults: () => lines.filter(({ level }) => level > 30), lines }
}

const until = async (holds: () => boolean) => {
  while (!holds()) await delay(5)
}

/** One event, and then the events of `rest`. */
async function* events(rest: () => AsyncIterable<string>) {
  yield 'data: 1\n\n'
  yield* rest()
}

const silence = async function* (): AsyncGenerator<string> {
  await new Promise(() => {})
}

/** Resolves once the first event has arrived; its result reads the whole text. */
const reading = async (response: Response) => {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const first = Buffer.from((await reader.read()).value ?? '').toString()
  return { first, rest: text(Readable.from(restOf(reader))) }
}
async function* restOf(reader: ReadableStreamDefaultReader<Uint8Array>) {
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
}

const emitter = new EventEmitter()

for (const [what, handler] of Object.entries<AnyHandler>({
  'that follows its signal by throwing': async ({ signal }) => ({
    status: 200,
    body: events(async function* () {
      for await (const [event] of on(emitter, 'event', { signal })) yield event
    })
  }),
  'that follows its signal by a last event': async ({ signal }) => ({
    status: 200,
    body: events(async function* () {
      await new Promise(resolve => signal.addEventListener('abort', resolve))
      yield 'event: bye\n\n'
    })
  }),
  'that ignores it': async () => ({ status: 200, body: events(silence) }),
  'in a Readable that ignores it': async () => {
    const body = new Readable({ read: () => {} })
    body.push('data: 1\n\n')
    return { status: 200, body }
  },
  'in a Readable that fails by it': async ({ signal }) => {
    const body = new Readable({ read: () => {}, signal })
    body.push('data: 1\n\n')
    return { status: 200, body }
  },
  'that never waits': async () => ({
    status: 200,
    body: events(async function* () {
      for (;;) {
        await delay(1)
        yield ': \n\n'
      }
    })
  })
}))
  t.test(`an event stream ${what} is ended properly when the service closes`, async t => {
    const { get, close, faults, lines } = await start(t, { events: handler })
    const { first, rest } = await reading(await get('/events'))
    t.match(first, 'data: 1\n\n')
    const ms = await close()
    t.ok(ms < 1_000, `${ms} ms`)
    // It does not reject, as it does where a response is cut off.
    t.match(await rest, what.includes('last') ? /^event: bye\n\n$/ : /^(?:: \n\n)*$/)
    t.strictSame(faults(), [])
    t.match(lines.at(-1), { operationId: 'events', status: 200 })
  })

t.test('an event stream that begins while the service closes is signalled at once', async t => {
  let proceed = () => {}
  const begun = new Promise<void>(resolve => {
    proceed = resolve
  })
  let isAborted = false
  const { app, get, close } = await start(t, {
    events: async ({ signal }) => {
      await begun
      const body = async function* () {
        yield 'data: 1\n\n'
        isAborted = signal.aborted
        yield* silence()
      }
      return { status: 200, body: body() }
    }
  })
  const response = get('/events')
  await until(() => app.server.listening)
  await delay(50)
  const closed = close()
  await until(() => !app.server.listening)
  proceed()
  t.equal(await (await response).text(), 'data: 1\n\n')
  t.ok((await closed) < 1_000)
  t.ok(isAborted)
})

t.test('any other stream may go on to its end while the service closes', async t => {
  let signal: AbortSignal | undefined
  const { get, close, faults } = await start(t, {
    export: async input => {
      signal = input.signal
      return {
        status: 200,
        body: (async function* () {
          for (let i = 0; i < 6; i++) {
            yield '{}\n'
            await delay(50)
          }
        })()
      }
    }
  })
  const response = await get('/export')
  const closed = close()
  t.equal(await response.text(), '{}\n'.repeat(6))
  await closed
  t.equal(signal?.aborted, false)
  t.strictSame(faults(), [])
})

t.test('an endless one is signalled after half of the time, and then broken off', async t => {
  let isTold = false
  const { get, close, faults } = await start(t, {
    export: async ({ signal }) => {
      signal.addEventListener('abort', () => {
        isTold = true
      })
      return { status: 200, body: events(silence) }
    }
  })
  const { rest } = await reading(await get('/export'))
  const broken = t.rejects(rest)
  const ms = await close()
  t.ok(isTold)
  t.ok(ms >= 1_000 && ms < 1_900, `${ms} ms`)
  await broken
  t.match(faults(), [{ level: 40, streams: 1, msg: 'the shutdown has broken off responses' }])
})

t.test('a handler that follows its signal responds with a 503 when the service cannot wait any longer', async t => {
  for (const wait of [
    (signal: AbortSignal) => delay(60_000, undefined, { signal }),
    (signal: AbortSignal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  ]) {
    const { app, get, close, faults } = await start(t, { slow: async ({ signal }) => wait(signal) as never })
    const response = get('/slow')
    await until(() => app.server.listening)
    await delay(50)
    await close()
    t.match(await response, { status: 503 })
    t.equal((await response).headers.get('retry-after'), '1')
    t.strictSame(faults(), [])
  }
})

t.test('when the client disconnects, the signals of its handlers are aborted', async t => {
  const aborted: string[] = []
  const told =
    (what: string): AnyHandler =>
    async ({ signal }) => {
      signal.addEventListener('abort', () => aborted.push(`${what} ${signal.reason.name}`))
      if (what === 'slow') return delay(60_000, undefined, { signal }) as never
      return { status: 200, body: events(silence) }
    }
  const upload: AnyHandler = async ({ body, signal }) => {
    signal.addEventListener('abort', () => aborted.push('upload'))
    return { status: 200, body: (await text(body)).length }
  }
  const { get, port, faults, lines } = await start(t, {
    events: told('events'),
    export: told('export'),
    slow: told('slow'),
    upload
  })
  for (const what of ['events', 'export', 'slow']) {
    const leaving = new AbortController()
    const response = get(`/${what}`, { signal: leaving.signal })
    if (what === 'slow') await delay(50)
    else (await reading(await response)).rest.catch(() => {})
    leaving.abort()
    await response.catch(() => {})
    await until(() => aborted.includes(`${what} AbortError`))
  }
  const uploading = httpRequest({
    port,
    path: '/upload',
    method: 'POST',
    headers: { 'content-length': 9, 'content-type': 'application/octet-stream' }
  })
  uploading.on('error', () => {}).write('a')
  await delay(50)
  uploading.destroy()
  await until(() => aborted.includes('upload'))
  // All but the export, which ignores its signal, so that its connection may still be open on our side.
  await until(() => lines.length >= 3)
  t.strictSame(faults(), [])
})

t.test('the signal of a handler that takes too long is aborted, whether it asks for it before or after', async t => {
  const reasons: string[] = []
  let hasResponse = false
  const { get } = await start(
    t,
    {
      slow: async input => {
        const { signal } = input
        await new Promise(resolve => signal.addEventListener('abort', resolve))
        reasons.push(signal.reason.name)
        return { status: 200, body: '' }
      },
      events: async input => {
        await until(() => hasResponse)
        reasons.push(String(input.signal.aborted))
        return { status: 200, body: '' }
      }
    },
    { timeouts: { handlerMs: 20 } }
  )
  t.equal((await get('/slow')).status, 500)
  t.equal((await get('/events')).status, 500)
  hasResponse = true
  await until(() => reasons.length === 2)
  t.strictSame(reasons, ['TimeoutError', 'true'])
})

t.test('a stream that is not sent is closed', async t => {
  const [undeclared, late] = [new Readable(), new Readable()]
  const handlers: Record<string, AnyHandler> = {
    export: async () => ({ status: 201, body: undeclared }),
    events: async ({ signal }) => {
      await new Promise(resolve => signal.addEventListener('abort', resolve))
      return { status: 200, body: late }
    }
  }
  const { get } = await start(t, handlers, { timeouts: { handlerMs: 20 } })
  t.equal((await get('/export')).status, 500)
  t.equal((await get('/events')).status, 500)
  await until(() => undeclared.destroyed && late.destroyed)
})

t.test('once the response has been sent, the signal is not aborted any more', async t => {
  let signal: AbortSignal | undefined
  const { get, close } = await start(t, {
    slow: async input => {
      signal = input.signal
      return { status: 200, body: 'done' }
    }
  })
  t.equal(await (await get('/slow')).json(), 'done')
  await close()
  t.equal(signal?.aborted, false)
})

t.test('an upload that stalls while the service closes gets a 408, and its handler is signalled', async t => {
  const ended: string[] = []
  const { port, close } = await start(t, {
    upload: async ({ body, signal }) => {
      signal.addEventListener('abort', () => ended.push('signal'))
      await text(body).catch(() => ended.push('body'))
      return { status: 200, body: 1 }
    }
  })
  const connection = await connectTo(t, port)
  connection.send(
    'POST /upload HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\nContent-Length: 9\r\n\r\na'
  )
  await delay(50)
  const closed = close()
  t.match(await connection.response(), { status: 408 })
  connection.finish()
  t.ok((await closed) < 2_000)
  await until(() => ended.length === 2)
  t.strictSame(ended.toSorted(), ['body', 'signal'])
})

t.test('the reason why a stream breaks off is logged', async t => {
  const { get, lines } = await start(t, {
    export: async () => ({
      status: 200,
      body: events(async function* () {
        yield ''
        throw new Error('the disk is gone')
      })
    })
  })
  await t.rejects(get('/export').then(response => response.text()))
  await until(() => lines.length > 0)
  t.match(lines, [{ level: 50, operationId: 'export', err: { message: 'the disk is gone' } }])
})

t.test('HEAD reads nothing of a stream', async t => {
  let yielded = 0
  const { get, close } = await start(t, {
    events: async () => ({
      status: 200,
      body: (async function* () {
        for (;;) {
          yielded++
          yield ': \n\n'
          await delay(1)
        }
      })()
    })
  })
  const response = await get('/events', { method: 'HEAD' })
  t.equal(response.headers.get('content-type'), 'text/event-stream')
  t.equal(await response.text(), '')
  await delay(20)
  t.equal(yielded, 0)
  t.ok((await close()) < 1_000)
})
