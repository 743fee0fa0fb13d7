import type { IncomingMessage, Server } from 'node:http'
import { createRequire } from 'node:module'
import type { FastifyHttpOptions } from 'fastify'
import type { Limits } from '../contract/contract.ts'
import { requestIdOf } from '../observability/request-log.ts'
import { routeAsKnown } from '../routing/methods.ts'
import { refusedTarget, routableTarget, withoutStandIn } from '../routing/targets.ts'

/** How long things may take, in milliseconds. */
export interface Timeouts {
  /** For the header section to arrive. */
  headersMs: number
  /** For the whole request to arrive. */
  requestMs: number
  /** How often the two above are checked. */
  checkMs: number
  /** For Redis to count a request; after that, the process counts it alone. */
  redisMs: number
  /** For a handler to return; the timeout comes after once to twice this time. */
  handlerMs: number
  /** How long a connection may stay open between two requests. */
  idleMs: number
  /** How long a client may read nothing of a response. Its connection may be closed up to a tenth earlier. */
  stalledMs: number
  /** How long idle connections are kept while closing, for requests on their way. */
  graceMs: number
}

const defaultTimeouts: Timeouts = {
  // A header section mostly fits into one packet; the largest, 16 KiB, needs 13 kbit/s.
  headersMs: 10_000,
  // In the remaining 20 s, a body of 64 KiB needs 26 kbit/s.
  requestMs: 30_000,
  // Timeouts may take effect that much later.
  checkMs: 1_000,
  // A Redis nearby takes 1 ms.
  redisMs: 100,
  // The store gives up after 2 s, so anything slower than this is a bug of ours.
  handlerMs: 10_000,
  // Longer than the 60 s of common load balancers (nginx, AWS): if they close idle connections first, no request is lost.
  idleMs: 72_000,
  // Such a client has gone, or holds our memory on purpose.
  stalledMs: 35_000,
  // Halfway round the world takes 150 ms; the rest allows for a retransmission.
  graceMs: 500
}

/** All timeouts, with defaults. */
export const timeoutsOf = ({ timeouts }: { timeouts?: Partial<Timeouts> }): Timeouts => {
  const all = { ...defaultTimeouts, ...timeouts }
  // Node requires it.
  return { ...all, headersMs: Math.min(all.headersMs, all.requestMs) }
}

/** What the router is asked for in place of a request's target. */
interface Targets {
  basePaths?: readonly string[]
  standIns?: ReadonlyMap<string, string> | undefined
  /** Whether a URL with an empty segment is not found. */
  isRefused?: (method: string, url: string) => boolean
}

const emptySegment = /\/(?:[/?#]|$)/

/** Options for every listener, whatever it serves. */
export const listenerOptions = (
  limits: Limits,
  timeouts: Timeouts,
  methods: ReadonlySet<string>,
  { basePaths = [], standIns, isRefused }: Targets = {}
): FastifyHttpOptions<Server> => ({
  genReqId: requestIdOf,
  schemaController: { compilersFactory: fastifysOwn },
  bodyLimit: limits.bodyBytes,
  requestTimeout: timeouts.requestMs,
  keepAliveTimeout: timeouts.idleMs,
  // Requests that have arrived get their response, also during shutdown.
  return503OnClosing: false,
  forceCloseConnections: 'idle',
  rewriteUrl: request => {
    routeAsKnown(request as IncomingMessage, methods)
    const target = routableTarget(request.url, basePaths)
    const url = standIns === undefined ? target : withoutStandIn(target, standIns)
    return emptySegment.test(url) && isRefused?.(request.method ?? '', url) ? refusedTarget(url, basePaths) : url
  },
  routerOptions: {
    // The contract limits the length of parameters.
    maxParamLength: limits.headerBytes
  },
  http: {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: timeouts.headersMs,
    connectionsCheckingInterval: timeouts.checkMs,
    requireHostHeader: false
  }
})

const requireOfFastify = createRequire(createRequire(import.meta.url).resolve('fastify'))
/** Loaded only for routes outside the contract: that is 4 % of the start. */
const fastifysOwn: NonNullable<NonNullable<FastifyHttpOptions<Server>['schemaController']>['compilersFactory']> = {
  buildValidator: (...given: unknown[]) => requireOfFastify('@fastify/ajv-compiler')()(...given),
  buildSerializer: (...given: unknown[]) => requireOfFastify('@fastify/fast-json-stringify-compiler')()(...given)
}
