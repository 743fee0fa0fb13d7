import { connect, type Socket } from 'node:net'

const silenceMs = 60_000

/**
 * One keep-alive connection. A plain socket: a full HTTP client costs more than the server that it must keep busy, and a
 * server that waits for its clients spends time on falling asleep and waking up.
 */
export class Client {
  readonly #socket: Socket
  #received: Buffer | undefined
  #settle: { resolve: (response: Buffer) => void; reject: (reason: Error) => void } | undefined

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.#socket.setTimeout(silenceMs, () => this.#socket.destroy(new Error(`no response within ${silenceMs} ms`)))
    this.#socket.on('data', chunk => this.#receive(chunk as Buffer))
    this.#socket.on('error', error => this.#settle?.reject(error))
    this.#socket.on('close', () => this.#settle?.reject(new Error('the server closed the connection')))
  }

  /** The whole response to a request. Send the next one only when it has arrived. */
  send(request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    const bytes = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk])
    if (bytes.length < lengthOf(bytes)) {
      this.#received = bytes
      return
    }
    this.#received = undefined
    this.#settle?.resolve(bytes)
    this.#settle = undefined
  }
}

/** The length of a partly received response; infinite until its header section is complete. */
const lengthOf = (bytes: Buffer): number => {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return Number.POSITIVE_INFINITY
  const [, length = 0] = /\r\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, end)) ?? []
  return end + 4 + Number(length)
}
