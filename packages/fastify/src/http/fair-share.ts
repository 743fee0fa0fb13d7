import { getOrMake } from '../node/get-or-make.ts'

interface Client {
  /** Event-loop time used, decaying. */
  spentMs: number
  /** The cost of its most expensive request, decaying: the next one may cost as much. */
  costliestMs: number
  /** Since its last request. */
  idleMs: number
  isRefused: boolean
}

/**
 * How much of the event loop's time each client has used, and how much each may use. While the loop stays late, the
 * share of each shrinks; afterwards it grows. So only clients that use more than their share are refused, the heaviest
 * first.
 */
export class FairShare {
  /** Whether most clients had a request refused between the last two samples. */
  refusesMost = false
  readonly #clients = new Map<string, Client>()
  #limitMs = Number.POSITIVE_INFINITY
  #lateness = 0

  /** Whether some clients may be refused. */
  get isLimiting(): boolean {
    return this.#limitMs !== Number.POSITIVE_INFINITY
  }

  /** Adds time that a request has used since the last call for it; `totalMs` is all of its time so far. */
  charge(client: string, ms: number, totalMs: number): void {
    const figures = this.#of(client)
    figures.spentMs += ms
    if (totalMs > figures.costliestMs) figures.costliestMs = totalMs
  }

  /** The most that the client's next request is expected to cost, charged in advance; `undefined` if it is to be refused. */
  admit(client: string): number | undefined {
    const figures = this.#of(client)
    if (figures.spentMs > this.#limitMs) {
      figures.isRefused = true
      return undefined
    }
    figures.spentMs += figures.costliestMs
    return figures.costliestMs
  }

  /** To be called several times a second. `delay` is how late the loop is; more than 1 is too late. */
  sample(elapsedMs: number, delay: number): void {
    const isLate = delay > 1
    const kept = Math.exp(-elapsedMs / memoryMs)
    let mostMs = 0
    let refused = 0
    for (const [client, figures] of this.#clients) {
      mostMs = Math.max(mostMs, figures.spentMs)
      figures.spentMs *= kept
      figures.costliestMs = Math.max(leastMs, figures.costliestMs * kept)
      if (figures.isRefused) refused++
      if (figures.idleMs > forgottenAfterMs) this.#clients.delete(client)
      figures.idleMs += elapsedMs
      figures.isRefused = false
    }
    this.refusesMost = refused > this.#clients.size / 2

    // A single late turn may be garbage collection or compilation, unless it is more than twice too late.
    this.#lateness = isLate ? this.#lateness + delay : 0
    if (this.#lateness > 2) {
      // Clients may not be the cause, so together they always keep a quarter of the time.
      const leastShareMs = memoryMs / 4 / Math.max(1, this.#clients.size)
      this.#limitMs = Math.max(leastShareMs, 0.7 * Math.min(this.#limitMs, mostMs, memoryMs))
    } else if (!isLate && this.isLimiting) {
      this.#limitMs *= 1.05 ** (elapsedMs / 100)
      if (this.#limitMs > memoryMs) this.#limitMs = Number.POSITIVE_INFINITY
    }
  }

  #of(client: string): Client {
    const figures = getOrMake(this.#clients, client, newClient)
    figures.idleMs = 0
    return figures
  }
}

const newClient = (): Client => ({ spentMs: 0, costliestMs: leastMs, idleMs: 0, isRefused: false })

// Time constant of the decay, and so what a client has spent that uses all of the time.
const memoryMs = 500

// Longer than a client waits while the loop is late.
const forgottenAfterMs = 2_000

// About the cost of a rejected key.
const leastMs = 0.03
