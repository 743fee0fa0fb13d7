import { isIP } from 'node:net'
import rateLimit, { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type ApiError, rateLimited } from '../errors.ts'

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

/** Each counts a request and gives the error to answer it with if it is one too many; none where no limit is set. */
export interface RateLimits {
  /** For a request with a valid key; its answer is told what is left. */
  ofKey: Limiter | undefined
  /**
   * For a request without one. Those with a valid key are let through whatever was refused before: else one client
   * would lock out all others behind its address, while nobody guesses 178 random bits however often they try.
   */
  ofAddress: Limiter | undefined
}
type Limiter = (request: FastifyRequest, reply: FastifyReply) => Promise<ApiError | undefined>

/** The limits that callers are held to once it is known who they are; each process counts for itself. */
export const rateLimits = fp(async (app, { perKey, perAddress }: RateLimitOptions) => {
  if (perKey ?? perAddress) await app.register(rateLimit, { global: false, store: FixedWindowStore })
  app.decorate('rateLimits', {
    ofKey: perKey && keyLimiter(app, perKey),
    ofAddress: perAddress && addressLimiter(app, perAddress)
  })
})

const keyLimiter = (app: FastifyInstance, quota: Quota): Limiter => {
  const count = counter(app, quota, ({ keyId }) => String(keyId))
  // draft-ietf-httpapi-ratelimit-headers-10; the plugin knows an older form alone.
  const policy = `"default";q=${quota.requests};w=${quota.windowSeconds}`
  return async (request, reply) => {
    const { remaining, ttlInSeconds, isExceeded } = await count(request)
    reply.header('ratelimit-policy', policy)
    reply.header('ratelimit', `"default";r=${remaining};t=${ttlInSeconds}`)
    return isExceeded ? rateLimited('requests', ttlInSeconds) : undefined
  }
}

const addressLimiter = (app: FastifyInstance, quota: Quota): Limiter => {
  const count = counter(app, quota, addressOf)
  return async request => {
    const { ttlInSeconds, isExceeded } = await count(request)
    return isExceeded ? rateLimited('requests without a valid API key from this address', ttlInSeconds) : undefined
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
