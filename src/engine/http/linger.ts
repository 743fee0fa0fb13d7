import type { Socket } from 'node:net'
import { detachParser, endConnectionBy } from './node-internals.ts'

const lingerMs = 5_000

/**
 * Ends a connection on which more may be under way than will be read. A socket that is closed with unread bytes sends
 * a reset, at which the other side's system throws away the answer too (RFC 9112, section 9.6): so what still comes
 * is read and dropped, until the client ends the connection as well or has had time enough for it.
 */
export const endLingering = (socket: Socket, text?: string): void => {
  if (text === undefined) socket.end()
  else socket.end(text)
  dropInput(socket)
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

/** Has a connection end so after an answer that closes it. */
export const lingerAfterResponse = (socket: Socket): void => {
  endConnectionBy(socket, () => endLingering(socket))
}

/** Reads and drops what comes; the parser gets nothing more of it, least of all a further request. */
export const dropInput = (socket: Socket): void => {
  detachParser(socket)
  socket.on('data', () => {})
  socket.resume()
}
