import { once } from 'node:events'
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
    this.#socket.on('data', chunk => this.#receive(chunk as Buffer))
    this.#socket.on('timeout', () => this.#fail(new Error(`no response within ${silenceMs} ms`)))
    this.#socket.on('error', error => this.#fail(error))
    this.#socket.on('close', () => this.#fail(new Error('the server closed the connection')))
    this.#socket.setTimeout(silenceMs)
  }

  async connected(): Promise<this> {
    if (this.#socket.connecting) await once(this.#socket, 'connect')
    return this
  }

  get isOpen(): boolean {
    return this.#socket.readyState === 'open'
  }

  /** The whole response to a request; the next request may be sent once it is here. */
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

  #fail(reason: Error): void {
    this.#settle?.reject(reason)
    this.#socket.destroy()
  }
}

/** The length of a partly received response; infinite until its header section is complete. */
const lengthOf = (bytes: Buffer): number => {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return Number.POSITIVE_INFINITY
  const [, length = 0] = /\r\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, end)) ?? []
  return end + 4 + Number(length)
}

export interface HttpResponse {
  status: number
  /** All but Date and X-Request-Id, their names in lower case, sorted. */
  headers: string[]
  body: string
}

export const parseResponse = (response: Buffer): HttpResponse => {
  const text = response.toString()
  const end = text.indexOf('\r\n\r\n')
  const [first = '', ...fields] = text.slice(0, end).split('\r\n')
  const headers = fields.map(field => field.replace(/^[^:]+/, name => name.toLowerCase()))
  return {
    status: Number(first.split(' ')[1]),
    headers: headers.filter(field => !/^(date|x-request-id):/.test(field)).sort(),
    body: text.slice(end + 4)
  }
}
