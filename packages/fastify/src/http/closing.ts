import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { keepIdleConnections, replaceRequestListeners, setKeepAlive, stopAccepting } from '../node/internals.ts'
import { respondWithTimeout } from './invalid-http.ts'
import { newestResponse, setNewestResponse } from './newest-response.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** From now on every response closes its connection; new connections are still accepted. Safe to repeat. */
    endConnections(): void
    /** Stops accepting connections at once, without waiting for more: other processes accept those of this port. */
    leaveToOthers(): void
  }
}

export interface ClosingOptions {
  /** How long idle connections are kept while closing, for requests on their way; at most `patienceMs` / 20. */
  graceMs: number
  /**
   * How long closing may take. A client that sends nothing more of an unfinished request for a tenth to a fifth of it gets
   * a 408. After half of it, no client is waited for any more and handlers' signals are aborted; a tenth later, streams are
   * broken off. If `undefined`, every client is waited for.
   */
  patienceMs?: number | undefined
}

/**
 * Closes a service without losing a request: waiting connections are accepted, requests that have arrived or are on
 * their way get their responses, and every response closes its connection, since otherwise connections would have to idle
 * out first. Event streams, which would go on for ever, are ended.
 */
export const closingConnections = fp(
  async (app, { patienceMs, ...options }: ClosingOptions) => {
    const { server } = app
    const graceMs = Math.min(options.graceMs, (patienceMs ?? Number.POSITIVE_INFINITY) / 20)
    const sockets = new Set<Socket>()
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    })
    let isEnding = false
    app.decorate('endConnections', () => {
      if (!isEnding) closeAfterResponses(server, sockets)
      isEnding = true
    })

    app.decorate('leaveToOthers', () => stopAccepting(server))

    app.addHook('preClose', async () => {
      const closeIdle = keepIdleConnections(server)
      const closeAllIdle = () => {
        closeIdle()
        // Unused ones are not idle to Node.js before 26.
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
      }
      const requests = holdRequests(server)
      if (server.listening) await acceptWaiting(server, 2 * graceMs)
      server.close()
      requests.restore()
      app.endConnections()
      requests.release()
      app.endings.endEvents(graceMs)
      // For responses whose headers have been sent.
      server.keepAliveTimeout = Math.max(graceMs, 1)
      server.keepAliveTimeoutBuffer = 1
      // Read first what arrived while the process was busy.
      const timer = setTimeout(() => setImmediate(closeAllIdle), graceMs)
      app.server.once('close', () => clearTimeout(timer))
      if (patienceMs !== undefined) hurry(app, sockets, patienceMs)
    })
  },
  { name: 'closing-connections', dependencies: ['endings'] }
)

const closeAfterResponses = (server: Server, sockets: ReadonlySet<Socket>) => {
  const endAfter = (response: ServerResponse | undefined) => {
    if (response !== undefined) setKeepAlive(response, false)
  }
  for (const socket of sockets) endAfter(newestResponse(socket))
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const earlier = newestResponse(socket)
    // A pipelined request: the response before it must not close the connection.
    if (earlier !== undefined && !earlier.headersSent) {
      if (earlier.hasHeader('connection')) earlier.removeHeader('connection')
      setKeepAlive(earlier, true)
    }
    endAfter(response)
  })
}

/** Stops waiting for clients that stall, finally for all clients, and for responses still being made. */
const hurry = (app: FastifyInstance, sockets: ReadonlySet<Socket>, patienceMs: number) => {
  const seen = new WeakMap<Socket, number>()
  let looks = 0
  const look = () => {
    looks++
    if (looks === 5) app.endings.abortAll()
    if (looks === 6) {
      const streams = app.endings.breakOff()
      if (streams > 0) app.serviceLog.warn({ streams }, 'the shutdown has broken off responses')
    }
    for (const socket of sockets) {
      const { bytesRead, writableLength, writableEnded } = socket
      const stalls = seen.get(socket) === bytesRead && writableLength === 0
      if (!awaitsClient(socket)) seen.delete(socket)
      else if (!stalls && looks < 5) seen.set(socket, bytesRead)
      else if (writableLength > 0 || writableEnded) socket.destroy()
      else respondWithTimeout(socket, app)
    }
  }
  // Read first what arrived while the process was busy.
  const timer = setInterval(() => setImmediate(look), patienceMs / 10).unref()
  app.server.once('close', () => clearInterval(timer))
}

/** Holds requests back: each response would let its client open another connection. */
const holdRequests = (server: Server) => {
  const held: Parameters<RequestListener>[] = []
  const restore = replaceRequestListeners(server, (...each) => {
    setNewestResponse(each[0].socket, each[1])
    held.push(each)
  })
  return {
    restore,
    release: () => {
      for (const each of held) if (!each[1].destroyed) server.emit('request', ...each)
    }
  }
}

/**
 * Resolves once no connection waits to be accepted: closing the listener resets those that do. The event loop accepts
 * one per turn.
 */
const acceptWaiting = async (server: Server, atMostMs: number): Promise<void> => {
  const beganMs = performance.now()
  let acceptedMs = beganMs
  const accept = () => {
    acceptedMs = performance.now()
  }
  server.on('connection', accept)
  for (let turnMs = beganMs, now = beganMs; ; turnMs = now) {
    await nextTurn()
    now = performance.now()
    const isQuiet = now - acceptedMs > settledMs && now - turnMs < quietTurnMs
    if (isQuiet || now - beganMs >= atMostMs) break
  }
  server.off('connection', accept)
}

// A response in progress may still bring a new connection.
const settledMs = 20

// Many times what an idle turn takes.
const quietTurnMs = 1

/** Whether the client has to act: send the rest of a request, read a response, or close the connection. */
const awaitsClient = (socket: Socket): boolean => {
  const response = newestResponse(socket)
  if (response === undefined || socket.writableEnded) return true
  // An earlier response is being sent.
  if (response.socket === null) return socket.writableLength > 0
  return !response.req.complete || response.writableEnded
}
