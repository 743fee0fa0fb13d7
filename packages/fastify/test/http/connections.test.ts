import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { mock } from 'node:test'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { scriptPath, sendRequest, startServer } from '../../../../test/start-server.ts'
import { connectionsWithin } from '../../src/commands/open-files.ts'
import { acceptedBytes } from '../../src/node/internals.ts'
import { buildFixtureApp, withKey } from '../fixture-app.ts'
import { logged } from '../observability/logged.ts'
import { type Connection, connectTo, openConnection } from './connection.ts'
import { newGate } from './gate.ts'

const until = async (isSo: () => boolean | Promise<boolean>) => {
  while (!(await isSo())) await nextTurn()
}

const get = `GET /v1/things HTTP/1.1\r\nHost: a\r\nAuthorization: ${withKey.authorization}\r\n\r\n`

const roundTrip = async (connection: Connection) => {
  connection.send(get)
  return (await connection.response()).status
}

/** The server's sockets, in the order in which they were accepted. */
const acceptedBy = (app: FastifyInstance) => {
  const sockets: Socket[] = []
  app.server.on('connection', socket => sockets.push(socket))
  return sockets
}

t.test('at the limit, the connection idle the longest is closed for a new one', async t => {
  const { lines, logger } = logged()
  const app = await buildFixtureApp(t, { maxConnections: 3, logger })
  const accepted = acceptedBy(app)
  const used = await openConnection(t, app)
  const silent = await openConnection(t, app)
  await until(() => accepted.length === 2)
  t.equal(await roundTrip(used), 200)
  const latest = await openConnection(t, app)
  t.equal(await roundTrip(latest), 200)
  t.strictSame(lines, [])

  const first = await openConnection(t, app)
  t.equal(await roundTrip(first), 200)
  t.equal(await silent.rest(), '')
  t.equal(await roundTrip(latest), 200)
  const second = await openConnection(t, app)
  t.equal(await roundTrip(second), 200)
  t.equal(await used.rest(), '')
  for (const each of [latest, first, second]) t.equal(await roundTrip(each), 200)
  t.match(lines, [{ level: 40, connections: 3, msg: 'too many connections: closing idle ones to accept new ones' }])
  t.equal(lines.length, 1)
})

t.test('a connection with a request in progress is never closed: the new one is', async t => {
  const { lines, logger } = logged()
  const gate = newGate()
  const listThings = async () => {
    await gate.pass()
    return { status: 200 as const, body: [] }
  }
  const app = await buildFixtureApp(t, { handlers: { listThings }, maxConnections: 2, logger })
  const accepted = acceptedBy(app)
  const busy = await openConnection(t, app)
  const begun = await openConnection(t, app)
  begun.send(get.slice(0, 1))
  busy.send(get + get)
  await until(() => accepted.length === 2 && accepted.every(({ bytesRead }) => bytesRead > 0))
  const refused = async () => {
    const another = await openConnection(t, app)
    t.equal(await another.rest(), '')
  }
  await gate.arrived(1)
  await refused()
  await gate.letGo()
  t.equal((await busy.response()).status, 200)
  // The second of its requests is in progress now.
  await gate.arrived(1)
  await refused()
  begun.send(get.slice(1))
  await gate.arrived(2)
  await refused()
  gate.open()
  for (const each of [busy, begun]) t.equal((await each.response()).status, 200)
  t.match(lines, [{ level: 40, connections: 2, msg: 'overloaded: new requests are refused' }])
  t.equal(lines.length, 1)

  const next = await openConnection(t, app)
  next.send(get)
  await gate.letGo()
  t.equal((await next.response()).status, 200)
})

t.test('running out of file descriptors does no lasting harm', async t => {
  const limited = ['-c', 'ulimit -n 80 && exec "$@"', 'sh', process.execPath, scriptPath('src/main.js'), 'server']
  const server = await startServer(t, { cwd: t.testdir(), command: 'sh', args: limited })
  const sockets = Array.from({ length: 200 }, () => connect({ host: '127.0.0.1', port: server.port }))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (const socket of sockets) socket.on('error', () => {})
  await Promise.all(sockets.map(socket => once(socket, 'connect').catch(() => {})))
  // Until the load has been sampled.
  await delay(1500)
  for (const socket of sockets) socket.destroy()
  const isServed = async () =>
    (await sendRequest(server, server.key, '/v1/none').catch(() => undefined))?.status === 404
  await until(async () => server.process.exitCode !== null || (await isServed()))
  t.equal(server.process.exitCode, null)
})

