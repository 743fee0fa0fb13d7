import { type AddressInfo, connect } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * What the service sends back, to the end, for bytes written to a connection of their own. The request says itself
 * that the connection is to be closed; or, with `end`, the client has no more to say.
 */
export const rawRequest = async (app: FastifyInstance, request: string | Buffer, end?: 'end'): Promise<string> => {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  if (end === undefined) socket.write(request)
  else socket.end(request)
  return Buffer.concat(await socket.toArray()).toString()
}
