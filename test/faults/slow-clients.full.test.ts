import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { newApiKey } from '../../packages/fastify/src/api-keys/api-key.ts'
import { buildFixtureApp, withKey } from '../../packages/fastify/test/fixture-app.ts'
import { openConnection } from '../../packages/fastify/test/http/connection.ts'
import { logged } from '../../packages/fastify/test/observability/logged.ts'
import { isLong } from '../extent.ts'
import { isOverload, startObserved } from './observed-service.ts'
import { responsesIn } from './raw-client.ts'

const count = 1000

const listNone = async () => ({ status: 200 as const, body: [] })

/** The target of requests, the pause between two bytes of a slow client, and a function that makes requests time out. */
const startService = async (t: Test) => {
  if (isLong) {
    const { port, key } = await startObserved(t, { cwd: t.testdir() })
    return { port, key, path: '/v1/pets', pauseMs: 1000, runOut: undefined }
  }
  const key = newApiKey('ast')
  // Long enough for all to connect.
  const timeouts = { headersMs: 290_000, requestMs: 295_000, checkMs: 100 }
  const app = await buildFixtureApp(t, { apiKeys: [key], timeouts, handlers: { listThings: listNone } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const runOut = () => {
    app.server.headersTimeout = 1
    app.server.requestTimeout = 1
  }
  return { port: (app.server.address() as AddressInfo).port, key, path: '/v1/things', pauseMs: 100, runOut }
}

t.test(`${count} clients that send a byte now and then do not block others, and get 408`, async t => {
  const { port, key, path, pauseMs, runOut } = await startService(t)
  const common = `HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`
  // Half of them are slow in the header, half in the body.
  const beginnings = [
    `GET ${path} ${common}X: `,
    `POST ${path} ${common}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n`
  ]
  let open = 0
  let isOver = false
  const slow = async (index: number) => {
    const socket = connect({ host: '127.0.0.1', port })
    t.teardown(() => socket.destroy())
    const received: Buffer[] = []
    socket.on('data', (chunk: Buffer) => received.push(chunk))
    await once(socket, 'connect')
    open++
    socket.write(beginnings[index % 2] ?? '')
    const drip = setInterval(() => socket.write(' '), pauseMs)
    await once(socket, 'end')
    clearInterval(drip)
    open--
    return responsesIn(Buffer.concat(received))
  }
  const all = Promise.all(Array.from({ length: count }, (_, index) => slow(index))).finally(() => {
    isOver = true
  })

  const tookMs: number[] = []
  let amongAll = 0
  const wrong: unknown[] = []
  while (!isOver) {
    const start = performance.now()
    const headers = { authorization: `Bearer ${key}`, connection: 'close' }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
    const body = await response.text()
    if (isOverload(body)) {
      await delay(500)
      continue
    }
    if (response.status !== 200 || body !== '[]') wrong.push({ status: response.status, body })
    tookMs.push(performance.now() - start)
    if (open === count) amongAll++
    if (runOut !== undefined && amongAll === 20) {
      runOut()
      break
    }
  }
  tookMs.sort((a, b) => a - b)
  const at = (share: number) => tookMs[Math.floor((tookMs.length - 1) * share)]?.toFixed(1)
  t.comment(`${tookMs.length} other requests succeeded, ${amongAll} of them while all ${count} were connected`)
  t.comment(`in ${at(0.5)} ms (median), ${at(0.99)} ms (99 %), ${at(1)} ms (all)`)
  t.strictSame(wrong, [])
  t.ok(amongAll > 0)

  const responses = await all
  const others = responses.filter(each => {
    const [first, ...more] = each
    return first?.status !== 408 || first.headers.connection !== 'close' || more.length > 0
  })
  t.strictSame(others.slice(0, 5), [], 'each got exactly one response, a 408')
  t.strictSame(JSON.parse(responses[0]?.[0]?.body ?? ''), {
    code: 'request_timeout',
    message: 'The request did not arrive in time.',
    status: 408
  })
})

t.test(
  'a request whose body stops arriving gets 408',
  isLong ? {} : { skip: 'takes half a minute; npm run test:faults runs it' },
  async t => {
    const { port, key, path } = await startService(t)
    const socket = connect({ host: '127.0.0.1', port })
    t.teardown(() => socket.destroy())
    const received: Buffer[] = []
    socket.on('data', (chunk: Buffer) => received.push(chunk))
    const json = 'Content-Type: application/json\r\n'
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${json}Content-Length: 9\r\n\r\n{`
    )
    await once(socket, 'end')
    t.strictSame(
      responsesIn(Buffer.concat(received)).map(({ status }) => status),
      [408]
    )
  }
)

t.test('a connection that has been idle for too long is closed without a response', async t => {
  const app = await buildFixtureApp(t, { timeouts: { idleMs: 50 } })
  const connection = await openConnection(t, app)
  connection.send(`GET /v1/things HTTP/1.1\r\nHost: a\r\nAuthorization: ${withKey.authorization}\r\n\r\n`)
  t.equal((await connection.response()).status, 200)
  t.equal(await connection.rest(), '')
})

t.test('a client that reads no responses is disconnected, and what is buffered for it is bounded', async t => {
  // 80 kB for each response.
  const name = '🧱'.repeat(100)
  const wall = { name, note: name, weight: 7n, shape: 'square', open: false } as const
  const body = Array.from({ length: 100 }, (_, index) => ({ ...wall, id: BigInt(index + 1) }))
  let lists = 0
  const listThings = async () => {
    lists++
    return { status: 200 as const, body }
  }
  const app = await buildFixtureApp(t, { handlers: { listThings }, timeouts: { stalledMs: 500 } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const connected = once(app.server, 'connection').then(([connection]) => connection as Socket)
  const socket = connect({ host: '127.0.0.1', port: (app.server.address() as AddressInfo).port }).pause()
  t.teardown(() => socket.destroy())
  socket.on('error', () => {})
  const wanted = 1000
  const request = `GET /v1/things HTTP/1.1\r\nHost: a\r\nAuthorization: ${withKey.authorization}\r\n\r\n`
  socket.write(request.repeat(wanted))
  await once(await connected, 'close')
  t.comment(`${lists} of ${wanted} responses were made`)
  t.ok(lists < wanted / 2)
})

t.test('a handler that does not return in time results in a 500, and is logged', async t => {
  const { lines, logger } = logged()
  const { promise: late, reject } = Promise.withResolvers<never>()
  const app = await buildFixtureApp(t, { handlers: { listThings: () => late }, logger, timeouts: { handlerMs: 20 } })
  // Listens to keep the process alive while it waits, since `inject` opens no connection.
  await app.listen({ host: '127.0.0.1', port: 0 })
  const send = (url = '/v1/things') => app.inject({ url, headers: withKey })
  for (const response of await Promise.all([send(), send()])) {
    t.equal(response.statusCode, 500)
    t.strictSame(response.json(), { code: 'internal_error', message: 'Internal error.', status: 500 })
  }
  t.equal(lines.length, 2)
  t.match(lines[0], { level: 50, err: { message: 'the handler of listThings timed out' } })
  reject(new Error('too late'))
  t.equal((await send('/v1/things/1')).statusCode, 200, 'other requests succeed')
  t.equal(lines.length, 2)
})