t.test('connections that the system cannot accept end nothing', async t => {
  const { lines, logger } = logged()
  const app = await buildFixtureApp(t, { logger })
  const used = await openConnection(t, app)
  // As Node.js does when another thread has taken the file that libuv keeps for this.
  for (let i = 0; i < 2; i++) app.server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }))
  t.equal(await roundTrip(used), 200)
  t.match(lines, [{ level: 40, connections: 1, code: 'EMFILE' }])
  t.equal(lines.length, 1)
})

t.test('a process keeps files for operators and the store, but at most half of them', async t => {
  for (const [wanted, openFiles, connections] of [
    [5000, 1024, 896],
    [5000, 256, 128],
    [5000, 101, 50],
    [20, 1024, 20],
    [5000, Number.POSITIVE_INFINITY, 5000]
  ] as const)
    t.equal(connectionsWithin(wanted, openFiles), connections, `${wanted} of ${openFiles}`)
})

for (const [openFiles, connections, settings] of [
  [256, 128, { WORKERS: '2' }],
  [100, 50, {}]
] as const)
  t.test(`with ${openFiles} open files, operators and the store have theirs: ${JSON.stringify(settings)}`, async t => {
    const limited = [
      '-c',
      `ulimit -n ${openFiles} && exec "$@"`,
      'sh',
      process.execPath,
      scriptPath('src/main.js'),
      'server'
    ]
    const server = await startServer(t, { cwd: t.testdir(), command: 'sh', args: limited, env: settings })
    const sockets = Array.from({ length: 600 }, () => connect({ host: '127.0.0.1', port: server.port }))
    t.teardown(() => {
      for (const socket of sockets) socket.destroy()
    })
    for (const socket of sockets) socket.on('error', () => {}).write('G')
    await Promise.all(sockets.map(socket => once(socket, 'connect').catch(() => {})))
    const open = () => sockets.filter(socket => !socket.closed && !socket.readableEnded).length
    await until(() => open() <= connections * Number('WORKERS' in settings ? settings.WORKERS : 1))
    for (const path of ['/livez', '/readyz', '/metrics'])
      t.equal((await fetch(server.operators + path)).status, 200, path)
    const warning = server
      .output()
      .stdout.split('\n')
      .find(line => line.includes('ulimit -n'))
    t.match(JSON.parse(warning ?? '{}'), { level: 40, openFiles, maxConnections: connections })
    for (const socket of sockets.slice(0, 590)) socket.destroy()
    const body = '{"name":"Rex","categoryId":7}'
    const create = () => sendRequest(server, server.key, '/v1/pets', { method: 'POST', body }).catch(() => undefined)
    await until(async () => server.process.exitCode !== null || (await create())?.status === 201)
    t.equal(server.process.exitCode, null)
  })

t.test('the service applies its setting of the limit', async t => {
  const server = await startServer(t, { cwd: t.testdir(), env: { MAX_CONNECTIONS: '1' } })
  const use = async () => {
    const connection = await connectTo(t, server.port)
    t.equal(await roundTrip(connection), 401)
    return connection
  }
  const first = await use()
  const second = await use()
  t.equal(await first.rest(), '')
  t.equal(await roundTrip(second), 401)
  t.notMatch(server.output().stdout, 'ulimit -n')
})

/** Resolves once the socket buffers of both sides are full. */
const isStuck = async (socket: Socket) => {
  for (let turns = 0, before = 0; turns < 100; turns++) {
    await nextTurn()
    const accepted = acceptedBytes(socket)
    if (socket.writableLength === 0 || accepted !== before) turns = 0
    before = accepted
  }
}

t.test('a client that reads nothing of a response is disconnected in time, but not one that reads some', async t => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const app = await buildFixtureApp(t)
  const accepted = acceptedBy(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1').pause()
  t.teardown(() => client.destroy())
  client.on('error', () => {})
  // More than any system buffers for a connection, some 1.5 MB each.
  client.write('GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(50))
  await until(() => accepted.length === 1)
  const [socket] = accepted as [Socket]
  await isStuck(socket)
  /** For this many seconds, while the client does not read what its system has received. */
  const pass = async (seconds: number) => {
    for (let i = 0; i < seconds * 2 && !socket.destroyed; i++) {
      mock.timers.tick(500)
      // The timer's check comes after pending reads.
      await nextTurn()
    }
    return socket.destroyed
  }
  for (let i = 0; i < 3; i++) {
    t.equal(await pass(30), false)
    const { bytesRead } = client
    client.resume()
    await until(() => client.bytesRead > bytesRead + 10_000_000)
    client.pause()
    await isStuck(socket)
  }
  t.equal(await pass(30), false)
  t.equal(await pass(10), true)
})
