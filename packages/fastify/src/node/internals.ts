import { executionAsyncResource } from 'node:async_hooks'
import type { ChildProcess } from 'node:child_process'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

// All undocumented parts of Node that the engine uses, and all methods and listeners of Node and Fastify that it
// replaces; each comment says what no public interface offers.
// `packages/fastify/test/node/internals.test.ts` fails if a release of Node lacks one.

/**
 * Keeps `process.nextTick` fast, which runs some five times per request. V8 forgets the shape of the objects in its queue when
 * a garbage collection finds none of them; from then on, it makes each of them six times as slowly, until the process ends.
 * One of them that is never freed prevents that.
 */
export const keepTicksFast = (): void => {
  if (kept.length === 0) process.nextTick(() => kept.push(executionAsyncResource()))
}

const kept: object[] = []

/**
 * Bytes that the system has accepted. `bytesWritten` counts a chunk before any of it is accepted, `writableLength` until all
 * of it is, and so neither shows progress of a client that reads a large one slowly.
 */
export const acceptedBytes = (socket: Socket): number => {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}

/**
 * Lets clients that have ended their side get their response. `allowHalfOpen` is an option of `net.createServer`, but not
 * of `http.createServer`, which closes such a connection at once.
 */
export const allowHalfOpen = (server: Server): void => {
  ;(server as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true
}

/** Replaces how Node closes a connection after its last response: it calls this method of the socket, and has no option. */
export const endConnectionBy = (socket: Socket, end: () => void): void => {
  socket.destroySoon = end
}

/**
 * Detaches the parser, which reads by listeners of its own: it gets nothing more, and does not close the connection when
 * the client ends its side. A parser cannot be stopped.
 */
export const detachParser = (socket: Socket): void => {
  socket.removeAllListeners('data')
  socket.removeAllListeners('end')
}

/** Proceeds when it is this response's turn on the connection; never if an earlier one closes it. */
export const onTurn = (response: ServerResponse, proceed: () => void): void => {
  response.once('socket', proceed)
}

/**
 * Whether the connection stays open after the response. The header `Connection` would do the same, but this may still change
 * while earlier responses are in progress.
 */
export const setKeepAlive = (response: ServerResponse, isKept: boolean): void => {
  response.shouldKeepAlive = isKept
}

/** Tells whoever reads the body that nothing more will come, long before the connection closes, when Node would do so. */
export const endReading = (request: IncomingMessage): void => {
  request.emit('aborted')
}

/** Stops accepting connections, and does nothing else: the HTTP server's own `close` also closes idle connections. */
export const stopAccepting = (server: Server): void => {
  NetServer.prototype.close.call(server)
}

/**
 * Keeps idle connections open while the server closes: both Node and Fastify call this method at once, and no option delays
 * that.
 * @returns a function that closes them
 */
export const keepIdleConnections = (server: Server): (() => void) => {
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {}
  return closeIdle
}

/**
 * Replaces all listeners that handle requests. Fastify adds its own before any plugin is registered, and a
 * server cannot be paused.
 * @returns a function that restores them
 */
export const replaceRequestListeners = (server: Server, listener: RequestListener): (() => void) => {
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request').on('request', listener)
  return () => {
    server.removeAllListeners('request')
    for (const each of listeners) server.on('request', each)
  }
}

/** Connections that a supervisor has given to a worker, which has not yet acknowledged them. */
export interface GivenConnections {
  /** Whether the worker has stopped listening. */
  readonly isOver: boolean
  /** Once the worker has died: passes them to another one that listens. */
  passOn(): void
  /** Once the worker has died, and no other one listens: closes them. */
  close(): void
}

/**
 * Follows connections to their worker. When one dies before it acknowledges a connection, `node:cluster` forgets it, so
 * that it is neither served nor closed; nothing public shows it.
 */
export const followConnections = (worker: ChildProcess): GivenConnections => {
  const given = new Map<number, { close(): void }>()
  let isOver = false
  const { send } = worker
  const followedSend = (...args: [ClusterMessage, { close(): void } | undefined]) => {
    const [{ act, seq }, handle] = args
    if (act === 'newconn' && seq !== undefined && handle) given.set(seq, handle)
    return Reflect.apply(send, worker, args)
  }
  worker.send = followedSend as typeof send
  worker.on('internalMessage', ({ ack, act }: ClusterMessage) => {
    if (ack !== undefined) given.delete(ack)
    if (act === 'close') isOver = true
  })
  return {
    get isOver() {
      return isOver
    },
    // Does the same as a worker that has closed its listener.
    passOn: () => {
      for (const seq of given.keys())
        worker.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: false }, undefined)
    },
    close: () => {
      for (const handle of given.values()) handle.close()
      given.clear()
    }
  }
}

interface ClusterMessage {
  act?: string
  /** The number of a message that is to be acknowledged. */
  seq?: number
  /** Which one this acknowledges. */
  ack?: number
}
