import { createHash } from 'node:crypto'
import pg from 'pg'
import { StoreUnavailable } from '../store.ts'
import { failure, isBroken } from './result-codes.ts'
import type { Row } from './schema.ts'

export interface ConnectionOptions {
  /** With one host, or several, separated by commas, of which the first that fits is used. */
  url: string
  /** Connections at most. */
  max: number
  /** Whether the server must be able to write, as a standby cannot. */
  writable: boolean
  /** For `pg_stat_activity`. */
  applicationName?: string | undefined
}

// The server ends a statement first; the client does if the server does not respond at all.
const STATEMENT_TIMEOUT_MS = 2000
const RESPONSE_TIMEOUT_MS = 3000
const CONNECT_TIMEOUT_MS = 2000

const INT8 = 20
const types = new pg.TypeOverrides()
types.setTypeParser(INT8, BigInt)

/** The URLs of each of its hosts. */
export const hostsOf = (url: string): string[] => {
  const [, start = '', hosts = '', rest = ''] = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/s.exec(url) ?? []
  return hosts.split(',').map(host => `${start}${host}${rest}`)
}

/** A bounded number of connections, made anew when they break. */
export class Connections {
  readonly #hosts: readonly string[]
  readonly #pool: pg.Pool
  #current = 0

  constructor({ url, max, writable, applicationName }: ConnectionOptions) {
    const hosts = hostsOf(url)
    const current = () => hosts[this.#current] ?? ''
    this.#hosts = hosts
    this.#pool = new pg.Pool({
      max,
      // They are few, and each new one costs the server a process.
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: RESPONSE_TIMEOUT_MS,
      keepAlive: true,
      types,
      ...(applicationName !== undefined && { application_name: applicationName }),
      Client: class extends pg.Client {
        constructor(config: pg.ClientConfig) {
          super({ ...config, connectionString: current() })
        }
      },
      onConnect: async (client: pg.PoolClient) => {
        if (!writable || hosts.length === 1) return
        const { rows } = await client.query({ text: 'SHOW transaction_read_only', rowMode: 'array' })
        if (rows[0]?.[0] !== 'off') throw new StoreUnavailable('the server is read-only')
      }
    } as object)
    // A connection that breaks while idle is replaced; the next statement reports if it cannot be.
    this.#pool.on('error', () => {})
  }

  /**
   * The rows of one statement, prepared once per connection.
   * @throws StoreUnavailable if the database cannot run it now: a write may have been stored if the connection was lost
   */
  async run(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      return await this.with(client => runIn(client, { name: nameOf(text), text, values: [...values] }))
    } catch (error) {
      throw failure(error)
    }
  }

  /** What `work` makes of a connection of its own. @throws what `work` or connecting throws */
  async with<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    // The pool listens only while it is idle; an error without a listener would end the process. The statement fails too.
    const ignore = () => {}
    client.on('error', ignore)
    const release = (broken: boolean) => {
      client.off('error', ignore)
      client.release(broken)
    }
    try {
      const result = await work(client)
      release(false)
      return result
    } catch (error) {
      release(isBroken(error))
      throw error
    }
  }

  /** Waits for statements in progress; later ones throw StoreUnavailable. */
  close(): Promise<void> {
    return this.#pool.end()
  }

  // Asks each host once.
  async #connect(): Promise<pg.PoolClient> {
    for (let left = this.#hosts.length; ; left--) {
      const tried = this.#current
      try {
        return await this.#pool.connect()
      } catch (error) {
        if (left <= 1) throw error
        if (tried === this.#current) this.#current = (tried + 1) % this.#hosts.length
      }
    }
  }
}

const names = new Map<string, string>()
// The same text has the same name on every connection, also behind a pooler.
const nameOf = (text: string): string => {
  let name = names.get(text)
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('hex').slice(0, 32)
    names.set(text, name)
  }
  return name
}

/**
 * A commit that waits for a synchronous standby and is canceled succeeds with a warning: the row may be lost when the
 * standby takes over, so it must not be acknowledged.
 */
const runIn = async (
  client: pg.PoolClient,
  query: { name: string; text: string; values: unknown[] }
): Promise<Row[]> => {
  let isUnsafe = false
  const notice = ({ routine }: { routine?: string | undefined }) => {
    isUnsafe ||= routine === 'SyncRepWaitForLSN'
  }
  client.on('notice', notice)
  try {
    const { rows } = await client.query<unknown[]>({ ...query, rowMode: 'array' })
    if (isUnsafe) throw new StoreUnavailable('the commit was not confirmed by the standby')
    return rows
  } finally {
    client.off('notice', notice)
  }
}
