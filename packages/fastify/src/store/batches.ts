import { StoreUnavailable } from './store.ts'

/** A query that waits for its batch. */
export interface Waiting<Q, R> {
  readonly query: Q
  resolve(result: R): void
  reject(reason: unknown): void
}

export interface BatchOptions {
  /** The most queries in one batch. */
  size: number
  /** The most queries that may wait or be in progress; further ones are rejected. */
  maxPending: number
  /** How many batches may be in progress at once. Default: 1. */
  concurrency?: number
}

/**
 * Runs queries in batches: those of one or two turns of the event loop together, and those that arrive while no further
 * batch may begin. A commit or a round trip costs far more than a further query in it.
 */
export class Batches<Q, R> {
  /** The number of completed batches of each size, at that index. */
  readonly sizes: number[]
  failed = 0
  readonly #work: (batch: Waiting<Q, R>[]) => Promise<void>
  readonly #options: Required<BatchOptions>
  #waiting: Waiting<Q, R>[] = []
  #inProgress = 0
  #begun = 0
  #scheduled = false
  /** Whether the last batch had one query. */
  #wasSingle = false
  #drained: (() => void) | undefined
  #closing = false

  /** `work` settles each query of a batch; if it throws, the remaining ones are rejected with its error. */
  constructor(work: (batch: Waiting<Q, R>[]) => Promise<void>, options: BatchOptions) {
    this.#work = work
    this.#options = { concurrency: 1, ...options }
    this.sizes = new Array(options.size + 1).fill(0)
  }

  /** @throws StoreUnavailable if too many are waiting, or the store is closed; or what `work` rejects it with */
  run(query: Q): Promise<R> {
    if (this.#closing) return Promise.reject(new StoreUnavailable('the store is closed'))
    if (this.pending >= this.#options.maxPending)
      return Promise.reject(new StoreUnavailable(`${this.#options.maxPending} queries are waiting already`))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ query, resolve, reject })
      this.#schedule()
    })
  }

  get pending(): number {
    return this.#waiting.length + this.#inProgress
  }

  /** Adds waiting queries to a batch that is retried. */
  fill(batch: Waiting<Q, R>[]): void {
    const more = this.#waiting.splice(0, this.#options.size - batch.length)
    this.#inProgress += more.length
    batch.push(...more)
  }

  /** Rejects queries that are not in progress. */
  rejectWaiting(reason: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(reason)
  }

  /** Rejects further queries and waits for those accepted. */
  close(): Promise<void> {
    this.#closing = true
    return new Promise(resolve => {
      if (this.pending === 0) resolve()
      else this.#drained = resolve
    })
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#begun >= this.#options.concurrency) return
    this.#scheduled = true
    // A turn later, the batch includes requests that are arriving now: a third fewer batches with 32 clients. A client that is
    // alone would only wait for it.
    if (this.#wasSingle) setImmediate(this.#flush)
    else setImmediate(() => setImmediate(this.#flush))
  }

  #flush = async (): Promise<void> => {
    this.#scheduled = false
    this.#begun++
    const batch: Waiting<Q, R>[] = []
    this.fill(batch)
    this.#wasSingle = batch.length === 1
    this.#schedule()
    try {
      await this.#work(batch)
      ;(this.sizes[batch.length] as number)++
    } catch (error) {
      this.failed++
      for (const { reject } of batch) reject(error)
    }
    this.#inProgress -= batch.length
    this.#begun--
    this.#schedule()
    if (this.pending === 0) this.#drained?.()
  }
}
