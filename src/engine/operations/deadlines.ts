/** Timeouts of `ms` to twice that. One timer for all: one for each would cost a request several times as much. */
export class Deadlines {
  #waiting = new Set<() => void>()
  #old = new Set<() => void>()
  readonly #timer: NodeJS.Timeout

  constructor(ms: number) {
    this.#timer = setInterval(() => this.#expire(), ms).unref()
  }

  add(expire: () => void): void {
    this.#waiting.add(expire)
  }

  /** Whether it had not expired. */
  remove(expire: () => void): boolean {
    return this.#waiting.delete(expire) || this.#old.delete(expire)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #expire(): void {
    const expired = this.#old
    this.#old = this.#waiting
    this.#waiting = new Set()
    for (const expire of expired) expire()
  }
}
