import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { answerTimeout } from './http-faults.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * From now on every answer ends its connection; new ones are still taken. Safe to repeat. Once the service closes, a
     * client that sends nothing of a request that it has begun for a tenth to a fifth of `patienceMs` is ended with 408,
     * and what clients have not sent or taken by the half of it is not waited for; without it, all of it is.
     */
    endConnections(patienceMs?: number): void
  }
}

/**
 * While the service ends, every answer says that its connection ends with it: otherwise a client that was being
 * answered would keep its connection, and the end would have to wait until it has idled for long.
 */
export const closingConnections = fp(async app => {
  const { server } = app
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
  const endAfterNewest = (socket: Socket): void => {
    const { _httpMessage: response, parser } = socket as Internals
    if (!response) return
    if (parser?.incoming === response.req) endAfter(response, socket)
    else response.once('finish', () => endAfterNewest(socket))
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
        else answerTimeout(socket, app.requestLog)
      }
    }
    // What came while the process was busy is read first.
    const timer = setInterval(() => setImmediate(look), patienceMs / 10).unref()
    server.once('close', () => clearInterval(timer))
  }

  let isEnding = false
  let patienceMs: number | undefined
  app.decorate('endConnections', ms => {
    patienceMs = ms ?? patienceMs
    if (isEnding) return
    isEnding = true
    for (const socket of sockets) endAfterNewest(socket)
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
    app.endConnections()
    // What has arrived by now is read in the coming turn; after that, connections that seem idle are.
    await nextTurn()
    // For an answer whose header is out already.
    server.keepAliveTimeout = 1
    server.keepAliveTimeoutBuffer = 1
    if (patienceMs !== undefined) hurry(patienceMs)
  })
})

/** Whether it is the other side's turn: to send the rest of a request, to take an answer, or to end the connection. */
const awaitsClient = (socket: Socket): boolean => {
  const { _httpMessage: response } = socket as Internals
  return !response?.req.complete || response.writableEnded
}

interface Internals {
  /** The answer that is sent on the connection. */
  _httpMessage?: ServerResponse | null
  /** What reads the connection, and the newest request that it has found. */
  parser?: { incoming: IncomingMessage | null } | null
}
