import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type ApiError, serviceUnavailable } from '../errors.ts'
import type { ServiceLog } from '../observability/service-log.ts'
import { digestOf, keyIdOf } from '../operations/api-key.ts'
import type { Store } from '../store/store.ts'
import { sendError } from './error-body.ts'
import { FairShare } from './fair-share.ts'
import { addressOf } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The error to answer with if there is too much to do already. */
    overload?: (request: FastifyRequest) => ApiError | undefined
    /** What there is too much of while most requests, or all that write, are refused for it. */
    overloadReason?: () => string | undefined
    /** Adds the time since a request was begun to be validated, or since `begunMs`, to what its client has used of the event loop. */
    spend?: (request: FastifyRequest, begunMs?: number) => void
  }
  interface FastifyRequest {
    /** What it has used of the event loop's time. */
    costMs: number
    /** When it was begun to be validated. */
    begunMs: number
    /** What was counted for it in advance. */
    expectedMs: number
  }
}

export interface OverloadBounds {
  /** By how much a turn of the event loop may be late for what the process itself does. */
  delayMs: number
  heapBytes: number
  /** How long the heap may stay beyond that, though nothing new is taken in. */
  heapPatienceMs: number
  /** Writes that may wait for their commit. */
  pendingWrites: number
  /** How often the heap is looked at. */
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
  // full batch or a collection of the whole heap, is not as long twice in a row.
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
 * accepted are finished. What it goes by is measured from when the service listens.
 *
 * (`@fastify/under-pressure` refuses all clients for what one does, takes a start or a suspension for load, and asks the
 * system for the resident memory with each sample: where no file can be opened any more, that ends the process.)
 */
export const overload = fp(async (app, { store, bounds }: { store: Store; bounds: OverloadBounds }) => {
  const { heapBytes, pendingWrites } = bounds
  const tell = overloadTeller(app.serviceLog)
  const fairShare = new FairShare()
  const delay = new LoopDelay()
  const heap = new HeapUse(bounds)
  const timers: NodeJS.Timeout[] = []
  app.addHook('onListen', async () => {
    delay.begin()
    heap.begin()
    timers.push(
      setInterval(() => {
        const { elapsedMs, lateMs } = delay.sample()
        fairShare.sample(elapsedMs, lateMs / bounds.delayMs)
      }, delaySampleMs).unref(),
      setInterval(() => heap.sample(), bounds.sampleMs).unref()
    )
  })
  app.addHook('onClose', async () => {
    timers.forEach(clearInterval)
    heap.close()
  })

  app.decorateRequest('costMs', 0)
  app.decorateRequest('expectedMs', 0)
  app.decorateRequest('begunMs', 0)
  app.addHook('preValidation', (request, _reply, done) => {
    request.begunMs = performance.now()
    done()
  })
  app.decorate('spend', (request, begunMs = request.begunMs) => {
    const ms = performance.now() - begunMs
    request.costMs += ms
    fairShare.spend(request.keyId ?? addressOf(request), ms - request.expectedMs, request.costMs)
    request.expectedMs = 0
  })

  const writesTooMuch = () => store.figures().pending > pendingWrites
  const judge = (request: FastifyRequest): ApiError | undefined => {
    if (heap.used > heapBytes) {
      tell('heapBytes', heap.used)
      return overloaded
    }
    if (fairShare.isLimiting) {
      const client = clientOf(request, fairShare)
      const expectedMs = fairShare.admit(client)
      if (expectedMs === undefined) {
        tell('eventLoopDelayMs', delay.longestMs, { client })
        return overloaded
      }
      request.expectedMs = expectedMs
    }
    // Reading goes on while writes wait.
    if (reading.has(request.method) || !writesTooMuch()) return undefined
    tell('pendingWrites', store.figures().pending)
    return overloaded
  }
  app.decorate('overload', judge)
  app.decorate('overloadReason', () => {
    if (heap.used > heapBytes) return 'the heap is full'
    if (fairShare.refusesMost) return 'the event loop is late'
    return writesTooMuch() ? 'too many writes wait for their commit' : undefined
  })
  app.addHook('onRequest', (request, reply, done) => {
    const refusal = judge(request)
    if (refusal === undefined) return done()
    // It is said on every answer of a deprecated operation; the hook that does so comes later.
    const deprecation = request.routeOptions.config.operation?.lifecycle.deprecation
    if (deprecation !== undefined) reply.headers(deprecation.headers)
    sendError(refusal, request, reply)
  })
})

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Whose request it is, before that is judged: the id of its key, if that was found valid a moment ago, or its address.
 * Who sends another's key is taken for the other, and has it.
 */
const clientOf = (request: FastifyRequest, known: FairShare): string => {
  const [, key] = /^bearer +(\S{1,500})$/i.exec(request.headers.authorization ?? '') ?? []
  const id = key === undefined ? '' : keyIdOf(digestOf(key))
  return [id, `env:${id}`].find(each => known.has(each)) ?? addressOf(request)
}

const delaySampleMs = 100

/**
 * By how much the event loop is late for what the process does. Time in which it did not run at all is no load of its
 * own: while it was stopped, others had the processor, or it waited for the disk.
 */
class LoopDelay {
  /** Since `begin`. */
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
 * How much of the heap is in use: what V8's last collection of all of it has left. Until the next one, garbage cannot be
 * told from the rest; V8 begins it halfway to the limit at the latest, so that the fuller the heap, the more often.
 */
class HeapUse {
  /** 0 where the last collection is too long ago to refuse anybody for what it has left. */
  used = 0
  readonly #bounds: OverloadBounds
  readonly #observer: PerformanceObserver
  #samplesSinceCollection = Number.POSITIVE_INFINITY
  // Counted, as a clock goes on while the process is stopped.
  #samplesFull = 0

