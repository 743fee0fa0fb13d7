import { type AddressInfo, connect, type Socket } from 'node:net'
import { mock } from 'node:test'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
import { buildFixtureApp } from '../fixture-app.ts'
import { logged } from '../observability/logged.ts'
import { type Connection, connectTo, openConnection, type RawResponse } from './connection.ts'
import { newGate } from './gate.ts'
import { get, keeping, post } from './http-requests.ts'

/** An app whose creates wait until released. */
const gated = async (t: Test, options: Pick<AppOptions, 'shutdownTimeoutMs'> = {}) => {
  const gate = newGate()
  const app = await buildFixtureApp(t, { ...options, handlers: keeping(gate.pass).handlers })
  return { app, ...gate }
}

/** Sends a request. By the time of its response, everything sent earlier on any connection has been read. */
const roundTrip = async (connection: Connection) => {
  connection.send(get())
  return connection.response()
}

/** Resolves once new connections are refused; `closed` resolves once all are closed. */
const beginToClose = async (app: FastifyInstance) => {
  const closed = app.close()
  while (app.server.listening) await nextTurn()
  return { closed }
}

/** Like `beginToClose`, but checks for stalled clients happen only when the test advances the clock. */
const beginToCloseAtOurPace = async (t: Test, app: FastifyInstance) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const elapse = async (ms: number) => {
    mock.timers.tick(ms)
    // Pending reads are handled before the check, which may come after the delay.
    await delay(1)
    await nextTurn()
  }
  return { ...(await beginToClose(app)), elapse }
}

/** The rest received until the service ended the connection; then the client ends it, too. */
const restOf = async (connection: Connection) => {
  const rest = await connection.rest()
  connection.finish()
  return rest
}

const connectionsOf = (app: FastifyInstance) =>
  new Promise<number>(resolve => app.server.getConnections((_, count) => resolve(count)))

t.test('connections stay open before the shutdown', async t => {
  const connection = await openConnection(t, await buildFixtureApp(t))
  for (let i = 0; i < 3; i++) t.equal((await roundTrip(connection)).headers.connection, 'keep-alive')
})

t.test('once the shutdown is announced, every response closes its connection, and new ones are accepted', async t => {
  const { app, arrived, letGo } = await gated(t)
  const busy = await openConnection(t, app)
  const idle = await openConnection(t, app)
  const partial = await openConnection(t, app)
  await roundTrip(idle)
  partial.send(get().slice(0, 1))
  busy.send(post())
  await arrived(1)
  app.endConnections()
  app.endConnections()

  const later = await openConnection(t, app)
  const responses = [await roundTrip(later), await roundTrip(idle)]
  partial.send(get().slice(1))
  responses.push(await partial.response())
  await letGo()
  responses.push(await busy.response())
  t.strictSame(
    responses.map(({ status }) => status),
    [200, 200, 200, 201]
  )
  for (const { headers } of responses) t.equal(headers.connection, 'close')
  for (const each of [later, idle, partial, busy]) t.equal(await restOf(each), '')

  const errors = await openConnection(t, app)
  errors.send('GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n')
  t.match(await errors.response(), { status: 404, headers: { connection: 'close' } })
  t.equal(await restOf(errors), '')
})

t.test('requests that have begun when the service closes get responses, however little has arrived', async t => {
  const { app, arrived, letGo } = await gated(t)
  const busy = await openConnection(t, app)
  const idle = await openConnection(t, app)
  const begun = await openConnection(t, app)
  const reused = await openConnection(t, app)
  const half = await openConnection(t, app)
  await roundTrip(reused)
  await roundTrip(idle)
  busy.send(post())
  begun.send(get().slice(0, 1))
  reused.send(get().slice(0, 20))
  half.send(post().slice(0, -1))
  await arrived(1)
  await roundTrip(idle)

  const { closed } = await beginToClose(app)
  t.equal(await restOf(idle), '', 'an idle connection does not delay the shutdown')
  begun.send(get().slice(1))
  reused.send(get().slice(20))
  half.send(post().slice(-1))
  for (const each of [begun, reused]) t.match(await each.response(), { status: 200, headers: { connection: 'close' } })
  await arrived(2)
  await letGo()
  await letGo()
  for (const each of [busy, half]) t.match(await each.response(), { status: 201, headers: { connection: 'close' } })
  for (const each of [begun, reused, busy, half]) t.equal(await restOf(each), '')
  await closed
})

