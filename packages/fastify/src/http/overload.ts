import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { serviceUnavailable } from '../errors/api-error.ts'
import { getOrMake } from '../node/get-or-make.ts'
import { onceAMinute, type ServiceLog } from '../observability/service-log.ts'
import { hookRoutes } from '../routing/route-hooks.ts'
import type { Clients } from '../security/clients.ts'
import type { Store } from '../store/store.ts'
import { sendError } from './error-body.ts'
import { FairShare } from './fair-share.ts'
import { addressOf } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Why the service is overloaded, while it refuses most requests or all writes. */
    overloadReason?: () => string | undefined
    /** From now on the request uses event-loop time, until `charge`. */
    beginCharging?: (request: FastifyRequest) => void
    /** The request stops using event-loop time; `charge` will charge the client for what it has used. */
    pauseCharging?: (request: FastifyRequest) => void
    /** Charges the client for event-loop time not charged yet. */
    charge?: (request: FastifyRequest) => void
    /** Whether the client may use more time, now that it is authenticated. */
    mayContinue?: (request: FastifyRequest) => boolean
  }
  interface FastifyRequest {
    /** Event-loop time that the request has used. */
    costMs: number
    /** The part of it that no client has been charged for. */
    unchargedMs: number
    /** Since when it has been using more; 0 if it is not. */
    begunMs: number
    /** Which client was charged in advance, and for how much. */
    admittedAs: string | undefined
    expectedMs: number
  }
}

export interface OverloadBounds {
  /** How late a turn of the event loop may be because of the process's own work. */
  delayMs: number
  heapBytes: number
  /** How long live data may exceed that, although no new request is accepted. */
  heapPatienceMs: number
  /** Writes that may wait for their commit. */
  pendingWrites: number
  /** How often the heap is sampled. */
  sampleMs: number
}

/**
 * What one process can handle.
 *
 * Resident memory is not bounded: the allocator keeps what it once had, so the service would refuse requests for ever.
 * Memory outside the heap grows with connections and bodies, whose number and size are bounded.
 */
export const processBounds = (): OverloadBounds => ({
  // A request may wait that long to be read, and again for its commit. Neither a full batch nor a full garbage collection
  // takes that long twice in a row.
  delayMs: 250,
  // The rest is for requests in progress. V8's limit includes some 24 MB outside the old generation.
  heapBytes: 0.75 * getHeapStatistics().heap_size_limit,
  heapPatienceMs: 60_000,
  // Half a second's worth, and half of what the store accepts: the rest is for writes whose bodies are on their way.
  pendingWrites: 5_000,
  sampleMs: 1_000
})

/**
 * Refuses new requests while the service is overloaded; accepted ones are finished. Load is measured once it listens.
 *
 * (`@fastify/under-pressure` refuses all clients for what one does, mistakes start-up or suspension for load, and reads the
 * resident memory at each sample, which crashes the process when no more files can be opened.)
 */
export const overload = fp(
  async (app, { store, bounds, clients }: OverloadOptions) => {
    const { fairShare, delay, heap } = measure(app, bounds, clients)
    chargeClients(app, fairShare)
    const warn = overloadWarning(app.serviceLog)
    const isFull = () => heap.used > bounds.heapBytes
    const hasTooManyWrites = () => store.figures().pending > bounds.pendingWrites

    const admit = (request: FastifyRequest, client: string): boolean => {
      const expectedMs = fairShare.admit(client)
      if (expectedMs === undefined) {
        warn('eventLoopDelayMs', delay.longestMs, { client })
        return false
      }
      request.admittedAs = client
      request.expectedMs = expectedMs
      return true
    }
    /** If so, logs why. */
    const isRefused = (request: FastifyRequest): boolean => {
      if (isFull()) {
        warn('heapBytes', heap.used)
        return true
      }
      if (fairShare.isLimiting && !admit(request, clients.idOf(request) ?? addressOf(request))) return true
      // Too many writes do not concern reads.
      if (reading.has(request.method) || !hasTooManyWrites()) return false
      warn('pendingWrites', store.figures().pending)
      return true
    }
    app.addHook('onRequest', (request, reply, done) => {
      if (!isRefused(request)) return done()
      // Every response of a deprecated operation has these headers; the hook that sets them comes later.
      const deprecation = request.routeOptions.config.operation?.lifecycle.deprecation
      if (deprecation !== undefined) reply.headers(deprecation.headers)
      sendError(overloaded, request, reply)
    })
    // A credential not seen before was admitted by its address. Judged again now that the client is known, since otherwise a
    // client could evade its limit with a new credential for each request.
    app.decorate('mayContinue', request => {
      if (request.admittedAs === undefined) return true
      const client = clientOf(request)
      if (request.admittedAs === client) return true
      fairShare.charge(request.admittedAs, -request.expectedMs, 0)
      return admit(request, client)
    })
    app.decorate('overloadReason', () => {
      if (isFull()) return 'the heap is full'
      if (fairShare.refusesMost) return 'the event loop is late'
      return hasTooManyWrites() ? 'too many writes are waiting' : undefined
    })
  },
  { name: 'overload', dependencies: ['error-body'] }
)

interface OverloadOptions {
  store: Store
  bounds: OverloadBounds
  clients: Clients
}

/** Who is charged: the client by its credentials, if these are valid, otherwise its address. */
const clientOf = (request: FastifyRequest): string => request.keyId ?? addressOf(request)