  constructor(bounds: OverloadBounds) {
    this.#bounds = bounds
    this.#observer = new PerformanceObserver(list => {
      if (!(list.getEntries() as unknown as Collection[]).some(({ detail }) => detail.kind === ofWholeHeap)) return
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

  /** @throws Error when it stays full */
  sample(): void {
    const { heapBytes, heapPatienceMs, sampleMs } = this.#bounds
    const isCollected = this.#samplesSinceCollection === 0
    if (isCollected && this.used <= heapBytes) {
      this.#samplesFull = 0
    } else if (isCollected && this.#samplesFull * sampleMs >= heapPatienceMs) {
      this.#samplesFull = 0
      // Uncaught, so that the process ends in order, and whoever watches over it starts another.
      throw new Error(
        'the heap stays full, though most of what was new was refused: something is kept that should not be'
      )
    } else if (isCollected || this.#samplesFull > 0) {
      this.#samplesFull++
    }
    // Where nothing is taken in, V8 sees no cause to collect what has become garbage.
    if (++this.#samplesSinceCollection > samplesRefused) this.used = 0
  }
}

interface Collection {
  detail: { kind: number }
}

const ofWholeHeap = constants.NODE_PERFORMANCE_GC_MAJOR

const samplesRefused = 5

// Made once, since it is wanted most when there is the least time for it. Who comes back after two seconds finds what
// has been measured a second later.
const overloaded = serviceUnavailable('The service is overloaded; try again.', 2)

/** Says what there is too much of, of each kind once a minute. */
export const overloadTeller = (log: ServiceLog) => {
  const toldAt = new Map<string, number>()
  return (reason: string, figure: number, more: object = {}, message = 'overloaded: what is new is refused'): void => {
    const now = performance.now()
    const kind = reason + message
    if (now - (toldAt.get(kind) ?? Number.NEGATIVE_INFINITY) < tellEveryMs) return
    toldAt.set(kind, now)
    log.warn({ [reason]: Math.round(figure), ...more }, message)
  }
}

const tellEveryMs = 60_000