t.test('of requests in one packet, the last response closes the connection', async t => {
  for (const end of ['announced', 'closed'] as const) {
    for (const isUnderWay of [true, false]) {
      const { app, arrived, letGo } = await gated(t)
      const connection = await openConnection(t, app)
      const idle = await openConnection(t, app)
      await roundTrip(idle)
      if (isUnderWay) {
        connection.send(post() + post() + get())
        await arrived(1)
      } else connection.send(post().slice(0, 1))
      await roundTrip(idle)
      const { closed } = end === 'closed' ? await beginToClose(app) : { closed: app.endConnections() }
      if (!isUnderWay) connection.send(post().slice(1) + post() + get())
      const responses: RawResponse[] = []
      for (let i = 0; i < 2; i++) {
        await arrived(1)
        await letGo()
        responses.push(await connection.response())
      }
      responses.push(await connection.response())
      t.strictSame(
        responses.map(({ status, headers }) => [status, headers.connection === 'close']),
        [
          [201, false],
          [201, false],
          [200, true]
        ],
        `${end}, ${isUnderWay}`
      )
      t.equal(await restOf(connection), '')
      idle.finish()
      await closed
    }
  }
})

t.test('an unused connection does not delay the shutdown', async t => {
  const app = await buildFixtureApp(t)
  const silent = await openConnection(t, app)
  const other = await openConnection(t, app)
  await roundTrip(other)
  const { closed } = await beginToClose(app)
  t.equal(await restOf(silent), '')
  await closed
})

t.test('a request in transit when the service closed gets its response', async t => {
  const app = await buildFixtureApp(t, { timeouts: { graceMs: 600_000 } })
  const used = await openConnection(t, app)
  const silent = await openConnection(t, app)
  const idle = await openConnection(t, app)
  for (const each of [used, idle]) t.equal((await roundTrip(each)).headers.connection, 'keep-alive')
  const { closed } = await beginToClose(app)
  for (const each of [used, silent]) {
    t.match(await roundTrip(each), { status: 200, headers: { connection: 'close' } })
    t.equal(await restOf(each), '')
  }
  // Nothing else delays the shutdown.
  idle.finish()
  await closed
})

t.test('connections that are waiting to be accepted when the service closes are accepted', async t => {
  const app = await buildFixtureApp(t, { timeouts: { graceMs: 600_000 } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  let accepted = 0
  app.server.on('connection', () => accepted++)
  const { port } = app.server.address() as AddressInfo
  const count = 200
  const connections = await Promise.all(Array.from({ length: count }, () => connectTo(t, port)))
  for (const each of connections) each.send(get())
  const acceptedBefore = accepted
  const closed = app.close()
  t.ok(acceptedBefore < count, `${acceptedBefore} were accepted before`)
  const responses = await Promise.all(connections.map(each => each.response()))
  t.strictSame(
    responses.filter(({ status }) => status !== 200),
    []
  )
  for (const each of connections) each.finish()
  await closed
  t.equal(accepted, count)
})

t.test('stalled clients get a tenth to a fifth of the shutdown time, others half of it', async t => {
  const { lines, logger } = logged('info')
  const app = await buildFixtureApp(t, { logger, shutdownTimeoutMs: 10_000 })
  const read: Socket[] = []
  app.server.on('connection', socket => read.push(socket))
  const stalled = await openConnection(t, app)
  const dripping = await openConnection(t, app)
  const header = get().slice(0, -2)
  stalled.send(header)
  dripping.send(`${header}X: `)
  while (read.some(({ bytesRead }) => bytesRead < header.length)) await nextTurn()

  const { closed, elapse } = await beginToCloseAtOurPace(t, app)
  const endedBy = async (ms: number) => {
    const [, socket] = read as [Socket, Socket]
    for (; now < ms; now += 500) {
      const { bytesRead } = socket
      if (!socket.writableEnded) dripping.send('x')
      while (!socket.writableEnded && socket.bytesRead === bytesRead) await nextTurn()
      await elapse(500)
    }
    return lines.filter(({ status }) => status === 408).length
  }
  let now = 0
  t.equal(await endedBy(1500), 0)
  t.equal(await endedBy(2000), 1)
  t.match(await stalled.response(), { status: 408, headers: { connection: 'close' } })
  t.equal(await endedBy(4500), 1)
  t.equal(await endedBy(5000), 2)
  t.match(await dripping.response(), { status: 408, headers: { connection: 'close' } })
  for (const each of [stalled, dripping]) each.finish()
  await closed
})

t.test('a slow handler may finish, but a client that reads nothing is cut off', async t => {
  const { app, arrived, letGo } = await gated(t, { shutdownTimeoutMs: 1000 })
  const other = await openConnection(t, app)
  const busy = await openConnection(t, app)
  busy.send(post())
  await arrived(1)
  const deaf = connect((app.server.address() as AddressInfo).port, '127.0.0.1').pause()
  t.teardown(() => deaf.destroy())
  deaf.on('error', () => {})
  // More than any system buffers for a connection, some 1.5 MB each.
  deaf.write('GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(50))
  await roundTrip(other)
  const { closed, elapse } = await beginToCloseAtOurPace(t, app)
  while ((await connectionsOf(app)) > 1) await elapse(100)
  // Longer than an inactive client is tolerated.
  for (let ms = 0; ms < 1000; ms += 100) await elapse(100)
  await letGo()
  t.match(await busy.response(), { status: 201, headers: { connection: 'close' } })
  await closed
})
