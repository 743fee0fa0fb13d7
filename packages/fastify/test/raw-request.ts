import { type AddressInfo, connect } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Sends bytes on a new connection, and returns everything received until it is closed. The request must ask for that
 * itself with `Connection: close`; or, with `end`, the client closes its side.
 */
export const rawRequest = async (app: FastifyInstance, request: string | Buffer, end?: 'end'): Promise<string> => {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  if (end === undefined) socket.write(request)
  else socket.end(request)
  return Buffer.concat(await socket.toArray()).toString()
}
