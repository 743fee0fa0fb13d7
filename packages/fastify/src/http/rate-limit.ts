import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError, rateLimited } from '../errors/api-error.ts'
import { hookRoutes } from '../routing/route-hooks.ts'
import { sendError } from './error-body.ts'

declare module 'fastify' {
  interface FastifyInstance {
    rateLimits: RateLimits
  }
}

/** The most requests in a window, which begins with the first of them. */
export interface Quota {
  requests: number
  windowSeconds: number
}

export interface RateLimitOptions {
  /** For each valid key. */
  perKey?: Quota | undefined
  /** For requests without a valid key, per IP address; with IPv6 per /64, which is what one customer gets. */
  perAddress?: Quota | undefined
  /** A Redis through which processes share the limits. Default: each process counts for itself. */
  redisUrl?: string | undefined
  /** How long a request waits for it. */
  redisMs: number
  /** Distinguishes this service from others that use the same Redis. */
  realm: string
}

export interface RateLimits {
  /** Counts a request with a valid key, sets the RateLimit headers, and rejects it if it exceeds the quota. */
  countKey: onRequestHookHandler | undefined
  /**
   * Responds to a request without a valid key, with 429 if its address sends too many. Requests with a valid key are never
   * rejected for that: one client would lock out all others behind its address. Guessing 178 random bits is hopeless anyway.
   */
  refuse: (refusal: unknown, request: FastifyRequest, reply: FastifyReply) => unknown
}

/** Limits per key and per address. */
export const rateLimits = fp(
  async (app, options: RateLimitOptions) => {
    const { perKey, perAddress } = options
    if (perKey ?? perAddress)
      await app.register(import('@fastify/rate-limit'), { global: false, store: await windowStore(app, options) })
    app.decorate('rateLimits', {
      countKey: perKey && keyCounter(app, perKey),
      refuse: perAddress ? addressCounter(app, perAddress) : sendError
    })
  },
  { name: 'rate-limits', dependencies: ['request-log', 'error-body'] }
)

/** Applies the limit per key, after authentication. */
export const keyLimit = fp(
  async app => {
    const { countKey } = app.rateLimits
    if (countKey !== undefined)
      hookRoutes(app, ({ method, config }) =>
        method === 'OPTIONS' && config?.operation === undefined ? undefined : countKey
      )
  },
  { name: 'key-limit', dependencies: ['rate-limits', 'auth'] }
)

/** A store of windows, as the plugin constructs it. */
const windowStore = async (app: FastifyInstance, { redisUrl: url, redisMs: replyMs, realm }: RateLimitOptions) => {
  const { serviceLog: log, metrics } = app
  if (url === undefined) {
    log.info('rate limits count per process: REDIS_URL is not set')
    return FixedWindowStore
  }
  const { RedisWindows } = await import('./redis-windows.ts')
  const windows = await RedisWindows.connect({ url, prefix: `${realm}:rate-limit:`, log, replyMs })
  app.addHook('onClose', async () => windows.close())
  /** While Redis cannot be reached, counts requests in windows of this process. */
  return class extends FixedWindowStore {
    override incr(...[name, callback, windowMs]: Parameters<FixedWindowStore['incr']>): void {
      windows.count(name, windowMs).then(
        window => callback(null, window),
        () => {
          metrics.rateLimitFallbacks++
          super.incr(name, callback, windowMs)
        }
      )
    }
  }
}

const keyCounter = (app: FastifyInstance, quota: Quota): onRequestHookHandler => {
  const count = counter(app, quota, ({ keyId }) => `key:${keyId}`)
  // draft-ietf-httpapi-ratelimit-headers-10; the plugin knows only an older form.
  const policy = `"default";q=${quota.requests};w=${quota.windowSeconds}`
  return async (request, reply) => {
    // The operation requires no key.
    if (request.keyId === undefined) return
    const { remaining, ttlInSeconds, isExceeded } = await count(request)
    reply.header('ratelimit-policy', policy)
    reply.header('ratelimit', `"default";r=${remaining};t=${ttlInSeconds}`)
    if (isExceeded) return sendError(rateLimited('requests', ttlInSeconds), request, reply)
  }
}

const addressCounter = (app: FastifyInstance, quota: Quota): RateLimits['refuse'] => {
  const count = counter(app, quota, request => `address:${addressOf(request)}`)
  return (refusal, request, reply) => {
    const respond = (error: unknown) => void sendError(error, request, reply)
    // If not, credentials could not be judged, which is not the client's doing.
    const isOfKey = refusal instanceof ApiError && refusal.status === 401
    if (!isOfKey) return respond(refusal)
    count(request).then(
      ({ ttlInSeconds, isExceeded }) =>
        respond(isExceeded ? rateLimited('requests without a valid API key from this address', ttlInSeconds) : refusal),
      respond
    )
  }
}

const counter = (
  app: FastifyInstance,
  { requests, windowSeconds }: Quota,
  nameOf: (request: FastifyRequest) => string
) =>
  // No allow list, so it never returns the plugin's other type.
  app.createRateLimit({ max: requests, timeWindow: windowSeconds * 1000, keyGenerator: nameOf }) as (
    request: FastifyRequest
  ) => Promise<{ remaining: number; ttlInSeconds: number; isExceeded: boolean }>

/** A trusted proxy may forward any text as the address; such clients are counted together. */
export const addressOf = ({ ip }: FastifyRequest): string => {
  const version = isIP(ip)
  return version === 4 ? ip : version === 0 ? 'unknown' : plugin().normalizeIP(ip)
}

// Loaded only when needed: that is 2 % of the start.
const plugin = (): typeof import('@fastify/rate-limit') => require('@fastify/rate-limit')
const require = createRequire(import.meta.url)

interface Window {
  current: number
  since: number
}

/**
 * Counts requests per name and window. The plugin's own store uses the wall clock: if that is set back, it rejects requests
 * for that much longer.
 */
export class FixedWindowStore {
  #young = new Map<string, Window>()
  // Windows that began earlier. Nothing is added; they are discarded together.
  #old = new Map<string, Window>()
  #youngSince = 0

  incr(
    name: string,
    callback: (error: null, result: { current: number; ttl: number }) => void,
    windowMs: number
  ): void {
    const now = performance.now()
    let window = this.#young.get(name) ?? this.#old.get(name)
    if (window === undefined || now - window.since >= windowMs) {
      if (now - this.#youngSince >= windowMs || this.#young.size >= maxNames / 2) {
        this.#old = this.#young
        this.#young = new Map()
        this.#youngSince = now
      }
      window = { current: 0, since: now }
      this.#young.set(name, window)
    }
    window.current++
    callback(null, { current: window.current, ttl: windowMs - (now - window.since) })
  }

  child(): FixedWindowStore {
    return new (this.constructor as typeof FixedWindowStore)()
  }
}

// At most 20 MB. Beyond that the oldest windows end early: more requests pass, never fewer.
const maxNames = 100_000
