import { Client } from './client.ts'

export interface Scenario {
  /** Sent again and again, as it is. */
  request: Buffer
  /** Of every response. */
  status: number
}

/**
 * Sends requests for a time or up to a number, awaits all responses, and returns how many there were.
 * @throws Error if a response is missing or has another status
 */
export type Load = (scenario: Scenario, until: { ms: number } | { requests: number }) => Promise<number>

/**
 * Load from this many clients, each with its own connection. All send at once, and again once all have their responses:
 * a server handles as many requests in each turn of its event loop, however busy the machine is, and its cost per request
 * varies half as much. The clients of one that may sleep send each for itself, to keep several processes busy.
 *
 * Unless this process may sleep meanwhile, it stays busy: waking a sleeping client costs the server time, at its write.
 */
export const loadOn = (port: number, count: number, { maySleep = false } = {}): Load => {
  let clients: Client[] = []

  return async ({ request, status }, until) => {
    // A server closes connections that have been idle for long.
    const usable = (client: Client | undefined) => (client?.isOpen ? client : new Client(port).connected())
    clients = await Promise.all(Array.from({ length: count }, (_, i) => usable(clients[i])))
    const end = 'ms' in until ? performance.now() + until.ms : Number.POSITIVE_INFINITY
    const maxRequests = 'requests' in until ? until.requests : Number.POSITIVE_INFINITY
    const expected = `HTTP/1.1 ${status} `
    let sent = 0
    let received = 0

    const send = async (client: Client) => {
      const response = await client.send(request)
      if (response.toString('latin1', 0, expected.length) !== expected)
        throw new Error(`expected ${status}, but got ${response.toString('utf8', 0, 2000)}`)
      received++
    }
    const keepSending = async (group: Client[]) => {
      while (sent < maxRequests && performance.now() < end) {
        const senders = group.slice(0, maxRequests - sent)
        sent += senders.length
        await Promise.all(senders.map(send))
      }
    }
    let busy = !maySleep
    const stayBusy = () => {
      if (busy) setImmediate(stayBusy)
    }
    stayBusy()
    try {
      const groups = maySleep ? clients.map(client => [client]) : [clients]
      await Promise.all(groups.map(keepSending))
    } finally {
      busy = false
    }
    return received
  }
}
