import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'
import { acceptedBytes } from '../node/internals.ts'
import { Member, Ring } from '../node/ring.ts'
import { newestResponse, setNewestResponse } from './newest-response.ts'
import { overloadWarning } from './overload.ts'

export interface ConnectionBounds {
  /** The most connections that may be open. */
  max?: number | undefined
  /** What the log calls them. */
  name: string
  /** How long a client may read nothing of a response. */
  stalledMs: number
}

const idleness = Symbol('idleness')

interface Connection extends Socket {
  [idleness]?: Idleness
}

/** Of a connection, which is idle while this is in a ring. */
class Idleness extends Member {
  readonly socket: Socket
  /** The number of bytes that it had received when it became idle. */
  bytesRead = 0

  constructor(socket: Socket) {
    super()
    this.socket = socket
  }
}

/**
 * Limits how many connections may be open, and how long one may wait for its client to read a response. At the limit,
 * those idle the longest are closed, but none with a request in progress, unless its beginning arrived in one packet
 * with the end of the request before, which Node does not report.
 */
export const boundConnections = fp(
  async (app, { max, name, stalledMs }: ConnectionBounds) => {
    const { server } = app
    const open = new Set<Socket>()
    /** Longest idle first. */
    const idle = new Ring<Idleness>()
    /** Accepted in this turn of the event loop. */
    const fresh = new Set<Socket>()

    const makeRoom = (max: number) => {
      let excess = open.size - max
      while (excess > 0) {
        const { first } = idle
        if (first === undefined) break
        first.leave()
        const { socket, bytesRead } = first
        // A request has begun; the connection will be idle again after it.
        if (socket.bytesRead !== bytesRead) continue
        warn(
          name,
          max,
          {},
          fresh.has(socket) ? undefined : 'too many connections: closing idle ones to accept new ones'
        )
        socket.destroy()
        excess--
      }
      fresh.clear()
    }
    const warn = overloadWarning(app.serviceLog)

    server.on('connection', (socket: Socket) => {
      open.add(socket)
      // Set on every socket from the beginning, for V8 to see one shape.
      setNewestResponse(socket, undefined)
      const own = new Idleness(socket)
      ;(socket as Connection)[idleness] = own
      idle.add(own)
      socket.once('close', () => {
        open.delete(socket)
        own.leave()
      })
      if (max === undefined || open.size <= max) return
      // Only after this turn, in which requests that arrived on other connections are read.
      if (fresh.size === 0) setImmediate(makeRoom, max)
      fresh.add(socket)
    })
    // One function for all: this runs on every request.
    const becomeIdle = function (this: ServerResponse) {
      const { socket } = this.req
      if (newestResponse(socket) !== this) return
      setNewestResponse(socket, undefined)
      const own = (socket as Connection)[idleness]
      if (own === undefined || !socket.writable) return
      own.bytesRead = socket.bytesRead
      idle.add(own)
    }
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      ;(socket as Connection)[idleness]?.leave()
      setNewestResponse(socket, response)
      response.on('close', becomeIdle)
    })

    // Without a listener, an error of the server ends the process. Once it listens, all are of connections that the system
    // could not accept: it has no file left for them, nor has libuv the one that it keeps to refuse them with.
    server.once('listening', () => {
      server.on('error', ({ code }: NodeJS.ErrnoException) => {
        warn(name, open.size, { code }, 'the system has no files left to accept new connections')
      })
    })

    closeStalled(server, open, stalledMs)
  },
  { name: 'bound-connections' }
)

/**
 * Closes connections whose client has stopped reading a response. Node's own timeout takes twice as long: at its first
 * expiry it compares what is left with the whole response, counts the initial progress, and waits again.
 */
const closeStalled = (server: Server, open: ReadonlySet<Socket>, stalledMs: number) => {
  const seen = new WeakMap<Socket, { bytes: number; checks: number }>()
  const check = () => {
    for (const socket of open) {
      const bytes = acceptedBytes(socket)
      const last = seen.get(socket)
      // Of a write that the system has accepted whole, Node.js 22 may learn only when the client reads on.
      if (socket.writableLength === 0) seen.delete(socket)
      else if (last?.bytes !== bytes) seen.set(socket, { bytes, checks: 1 })
      else if (++last.checks === checksUntilClosed) socket.destroy()
    }
  }
  // Notice first what clients read while the process was busy.
  const timer = setInterval(() => setImmediate(check), stalledMs / checksUntilClosed).unref()
  server.once('close', () => clearInterval(timer))
}

const checksUntilClosed = 10
