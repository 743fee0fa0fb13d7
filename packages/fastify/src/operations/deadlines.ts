import fp from 'fastify-plugin'
import { Member, Ring } from '../node/ring.ts'

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
  #recent = new Ring<Deadline>()
  #old = new Ring<Deadline>()
  readonly #timer: NodeJS.Timeout

  constructor(ms: number) {
    this.#timer = setInterval(() => this.#expire(), ms).unref()
  }

  add(expire: () => void): Deadline {
    const deadline = new Deadline(expire)
    this.#recent.add(deadline)
    return deadline
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #expire(): void {
    const expired = this.#old
    this.#old = this.#recent
    this.#recent = new Ring()
    for (let next = expired.first; next !== undefined; next = expired.first) next.expire()
  }
}

export class Deadline extends Member {
  #expire: (() => void) | undefined

  constructor(expire: () => void) {
    super()
    this.#expire = expire
  }

  expire(): void {
    const expire = this.#expire
    if (this.remove()) expire?.()
  }

  /** Whether it had not expired. */
  remove(): boolean {
    if (this.#expire === undefined) return false
    this.#expire = undefined
    this.leave()
    return true
  }
}
