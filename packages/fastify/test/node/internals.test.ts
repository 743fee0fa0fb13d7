import { executionAsyncResource } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import {
  acceptedBytes,
  allowHalfOpen,
  detachParser,
  endConnectionBy,
  keepIdleConnections,
  onTurn,
  replaceRequestListeners,
  setKeepAlive,
  stopAccepting
} from '../../src/node/internals.ts'
import { connectTo } from '../http/connection.ts'

// A failure here is a change in Node: see internals.ts.

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** A plain server of Node. */
const serve = async (t: Test, listener: RequestListener) => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, port: (server.address() as AddressInfo).port }
}

t.test('in process.nextTick, executionAsyncResource is the object of the queue', async t => {
  const { promise, resolve } = Promise.withResolvers<object>()
  const tick = () => resolve(executionAsyncResource())
  process.nextTick(tick)
  t.match(await promise, { callback: tick })
})

t.test('_handle.bytesWritten - _handle.writeQueueSize is how many bytes the system has accepted', async t => {
  const size = 50_000_000
  const { server, port } = await serve(t, (_request, response) => response.end(Buffer.alloc(size)))
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const client = connect(port, '127.0.0.1').pause()
  t.teardown(() => client.destroy())
  client.write(get)
  const [socket] = await accepted
  while (socket.writableLength === 0) await nextTurn()
  const before = acceptedBytes(socket)
  t.ok(before < size)
  client.once('readable', () => client.resume())
  while (acceptedBytes(socket) === before) await nextTurn()
  t.ok(acceptedBytes(socket) < size, 'it shows progress within a chunk')
  while (socket.writableLength > 0) await nextTurn()
  t.equal(acceptedBytes(socket), socket.bytesWritten)
})

t.test('with httpAllowHalfOpen, a client that has ended its side gets its response', async t => {
  for (const isAllowed of [true, false]) {
    const { server, port } = await serve(t, (request, response) => {
      request.socket.once('end', () => setImmediate(() => response.end('late')))
    })
    if (isAllowed) allowHalfOpen(server)
    const connection = await connectTo(t, port)
    connection.send(get)
    connection.finish()
    if (isAllowed) t.equal((await connection.response()).body, 'late')
    else t.equal(await connection.rest(), '', 'and without it, there is no response')
  }
})

t.test('destroySoon is called once the response that closes the connection is written', async t => {
  const calls: boolean[] = []
  const { port } = await serve(t, ({ socket }, response) => {
    endConnectionBy(socket, () => {
      calls.push(response.writableFinished)
      socket.end()
    })
    response.setHeader('connection', 'close').end('last')
  })
  const connection = await connectTo(t, port)
  connection.send(get)
  t.equal((await connection.response()).body, 'last')
  t.equal(await connection.rest(), '')
  t.strictSame(calls, [true])
})

t.test('without the data and end listeners, the parser receives nothing more', async t => {
  let requests = 0
  let ended = () => {}
  const { port } = await serve(t, ({ socket }, response) => {
    requests++
    detachParser(socket)
    socket.on('data', () => {})
    socket.on('end', () => ended())
    ended = () => setImmediate(() => response.end('still there'))
  })
  const connection = await connectTo(t, port)
  connection.send(get)
  while (requests === 0) await nextTurn()
  connection.send(`${get}NONSENSE\r\n\r\n`)
  connection.finish()
  t.equal((await connection.response()).body, 'still there')
  t.equal(requests, 1)
})

t.test('a response gets its socket, and emits `socket`, once the previous responses are finished', async t => {
  const responses: ServerResponse[] = []
  const turns: number[] = []
  const { port } = await serve(t, (_request, response) => {
    const place = responses.push(response)
    onTurn(response, () => turns.push(place))
  })
  const connection = await connectTo(t, port)
  connection.send(get.repeat(3))
  while (responses.length < 3) await nextTurn()
  t.strictSame(
    responses.map(({ socket }) => socket === null),
    [false, true, true]
  )
  for (const [i, response] of responses.entries()) {
    response.end(String(i))
    t.equal((await connection.response()).body, String(i))
    t.strictSame(turns, [2, 3].slice(0, i + 1))
  }
})

t.test('a response closes its connection if it is told to, whatever the client asks for', async t => {
  const { port } = await serve(t, (_request, response) => {
    setKeepAlive(response, false)
    response.end('last')
  })
  const connection = await connectTo(t, port)
  connection.send(get.repeat(2))
  t.match(await connection.response(), { body: 'last', headers: { connection: 'close' } })
  t.equal(await connection.rest(), '')
})

t.test('idle connections stay open while the server closes, until they are closed', async t => {
  for (const close of [stopAccepting, (server: Server) => void server.close()]) {
    const { server, port } = await serve(t, (_request, response) => response.end('still there'))
    const connection = await connectTo(t, port)
    connection.send(get)
    await connection.response()
    const closeIdle = keepIdleConnections(server)
    close(server)
    await nextTurn()
    connection.send(get)
    t.equal((await connection.response()).body, 'still there')
    closeIdle()
    t.equal(await connection.rest(), '')
  }
})

t.test('a listener replaces those for requests until they are restored', async t => {
  const { server, port } = await serve(t, (_request, response) => response.end('first'))
  const restore = replaceRequestListeners(server, (_request, response) => response.end('other'))
  const connection = await connectTo(t, port)
  for (const body of ['other', 'first']) {
    connection.send(get)
    t.equal((await connection.response()).body, body)
    restore()
  }
})
