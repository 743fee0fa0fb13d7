import { getOrMake } from '../node/get-or-make.ts'
/**
 * What the service counts, in plain numbers, which cost a request 25 ns. prom-client's Counter and Histogram look up their
 * labels at each count and cost 750 ns, 3 % of a request, so prom-client only formats them for `/metrics`.
 */
export class Metrics {
  /** By operation; `-` for requests that reached none. */
  readonly operations = new Map<string, OperationFigures>()
  storeErrors = 0
  /** Requests that a rate limit counted in this process, since Redis could not be reached. */
  rateLimitFallbacks = 0

  of(operation: string): OperationFigures {
    return getOrMake(this.operations, operation, () => new OperationFigures())
  }
}

export class OperationFigures {
  /**
   * The number of responses with each status, at that index; at 0, requests whose client disconnected first. Made for the first
   * of them, as it has 5 kB.
   */
  statuses: Float64Array | undefined
  /** The number of responses in each bucket of `durationBounds`, not cumulative; the last is for the rest. */
  readonly durations: number[] = new Array(durationBounds.length + 1).fill(0)
  seconds = 0
  /** For a deprecated operation: calls by key. */
  readonly keys = new Map<string, number>()

  count(status: number): void {
    this.statuses ??= new Float64Array(600)
    ;(this.statuses[status] as number)++
  }

  countDuration(seconds: number): void {
    let i = 0
    while (i < durationBounds.length && seconds > (durationBounds[i] as number)) i++
    ;(this.durations[i] as number)++
    this.seconds += seconds
  }

  countKey(id: string): void {
    const name = this.keys.has(id) || this.keys.size < maxKeys ? id : 'others'
    this.keys.set(name, (this.keys.get(name) ?? 0) + 1)
  }
}

/** In seconds. */
export const durationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

// The monitoring system stores a series for each.
export const maxKeys = 200
