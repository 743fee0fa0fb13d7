import { createHash } from 'node:crypto'
import pg from 'pg'
import { getOrMake } from '../../node/get-or-make.ts'
import { StoreUnavailable } from '../store.ts'
import { failure, isBroken, isUnavailable } from './result-codes.ts'
import { ResultTypes } from './result-types.ts'
import type { Row, Transaction } from './schema.ts'

export interface ConnectionOptions {
  /** With one host, or several separated by commas, of which the first suitable one is used. */
  url: string
  /** The most connections. */
  max: number
  /** Whether the server must be able to write, as a standby cannot. */
  writable: boolean
  /** For connecting, and for a statement; if the server does not end it by then, the client does after half as long again. */
  timeoutMs?: number
  /** For `pg_stat_activity`. */
  applicationName?: string | undefined
}

const TIMEOUT_MS = 2000
// A read that failed later has timed out, and would do so again.
const REPEAT_WITHIN_MS = 1000

/** Gives `off` if the server can write: it is neither a standby nor set to read-only. */
export const READ_ONLY = 'SHOW transaction_read_only'

/** The URLs of each of its hosts. */
export const hostsOf = (url: string): string[] => {
  const [, start = '', hosts = '', rest = ''] = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/s.exec(url) ?? []
  return hosts.split(',').map(host => `${start}${host}${rest}`)
}

/** A bounded number of connections, replaced when they break. */
export class Connections {
  readonly #hosts: readonly string[]
  readonly #pool: pg.Pool
  readonly #types = new ResultTypes()
  /** Whether a host that cannot write is passed over. */
  readonly #chooses: boolean
  readonly #writable = new WeakSet<pg.PoolClient>()
  #current = 0

  constructor({ url, max, writable, timeoutMs = TIMEOUT_MS, applicationName }: ConnectionOptions) {
    const hosts = hostsOf(url)
    const current = () => hosts[this.#current] ?? ''
    this.#hosts = hosts
    this.#pool = new pg.Pool({
      max,
      // Never closed when idle: they are few, and each new one costs the server a process.
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: timeoutMs,
      statement_timeout: timeoutMs,
      query_timeout: 1.5 * timeoutMs,
      keepAlive: true,
      types: this.#types.overrides,
      ...(applicationName !== undefined && { application_name: applicationName }),
      Client: class extends pg.Client {
        constructor(config: pg.ClientConfig) {
          super({ ...config, connectionString: current() })
          // Ignored, since the current or next statement fails too. The pool listens only while a connection is idle, and an
          // error without a listener would crash the process, even one that arrives along with the connection.
          this.on('error', () => {})
        }
      }
    } as object)
    this.#chooses = writable && hosts.length > 1
    // A connection that breaks while idle is replaced; the next statement reports if it cannot be.
    this.#pool.on('error', () => {})
  }

  /**
   * The rows of one statement, prepared once per connection.
   * @throws StoreUnavailable if the database cannot run it now: a write may have been stored if the connection was lost
   */
  async run(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      return await this.with(client => runIn(client, text, values, this.#types))
    } catch (error) {
      throw failure(error)
    }
  }

  /** The same for a statement that changes nothing: if its connection breaks, it runs once more on another. */
  async read(text: string, values?: readonly unknown[]): Promise<Row[]> {
    const begunMs = performance.now()
    try {
      return await this.run(text, values)
    } catch (error) {
      const { cause } = error as Error
      const isCut = error instanceof StoreUnavailable && cause !== undefined && isBroken(cause)
      if (!isCut || performance.now() - begunMs > REPEAT_WITHIN_MS) throw error
      return await this.run(text, values)
    }
  }

  /**
   * Runs each of these one after the other, and commits what those did that have not failed, in one transaction that `begin`
   * begins. Gives their results, once that is stored.
   * @throws StoreUnavailable as `run` does
   */
  async together(
    begin: string,
    works: readonly ((tx: Transaction) => Promise<unknown>)[]
  ): Promise<PromiseSettledResult<unknown>[]> {
    try {
      return await this.with(async client => {
        const run: Transaction = (text, values = []) => runIn(client, text, values, this.#types)
        const results: PromiseSettledResult<unknown>[] = []
        try {
          await client.query(`${begin}; SAVEPOINT work`)
          for (const work of works) {
            if (results.length > 0) await client.query('RELEASE work; SAVEPOINT work')
            const result = await apart(run, work)
            if (result.status === 'rejected') await client.query('ROLLBACK TO work')
            results.push(result)
          }
          await run('COMMIT')
          return results
        } catch (error) {
          if (!isBroken(error)) await client.query('ROLLBACK')
          throw error
        }
      })
    } catch (error) {
      throw failure(error)
    }
  }

  /** The result of `work` with a connection of its own. @throws what `work` or connecting throws */
  async with<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    try {
      const result = await work(client)
      client.release()
      return result
    } catch (error) {
      client.release(isBroken(error))
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
        const client = await this.#pool.connect()
        await this.#choose(client)
        return client
      } catch (error) {
        if (left <= 1) throw error
        if (tried === this.#current) this.#current = (tried + 1) % this.#hosts.length
      }
    }
  }

  // Not in the pool's `onConnect`, which would wait for a server that has stopped responding.
  async #choose(client: pg.PoolClient): Promise<void> {
    if (!this.#chooses || this.#writable.has(client)) return
    try {
      const { rows } = await client.query({ text: READ_ONLY, rowMode: 'array' })
      if (rows[0]?.[0] !== 'off') throw new StoreUnavailable('the server is read-only')
      this.#writable.add(client)
    } catch (error) {
      client.release(true)
      throw error
    }
  }
}

/** The result of `work`, or why it or one of its statements failed. @throws what says that the database cannot go on */
const apart = async (
  run: Transaction,
  work: (tx: Transaction) => Promise<unknown>
): Promise<PromiseSettledResult<unknown>> => {
  // After a failed statement, no other one succeeds, whatever `work` makes of the error.
  const failed: unknown[] = []
  const tx: Transaction = async (text, values) => {
    try {
      return await run(text, values)
    } catch (error) {
      failed.push(error)
      throw error
    }
  }
  const [result] = await Promise.allSettled([(async () => work(tx))()])
  const [reason] = failed
  if (reason === undefined) return result
  if (isUnavailable(reason)) throw reason
  return { status: 'rejected', reason }
}

const names = new Map<string, string>()
// The same text gets the same name on every connection, so that it works behind a pooler.
const nameOf = (text: string): string =>
  getOrMake(names, text, () => createHash('sha256').update(text).digest('hex').slice(0, 32))

/**
 * If a commit is canceled while it waits for a synchronous standby, it succeeds with a warning: the row may be lost when the
 * standby takes over, so it must not be acknowledged.
 */
const runIn = async (
  client: pg.PoolClient,
  text: string,
  values: readonly unknown[],
  types: ResultTypes
): Promise<Row[]> => {
  let isUnsafe = false
  const notice = ({ routine }: { routine?: string | undefined }) => {
    isUnsafe ||= routine === 'SyncRepWaitForLSN'
  }
  client.on('notice', notice)
  try {
    const query = { name: nameOf(text), text, values: [...values], rowMode: 'array' } as const
    const { rows, fields } = await client.query<unknown[]>(query)
    await types.read(client, fields, rows)
    if (isUnsafe) throw new StoreUnavailable('the commit was not confirmed by the standby')
    return rows
  } finally {
    client.off('notice', notice)
  }
}
