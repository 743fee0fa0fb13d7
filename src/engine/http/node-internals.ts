import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { http } from './node-http.ts'

// All that the connection layer needs of Node though it is not documented, each with what a public interface would have
// to offer. `test/engine/http/node-internals.test.ts` tells whether a release of Node still has it.

/**
 * What the system has not taken yet; the rest of what is written waits behind it. `writableLength` counts a chunk until
 * all of it has been taken, and so shows no progress of a client that takes a large one slowly.
 */
export const unsentBytes = (socket: Socket): number =>
  (socket as { _handle?: { writeQueueSize: number } | null })._handle?.writeQueueSize ?? 0

/**
 * The bytes that the parser is reading now, of which it has found a request. Which protocol a request names is missing
 * from `IncomingMessage`: the parser takes RTSP and ICE for HTTP, and gives their version alone.
 */
export const packetOf = (socket: Socket): string => {
  const { parser } = socket as { parser?: { getCurrentBuffer(): Buffer | null } | null }
  return parser?.getCurrentBuffer()?.toString('latin1') ?? ''
}

/**
 * Answers a client that has sent all and says so. `allowHalfOpen` is an option of `net.createServer`; `http.createServer`
 * does not take it, and ends such a connection at once.
 */
export const allowHalfOpen = (server: Server): void => {
  ;(server as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true
}

/**
 * Has a connection end in another way after the response that closes it: Node calls this method of the socket then. No
 * option says how a server ends a connection.
 */
export const endConnectionBy = (socket: Socket, end: () => void): void => {
  socket.destroySoon = end
}

/**
 * Takes the connection from the parser, which reads it by listeners of its own: it gets nothing more, and does not end
 * the connection of a client that has ended its side. A parser cannot be told to stop.
 */
export const detachParser = (socket: Socket): void => {
  socket.removeAllListeners('data')
  socket.removeAllListeners('end')
}

/** Once it is a response's turn to be sent, which Node tells by an event; never where an earlier one ends the connection. */
export const onTurn = (response: ServerResponse, goOn: () => void): void => {
  response.once('socket', goOn)
}

/** A response on the socket to a request that the parser has not found. Node makes one for its own alone. */
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
