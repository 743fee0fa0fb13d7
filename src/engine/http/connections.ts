import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'
import { newestResponse, setNewestResponse } from './newest-response.ts'
import { unsentBytes } from './node-internals.ts'
import { overloadTeller } from './overload.ts'

export interface ConnectionBounds {
  /** Connections that may be open. */
  max?: number | undefined
  /** What the log calls them. */
  name: string
  /** How long a client may take nothing of a response. */
  stalledMs: number
}

/**
 * Bounds how many connections may be open, and how long one of them may wait for its client to take a response. At the
 * bound, those that have idled longest make room. One with a request under way never does, unless all that has come of it
 * came in one packet with the end of the request before, which Node does not tell.
 */
export const boundConnections = fp(async (app, { max, name, stalledMs }: ConnectionBounds) => {
  const { server } = app
  const open = new Set<Socket>()
  /** The one that has idled longest first, each with the bytes that it had received by then. */
  const idle = new Map<Socket, number>()
  /** Those of this turn of the event loop. */
  const fresh = new Set<Socket>()

  const makeRoom = (max: number) => {
    let excess = open.size - max
    for (const [socket, bytesRead] of idle) {
      if (excess <= 0) break
      idle.delete(socket)
      // A request has begun; it idles again once that is over.
      if (socket.bytesRead !== bytesRead) continue
      tell(name, max, {}, fresh.has(socket) ? undefined : 'connections that idle are closed to make room for new ones')
      socket.destroy()
      excess--
    }
    fresh.clear()
  }
  const tell = overloadTeller(app.serviceLog)

  server.on('connection', (socket: Socket) => {
    open.add(socket)
    // All sockets have it from the beginning, so that V8 sees one kind of them.
    setNewestResponse(socket, undefined)
    idle.set(socket, socket.bytesRead)
    socket.once('close', () => {
      open.delete(socket)
      idle.delete(socket)
    })
    if (max === undefined || open.size <= max) return
    // What has arrived on the others is read in this turn.
    if (fresh.size === 0) setImmediate(makeRoom, max)
    fresh.add(socket)
  })
  // One function for all, since this is done for every request.
  const rest = function (this: ServerResponse) {
    const { socket } = this.req
    if (newestResponse(socket) !== this) return
    setNewestResponse(socket, undefined)
    if (socket.writable) idle.set(socket, socket.bytesRead)
  }
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket)
    setNewestResponse(socket, response)
    response.on('close', rest)
  })

  endStalled(server, open, stalledMs)
})

/**
 * Ends connections on which nothing of a response is taken. Node's own timeout takes twice as long: when it expires for
 * the first time, Node compares what is left of the response with the whole, finds that something has been taken, which
 * was at the very beginning, and waits once more.
 */
const endStalled = (server: Server, open: ReadonlySet<Socket>, stalledMs: number) => {
  const seen = new WeakMap<Socket, { bytes: number; looks: number }>()
  const look = () => {
    for (const socket of open) {
      const bytes = unsentBytes(socket)
      const last = seen.get(socket)
      if (bytes === 0) seen.delete(socket)
      else if (last?.bytes !== bytes) seen.set(socket, { bytes, looks: 1 })
      else if (++last.looks === looksUntilEnd) socket.destroy()
    }
  }
  // What clients took while the process was busy is noticed first.
  const timer = setInterval(() => setImmediate(look), stalledMs / looksUntilEnd).unref()
  server.once('close', () => clearInterval(timer))
}

const looksUntilEnd = 10
