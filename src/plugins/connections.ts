import fp from 'fastify-plugin'
import { overloadTeller } from './overload.ts'

export interface ConnectionBound {
  /** Connections that may be open; further ones are closed at once. */
  max: number
  /** What the log calls them. */
  name: string
}

/** Bounds how many connections may be open. */
export const boundConnections = fp(async (app, { max, name }: ConnectionBound) => {
  const tell = overloadTeller(app.serviceLog)
  app.server.maxConnections = max
  app.server.on('drop', () => tell(name, max))
})
