import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { http } from './node-http.ts'

// All undocumented parts of Node that the connection layer needs, each with what no public interface offers.
// `test/engine/http/node-internals.test.ts` fails if a release of Node lacks one.

/**
 * Bytes that the system has not accepted yet. `writableLength` counts a chunk until all of it is accepted, and so shows
 * no progress of a client that reads a large one slowly.
 */
export const unsentBytes = (socket: Socket): number =>
  (socket as { _handle?: { writeQueueSize: number } | null })._handle?.writeQueueSize ?? 0

/**
 * The bytes in which the parser has just found a request. `IncomingMessage` has the version, but not the protocol: the
 * parser takes RTSP and ICE for HTTP.
 */
export const packetOf = (socket: Socket): string => {
  const { parser } = socket as { parser?: { getCurrentBuffer(): Buffer | null } | null }
  return parser?.getCurrentBuffer()?.toString('latin1') ?? ''
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

/** Calls back when the response may be sent, by an event of Node's; never if an earlier one closes the connection. */
export const onTurn = (response: ServerResponse, proceed: () => void): void => {
  response.once('socket', proceed)
}

/** A response for a request that the parser did not find. Node makes responses only for those that it did. */
export const responseOnSocket = (request: IncomingMessage, finished: () => void): ServerResponse => {
  const { socket } = request
  const response = new http.ServerResponse(request)
  response.assignSocket(socket)
  response.once('finish', () => {
    response.detachSocket(socket)
    response.emit('close')
    finished()
  })
  return response
}
