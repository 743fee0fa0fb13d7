import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Test } from 'tap'
import type { Server } from '../start-server.ts'
import { allPets } from './observed-service.ts'

/** What happened to one request. */
interface Outcome {
  what: 'create' | 'get' | 'list' | 'ready'
  sentMs: number
  /** When the response arrived, or the request failed. */
  atMs: number
  /** 0 if there was no response. */
  status: number
}

const creators = 8
// Leaves processor time to the nodes and the database.
const pauseMs = 5
const retryMs = 20

/**
 * Clients of one or several nodes. Some create animals, each with its own idempotency key, and repeat each create, on any
 * node, until it is acknowledged; others read acknowledged animals, and check whether the nodes are ready.
 */
export class RetryingClients {
  readonly outcomes: Outcome[] = []
  /** The id of each animal that was ever acknowledged, by name. */
  readonly acknowledged: Map<string, number>
  readonly wrong: string[] = []
  /** May change while the clients run. */
  readonly nodes: Server[]
  readonly #key: string
  readonly #work: Promise<unknown>
  /** Distinguishes the animals of these clients from those of earlier ones. */
  readonly #round: number
  #isOver = false
  #last = 0

  constructor(t: Test, nodes: readonly Server[], acknowledged = new Map<string, number>()) {
    this.nodes = [...nodes]
    this.acknowledged = acknowledged
    this.#round = acknowledged.size
    this.#key = nodes[0]?.key as string
    t.teardown(() => {
      this.#isOver = true
    })
    this.#work = Promise.all([
      ...Array.from({ length: creators }, (_, number) => this.#create(number)),
      this.#read(),
      this.#probe()
    ])
  }

  /** Resolves once this many more creates have been acknowledged. */
  async created(count: number): Promise<void> {
    const until = this.acknowledged.size + count
    while (this.acknowledged.size < until) await delay(5)
  }

  /** The outcomes between two moments. */
  within(beganMs: number, endedMs: number): Outcome[] {
    return this.outcomes.filter(({ atMs }) => atMs >= beganMs && atMs <= endedMs)
  }

  /**
   * How many milliseconds after a moment requests of every kind had succeeded, and how many after it the last one
   * failed. Resolves once they have succeeded and further requests have been sent.
   */
  async recovered(sinceMs: number): Promise<{ successMs: number; lastFailureMs: number }> {
    const kinds = ['create', 'get', 'list', 'ready']
    const first = (kind: string) =>
      this.outcomes.find(each => each.atMs >= sinceMs && each.what === kind && isSuccess(each))?.atMs ??
      Number.POSITIVE_INFINITY
    while (!Number.isFinite(Math.max(...kinds.map(first)))) await delay(5)
    await this.created(40)
    await delay(200)
    const failures = this.outcomes.filter(each => each.atMs >= sinceMs && !isSuccess(each))
    return {
      successMs: Math.max(...kinds.map(first)) - sinceMs,
      lastFailureMs: Math.max(0, ...failures.map(({ atMs }) => atMs - sinceMs))
    }
  }

  /** Waits until every create is acknowledged, and compares them with what is stored. */
  async end(t: Test): Promise<void> {
    this.#isOver = true
    await this.#work
    const found = await allPets({ ...(this.nodes[0] as Server), key: this.#key })
    const stored = new Map(found.map(({ name, id }) => [name, id]))
    for (const [name, id] of this.acknowledged)
      if (stored.get(name) !== id) this.wrong.push(`${name} was acknowledged as ${id}, and is ${stored.get(name)}`)
    if (stored.size !== found.length) this.wrong.push(`${found.length - stored.size} names are stored twice`)
    found.forEach(({ id }, index) => {
      if (id <= (found[index - 1]?.id ?? 0)) this.wrong.push(`${id} is not greater than the id before it`)
    })
    const statuses = new Map<string, number>()
    for (const { what, status } of this.outcomes)
      statuses.set(`${what} ${status}`, (statuses.get(`${what} ${status}`) ?? 0) + 1)
    const longest = Math.max(...this.outcomes.map(({ sentMs, atMs }) => atMs - sentMs))
    t.comment(`${this.acknowledged.size} acknowledged, ${found.length} found; ${JSON.stringify([...statuses])}`)
    t.comment(`the longest request took ${longest.toFixed(0)} ms`)
    t.strictSame(this.wrong.slice(0, 10), [], `of ${this.wrong.length} wrong`)
    t.equal(found.length, this.acknowledged.size, 'no animal is stored without a response')
  }

  async #create(number: number): Promise<void> {
    for (let i = 0; !this.#isOver; i++) {
      const name = `${this.#round}/${number}/${i}`
      const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
      const init = { method: 'POST', headers, body: JSON.stringify({ name, categoryId: 7 }) }
      for (let attempt = 0; ; attempt++) {
        const { status, text } = await this.#send('create', '/pets', number + attempt, init)
        if (status === 201) {
          const pet = JSON.parse(text)
          if (pet.name !== name) this.wrong.push(`${name} got ${text}`)
          this.acknowledged.set(name, pet.id)
          this.#last = pet.id
          break
        }
        await delay(retryMs)
      }
      await delay(pauseMs)
    }
  }

  async #read(): Promise<void> {
    for (let i = 0; !this.#isOver; i++) {
      if (this.#last > 0) {
        const id = this.#last
        const { status, text } = await this.#send('get', `/pets/${id}`, i)
        if (status === 200 && JSON.parse(text).id !== id) this.wrong.push(`get ${id}: ${text}`)
      }
      // Before the list: a create may be acknowledged meanwhile.
      const hasAny = this.#last > 0
      const { status, text } = await this.#send('list', '/pets?limit=1', i + 1)
      if (status === 200 && hasAny && JSON.parse(text)[0]?.id === undefined) this.wrong.push(`list: ${text}`)
      await delay(pauseMs)
    }
  }

  async #probe(): Promise<void> {
    for (let i = 0; !this.#isOver; i++) {
      await this.#send('ready', '/readyz', i)
      await delay(pauseMs * 4)
    }
  }

  async #send(what: Outcome['what'], path: string, number: number, init: RequestInit = {}) {
    const { origin, operators } = this.nodes[number % this.nodes.length] as Server
    const sentMs = performance.now()
    const note = (status: number, text = '') => {
      this.outcomes.push({ what, sentMs, atMs: performance.now(), status })
      return { status, text }
    }
    try {
      const headers = { ...init.headers, authorization: `Bearer ${this.#key}` }
      const response = await fetch(what === 'ready' ? operators + path : `${origin}/v1${path}`, { ...init, headers })
      const { status } = response
      const text = await response.text()
      // While the first create with its key is in progress, there is a 409.
      const isExpected =
        status === 503 || status === (what === 'create' ? 201 : 200) || (what === 'create' && status === 409)
      if (!isExpected) this.wrong.push(`${what} ${path}: ${status} ${text}`)
      if (status >= 400 && isExpected && response.headers.get('retry-after') === null)
        this.wrong.push(`${what}: ${status} without Retry-After`)
      return note(status, text)
    } catch {
      return note(0)
    }
  }
}

const isSuccess = ({ status }: Outcome): boolean => status === 200 || status === 201