/** Measures the load while the service listens. */
const measure = (app: FastifyInstance, bounds: OverloadBounds, clients: Clients) => {
  const fairShare = new FairShare()
  const delay = new LoopDelay()
  const heap = new HeapUse(bounds)
  const timers: NodeJS.Timeout[] = []
  const sampleDelay = () => {
    const { elapsedMs, lateMs } = delay.sample()
    fairShare.sample(elapsedMs, lateMs / bounds.delayMs)
    clients.age(elapsedMs)
  }
  app.addHook('onListen', async () => {
    delay.begin()
    heap.begin()
    timers.push(
      setInterval(sampleDelay, delaySampleMs).unref(),
      setInterval(() => heap.sample(), bounds.sampleMs).unref()
    )
  })
  app.addHook('onClose', async () => {
    timers.forEach(clearInterval)
    heap.close()
  })
  return { fairShare, delay, heap }
}

/** Charges clients with the time that their requests take. */
const chargeClients = (app: FastifyInstance, fairShare: FairShare) => {
  app.decorateRequest('costMs', 0)
  app.decorateRequest('unchargedMs', 0)
  app.decorateRequest('begunMs', 0)
  app.decorateRequest('admittedAs', undefined)
  app.decorateRequest('expectedMs', 0)
  app.decorate('beginCharging', request => {
    request.begunMs = performance.now()
  })
  const pause = (request: FastifyRequest) => {
    if (request.begunMs === 0) return
    const ms = performance.now() - request.begunMs
    request.begunMs = 0
    request.costMs += ms
    request.unchargedMs += ms
  }
  app.decorate('pauseCharging', pause)
  app.decorate('charge', request => {
    pause(request)
    const { unchargedMs, costMs, expectedMs, admittedAs } = request
    if (unchargedMs === 0) return
    const client = clientOf(request)
    if (expectedMs !== 0) fairShare.charge(admittedAs ?? client, -expectedMs, 0)
    fairShare.charge(client, unchargedMs, costMs)
    request.unchargedMs = 0
    request.expectedMs = 0
  })
}

/** Charges for validation and handler. The key check is left out: it may be asynchronous, and other requests run meanwhile. */
export const charging = fp(
  async app => {
    const begin: onRequestHookHandler = (request, reply, done) => {
      if (app.mayContinue?.(request) === false) return sendError(overloaded, request, reply)
      app.beginCharging?.(request)
      done()
    }
    hookRoutes(app, ({ config }) => (config?.operation === undefined ? undefined : begin))
  },
  { name: 'charging', dependencies: ['overload', 'auth'] }
)

const reading = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY'])

const delaySampleMs = 100

/**
 * How late the event loop is because of the process's own work. Time in which the process did not run does not count: it
 * was suspended, other processes had the CPU, or it waited for the disk.
 */
class LoopDelay {
  /** The longest delay since `begin`. */
  longestMs = 0
  #atMs = 0
  #ranMs = 0

  begin(): void {
    this.#atMs = performance.now()
    this.#ranMs = mainThreadMs()
  }

  sample(): { elapsedMs: number; lateMs: number } {
    const [atMs, ranMs] = [performance.now(), mainThreadMs()]
    const elapsedMs = atMs - this.#atMs
    const lateMs = Math.min(elapsedMs - delaySampleMs, ranMs - this.#ranMs)
    this.#atMs = atMs
    this.#ranMs = ranMs
    this.longestMs = Math.max(this.longestMs, lateMs)
    return { elapsedMs, lateMs }
  }
}

const mainThreadMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Live data: what V8's last full collection left in the heap. V8 starts the next one at most halfway to the limit, so the
 * fuller the heap, the more often it collects.
 */
class HeapUse {
  /** In bytes; 0 if the last collection is too long ago to justify refusing requests. */
  used = 0
  readonly #bounds: OverloadBounds
  readonly #observer: PerformanceObserver
  #samplesSinceCollection = Number.POSITIVE_INFINITY
  // Counted in samples: a clock would go on while the process is suspended.
  #samplesFull = 0

  constructor(bounds: OverloadBounds) {
    this.#bounds = bounds
    this.#observer = new PerformanceObserver(list => {
      const collections = list.getEntries() as unknown as { detail: { kind: number } }[]
      if (!collections.some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR)) return
      this.used = getHeapStatistics().used_heap_size
      this.#samplesSinceCollection = 0
    })
  }

  begin(): void {
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  close(): void {
    this.#observer.disconnect()
  }

  /** @throws Error if the heap stays full */
  sample(): void {
    const { heapBytes, heapPatienceMs, sampleMs } = this.#bounds
    const isCollected = this.#samplesSinceCollection === 0
    if (isCollected && this.used <= heapBytes) {
      this.#samplesFull = 0
    } else if (isCollected && this.#samplesFull * sampleMs >= heapPatienceMs) {
      this.#samplesFull = 0
      // Uncaught: the process shuts down in order, for its supervisor to restart.
      throw new Error('the heap stays full although new requests were refused: probably a memory leak')
    } else if (isCollected || this.#samplesFull > 0) {
      this.#samplesFull++
    }
    // While no request is accepted, V8 has no reason to collect, so the figure would never change.
    if (++this.#samplesSinceCollection > samplesRefused) this.used = 0
  }
}

const samplesRefused = 5

// Made once, since time is scarce when it is needed. There is a new sample before the two seconds are over.
const overloaded = serviceUnavailable('The service is overloaded; try again.', 2)

/** Warns of each kind of overload at most once a minute. */
export const overloadWarning = (log: ServiceLog) => {
  const mayWarn = new Map<string, () => boolean>()
  return (
    reason: string,
    figure: number,
    more: object = {},
    message = 'overloaded: new requests are refused'
  ): void => {
    if (getOrMake(mayWarn, reason + message, onceAMinute)())
      log.warn({ [reason]: Math.round(figure), ...more }, message)
  }
}
