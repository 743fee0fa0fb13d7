import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { type ApiError, brokenOff, serviceUnavailable } from '../errors/api-error.ts'
import { Member, Ring } from '../node/ring.ts'
import { report } from '../observability/request-log.ts'

declare module 'fastify' {
  interface FastifyInstance {
    endings: Endings
  }
  interface FastifyRequest {
    /** Made on first use, by `endingOf`. */
    ending: Ending | undefined
  }
}

/** Signals for handlers, by `endingOf`. */
export const endings = fp(
  async app => {
    app.decorate('endings', new Endings())
    if (!app.hasRequestDecorator('ending')) app.decorateRequest('ending', undefined)
  },
  { name: 'endings' }
)

export const endingOf = ({ request, raw }: FastifyReply): Ending => {
  request.ending ??= request.server.endings.add(raw)
  return request.ending
}

/** Requests in progress that can be told that nobody waits for their result any more. */
export class Endings {
  readonly #open = new Ring<Ending>()
  #endEvents: ((ending: Ending) => void) | undefined

  add(raw: ServerResponse): Ending {
    const ending = new Ending(raw)
    const { req } = raw
    const { socket } = req
    const leave = () => {
      ending.abort(gone())
      if (ending.isOfEvents) ending.finish()
    }
    if (raw.writableEnded || raw.destroyed || socket.readableEnded) {
      leave()
      return ending
    }
    this.#open.add(ending)
    // A client that has ended its side may still read its response, but most have gone, and nothing else shows it.
    // Over HTTP/2, only its request would have ended.
    if (req.httpVersionMajor === 1) socket.once('end', leave)
    req.once('aborted', leave)
    raw.once('close', () => {
      socket.off('end', leave)
      ending.leave()
      if (!raw.writableFinished) leave()
    })
    return ending
  }

  /** Sends a body that its handler may still be making. An event stream has no end of its own. */
  send(reply: FastifyReply, body: Readable, isOfEvents: boolean): void {
    const ending = endingOf(reply)
    ending.follow(body, isOfEvents)
    body.once('error', error => {
      // Before that, it is an error like any other. An application that logs its requests itself logs this, too.
      if (reply.raw.headersSent && reply.request.fault === null && !ending.isCauseOf(error))
        report(reply.request, 'error', { err: error }, 'the response was broken off')
    })
    reply.send(body)
    if (!isOfEvents) return
    if (ending.signal.aborted) ending.finish()
    else this.#endEvents?.(ending)
  }

  /** The service closes: signals event streams, later ones too, and ends them after `graceMs`; other streams may go on. */
  endEvents(graceMs: number): void {
    this.#endEvents = ending => {
      ending.abort(closing())
      setTimeout(() => ending.finish(), graceMs).unref()
    }
    for (const ending of this.#open) if (ending.isOfEvents) this.#endEvents(ending)
  }

  /** The service is about to exit. */
  abortAll(): void {
    for (const ending of this.#open) ending.abort(closing())
  }

  /** Breaks off streams that are still open, so that clients notice what is missing. Returns how many there were. */
  breakOff(): number {
    const streams = [...this.#open].filter(ending => ending.breakOff())
    return streams.length
  }
}

/** Tells one request's handler when nobody waits for its result any more. */
export class Ending extends Member {
  readonly #raw: ServerResponse
  #controller: AbortController | undefined
  #reason: DOMException | undefined
  #body: Readable | undefined
  isOfEvents = false

  constructor(raw: ServerResponse) {
    super()
    this.#raw = raw
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#reason !== undefined) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }

  abort(reason: DOMException): void {
    this.#reason ??= reason
    this.#controller?.abort(this.#reason)
  }

  /** The response, if a handler threw this error because its signal was aborted. */
  responseTo(error: unknown): ApiError | undefined {
    return this.isCauseOf(error) ? (this.#reason?.cause as ApiError) : undefined
  }

  follow(body: Readable, isOfEvents: boolean): void {
    this.#body = body
    this.isOfEvents = isOfEvents
    // Runs before Fastify's own listener, which would break off the response.
    if (isOfEvents) body.once('error', error => this.isCauseOf(error) && this.finish())
  }

  /** Ends the response properly. */
  finish(): void {
    if (this.#raw.writableEnded) return
    this.#body?.unpipe(this.#raw)
    this.#raw.end()
  }

  /** Whether there was something to break off. */
  breakOff(): boolean {
    if (this.#body !== undefined) this.#raw.destroy()
    return this.#body !== undefined
  }

  /** The values up to the one for which nobody waits: Fastify would log the reason as an error. */
  async *untilAborted<T>(values: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* values
    } catch (error) {
      if (!this.isCauseOf(error)) throw error
    }
  }

  /** Whether the error only says that nobody waits any more. */
  isCauseOf(error: unknown): boolean {
    return this.#reason !== undefined && (error === this.#reason || (error as Error | null)?.cause === this.#reason)
  }
}

const gone = () => reasonOf(brokenOff())
const closing = () => reasonOf(serviceUnavailable('The service is shutting down; try again.'))
/** The handler did not return in time, and the client has its response. */
export const late = (): DOMException => new DOMException('The handler took too long.', 'TimeoutError')

const reasonOf = (cause: ApiError) => new DOMException(cause.message, { name: 'AbortError', cause })

/** Closes a stream that is not sent, and with it files and connections that it reads from. */
export const discard = (body: unknown): void => {
  if (body instanceof Readable) body.on('error', () => {}).destroy()
}
