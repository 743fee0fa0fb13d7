import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type ApiError, serviceUnavailable } from '../errors.ts'
import type { Store } from '../store/store.ts'
import { sendError } from './error-body.ts'
import type { ServiceLog } from './service-log.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The error to answer with if there is too much to do already. */
    overload?: (request: FastifyRequest) => ApiError | undefined
  }
}

export interface OverloadBounds {
  /** By how much the event loop may be late, on average between two samples. */
  delayMs: number
  heapBytes: number
  /** How long the heap may stay beyond that, though nothing new is taken in. */
  heapPatienceMs: number
  /** Writes that may wait for their commit. */
  pendingWrites: number
  /** How often delay and heap are looked at; a multiple of the 10 ms in which the delay is measured. */
  sampleMs: number
}

/**
 * What one process can take.
 *
 * Resident memory is no measure of that: the system's allocator keeps what it once had, so that a bound on it would
 * refuse for ever. What memory is needed for outside the heap grows with connections and their bodies, whose number
 * and size are bounded.
 */
export const processBounds = (): OverloadBounds => ({
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
 * accepted are finished. (`@fastify/under-pressure` asks the system for the resident memory with each sample, and where
 * no file can be opened any more, that ends the process: clients could do so by connecting alone.)
 */
export const overload = fp(async (app, { store, bounds }: { store: Store; bounds: OverloadBounds }) => {
  const { delayMs, heapBytes, heapPatienceMs, pendingWrites, sampleMs } = bounds

  const tell = overloadTeller(app.serviceLog)
  const delays = monitorEventLoopDelay({ resolution: delayResolutionMs })
  delays.enable()
  // As of the last sample, like all of these.
  let eventLoopDelayMs = 0
  const sampleDelay = () => {
    // Without any, the loop has stood still since the last sample.
    eventLoopDelayMs = delays.count === 0 ? sampleMs : delays.mean / 1e6 - delayResolutionMs
    delays.reset()
  }

  // Garbage lies about until V8 needs its room, after a peak for as long as there is little to
  // do, so that a heap is full only if it still is after a collection.
  let heapUsed = 0
  let samplesSinceCollection = Number.POSITIVE_INFINITY
  // Counted, as a clock goes on while the process is stopped.
  let samplesFull = 0
  const sampleHeap = () => {
    heapUsed = getHeapStatistics().used_heap_size
    samplesSinceCollection++
    if (heapUsed > heapBytes && samplesSinceCollection >= samplesPerCollection) {
      collectGarbage()
      samplesSinceCollection = 0
      heapUsed = getHeapStatistics().used_heap_size
    }
    if (heapUsed <= heapBytes) {
      samplesFull = 0
    } else if (samplesFull * sampleMs >= heapPatienceMs && samplesSinceCollection === 0) {
      clearInterval(timer)
      // Uncaught, so that the process ends in order, and whoever watches over it starts another.
      throw new Error('the heap stays full, though nothing new was taken in: something is kept that should not be')
    } else {
      samplesFull++
    }
  }
  const timer = setInterval(() => {
    sampleDelay()
    sampleHeap()
  }, sampleMs).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    delays.disable()
  })

  const judge = ({ method }: FastifyRequest): ApiError | undefined => {
    if (heapUsed > heapBytes) {
      tell('heapBytes', heapUsed)
      return overloaded
    }
    if (eventLoopDelayMs > delayMs) {
      tell('eventLoopDelayMs', eventLoopDelayMs)
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

/** Says what there is too much of, of each kind once a minute. */
export const overloadTeller = (log: ServiceLog) => {
  const toldAt = new Map<string, number>()
  return (reason: string, figure: number): void => {
    const now = performance.now()
    if (now - (toldAt.get(reason) ?? Number.NEGATIVE_INFINITY) < tellEveryMs) return
    toldAt.set(reason, now)
    log.warn({ [reason]: Math.round(figure) }, 'overloaded: what is new is refused')
  }
}

const tellEveryMs = 60_000

const delayResolutionMs = 10

// At least; a collection of a full heap holds up everything for some 200 ms.
const samplesPerCollection = 5

const collectGarbage = (): void => {
  // For this moment alone: with other flags V8 takes no compiled code from the cache.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  collect()
}
