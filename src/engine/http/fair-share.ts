interface Client {
  /** Of the event loop's time, fading. */
  spentMs: number
  /** What the dearest of its requests has cost, fading: the next one may cost as much. */
  dearestMs: number
  /** Since it was last heard of. */
  idleMs: number
  isRefused: boolean
}

/**
 * Who has used how much of the event loop's time, and how much each may use. As long as the loop is late turn after turn,
 * all may use less and less; afterwards more and more. So those who cause it are refused first, in part, and a client
 * that uses less than its share is not refused at all.
 */
export class FairShare {
  readonly #clients = new Map<string, Client>()
  #limitMs = Number.POSITIVE_INFINITY
  #lateness = 0
  #refusesMost = false

  /** Whether some clients may be refused. */
  get isLimiting(): boolean {
    return this.#limitMs !== Number.POSITIVE_INFINITY
  }

  /** Whether most of the clients were refused something between the last two samples. */
  get refusesMost(): boolean {
    return this.#refusesMost
  }

  has(client: string): boolean {
    return this.#clients.has(client)
  }

  /** Adds what a request took, or has taken since this was called for it before: `totalMs` is all of it. */
  spend(client: string, ms: number, totalMs: number): void {
    const figures = this.#of(client)
    figures.spentMs += ms
    if (totalMs > figures.dearestMs) figures.dearestMs = totalMs
  }

  /**
   * What another request of the client will cost at most, as far as is known, which counts as spent from now on;
   * `undefined` if it has to be refused.
   */
  admit(client: string): number | undefined {
    const figures = this.#of(client)
    if (figures.spentMs > this.#limitMs) {
      figures.isRefused = true
      return undefined
    }
    figures.spentMs += figures.dearestMs
    return figures.dearestMs
  }

  /** To be called several times a second; `delay` is how late the loop is, 1 being just too late. */
  sample(elapsedMs: number, delay: number): void {
    const isLate = delay > 1
    const kept = Math.exp(-elapsedMs / memoryMs)
    let mostMs = 0
    let refused = 0
    for (const [client, figures] of this.#clients) {
      mostMs = Math.max(mostMs, figures.spentMs)
      figures.spentMs *= kept
      figures.dearestMs = Math.max(leastMs, figures.dearestMs * kept)
      if (figures.isRefused) refused++
      if (figures.idleMs > forgottenAfterMs) this.#clients.delete(client)
      figures.idleMs += elapsedMs
      figures.isRefused = false
    }
    this.#refusesMost = refused > this.#clients.size / 2

    // A single late turn may be a collection of garbage, or the compiling of what was never run before; not if it is as
    // long as two.
    this.#lateness = isLate ? this.#lateness + delay : 0
    if (this.#lateness > 2) {
      // What no client has caused, none is refused for: a quarter of the time is always there for all.
      const leastShareMs = memoryMs / 4 / Math.max(1, this.#clients.size)
      this.#limitMs = Math.max(leastShareMs, 0.7 * Math.min(this.#limitMs, mostMs, memoryMs))
    } else if (!isLate && this.isLimiting) {
      this.#limitMs *= 1.05 ** (elapsedMs / 100)
      if (this.#limitMs > memoryMs) this.#limitMs = Number.POSITIVE_INFINITY
    }
  }

  #of(client: string): Client {
    let figures = this.#clients.get(client)
    if (figures === undefined) {
      figures = { spentMs: 0, dearestMs: leastMs, idleMs: 0, isRefused: false }
      this.#clients.set(client, figures)
    }
    figures.idleMs = 0
    return figures
  }
}

// A client that uses all of the time comes to have spent as much.
const memoryMs = 500

// Longer than a client waits while the loop is late, so that it counts as one.
const forgottenAfterMs = 2_000

// About what a refused key costs.
const leastMs = 0.03
