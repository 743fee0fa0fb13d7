import type { IncomingMessage, Server } from 'node:http'
import type { FastifyHttpOptions } from 'fastify'
import type { Limits } from '../contract/contract.ts'
import { requestIdOf } from '../observability/request-log.ts'
import { routeAsKnown } from '../routing/methods.ts'
import { routableTarget, withoutStandIn } from '../routing/targets.ts'

/** How long things may take, in milliseconds. */
export interface Timeouts {
  /** For the header section to arrive. */
  headersMs: number
  /** For the whole request to arrive. */
  requestMs: number
  /** How often the two above are checked. */
  checkMs: number
  /** For Redis to count a request; then the process counts it alone. */
  redisMs: number
  /** For a handler to return; up to twice that. */
  handlerMs: number
  /** How long a connection may stay open between two requests. */
  idleMs: number
  /** How long a client may read nothing of a response, at most; a tenth less may already close its connection. */
  stalledMs: number
  /** How long idle connections are kept while closing, for requests on their way. */
  graceMs: number
}

const defaultTimeouts: Timeouts = {
  // A header section mostly fits one packet; the largest, 16 KiB, arrives at 13 kbit/s.
  headersMs: 10_000,
  // In the remaining 20 s, 64 KiB of body arrive at 26 kbit/s.
  requestMs: 30_000,
  // A slow client may be closed that much late.
  checkMs: 1_000,
  // A Redis nearby takes 1 ms.
  redisMs: 100,
  // The store gives up after 2 s, so anything slower than this is a bug of ours.
  handlerMs: 10_000,
  // Longer than the 60 s of common balancers (nginx, AWS): they close idle connections first, and no request is lost.
  idleMs: 72_000,
  // Such a client has gone, or holds our memory on purpose.
  stalledMs: 35_000,
  // Halfway round the world takes 150 ms; the rest is for a retransmission.
  graceMs: 500
}

/** All timeouts, with defaults. */
export const timeoutsOf = ({ timeouts }: { timeouts?: Partial<Timeouts> }): Timeouts => ({
  ...defaultTimeouts,
  ...timeouts
})

/** Options for every listener, whatever it serves. */
export const listenerOptions = (
  limits: Limits,
  timeouts: Timeouts,
  methods: ReadonlySet<string>,
  basePaths?: readonly string[],
  standIns?: ReadonlyMap<string, string>
) =>
  ({
    genReqId: requestIdOf,
    // Otherwise Fastify loads its own before ours are set, 4 % of the start.
    schemaController: { compilersFactory: { buildValidator: notSet, buildSerializer: notSet } },
    bodyLimit: limits.bodyBytes,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.idleMs,
    // Requests that have arrived get their response, also during shutdown.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    rewriteUrl: request => {
      routeAsKnown(request as IncomingMessage, methods)
      const target = routableTarget(request.url, basePaths)
      return standIns === undefined ? target : withoutStandIn(target, standIns)
    },
    routerOptions: {
      // The contract limits the length of parameters.
      maxParamLength: limits.headerBytes,
      // The contract determines how each parameter is read.
      querystringParser: text => text as never
    },
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
      requireHostHeader: false
    }
  }) satisfies FastifyHttpOptions<Server>

const notSet = (): never => {
  throw new Error('no compiler is set')
}
