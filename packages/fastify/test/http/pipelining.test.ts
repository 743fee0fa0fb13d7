import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { buildFixtureApp, contract } from '../fixture-app.ts'
import { logged } from '../observability/logged.ts'
import { openConnection } from './connection.ts'
import { newGate } from './gate.ts'
import {
  brick,
  checkConnection,
  checkError,
  chunked,
  get,
  host,
  json,
  keeping,
  key,
  post,
  send
} from './http-requests.ts'

const { limits } = contract

t.test('requests before an invalid one on the same connection get their responses first', async t => {
  const { pass, letGo } = newGate()
  const after: [string, number, string][] = [
    ['NONSENSE\r\n\r\n', 400, 'malformed_request'],
    [`CONNECT things.example:443 HTTP/1.1\r\n${host}\r\n`, 400, 'malformed_request'],
    [`GET /v1/things HTTP/1.1\r\nX: ${'x'.repeat(limits.headerBytes)}`, 431, 'headers_too_large'],
    [`POST /v1/things HTTP/1.1\r\n${host}${key}${json}${chunked}\r\nzz\r\n`, 400, 'malformed_request'],
    [`POST /v1/things HTTP/1.1\r\n${host}${json}${chunked}\r\nzz\r\n`, 401, 'api_key_missing'],
    [`GET /v1/things HTTP/1.1\r\n${host}Expect: gold\r\n\r\n`, 417, 'expectation_failed']
  ]
  for (const [fault, status, code] of after) {
    await t.test(JSON.stringify(fault.slice(0, 60)), async t => {
      const { handlers } = keeping(pass)
      const connection = await openConnection(t, await buildFixtureApp(t, { handlers }))
      connection.send(post() + post() + get() + fault)
      // Further invalid bytes must not cause another response, and closing must not discard the error.
      connection.send('NONSENSE\r\n\r\n'.repeat(20))
      connection.finish()
      for (const id of [1, 2]) {
        await letGo()
        const response = await connection.response()
        t.equal(response.status, 201)
        t.equal(JSON.parse(response.body).id, id)
      }
      t.equal((await connection.response()).status, 200)
      checkError(t, await connection.response(), status, code)
      t.equal(await connection.rest(), '')
    })
  }
})

t.test('requests after a response that closes the connection are not handled', async t => {
  const { kept, handlers } = keeping()
  const app = await buildFixtureApp(t, { handlers })
  const ending: [string, number, string][] = [
    [post('{'), 400, 'malformed_json'],
    [post().replace('application/json', 'text/plain'), 415, 'unsupported_media_type'],
    [post().replace(key, `${key}Expect: gold\r\n`), 417, 'expectation_failed'],
    [post().replace(key, ''), 401, 'api_key_missing'],
    [post(' '.repeat(limits.bodyBytes + 1)), 413, 'body_too_large']
  ]
  for (const [first, status, code] of ending) {
    await t.test(code, async t => {
      const connection = await openConnection(t, app)
      connection.send(first + post() + post() + post())
      // Bytes that arrive while the connection is being closed must not discard the response by a reset.
      for (let i = 0; i < 20; i++) connection.send(post().repeat(1000))
      checkError(t, await connection.response(), status, code)
      connection.finish()
      t.equal(await connection.rest(), '')
      t.strictSame(kept, [], 'the client may retry on another connection without adding anything twice')
    })
  }
})

t.test('pipelined requests are handled one after the other', async t => {
  const gate = newGate()
  const { handlers } = keeping(gate.pass)
  const connection = await openConnection(t, await buildFixtureApp(t, { handlers }))
  connection.send(post() + post() + get() + post())
  for (const id of [1, 2]) {
    await gate.arrived(1)
    t.equal(gate.count, id)
    await gate.letGo()
    t.equal(JSON.parse((await connection.response()).body).id, id)
  }
  t.equal(JSON.parse((await connection.response()).body).length, 2)
  await gate.letGo()
  t.equal((await connection.response()).status, 201)
})

t.test('of too many pipelined requests, the first get responses, then the connection is closed', async t => {
  // No response is sent before several requests have been read.
  const { kept, handlers } = keeping(nextTurn)
  const app = await buildFixtureApp(t, { handlers, corsOrigins: ['https://shop.example'] })
  const preflight = 'Origin: https://shop.example\r\nAccess-Control-Request-Method: GET\r\n'
  for (const [request, status] of [
    [post(), 201],
    // Paths that cannot be decoded reach no hook.
    ['GET /%ff HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    [get('/v1/%ff'), 400],
    [`OPTIONS /v1/%ff HTTP/1.1\r\nHost: x\r\n${preflight}\r\n`, 204]
  ] as const) {
    const connection = await openConnection(t, app)
    connection.send(request.repeat(5000))
    let received = 0
    for (let isOpen = true; isOpen; received++) {
      const response = await connection.response()
      if (response.status !== status) t.equal(response.status, status)
      isOpen = response.headers.connection !== 'close'
    }
    connection.finish()
    t.equal(await connection.rest(), '')
    if (status !== 201) t.equal(received, 101, request)
    else
      t.ok(
        received > 50 && received < 1000 && received === kept.length,
        `${received} responses, as many as were handled`
      )
  }
})

t.test('a client that closes its side after sending gets its response', async t => {
  const { pass, letGo } = newGate()
  const { handlers } = keeping(pass)
  const app = await buildFixtureApp(t, { handlers })
  const connection = await openConnection(t, app)
  connection.send(post() + get() + post())
  connection.finish()
  await letGo()
  t.equal((await connection.response()).status, 201)
  t.equal((await connection.response()).status, 200)
  await letGo()
  t.equal((await connection.response()).status, 201)
  t.equal(await connection.rest(), '')

  const broken = await openConnection(t, app)
  broken.send(post().slice(0, -1))
  broken.finish()
  const response = await broken.response()
  checkError(t, response, 400, 'malformed_request')
  await checkConnection(t, broken, response, true)

  const idle = await openConnection(t, app)
  idle.finish()
  t.equal(await idle.rest(), '')
})

t.test('a client that disconnects halfway does not cause an error in the log', async t => {
  const { lines, logger } = logged()
  const { pass, letGo, arrived } = newGate()
  const { kept, handlers } = keeping(pass)
  const app = await buildFixtureApp(t, { handlers, logger })
  const parts = [
    'GET /v1',
    `GET /v1/things HTTP/1.1\r\n${host}`,
    post().slice(0, -brick.length),
    post().slice(0, -1),
    `POST /v1/things HTTP/1.1\r\n${host}${key}${json}${chunked}\r\n5\r\n{"nam`,
    `POST /v1/things HTTP/1.1\r\n${host}${json}Content-Length: 100000\r\n\r\n{`
  ]
  for (const bytes of parts) {
    for (const end of ['reset', 'finish'] as const) {
      const connection = await openConnection(t, app)
      connection.send(bytes)
      // After a response on another connection, the bytes of this one have been read.
      await send(t, app, get())
      connection[end]()
      await connection.rest().catch(() => {})
    }
  }
  const gone = await openConnection(t, app)
  gone.send(post())
  await arrived(1)
  gone.reset()
  await gone.rest().catch(() => {})
  await letGo()

  t.equal((await send(t, app, get())).response.status, 200)
  t.equal(kept.length, 1, 'the request that had arrived was handled')
  t.strictSame(
    lines.filter(({ level }) => level >= 50),
    [],
    'no warning and no error in the log'
  )
})
