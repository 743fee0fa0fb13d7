import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A property of the socket: a map would cost each request twice as much. */
const newest = Symbol('newest response')

interface Connection extends Socket {
  [newest]?: ServerResponse | undefined
}

/** The response to the newest request of a connection, until that response closes; earlier ones may still be in progress. */
export const newestResponse = (socket: Socket): ServerResponse | undefined => (socket as Connection)[newest]

export const setNewestResponse = (socket: Socket, response: ServerResponse | undefined): void => {
  ;(socket as Connection)[newest] = response
}
