import { NoResponse, type Request, type Response, send } from './client.ts'

export interface ConversationOptions {
  /** For each response. 5 seconds by default. */
  timeoutMs?: number
  /** For all responses together. 10 minutes by default. */
  totalMs?: number
  /** In total. 5,000 by default. */
  maxRequests?: number
}

// After this many requests in a row without a response, the server counts as gone.
const maxSilences = 3
// A longer `Retry-After` is not honoured.
const maxPauseMs = 5_000
const maxPauses = 3

export const conversationWith = ({
  timeoutMs = 5_000,
  totalMs = 600_000,
  maxRequests = 5_000
}: ConversationOptions) => {
  const startedAt = Date.now()
  let sent = 0
  let silences = 0
  let end: string | undefined

  const sendOnce = async (request: Request, timeoutMs: number): Promise<Response> => {
    sent++
    try {
      const response = await send(request, timeoutMs)
      silences = 0
      return response
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error
      silences++
      if (error.isUnreachable || silences === maxSilences) end = `the server no longer responds: ${error.message}`
      throw error
    }
  }

  return {
    get sent() {
      return sent
    },

    /** Why no more requests are sent; undefined while more may be. */
    get end() {
      return end
    },

    /**
     * The responses to a request: one, preceded by any 429 that asked to wait; none if no more requests are sent.
     * @throws NoResponse
     */
    async ask(request: Request): Promise<Response[]> {
      const responses: Response[] = []
      while (responses.length < maxPauses) {
        const leftMs = startedAt + totalMs - Date.now()
        if (leftMs <= 0) end ??= `time limit of ${totalMs} ms reached`
        if (sent >= maxRequests) end ??= `limit of ${sent} requests reached`
        if (end !== undefined) return responses
        const response = await sendOnce(request, Math.min(leftMs, timeoutMs))
        responses.push(response)
        if (response.status !== 429) return responses
        const pauseMs = Number(response.headers['retry-after'] ?? 1) * 1000
        if (!(pauseMs <= maxPauseMs)) break
        await new Promise(resolve => setTimeout(resolve, pauseMs))
      }
      end = 'the server accepts no more requests for now'
      return responses
    }
  }
}
