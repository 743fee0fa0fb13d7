import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** A port on which nothing listens, for programs that cannot be asked for the one that they have got. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return port
}
