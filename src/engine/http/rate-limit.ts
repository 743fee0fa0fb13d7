import { isIP } from 'node:net'
import rateLimit, { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError, rateLimited } from '../errors.ts'
import { hookRoutes } from '../operations/route-hooks.ts'
import { sendError } from './error-body.ts'

declare module 'fastify' {
  interface FastifyInstance {
    rateLimits: RateLimits
  }
}

/** So many requests at most in a window, which begins with the first of them. */
export interface Quota {
  requests: number
  windowSeconds: number
}

export interface RateLimitOptions {
  /** For each valid key. */
  perKey?: Quota | undefined
  /** For requests without a valid key from each address; of IPv6 from each /64, which is what one customer gets. */
  perAddress?: Quota | undefined
}

export interface RateLimits {
  /** Counts a request with a valid key, whose response says what is left, and refuses one too many. */
  countKey: onRequestHookHandler | undefined
  /**
   * Responds to a request that is refused for its key; where that happens too often from one address, with 429. Requests
   * with a valid key are let through whatever was refused before: else one client would lock out all others behind its
   * address, while nobody guesses 178 random bits however often they try.
   */
  refuse: (refusal: Error, request: FastifyRequest, reply: FastifyReply) => unknown
}

/** Limits for clients once it is known who they are; each process counts for itself. */
export const rateLimits = fp(async (app, { perKey, perAddress }: RateLimitOptions) => {
  if (perKey ?? perAddress) await app.register(rateLimit, { global: false, store: FixedWindowStore })
  app.decorate('rateLimits', {
    countKey: perKey && keyCounter(app, perKey),
    refuse: perAddress ? addressCounter(app, perAddress) : sendError
  })
})

/** Counts each request with a key, once the key is known to be valid. */
export const keyLimit = fp(async app => {
  const { countKey } = app.rateLimits
  if (countKey !== undefined) hookRoutes(app, ({ method }) => (method === 'OPTIONS' ? undefined : countKey))
})

const keyCounter = (app: FastifyInstance, quota: Quota): onRequestHookHandler => {
  const count = counter(app, quota, ({ keyId }) => String(keyId))
  // draft-ietf-httpapi-ratelimit-headers-10; the plugin knows an older form alone.
  const policy = `"default";q=${quota.requests};w=${quota.windowSeconds}`
  return async (request, reply) => {
    // The contract leaves the operation open.
    if (request.keyId === undefined) return
    const { remaining, ttlInSeconds, isExceeded } = await count(request)
    reply.header('ratelimit-policy', policy)
    reply.header('ratelimit', `"default";r=${remaining};t=${ttlInSeconds}`)
    if (isExceeded) return sendError(rateLimited('requests', ttlInSeconds), request, reply)
  }
}

const addressCounter = (app: FastifyInstance, quota: Quota): RateLimits['refuse'] => {
  const count = counter(app, quota, addressOf)
  return (refusal, request, reply) => {
    const respond = (error: unknown) => void sendError(error, request, reply)
    // Else it is the store that cannot be asked for the key now.
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
  // Nobody is on a list of those who are let through uncounted.
  app.createRateLimit({ max: requests, timeWindow: windowSeconds * 1000, keyGenerator: nameOf }) as (
    request: FastifyRequest
  ) => Promise<{ remaining: number; ttlInSeconds: number; isExceeded: boolean }>

/** What a trusted proxy hands on may be no address, and of any length; such clients are counted together. */
export const addressOf = ({ ip }: FastifyRequest) => (isIP(ip) === 0 ? 'unknown' : normalizeIP(ip))

interface Window {
  current: number
  since: number
}

/**
 * How many requests each name has made in its window. The plugin's own store goes by the time of day: when that is set
 * back, it would refuse for as long.
 */
export class FixedWindowStore {
  #young = new Map<string, Window>()
  // Nothing is added here, so that it can be thrown away as a whole.
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
    return new FixedWindowStore()
  }
}

// 20 MB at most. Beyond it the oldest windows end early, so that a limit lets through more, and not less.
const maxNames = 100_000
