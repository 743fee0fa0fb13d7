import type { Operation } from '@contract-first/check/internals'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { type Reply, repliesOf } from './replies.ts'
import { type Call, Requests, type RequestsOptions, type WrongCall } from './requests.ts'
import type { CallsMade } from './trial.ts'
import { type Received, shown, type Verdicts } from './verdicts.ts'

/** The service, with handlers that record their input, and return what they are told to. */
export interface Stage {
  app: FastifyInstance
  returns(reply: Reply): void
  /** The inputs of handlers, and the errors that the service logged, since the last call. */
  events(): { received: Received[]; reasons: string }
}

export interface Subject {
  operation: Operation
  operationId: string
}

/** Calls operations, and counts the results that conform to the contract. */
export class Calls {
  readonly made: CallsMade = {
    called: { ok: 0, all: 0 },
    rejected: { ok: 0, all: 0 },
    examples: { ok: 0, all: 0 },
    unfit: [],
    untried: [],
    failures: []
  }
  /** What handlers have returned, by operation. */
  readonly replies = new Map<string, readonly Reply[]>()
  readonly #stage: Stage
  readonly #options: RequestsOptions
  readonly #verdicts: Verdicts

  constructor(stage: Stage, options: RequestsOptions, verdicts: Verdicts) {
    this.#stage = stage
    this.#options = options
    this.#verdicts = verdicts
  }

  async exercise(subject: Subject): Promise<void> {
    const requests = new Requests(this.#options, subject.operation)
    await this.#allow(subject, requests)
    for (const call of requests.invalid()) this.#count('rejected', await this.#isRejected(subject, call))
    const open = requests.withoutCredentials()
    if (open !== undefined) this.#count('rejected', await this.#isRejected(subject, open))
  }

  /** Sends every valid request, and returns every response, at least once. */
  async #allow(subject: Subject, requests: Requests): Promise<void> {
    const { document, samples } = this.#options
    const calls = requests.valid()
    const replies = repliesOf(document, samples, subject.operation)
    if (typeof calls === 'string' || replies.length === 0) {
      const reason = typeof calls === 'string' ? calls : 'no response can be made'
      this.made.untried.push(`${subject.operation.id}: ${reason}`)
      return
    }
    this.replies.set(subject.operationId, replies)
    const examples = new Map<string, boolean>()
    const note = (place: string, isOk: boolean) => examples.set(place, isOk && examples.get(place) !== false)
    const before = this.made.failures.length
    for (let index = 0; index < Math.max(calls.length, replies.length); index++) {
      const call = calls[index % calls.length] as Call
      const reply = replies[index % replies.length] as Reply
      const { isReceived, isReturned } = await this.#call(subject, call, reply)
      for (const each of call.examples) note(each, isReceived)
      if (isReceived && reply.example !== undefined) note(reply.example, isReturned)
    }
    for (const isOk of examples.values()) this.#count('examples', isOk)
    this.#count('called', this.made.failures.length === before)
  }

  async #call({ operation, operationId }: Subject, call: Call, reply: Reply) {
    this.#stage.returns(reply)
    const response = await this.#inject(call)
    const { received, reasons } = this.#stage.events()
    const lost = this.#verdicts.ofInput(operation, operationId, call, received)
    if (lost !== undefined) {
      const instead = received.length === 0 ? `: ${response.statusCode} ${reasons || shown(response.payload)}` : ''
      this.#fail(operation, call, lost + instead)
      return { isReceived: false, isReturned: false }
    }
    const spoiled = this.#verdicts.ofReply(reply, response, reasons)
    if (spoiled !== undefined) this.#fail(operation, call, spoiled)
    return { isReceived: true, isReturned: spoiled === undefined }
  }

  async #isRejected({ operation, operationId }: Subject, call: WrongCall): Promise<boolean> {
    const response = await this.#inject(call)
    const { received, reasons } = this.#stage.events()
    // With another value, the path may be that of another operation.
    if (received.length > 0 && received.every(each => each.operationId !== operationId)) return true
    const accepted = this.#verdicts.ofRejection(operation, call, response, received.length > 0, reasons)
    if (accepted !== undefined) this.#fail(operation, call, accepted)
    return accepted === undefined
  }

  #inject({ method, url, headers, payload }: Call) {
    return this.#stage.app.inject({
      method: method as NonNullable<InjectOptions['method']>,
      url,
      headers,
      ...(payload !== undefined && { payload })
    })
  }

  #count(what: 'called' | 'rejected' | 'examples', isOk: boolean) {
    this.made[what].all++
    if (isOk) this.made[what].ok++
  }

  fail({ id }: Operation, what: string): void {
    this.made.failures.push({ operation: id, what })
  }

  #fail(operation: Operation, { what, url, payload }: Call, wrong: string) {
    const sent = `${shown(url)}${payload === undefined ? '' : ` with ${shown(payload)}`}`
    this.fail(operation, `${what} ${wrong}; sent: ${sent}`)
  }
}
