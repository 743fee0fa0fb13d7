import fp from 'fastify-plugin'

/** Timeouts of handlers and verifiers. */
export const deadlines = fp(
  async (app, { handlerMs }: { handlerMs: number }) => {
    const handlerDeadlines = new Deadlines(handlerMs)
    app.decorate('handlerDeadlines', handlerDeadlines)
    app.addHook('onClose', async () => handlerDeadlines.close())
  },
  { name: 'deadlines' }
)

/** Timeouts of `ms` to twice that. All share a timer: one for each would cost a request several times as much. */
export class Deadlines {
  #recent = new Deadline()
  #old = new Deadline()
  readonly #timer: NodeJS.Timeout

  constructor(ms: number) {
    this.#timer = setInterval(() => this.#expire(), ms).unref()
  }

  add(expire: () => void): Deadline {
    return new Deadline(expire, this.#recent)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #expire(): void {
    const expired = this.#old
    this.#old = this.#recent
    this.#recent = new Deadline()
    for (let next = expired.next; next !== expired; next = expired.next) next.expire()
  }
}

/**
 * A node of a circular list. Not an entry of a Set: the tables that a Set has outgrown stay linked, each to the next. Once one
 * of them has become old, minor garbage collections free none of the later ones, nor the requests that they hold.
 */
export class Deadline {
  #expire: (() => void) | undefined
  #previous: Deadline = this
  #next: Deadline = this

  constructor(expire?: () => void, ring?: Deadline) {
    this.#expire = expire
    if (ring === undefined) return
    this.#previous = ring.#previous
    this.#next = ring
    this.#previous.#next = this
    ring.#previous = this
  }

  get next(): Deadline {
    return this.#next
  }

  expire(): void {
    const expire = this.#expire
    if (this.remove()) expire?.()
  }

  /** Whether it had not expired. */
  remove(): boolean {
    if (this.#expire === undefined) return false
    this.#previous.#next = this.#next
    this.#next.#previous = this.#previous
    this.#expire = undefined
    this.#previous = this
    this.#next = this
    return true
  }
}
