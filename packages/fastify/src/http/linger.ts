import type { Socket } from 'node:net'
import { detachParser, endConnectionBy } from '../node/internals.ts'

const lingerMs = 5_000

/**
 * Closes a connection on which data may still arrive. Closing a socket with unread bytes sends a reset, at which
 * the client's system discards the response too (RFC 9112, section 9.6): so what arrives is read and dropped until the
 * client closes its side, for at most `lingerMs`.
 */
export const endLingering = (socket: Socket, text?: string): void => {
  if (text === undefined) socket.end()
  else socket.end(text)
  dropInput(socket)
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

/** The same after the response that closes the connection. */
export const lingerAfterResponse = (socket: Socket): void => {
  endConnectionBy(socket, () => endLingering(socket))
}

/** Reads and drops what arrives; the parser gets no further request. */
export const dropInput = (socket: Socket): void => {
  detachParser(socket)
  socket.on('data', () => {})
  socket.resume()
}
