import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { buildTestApp } from '../build-test-app.ts'
import { logged } from '../routes/failing-store.ts'
import { ask, scriptPath, startServer } from '../start-server.ts'

// A machine that is busy with other things takes its time.
t.setTimeout(120_000)

const until = async (isSo: () => boolean | Promise<boolean>) => {
  while (!(await isSo())) await nextTurn()
}

t.test('connections beyond the bound are closed; those that are open are served', async t => {
  const { lines, logger } = logged()
  const app = await buildTestApp(t, { maxConnections: 2, logger })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const open = async () => {
    const socket = connect({ host: '127.0.0.1', port })
    t.teardown(() => socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }
  const answered = async (socket: Awaited<ReturnType<typeof open>>) => {
    socket.write('GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n')
    const [bytes] = await once(socket, 'data')
    return String(bytes).split('\r\n', 1)[0]
  }
  const first = await open()
  const second = await open()
  t.equal(await answered(first), 'HTTP/1.1 404 Not Found')
  t.equal(await answered(second), 'HTTP/1.1 404 Not Found')
  for (let i = 0; i < 3; i++) {
    const third = await open()
    await once(third.resume(), 'close')
    t.equal(third.bytesRead, 0)
  }
  t.equal(await answered(first), 'HTTP/1.1 404 Not Found')
  t.match(lines, [{ level: 40, connections: 2, msg: 'overloaded: what is new is refused' }])
  t.equal(lines.length, 1)

  first.destroy()
  await until(async () => {
    const count = await new Promise(resolve => app.server.getConnections((_error, count) => resolve(count)))
    return count === 1
  })
  t.equal(await answered(await open()), 'HTTP/1.1 404 Not Found')
})

t.test('connections that use up all files that may be open do no lasting harm', async t => {
  const limited = ['-c', 'ulimit -n 80 && exec "$@"', 'sh', process.execPath, scriptPath('src/server.ts')]
  const server = await startServer(t, { cwd: t.testdir(), command: 'sh', args: limited })
  const sockets = Array.from({ length: 200 }, () => connect({ host: '127.0.0.1', port: server.port }))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (const socket of sockets) socket.on('error', () => {})
  await Promise.all(sockets.map(socket => once(socket, 'connect').catch(() => {})))
  // Until the load has been looked at.
  await delay(1500)
  for (const socket of sockets) socket.destroy()
  await until(async () => (await ask(server, server.key, '/v1/pets').catch(() => undefined))?.status === 200)
  t.equal(server.process.exitCode, null)
})

t.test('the service has the bound of its setting', async t => {
  const server = await startServer(t, { cwd: t.testdir(), env: { MAX_CONNECTIONS: '1' } })
  t.equal((await ask(server, server.key, '/v1/pets')).status, 200)
  const held = connect({ host: '127.0.0.1', port: server.port })
  t.teardown(() => held.destroy())
  await once(held, 'connect')
  const socket = connect({ host: '127.0.0.1', port: server.port }).resume()
  t.teardown(() => socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'close')
  held.end('GET /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const [bytes] = await once(held, 'data')
  t.match(String(bytes), /^HTTP\/1\.1 401 /)
})
