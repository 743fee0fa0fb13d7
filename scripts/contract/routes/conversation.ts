import { NoResponse, type Request, type Response, send } from './client.ts'

export interface ConversationOptions {
  key?: string | undefined
  /** For each response. 5 seconds by default. */
  timeoutMs?: number
  /** For all responses together. 2 minutes by default. */
  totalMs?: number
  /** In total. 5,000 by default. */
  maxRequests?: number
}

// After this many requests in a row without a response, the server counts as gone.
const maxSilences = 3
// A longer `Retry-After` is not honoured.
const maxPauseMs = 5_000
const maxPauses = 3

/** All requests to a server, within limits. */
export class Conversation {
  readonly #options: Required<ConversationOptions>
  readonly #startedAt = Date.now()
  #sent = 0
  #silences = 0
  #end: string | undefined

  constructor(options: ConversationOptions) {
    this.#options = { key: undefined, timeoutMs: 5_000, totalMs: 120_000, maxRequests: 5_000, ...options }
  }

  get sent(): number {
    return this.#sent
  }

  /** Why no more requests are sent; undefined while more may be. */
  get end(): string | undefined {
    return this.#end
  }

  /**
   * The responses to a request: one, after any that asked to wait; none if no more requests are sent.
   * @throws NoResponse
   */
  async ask(request: Request): Promise<Response[]> {
    const responses: Response[] = []
    while (responses.length < maxPauses) {
      const leftMs = this.#startedAt + this.#options.totalMs - Date.now()
      if (leftMs <= 0) this.#end ??= `time limit of ${this.#options.totalMs} ms reached`
      if (this.#sent >= this.#options.maxRequests) this.#end ??= `limit of ${this.#sent} requests reached`
      if (this.#end !== undefined) return responses
      const response = await this.#send(request, Math.min(leftMs, this.#options.timeoutMs))
      responses.push(response)
      if (response.status !== 429) return responses
      const pauseMs = Number(response.headers['retry-after'] ?? 1) * 1000
      if (!(pauseMs <= maxPauseMs)) break
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
    this.#end = 'the server accepts no more requests for now'
    return responses
  }

  async #send(request: Request, timeoutMs: number): Promise<Response> {
    this.#sent++
    try {
      const response = await send(request, this.#options.key, timeoutMs)
      this.#silences = 0
      return response
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error
      this.#silences++
      if (error.isUnreachable || this.#silences === maxSilences)
        this.#end = `the server no longer responds: ${error.message}`
      throw error
    }
  }
}
