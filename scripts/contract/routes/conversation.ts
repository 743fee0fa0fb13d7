import { type Answer, NoAnswer, type Request, send } from './client.ts'

export interface ConversationOptions {
  key: string | undefined
  /** For each answer. */
  timeoutMs: number
  /** For all of them. */
  totalMs: number
  maxRequests: number
}

// So many in a row, and nobody is there any more.
const mostSilences = 3
// Longer ones are not waited for.
const longestPauseMs = 5_000
const mostPauses = 3

/** All that is said to a server, within bounds. */
export class Conversation {
  readonly #options: ConversationOptions
  readonly #startedAt = Date.now()
  #sent = 0
  #silences = 0
  #end: string | undefined

  constructor(options: ConversationOptions) {
    this.#options = options
  }

  /** Requests so far. */
  get sent(): number {
    return this.#sent
  }

  /** Why nothing more is sent; undefined as long as there may be more. */
  get end(): string | undefined {
    return this.#end
  }

  /**
   * The answers to a request: one, and others before it that asked to wait; none when nothing more is sent.
   * @throws NoAnswer
   */
  async ask(request: Request): Promise<Answer[]> {
    const answers: Answer[] = []
    while (answers.length < mostPauses) {
      const leftMs = this.#startedAt + this.#options.totalMs - Date.now()
      if (leftMs <= 0) this.#end ??= `the time is over, ${this.#options.totalMs} ms`
      if (this.#sent >= this.#options.maxRequests) this.#end ??= `${this.#sent} requests were sent, as many as may be`
      if (this.#end !== undefined) return answers
      const answer = await this.#send(request, Math.min(leftMs, this.#options.timeoutMs))
      answers.push(answer)
      if (answer.status !== 429) return answers
      const pauseMs = Number(answer.headers['retry-after'] ?? 1) * 1000
      if (!(pauseMs <= longestPauseMs)) break
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
    this.#end = 'the server takes no more requests for now'
    return answers
  }

  async #send(request: Request, timeoutMs: number): Promise<Answer> {
    this.#sent++
    try {
      const answer = await send(request, this.#options.key, timeoutMs)
      this.#silences = 0
      return answer
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      this.#silences++
      if (error.isUnreachable || this.#silences === mostSilences)
        this.#end = `the server answers no more: ${error.message}`
      throw error
    }
  }
}
