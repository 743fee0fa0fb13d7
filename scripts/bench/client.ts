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

  get isOpen(): boolean {
    return this.#socket.readyState === 'open'
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

export interface Scenario {
  /** The bytes to send, again and again. */
  request: Buffer
  /** The status that every response must have. */
  status: number
}

/**
 * Sends requests for a time or up to a number, awaits all responses, and returns how many there were.
 * @throws Error if a response is missing or has another status
 */
export type Load = (scenario: Scenario, until: { ms?: number; requests?: number }) => Promise<number>

/**
 * Load from this many clients, each with its own connection. All send at once, and again once all have their responses:
 * a server handles as many requests in each turn of its event loop, however busy the machine is, and its cost per request
 * varies half as much. This process stays busy meanwhile: waking a sleeping client costs the server time, at its write.
 */
export const loadOn = (port: number, count: number): Load => {
  let clients: Client[] = []

  return async ({ request, status }, { ms = Number.POSITIVE_INFINITY, requests = Number.POSITIVE_INFINITY }) => {
    // A server closes connections that have been idle for long.
    clients = Array.from({ length: count }, (_, i) => (clients[i]?.isOpen ? clients[i] : new Client(port)))
    const end = performance.now() + ms
    const expected = `HTTP/1.1 ${status} `
    const send = async (client: Client) => {
      const response = await client.send(request)
      if (response.toString('latin1', 0, expected.length) !== expected)
        throw new Error(`expected ${status}, but got ${response.toString('utf8', 0, 2000)}`)
    }
    let isBusy = true
    const stayBusy = () => {
      if (isBusy) setImmediate(stayBusy)
    }
    stayBusy()
    let sent = 0
    try {
      while (sent < requests && performance.now() < end) {
        const senders = clients.slice(0, requests - sent)
        sent += senders.length
        await Promise.all(senders.map(send))
      }
    } finally {
      isBusy = false
    }
    return sent
  }
}
