/** Makes a write safe to repeat: the same request adds one row, and has one result. */
export interface Once {
  /** The id of the API key with which it was sent; idempotency keys of different owners are unrelated. */
  readonly owner: string
  /** The client's `Idempotency-Key`. */
  readonly key: string
  /** SHA-256 of the request, in 64 hexadecimal digits. */
  readonly fingerprint: string
}

/** The key has been used for another request. */
export class KeyReused extends Error {
  override readonly name = 'KeyReused'
}

/** The first request with this key has no result yet. */
export class InProgress extends Error {
  override readonly name = 'InProgress'
}

/** The writes in progress in this process, so that no batch has a key twice. */
export class OnceAtATime {
  readonly #running = new Set<string>()

  /** @throws InProgress if a write with this key is in progress, or what `write` throws */
  async run<T>(once: Once | undefined, write: () => Promise<T>): Promise<T> {
    if (once === undefined) return write()
    const name = JSON.stringify([once.owner, once.key])
    if (this.#running.has(name)) throw new InProgress('a request with this key is in progress')
    this.#running.add(name)
    try {
      return await write()
    } finally {
      this.#running.delete(name)
    }
  }
}

// As the contract promises; a key may be kept a little longer.
export const LIFETIME_MS = 24 * 60 * 60 * 1000

const SWEEP_INTERVAL_MS = 60_000
// Sweeping keeps up with thousands of keys a second, and lets others use the store in between.
const STEP_INTERVAL_MS = 20

/** Deletes expired keys in small steps: `step` deletes some, by the clock that dated them, and returns how many. */
export const sweepExpired = (step: () => Promise<number>): { stop(): void } => {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const sweepIn = (ms: number) => {
    timer = setTimeout(sweep, ms).unref()
  }
  const sweep = async () => {
    let deleted = 0
    try {
      deleted = await step()
    } catch {
      // Other writes report what is wrong with the store.
    }
    if (!isStopped) sweepIn(deleted > 0 ? STEP_INTERVAL_MS : SWEEP_INTERVAL_MS)
  }
  sweepIn(0)
  return {
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    }
  }
}
