import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { newApiKey } from '../packages/fastify/src/api-keys/api-key.ts'
import { connectTo } from '../packages/fastify/test/http/connection.ts'
import { idsIn } from './backups.ts'
import { refusesConnections, type Server, sendRequest, startServer } from './start-server.ts'

const key = newApiKey('ast')
const rex = '{"name":"Rex","categoryId":7}'
const get = `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`
const post = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${rex.length}\r\n\r\n${rex}`

const start = (t: Test, cwd: string, env: Record<string, string> = {}) =>
  startServer(t, { cwd, env: { API_KEYS: key, ...env } })

const probe = async ({ operators }: Server, path: string): Promise<number> => {
  const response = await fetch(operators + path)
  await response.body?.cancel()
  return response.status
}

/** Resolves as soon as the service says that it is shutting down. */
const isEnding = async (server: Server) => {
  while ((await probe(server, '/readyz')) !== 503) await delay(5)
}

const linesOf = (server: Server) =>
  server
    .output()
    .stdout.split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))

t.test(
  'after a signal the service keeps running for a while, not ready, and each response closes its connection',
  async t => {
    const server = await start(t, t.testdir(), { SHUTDOWN_DELAY: '600' })
    t.equal(await probe(server, '/readyz'), 200)
    const kept = await connectTo(t, server.port)
    const begun = await connectTo(t, server.port)
    begun.send(post.slice(0, 1))
    for (let i = 0; i < 2; i++) {
      kept.send(get)
      t.match(await kept.response(), { status: 200, headers: { connection: 'keep-alive' } })
    }

    server.process.kill('SIGTERM')
    await isEnding(server)
    t.equal(await probe(server, '/livez'), 200)
    t.equal(await probe(server, '/metrics'), 200)
    begun.send(post.slice(1))
    kept.send(get)
    const later = await connectTo(t, server.port)
    later.send(post)
    const keyless = await connectTo(t, server.port)
    keyless.send('GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n')
    for (const [connection, status] of [
      [kept, 200],
      [begun, 201],
      [later, 201],
      [keyless, 401]
    ] as const) {
      t.match(await connection.response(), { status, headers: { connection: 'close' } })
      t.equal(await connection.rest(), '')
    }
    t.equal(server.process.exitCode, null)

    // So that the second signal counts as a later one.
    await delay(1100)
    server.process.kill('SIGTERM')
    t.strictSame(await server.ended, { code: 1, signal: null })
  }
)

t.test('then it refuses new connections, completes requests in progress, and exits with 0', async t => {
  const cwd = t.testdir()
  // On a slow machine, too, no request counts as stalled.
  const server = await start(t, cwd, { SHUTDOWN_DELAY: '1', SHUTDOWN_TIMEOUT: '600' })
  const begun = await connectTo(t, server.port)
  begun.send(post.slice(0, -1))
  const signalled = performance.now()
  server.process.kill('SIGTERM')
  await isEnding(server)
  const late = await connectTo(t, server.port)
  late.send(post.slice(0, 1))
  await refusesConnections(server.port)
  t.ok(performance.now() - signalled >= 1000)
  t.equal(await probe(server, '/readyz'), 503, 'operators can follow it to the end')
  t.equal(await probe(server, '/livez'), 200)
  begun.send(post.slice(-1))
  late.send(post.slice(1))
  for (const connection of [begun, late])
    t.match(await connection.response(), { status: 201, headers: { connection: 'close' } })
  t.strictSame(await server.ended, { code: 0, signal: null })
  t.equal(server.output().stderr, '')
  const lines = linesOf(server)
  t.strictSame(
    lines.filter(({ msg }) => msg !== 'request').map(({ msg }) => msg),
    ['the database is new', 'the Animal Store is running', 'shutting down', 'shut down']
  )
  t.strictSame(
    lines.filter(({ status }) => status !== undefined).map(({ operationId, status }) => [operationId, status]),
    [
      ['createPet', 201],
      ['createPet', 201]
    ]
  )
  t.strictSame(idsIn(join(cwd, 'data', 'animals.db')), [1, 2])
})

t.test('requests still in progress at the deadline are cut off, and it exits with 1', async t => {
  const cwd = t.testdir()
  const endless = 'import { Server } from "node:http"; Server.prototype.close = function () { return this }'
  const server = await startServer(t, {
    cwd,
    args: ['--import', `data:text/javascript,${encodeURIComponent(endless)}`],
    env: { API_KEYS: key, SHUTDOWN_TIMEOUT: '1' }
  })
  t.equal((await sendRequest(server, key, '/v1/pets', { method: 'POST', body: rex })).status, 201)
  const signalled = performance.now()
  server.process.kill('SIGTERM')
  t.strictSame(await server.ended, { code: 1, signal: null })
  t.ok(performance.now() - signalled >= 1000)
  t.match(linesOf(server).at(-1), { level: 50, msg: /timeout/ })
  t.strictSame(idsIn(join(cwd, 'data', 'animals.db')), [1])
})

t.test('a client that stops sending its request gets a 408 in time for a clean shutdown', async t => {
  const server = await start(t, t.testdir())
  const header = get.slice(0, -2)
  const stalled = await Promise.all(
    [get.slice(0, 1), header, post.slice(0, -1)].map(async text => {
      const connection = await connectTo(t, server.port)
      connection.send(text)
      return connection
    })
  )
  const dripping = await connectTo(t, server.port)
  dripping.send(`${header}X: `)
  const drip = setInterval(() => dripping.send('x'), 50)
  t.teardown(() => clearInterval(drip))
  // Incomplete requests of operators, and operators that read nothing, do not delay it either.
  const prober = await connectTo(t, Number(new URL(server.operators).port))
  prober.send('GET /livez HTTP/1.1\r\n')
  const deaf = connect({ port: server.port, host: '127.0.0.1' }).pause()
  t.teardown(() => deaf.destroy())
  deaf.on('error', () => {})
  deaf.write('G')
  t.equal((await sendRequest(server, key, '/v1/pets')).status, 200, 'by now the incomplete requests have been read')

  server.process.kill('SIGTERM')
  const order: string[] = []
  const end = async (name: string, connection: (typeof stalled)[number]) => {
    t.match(await connection.response(), { status: 408, headers: { connection: 'close' } })
    order.push(name)
    clearInterval(name === 'dripping' ? drip : undefined)
    t.equal(await connection.rest(), '')
    connection.finish()
  }
  await Promise.all([...stalled.map(each => end('stalled', each)), end('dripping', dripping)])
  t.strictSame(order, ['stalled', 'stalled', 'stalled', 'dripping'])
  t.strictSame(await server.ended, { code: 0, signal: null })
  t.equal(server.output().stderr, '')
  t.equal(linesOf(server).at(-1)?.msg, 'shut down')
})

t.test('an uncaught error is logged and shuts down cleanly, without delay, with 1', async t => {
  const cwd = t.testdir()
  const bug = 'process.on("SIGWINCH", () => { throw new TypeError("a bug") })'
  const server = await startServer(t, {
    cwd,
    args: ['--import', `data:text/javascript,${encodeURIComponent(bug)}`],
    env: { API_KEYS: key, SHUTDOWN_DELAY: '600', SHUTDOWN_TIMEOUT: '600' }
  })
  const begun = await connectTo(t, server.port)
  begun.send(post.slice(0, -1))
  t.equal((await sendRequest(server, key, '/v1/pets')).status, 200, 'by now it has been read')
  server.process.kill('SIGWINCH')
  await refusesConnections(server.port)
  begun.send(post.slice(-1))
  t.match(await begun.response(), { status: 201, headers: { connection: 'close' } })
  t.strictSame(await server.ended, { code: 1, signal: null })
  t.match(
    linesOf(server).filter(({ level }) => level >= 50),
    [{ err: { type: 'TypeError', message: 'a bug', stack: /SIGWINCH|data:/ } }]
  )
  t.equal(linesOf(server).at(-1)?.msg, 'shut down')
})
