import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { respondWithTimeout } from './faults.ts'
import { newestResponse, setNewestResponse } from './newest-response.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** From now on every response ends its connection; new ones are still taken. Safe to repeat. */
    endConnections(): void
  }
}

export interface ClosingOptions {
  /**
   * Once no new connection is taken: how long an idle one is kept, for a request that is on its way; at most a
   * twentieth of `patienceMs`.
   */
  graceMs: number
  /**
   * Once the service closes, a client that sends nothing of a request that it has begun for a tenth to a fifth of this
   * is ended with 408, and what clients have not sent or taken by the half of it is not waited for; without it, all of
   * it is.
   */
  patienceMs?: number | undefined
}

/**
 * Ends a service without losing a request: connections that wait to be accepted are accepted, what has arrived or is on
 * its way is read and answered, and every response ends its connection. Otherwise a client that was being answered
 * would keep its connection, and the end would have to wait until it has idled for long.
 */
export const closingConnections = fp(async (app, { patienceMs, ...options }: ClosingOptions) => {
  const { server } = app
  const graceMs = Math.min(options.graceMs, (patienceMs ?? Number.POSITIVE_INFINITY) / 20)
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  // Of each connection the answer that ends it.
  const last = new WeakMap<Socket, ServerResponse>()
  const endAfter = (response: ServerResponse, socket: Socket) => {
    response.shouldKeepAlive = false
    last.set(socket, response)
  }
  /** Ends the waiting for those who stall, and in the end for all. */
  const hurry = (patienceMs: number) => {
    const seen = new WeakMap<Socket, number>()
    let looks = 0
    const look = () => {
      looks++
      for (const socket of sockets) {
        const { bytesRead, writableLength, writableEnded } = socket
        const stalls = seen.get(socket) === bytesRead && writableLength === 0
        if (!awaitsClient(socket)) seen.delete(socket)
        else if (!stalls && looks < 5) seen.set(socket, bytesRead)
        else if (writableLength > 0 || writableEnded) socket.destroy()
        else respondWithTimeout(socket, app.requestLog)
      }
    }
    // What came while the process was busy is read first.
    const timer = setInterval(() => setImmediate(look), patienceMs / 10).unref()
    server.once('close', () => clearInterval(timer))
  }

  let isEnding = false
  app.decorate('endConnections', () => {
    if (isEnding) return
    isEnding = true
    for (const socket of sockets) {
      const newest = newestResponse(socket)
      if (newest !== undefined) endAfter(newest, socket)
    }
    server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const earlier = last.get(socket)
      // It came behind another in one go, whose answer must not end the connection before this one.
      if (earlier !== undefined && !earlier.headersSent) {
        if (earlier.hasHeader('connection')) earlier.removeHeader('connection')
        earlier.shouldKeepAlive = true
      }
      endAfter(response, socket)
    })
  })

  app.addHook('preClose', async () => {
    const closeIdle = server.closeIdleConnections.bind(server)
    // Node and Fastify would do so at once.
    server.closeIdleConnections = () => {}
    const requests = holdRequests(server)
    if (server.listening) await acceptWaiting(server, 2 * graceMs)
    server.close()
    requests.restore()
    app.endConnections()
    requests.release()
    // For a response whose header is out already.
    server.keepAliveTimeout = Math.max(graceMs, 1)
    server.keepAliveTimeoutBuffer = 1
    // What came while the process was busy is read first.
    const timer = setTimeout(() => setImmediate(closeIdle), graceMs)
    server.once('close', () => clearTimeout(timer))
    if (patienceMs !== undefined) hurry(patienceMs)
  })
})

/** Keeps requests from being handled: a response makes room for the client's next connection. */
const holdRequests = (server: Server) => {
  const listeners = server.listeners('request') as RequestListener[]
  const held: Parameters<RequestListener>[] = []
  server.removeAllListeners('request')
  server.on('request', (...each) => {
    setNewestResponse(each[0].socket, each[1])
    held.push(each)
  })
  return {
    restore: () => {
      server.removeAllListeners('request')
      for (const each of listeners) server.on('request', each)
    },
    release: () => {
      for (const each of held) if (!each[1].destroyed) server.emit('request', ...each)
    }
  }
}

/**
 * Comes back once no connection waits to be accepted, in a moment in which hardly one can have come: those that wait when
 * the listener is closed are reset. One is accepted in each turn of the event loop.
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

// A response that was being made may still bring a connection.
const settledMs = 20

// As long as a turn takes in which nothing is found to do, many times over.
const quietTurnMs = 1

/** Whether it is the other side's turn: to send the rest of a request, to take an answer, or to end the connection. */
const awaitsClient = (socket: Socket): boolean => {
  const response = newestResponse(socket)
  if (response === undefined) return true
  // An earlier one is under way.
  if (response.socket === null) return socket.writableLength > 0
  return !response.req.complete || response.writableEnded
}
