import { curlOf } from './curl.ts'
import type { Outcome } from './expectations.ts'
import type { Fault } from './judge.ts'
import type { Probe } from './probe.ts'

/** A difference between the service and its contract. */
export interface Difference {
  /** `GET /pets` */
  operation: string
  /** What was sent: `query parameter limit: above its maximum`. */
  what: string
  /** What the service does wrong ("it …"), and what is expected instead. */
  wrong: string
  right: string
  /** Sends the request again; the key is in `$KEY`. */
  curl: string
  /** How often it was found in this operation. */
  times: number
}

/** Collects differences, one entry per cause, without the key. */
export class Differences {
  readonly failures: Difference[] = []
  readonly notes: Difference[] = []
  readonly #known = new Map<string, Difference>()
  readonly #key: string

  constructor(key: string | undefined) {
    this.#key = key ?? ''
  }

  add(probe: Probe, { faults, notes }: Outcome): void {
    for (const each of faults) this.#add(this.failures, probe, each)
    for (const each of notes) this.#add(this.notes, probe, each)
  }

  #add(list: Difference[], { operation, what, request }: Probe, { wrong, right, cause = wrong }: Fault): void {
    const id = `${operation.id}\n${cause}`
    const known = this.#known.get(id)
    if (known !== undefined) {
      known.times++
      return
    }
    const difference = {
      operation: operation.id,
      what,
      wrong: this.#hidden(wrong),
      right,
      curl: curlOf(request),
      times: 1
    }
    this.#known.set(id, difference)
    list.push(difference)
  }

  /** A response may contain the key of its request. */
  #hidden(text: string): string {
    return this.#key === '' ? text : text.replaceAll(this.#key, '$KEY')
  }
}
