import { Client } from './client.ts'

export interface Asked {
  /** Sent again and again, as it is. */
  request: Buffer
  /** What every answer must have. */
  status: number
}

/**
 * How many requests were answered. No more are sent after that time or number, and those that were are awaited.
 * @throws Error when an answer has another status, or none comes
 */
export type Load = (asked: Asked, until: { ms: number } | { requests: number }) => Promise<number>

/** So many clients at once, each with a connection of its own, and each asking again when it has its answer. */
export const loadOn = (port: number, count: number): Load => {
  let clients: Client[] = []

  return async ({ request, status }, until) => {
    // A server closes connections that have been idle for long.
    const usable = (client: Client | undefined) => (client?.isOpen ? client : new Client(port).connected())
    clients = await Promise.all(Array.from({ length: count }, (_, i) => usable(clients[i])))
    const end = 'ms' in until ? performance.now() + until.ms : Number.POSITIVE_INFINITY
    const most = 'requests' in until ? until.requests : Number.POSITIVE_INFINITY
    const expected = `HTTP/1.1 ${status} `
    let begun = 0
    let answered = 0

    const keepAsking = async (client: Client) => {
      while (begun < most && performance.now() < end) {
        begun++
        const answer = await client.ask(request)
        if (answer.toString('latin1', 0, expected.length) !== expected)
          throw new Error(`instead of ${status} came ${answer.toString('utf8', 0, 2000)}`)
        answered++
      }
    }
    // A client that sleeps has to be woken up, and it is the server's write that pays for it: the more, the slower the
    // server is. So this process never sleeps.
    let busy = true
    const stayBusy = () => {
      if (busy) setImmediate(stayBusy)
    }
    stayBusy()
    try {
      await Promise.all(clients.map(keepAsking))
    } finally {
      busy = false
    }
    return answered
  }
}
