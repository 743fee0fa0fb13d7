import type { Connections } from './connections.ts'
import { isOfRow } from './result-codes.ts'

const PROBE_INTERVAL_MS = 500

/** A server for reads. After a failure, they go to the primary until this one responds again. */
export class Replica {
  readonly connections: Connections
  /** Reads that went to the primary instead. */
  fallbacks = 0
  readonly #onFailure: (error: unknown) => void
  readonly #onReturn: () => void
  #isUp = true
  #isClosed = false
  #timer: NodeJS.Timeout | undefined

  constructor(connections: Connections, onFailure: (error: unknown) => void = () => {}, onReturn = () => {}) {
    this.connections = connections
    this.#onFailure = onFailure
    this.#onReturn = onReturn
  }

  /** The result of `read` or, if that fails for any reason (the replica may lack a new table), of `fromPrimary`. */
  async either<T>(read: () => Promise<T>, fromPrimary: () => Promise<T>): Promise<T> {
    if (this.#isUp) {
      try {
        return await read()
      } catch (error) {
        if (isOfRow(error)) throw error
        this.#lose(error)
      }
    }
    this.fallbacks++
    return fromPrimary()
  }

  close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    return this.connections.close()
  }

  #lose(error: unknown): void {
    if (this.#isClosed) return
    this.#isUp = false
    this.#onFailure(error)
    this.#timer ??= setTimeout(this.#probe, PROBE_INTERVAL_MS).unref()
  }

  #probe = async (): Promise<void> => {
    this.#timer = undefined
    try {
      await this.connections.read('SELECT 1')
    } catch (error) {
      return this.#lose(error)
    }
    this.#isUp = true
    this.#onReturn()
  }
}
