import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'

/**
 * While the service ends, every answer says that its connection ends with it: otherwise a client that was being
 * answered would keep its connection, and the end would have to wait until it has idled for long.
 */
export const closingConnections = fp(async app => {
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', async () => {
    // Fastify says it for requests that come from now on; these have come, and wait for their answers.
    for (const socket of sockets) {
      const response = (socket as { _httpMessage?: ServerResponse | null })._httpMessage
      if (response) response.shouldKeepAlive = false
    }
    // For an answer whose header is out already.
    app.server.keepAliveTimeout = 1
  })
})
