import { getHeapStatistics } from 'node:v8'
import type {} from '@fastify/under-pressure'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type ApiError, serviceUnavailable } from '../errors.ts'
import type { Store } from '../store/store.ts'
import { sendError } from './error-body.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The error to answer with if there is too much to do already. */
    overload?: (request: FastifyRequest) => ApiError | undefined
  }
}

export interface OverloadBounds {
  /** Connections that may be open; further ones are closed at once. */
  connections: number
  /** By how much the event loop may be late, on average between two samples. */
  delayMs: number
  heapBytes: number
  /** How long the heap may stay beyond that, though nothing new is taken in. */
  heapPatienceMs: number
  /** Writes that may wait for their commit. */
  pendingWrites: number
  /** How often delay and heap are looked at. The delay is measured every 10 ms, so that it has to be a multiple of that. */
  sampleMs: number
}

/**
 * What one process can take.
 *
 * Resident memory is no measure of that: the system's allocator keeps what it once had, so that a bound on it would
 * refuse for ever. What memory is needed for outside the heap grows with connections and their bodies, whose number
 * and size are bounded.
 */
export const processBounds = (connections: number): OverloadBounds => ({
  connections,
  // A request waits as long before it is read, and again for its commit. What the service does at one go by itself, a
  // full batch or a collection of the whole heap, is far from it on average.
  delayMs: 250,
  // The rest is for what has been accepted. V8's limit holds some 24 MB that are not for the old generation.
  heapBytes: 0.75 * getHeapStatistics().heap_size_limit,
  heapPatienceMs: 60_000,
  // Half a second's worth, and half of what the store takes: the other half is for writes whose bodies are on the way.
  pendingWrites: 5_000,
  sampleMs: 1_000
})

/**
 * Refuses new requests, before anything else is done with them, while there is too much to do already; those that were
 * accepted are finished. The plugin's own refusal would need an object more for each request that is not refused.
 */
export const overload = fp(async (app, { store, bounds }: { store: Store; bounds: OverloadBounds }) => {
  const { connections, delayMs, heapBytes, heapPatienceMs, pendingWrites } = bounds

  const toldAt = new Map<string, number>()
  const tell = (reason: string, figure: number) => {
    const now = performance.now()
    if (now - (toldAt.get(reason) ?? Number.NEGATIVE_INFINITY) < tellEveryMs) return
    toldAt.set(reason, now)
    app.serviceLog.warn({ [reason]: Math.round(figure) }, 'overloaded: what is new is refused')
  }

  app.server.maxConnections = connections
  app.server.on('drop', () => tell('connections', connections))

  let isHeapFullSince: number | undefined
  const endIfHeapStaysFull = () => {
    const now = performance.now()
    isHeapFullSince ??= now
    if (now - isHeapFullSince < heapPatienceMs) return
    isHeapFullSince = Number.POSITIVE_INFINITY
    // Uncaught, so that the process ends in order, and whoever watches over it starts another.
    setImmediate(() => {
      throw new Error('the heap stays full, though nothing new was taken in: something is kept that should not be')
    })
  }

  const judge = ({ method }: FastifyRequest): ApiError | undefined => {
    const { eventLoopDelay, heapUsed } = app.memoryUsage()
    if (heapUsed > heapBytes) {
      tell('heapBytes', heapUsed)
      endIfHeapStaysFull()
      return overloaded
    }
    isHeapFullSince = undefined
    if (eventLoopDelay > delayMs) {
      tell('eventLoopDelayMs', eventLoopDelay)
      return overloaded
    }
    // Reading goes on while writes wait.
    if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return undefined
    const { pending } = store.figures()
    if (pending <= pendingWrites) return undefined
    tell('pendingWrites', pending)
    return overloaded
  }

  app.decorate('overload', judge)
  app.addHook('onRequest', (request, reply, done) => {
    const refusal = judge(request)
    if (refusal === undefined) return done()
    // It is said on every answer of a deprecated operation; the hook that does so comes later.
    const deprecation = request.routeOptions.config.operation?.lifecycle.deprecation
    if (deprecation !== undefined) reply.headers(deprecation.headers)
    sendError(refusal, request, reply)
  })
})

// Made once, since it is wanted most when there is the least time for it. Who comes back after two seconds finds what
// has been measured a second later.
const overloaded = serviceUnavailable('The service has more to do than it can do now; try again.', 2)

const tellEveryMs = 60_000
