import { type IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/**
 * While the service ends, every answer says that its connection ends with it: otherwise a client that was being
 * answered would keep its connection, and the end would have to wait until it has idled for long.
 */
export const closingConnections = () => {
  let isClosing = false

  class Response<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    // biome-ignore lint/suspicious/noExplicitAny: handed on as it is
    override writeHead(...args: any[]): this {
      if (isClosing) this.shouldKeepAlive = false
      return (super.writeHead as (...args: unknown[]) => this)(...args)
    }
  }

  return {
    ServerResponse: Response,
    watch: (app: FastifyInstance) =>
      app.addHook('preClose', async () => {
        isClosing = true
        // For an answer whose header is out already.
        app.server.keepAliveTimeout = 1
      })
  }
}
