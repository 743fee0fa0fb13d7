import { createRequire } from 'node:module'
import { join } from 'node:path'
import { installPeers } from '../peers/install.ts'
import { Client } from './client.ts'

export interface Scenario {
  /** The bytes to send, again and again. */
  request: Buffer
  /** The status that every response must have. */
  status: number
}

export interface Load {
  title: string
  connections: number
  /**
   * Sends this many requests on new connections.
   * @throws Error if a response is missing or has another status
   */
  send(port: number, scenario: Scenario, requests: number): Promise<void>
}

/**
 * All connections send at once, and again once all have their responses. A plain socket, as a full HTTP client costs more
 * than the server that it must keep busy. This process stays busy meanwhile: waking a sleeping client costs the server time,
 * at its write.
 */
const inBatches = (title: string, connections: number): Load => ({
  title,
  connections,
  send: async (port, { request, status }, requests) => {
    const clients = Array.from({ length: connections }, () => new Client(port))
    const send = async (client: Client) => requireStatus(await client.send(request), status)
    const rest = stayBusy()
    try {
      for (let left = requests; left > 0; left -= connections) await Promise.all(clients.slice(0, left).map(send))
    } finally {
      rest()
      for (const client of clients) client.close()
    }
  }
})

const requireStatus = (response: Buffer, status: number) => {
  const expected = `HTTP/1.1 ${status} `
  if (response.toString('latin1', 0, expected.length) !== expected)
    throw new Error(`expected ${status}, but got ${response.toString('utf8', 0, 2000)}`)
}

/** Keeps the event loop from sleeping, and calls this in each of its turns, until the returned function is called. */
const stayBusy = (inEachTurn = () => {}) => {
  let isBusy = true
  const turn = () => {
    inEachTurn()
    if (isBusy) setImmediate(turn)
  }
  turn()
  return () => {
    isBusy = false
  }
}

interface Result {
  errors: number
  statusCodeStats: Record<string, { count: number }>
}
/** The part of autocannon that is used here; it has no types. */
type Autocannon = (options: object) => Promise<Result>
let autocannon: Autocannon | undefined

/**
 * Installs autocannon unless it is there. Without it, a comparison should end before it measures anything.
 * @throws Error if npm cannot install it
 */
export const loadAutocannon = (): Autocannon =>
  (autocannon ??= createRequire(join(installPeers('autocannon.json'), 'package.json'))('autocannon') as Autocannon)

/** Each connection sends as soon as it has its response, from a client that is not ours. */
const withAutocannon = (connections: number): Load => ({
  title: `autocannon, ${connections}`,
  connections,
  send: async (port, { request, status }, requests) => {
    const [head = '', body] = request.toString('latin1').split('\r\n\r\n')
    const [line = '', ...fields] = head.split('\r\n')
    const [method, path] = line.split(' ')
    const headers = Object.fromEntries(fields.map(field => field.split(': ', 2)))
    const { errors, statusCodeStats } = await loadAutocannon()({
      url: `http://127.0.0.1:${port}${path}`,
      ...{ method, headers, body, connections, amount: requests },
      // How often it looks whether all have come, in milliseconds.
      sampleInt: 5
    })
    if (errors > 0 || statusCodeStats[status]?.count !== requests)
      throw new Error(`expected ${status}, but got ${JSON.stringify({ errors, ...statusCodeStats })}`)
  }
})

/** The two clients, each with one connection and with many. */
export const loads = {
  single: inBatches('one by one', 1),
  batches: inBatches('batches of 32', 32),
  autocannon1: withAutocannon(1),
  autocannon32: withAutocannon(32)
}

/**
 * Sends requests at a constant rate per second, whether or not others have their responses, and returns the time in
 * milliseconds from when each was due to its response: a request that had to wait for a connection or for the client has
 * waited, too.
 * @throws Error if a response is missing or has another status
 */
export const sendAtRate = async (
  port: number,
  { request, status }: Scenario,
  rate: number,
  requests: number
): Promise<number[]> => {
  const clients = Array.from({ length: 64 }, () => new Client(port))
  await Promise.all(clients.map(client => client.send(request)))
  const idle = [...clients]
  const waiting: number[] = []
  const latencies: number[] = []
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const send = async (client: Client, due: number): Promise<void> => {
    requireStatus(await client.send(request), status)
    latencies.push(performance.now() - due)
    if (latencies.length === requests) resolve()
    const next = waiting.shift()
    if (next !== undefined) return send(client, next)
    idle.push(client)
  }
  let sent = 0
  const begin = performance.now()
  const rest = stayBusy(() => {
    for (const now = performance.now(); sent < requests; sent++) {
      const due = begin + (sent * 1000) / rate
      if (due > now) return
      const client = idle.shift()
      if (client === undefined) waiting.push(due)
      else send(client, due).catch(reject)
    }
  })
  try {
    await promise
    return latencies
  } finally {
    rest()
    for (const client of clients) client.close()
  }
}
