import { type AddressInfo, connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { buildTestApp, withKey } from '../build-test-app.ts'
import { type Answer, type Connection, openConnection } from './connection.ts'

const key = `Authorization: ${withKey.authorization}\r\n`
const get = `GET /v1/pets HTTP/1.1\r\nHost: a\r\n${key}\r\n`
const rex = '{"name":"Rex","categoryId":7}'
const post = `POST /v1/pets HTTP/1.1\r\nHost: a\r\n${key}Content-Type: application/json\r\nContent-Length: ${rex.length}\r\n\r\n${rex}`

/** An app whose creates wait until they are let go, in the order in which they have come. */
const gated = async (t: Test) => {
  const store = openSqliteStore({ path: ':memory:' })
  t.teardown(() => store.close())
  const waiting: (() => void)[] = []
  let told = () => {}
  const create: typeof store.pets.create = async pet => {
    await new Promise<void>(resolve => {
      waiting.push(resolve)
      told()
    })
    return store.pets.create(pet)
  }
  const app = await buildTestApp(t, { store: { ...store, pets: { ...store.pets, create } } })
  return {
    app,
    arrived: async (count: number) => {
      while (waiting.length < count)
        await new Promise<void>(resolve => {
          told = resolve
        })
    },
    letGo: () => waiting.shift()?.()
  }
}

/** What was sent before on any connection has been read by the time that this is answered. */
const roundTrip = async (connection: Connection) => {
  connection.send(get)
  return connection.answer()
}

/** Begins the end, and finds it begun. */
const beginToClose = async (app: FastifyInstance) => {
  const closed = app.close()
  while (app.server.listening) await new Promise(setImmediate)
  return closed
}

const connectionsOf = (app: FastifyInstance) =>
  new Promise<number>(resolve => app.server.getConnections((_, count) => resolve(count)))

t.test('before the end connections stay open', async t => {
  const connection = await openConnection(t, await buildTestApp(t))
  for (let i = 0; i < 3; i++) t.equal((await roundTrip(connection)).headers.connection, 'keep-alive')
})

t.test('once the end is announced every answer ends its connection, and new ones are taken', async t => {
  const { app, arrived, letGo } = await gated(t)
  const busy = await openConnection(t, app)
  const idle = await openConnection(t, app)
  const partial = await openConnection(t, app)
  await roundTrip(idle)
  partial.send(get.slice(0, 1))
  busy.send(post)
  await arrived(1)
  app.endConnections()
  app.endConnections()

  const later = await openConnection(t, app)
  const answers = [await roundTrip(later), await roundTrip(idle)]
  partial.send(get.slice(1))
  answers.push(await partial.answer())
  letGo()
  answers.push(await busy.answer())
  t.strictSame(
    answers.map(({ status }) => status),
    [200, 200, 200, 201]
  )
  for (const { headers } of answers) t.equal(headers.connection, 'close')
  for (const each of [later, idle, partial, busy]) t.equal(await each.rest(), '')

  const errors = await openConnection(t, app)
  errors.send('GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n')
  t.match(await errors.answer(), { status: 404, headers: { connection: 'close' } })
  t.equal(await errors.rest(), '')
})

t.test('what has begun when the service closes is answered, however little of it has come', async t => {
  const { app, arrived, letGo } = await gated(t)
  const busy = await openConnection(t, app)
  const idle = await openConnection(t, app)
  const begun = await openConnection(t, app)
  const reused = await openConnection(t, app)
  const half = await openConnection(t, app)
  await roundTrip(reused)
  await roundTrip(idle)
  busy.send(post)
  begun.send(get.slice(0, 1))
  reused.send(get.slice(0, 20))
  half.send(post.slice(0, -1))
  await arrived(1)
  await roundTrip(idle)

  const closed = beginToClose(app)
  t.equal(await idle.rest(), '', 'nobody waits for an idle connection')
  begun.send(get.slice(1))
  reused.send(get.slice(20))
  half.send(post.slice(-1))
  for (const each of [begun, reused]) t.match(await each.answer(), { status: 200, headers: { connection: 'close' } })
  await arrived(2)
  letGo()
  letGo()
  for (const each of [busy, half]) t.match(await each.answer(), { status: 201, headers: { connection: 'close' } })
  for (const each of [begun, reused, busy, half]) t.equal(await each.rest(), '')
  await closed
})

t.test('of requests that came in one go, the last answer ends the connection', async t => {
  for (const end of ['announced', 'closed'] as const) {
    for (const isUnderWay of [true, false]) {
      const { app, arrived, letGo } = await gated(t)
      const connection = await openConnection(t, app)
      const idle = await openConnection(t, app)
      await roundTrip(idle)
      if (isUnderWay) {
        connection.send(post + post + get)
        await arrived(1)
      } else connection.send(post.slice(0, 1))
      await roundTrip(idle)
      const closed = end === 'closed' ? beginToClose(app) : app.endConnections()
      if (!isUnderWay) connection.send(post.slice(1) + post + get)
      const answers: Answer[] = []
      for (let i = 0; i < 2; i++) {
        await arrived(1)
        letGo()
        answers.push(await connection.answer())
      }
      answers.push(await connection.answer())
      t.strictSame(
        answers.map(({ status, headers }) => [status, headers.connection === 'close']),
        [
          [201, false],
          [201, false],
          [200, true]
        ],
        `${end}, ${isUnderWay}`
      )
      t.equal(await connection.rest(), '')
      await closed
    }
  }
})

t.test('a connection that was never used does not hold up the end', async t => {
  const app = await buildTestApp(t)
  const silent = await openConnection(t, app)
  const other = await openConnection(t, app)
  await roundTrip(other)
  const closed = beginToClose(app)
  t.equal(await silent.rest(), '')
  await closed
})

t.test('while bytes come, a request is waited for', async t => {
  const app = await buildTestApp(t)
  const connection = await openConnection(t, app)
  const other = await openConnection(t, app)
  connection.send(`${get.slice(0, -2)}X: `)
  await roundTrip(other)
  // Who sends nothing for 2 to 4 s is ended, and all are after 10 s.
  app.endConnections(20_000)
  const closed = beginToClose(app)
  for (let i = 0; i < 50; i++) {
    connection.send('x')
    await delay(100)
  }
  connection.send('\r\n\r\n')
  t.match(await connection.answer(), { status: 200, headers: { connection: 'close' } })
  await closed
})

t.test('an answer that is made takes its time, and one that is not taken is waited for in vain', async t => {
  const { app, arrived, letGo } = await gated(t)
  const other = await openConnection(t, app)
  const busy = await openConnection(t, app)
  busy.send(post)
  await arrived(1)
  const deaf = connect((app.server.address() as AddressInfo).port, '127.0.0.1').pause()
  t.teardown(() => deaf.destroy())
  deaf.on('error', () => {})
  // More than any system keeps for a connection, some 1.5 MB each.
  deaf.write('GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(50))
  await roundTrip(other)
  app.endConnections(1000)
  const closed = beginToClose(app)
  while ((await connectionsOf(app)) > 1) await delay(10)
  // Longer than anybody is waited for who does nothing.
  await delay(1000)
  letGo()
  t.match(await busy.answer(), { status: 201, headers: { connection: 'close' } })
  await closed
})
