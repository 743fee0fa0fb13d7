import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { newApiKey } from '../../packages/fastify/src/api-keys/api-key.ts'
import { extent } from '../extent.ts'
import { startServer } from '../start-server.ts'

const rounds = extent(1, 8)
const clients = extent(24, 48)
const createdBeforeTheEnd = extent(500, 1500)

const key = newApiKey('ast')
const rex = '{"name":"Rex","categoryId":7}'
const create = (connection: 'keep-alive' | 'close') =>
  `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: ${connection}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${rex.length}\r\n\r\n${rex}`

/** A response's status, and whether the connection stays open; `undefined` if it closes without a byte. */
const responseTo = (socket: Socket, request: string) =>
  new Promise<{ status: string; keeps: boolean } | undefined>(resolve => {
    let received = ''
    const settle = (result: { status: string; keeps: boolean } | undefined) => {
      socket.off('data', look).off('close', end)
      resolve(result)
    }
    const end = () => settle(received === '' ? undefined : { status: `broken off: ${received}`, keeps: false })
    const look = (chunk: Buffer) => {
      received += chunk
      const headEnd = received.indexOf('\r\n\r\n')
      const [, length = Number.NaN] = /\r\ncontent-length: (\d+)/i.exec(received) ?? []
      if (headEnd === -1 || received.length < headEnd + 4 + Number(length)) return
      settle({ status: received.slice(9, 12), keeps: !/\r\nconnection: close\r\n/i.test(received) })
    }
    socket.on('data', look).on('close', end).write(request)
  })

/** Sends one request after another until a connection is refused, and reports the outcome of each. */
const sendUntilRefused = async (port: number, request: string, tell: (outcome: string) => void): Promise<void> => {
  for (;;) {
    const socket = connect({ port, host: '127.0.0.1' })
    const fault = await once(socket, 'connect').then(
      () => undefined,
      error => error.code
    )
    if (fault === 'ECONNREFUSED') return
    if (fault !== undefined) tell(`no connection: ${fault}`)
    else {
      socket.on('error', () => {})
      for (let keeps = true, isNew = true; keeps; isNew = false) {
        const response = await responseTo(socket, request)
        keeps = response?.keeps ?? false
        tell(response?.status ?? `no response on a ${isNew ? 'new' : 'used'} connection`)
      }
      socket.destroy()
    }
  }
}

const endUnderLoad = async (t: Test, connection: 'keep-alive' | 'close', delaySeconds: string) => {
  const server = await startServer(t, {
    cwd: t.testdir(),
    env: { API_KEYS: key, SHUTDOWN_DELAY: delaySeconds }
  })
  let created = 0
  const lost: string[] = []
  const tell = (outcome: string) => {
    if (outcome !== '201') lost.push(outcome)
    else if (++created === createdBeforeTheEnd) server.process.kill('SIGTERM')
  }
  await Promise.all(Array.from({ length: clients }, () => sendUntilRefused(server.port, create(connection), tell)))
  t.strictSame(await server.ended, { code: 0, signal: null })
  t.strictSame(lost, [], 'every request got a response')
  const logged = server.output().stdout.match(/.*"msg":"request".*/g) ?? []
  t.equal(logged.filter(line => JSON.parse(line).status === 201).length, created)
  t.equal(logged.length, created, 'there were no other requests, and none was cut off')
}

for (const [connection, delaySeconds] of [
  ['keep-alive', '0'],
  ['close', '0'],
  ['keep-alive', '1']
] as const) {
  t.test(
    `a shutdown while ${clients} clients create (Connection: ${connection}, SHUTDOWN_DELAY=${delaySeconds}) loses no request`,
    async t => {
      for (let round = 0; round < rounds; round++)
        await t.test(`round ${round}`, t => endUnderLoad(t, connection, delaySeconds))
    }
  )
}
