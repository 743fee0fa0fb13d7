import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'

export interface RawResponse {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  body: string
}

export interface Connection {
  /** Sends bytes unchanged; a string is sent as Latin-1. */
  send(bytes: string | Buffer): void
  /** Ends the sending side, and keeps reading. */
  finish(): void
  /** Disconnects at once, with a reset. */
  reset(): void
  /** The next response, 1xx included. `method` is that of the request: a response to HEAD has no body. */
  response(method?: string): Promise<RawResponse>
  /** Once the server has closed the connection, everything after the responses read so far. */
  rest(): Promise<string>
}

/** A connection to the app, which starts listening on a free port when the first one is opened. */
export const openConnection = async (t: Test, app: FastifyInstance): Promise<Connection> => {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  return connectTo(t, (app.server.address() as AddressInfo).port)
}

/** A connection to this port of 127.0.0.1. */
export const connectTo = async (t: Test, port: number): Promise<Connection> => {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')

  let received: Buffer = Buffer.alloc(0)
  let ended: Error | true | undefined
  let wake = () => {}
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    wake()
  })
  const end = (reason: Error | true) => {
    ended ??= reason
    wake()
  }
  socket.on('end', () => end(true))
  socket.on('error', end)
  socket.on('close', () => end(true))

  /** The first result of `take` that is not `undefined`; called again whenever bytes arrive. */
  const until = async <T>(take: () => T | undefined): Promise<T> => {
    for (;;) {
      const found = take()
      if (found !== undefined) return found
      if (ended !== undefined) {
        const cause = ended === true ? undefined : ended
        throw new Error(`the connection ended ${cause?.message ?? ''} after ${JSON.stringify(received.toString())}`)
      }
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
  }

  return {
    send: bytes => (typeof bytes === 'string' ? socket.write(bytes, 'latin1') : socket.write(bytes)),
    finish: () => socket.end(),
    reset: () => socket.resetAndDestroy(),
    response: (method = 'GET') =>
      until(() => {
        const end = received.indexOf('\r\n\r\n')
        if (end === -1) return undefined
        const head = headOf(received.toString('latin1', 0, end))
        const hasBody = method !== 'HEAD' && head.status >= 200 && head.status !== 204 && head.status !== 304
        const length = hasBody ? Number(head.headers['content-length']) : 0
        if (Number.isNaN(length)) throw new Error(`a response without a length: ${received.toString()}`)
        if (received.length < end + 4 + length) return undefined
        const body = received.toString('utf8', end + 4, end + 4 + length)
        received = received.subarray(end + 4 + length)
        return { ...head, body }
      }),
    rest: async () => {
      const reason = await until(() => ended)
      if (reason !== true) throw reason
      return received.toString('latin1')
    }
  }
}

const headOf = (text: string): { status: number; headers: Record<string, string> } => {
  const [first = '', ...lines] = text.split('\r\n')
  const status = /^HTTP\/1\.1 (\d{3}) [A-Za-z' -]+$/.exec(first)?.[1]
  if (status === undefined) throw new Error(`no status line: ${first}`)
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [, name, value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?(.*)$/.exec(line) ?? []
    if (name === undefined) throw new Error(`no header field: ${line}`)
    if (name.toLowerCase() in headers) throw new Error(`the header ${name} occurs twice`)
    headers[name.toLowerCase()] = value
  }
  return { status: Number(status), headers }
}
