import Fastify, {
  type FastifyInstance,
  type FastifyPluginCallback,
  type HTTPMethods,
  LogController,
  type RouteOptions
} from 'fastify'
import fp from 'fastify-plugin'
import { basePathStandIns, byBasePath, type Contract, type Limits, limitsOf } from './contract/contract.ts'
import { docs } from './docs/docs.ts'
import { closingConnections } from './http/closing.ts'
import { boundConnections } from './http/connections.ts'
import type { CorsOptions } from './http/cors.ts'
import { endings } from './http/endings.ts'
import { errorBody, notFoundBody } from './http/error-body.ts'
import { invalidHttp, respondToClientError } from './http/invalid-http.ts'
import { listenerOptions, type Timeouts, timeoutsOf } from './http/listener.ts'
import { type OverloadBounds, overload } from './http/overload.ts'
import { type Quota, rateLimits } from './http/rate-limit.ts'
import { securing } from './http/security-headers.ts'
import { Metrics } from './observability/metrics.ts'
import { requestLog } from './observability/request-log.ts'
import {
  frameworkLog,
  type LogOptions,
  loggedRequests,
  type ServiceLog,
  serviceLog
} from './observability/service-log.ts'
import { deadlines } from './operations/deadlines.ts'
import type { Handlers } from './operations/handlers.ts'
import type { LifecycleOptions } from './operations/lifecycle.ts'
import type { Mock } from './operations/routes.ts'
import { routedMethods } from './routing/methods.ts'
import { notFound, refuseAll, type Unmatched, unmatchedOf } from './routing/other-methods.ts'
import { refusedPath, refusedPathUrl } from './routing/targets.ts'
import { Clients } from './security/clients.ts'
import { takesKeys } from './security/verifiers.ts'
import { type AnyServed, entriesBelow, prepare, type Served, serve } from './serving.ts'
import type { Store } from './store/store.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether any operation accepts keys of the store. */
    takesKeys: boolean
  }
}

/** The store of an app, and what differs from the defaults. */
export interface AppOptions extends Partial<LifecycleOptions> {
  store: Store
  /** What the keys are for, as a challenge names it (RFC 9110, section 11.5): letters, digits and hyphens. */
  realm?: string
  /** Keys that are valid in addition to those of the store. */
  apiKeys?: readonly string[]
  /** Default: no log. */
  logger?: LogOptions
  /** Where requests are counted. */
  metrics?: Metrics
  /** Traces requests; default: none are traced. */
  tracing?: FastifyPluginCallback | undefined
  timeouts?: Partial<Timeouts>
  /** Origins whose pages may call the service: exact ones, or patterns of whole ones. Default: no CORS. */
  corsOrigins?: readonly (string | RegExp)[]
  /** Headers that those pages may send, in addition to those that the service and tracing read. */
  corsRequestHeaders?: readonly string[]
  /** Requests per key; default: no limit. */
  rateLimit?: Quota | undefined
  /** Requests without a valid key per IP address, beyond which the response is 429; default: no limit. */
  authFailureLimit?: Quota | undefined
  /** A Redis through which processes share these limits; default: each process counts for itself. */
  redisUrl?: string | undefined
  /** IP addresses and subnets of proxies whose `X-Forwarded-For` is trusted. Default: none. */
  trustProxy?: readonly string[]
  /** Load beyond which new requests are refused; default: none is refused. */
  overload?: OverloadBounds
  /** The most connections that may be open. Default: as many as the system allows. */
  maxConnections?: number
  /** How long closing may take; clients get half of it to finish. Default: no limit. */
  shutdownTimeoutMs?: number
  /** Lets requests ask for other responses than the handlers'; default: they cannot. */
  mock?: Mock
  /** Adds hooks, decorators, plugins and routes outside the contract. Its hooks run for the contract's routes, too. */
  extend?: ((app: FastifyInstance) => void | Promise<void>) | undefined
}

/** The service without its process: what a request passes through, in order. */
export const buildApp = async <C extends Contract, H extends Handlers<C['operations']>>(
  options: AppOptions & Served<C, H>
): Promise<FastifyInstance> => {
  const served = options as unknown as AnyServed & AppOptions
  const { store, contract, mock, realm = 'service', now, removedOperations, extend } = served
  const limits = limitsOf(contract)
  const timeouts = timeoutsOf(options)
  const log = serviceLog(options.logger ?? { level: 'silent' })
  const prepared = await prepare(served, log)
  const { errorFormat, requirementOf } = prepared
  const operations = Object.values(contract.operations)
  const methods = new Set(routedMethods(operations.map(each => each.method)))
  const unmatched = unmatchedOf(entriesBelow(byBasePath(contract)))
  const app = createApp(served, limits, timeouts, methods, unmatched, log)
  app.decorate('serviceLog', log)
  app.decorate('errorFormat', errorFormat)
  app.decorate('routedMethods', methods)
  app.decorate('takesKeys', operations.map(requirementOf).some(takesKeys))

  // Connections.
  await app.register(endings)
  await app.register(closingConnections, { graceMs: timeouts.graceMs, patienceMs: options.shutdownTimeoutMs })
  await app.register(boundConnections, {
    max: options.maxConnections,
    name: 'connections',
    stalledMs: timeouts.stalledMs
  })

  // What every request passes through, in this order.
  if (options.tracing !== undefined) await app.register(options.tracing)
  await app.register(requestLog, { log, metrics: options.metrics ?? new Metrics() })
  await app.register(securing)
  await app.register(errorBody)
  await app.register(notFoundBody)
  await app.register(deadlines, timeouts)
  const forPages = corsOptionsOf(options)
  const cors = forPages.origins.length > 0 ? await import('./http/cors.ts') : undefined
  if (cors !== undefined) await app.register(cors.cors, forPages)
  await app.register(invalidHttp, { limits })
  if (cors !== undefined) await app.register(cors.preflights)
  const clients = options.overload && new Clients(requirementOf)
  if (options.overload !== undefined && clients !== undefined)
    await app.register(overload, { store, bounds: options.overload, clients })
  const { rateLimit: perKey, authFailureLimit: perAddress, redisUrl } = options
  await app.register(rateLimits, { perKey, perAddress, redisUrl, redisMs: timeouts.redisMs, realm })
  if (extend !== undefined) await extendWith(app, methods, extend)

  // Depending on the URL: the documentation, nothing, or an operation of the contract.
  await app.register(docs, contract)
  // Without a base path, the contract's own routes cover all other URLs.
  if (!byBasePath(contract).has('')) {
    refuseAll(app, refusedPathUrl, refusedPath)
    // Fastify's own not-found handler runs after the body has been read.
    refuseAll(app, '/*', notFound)
  }
  const { apiKeys } = options
  await serve(app, served, prepared, { realm, unmatched, mock, clients, apiKeys, now, removedOperations })
  return app
}

const createApp = (
  { contract, trustProxy = [], extend }: AppOptions & AnyServed,
  limits: Limits,
  timeouts: Timeouts,
  methods: ReadonlySet<string>,
  { declaredAt }: Unmatched,
  log: ServiceLog
): FastifyInstance => {
  const standIns = basePathStandIns(contract)
  const basePaths = innermostFirst([...byBasePath(contract).keys(), ...(standIns?.keys() ?? [])])
  // What `extend` adds may have such a URL.
  const isRefused = (method: string, url: string) =>
    Object.values(app.findRoute({ method, url })?.params ?? {}).includes('') && declaredAt(url) === undefined
  const options = listenerOptions(limits, timeouts, methods, { basePaths, standIns, isRefused })
  const app: FastifyInstance = Fastify({
    ...frameworkLog(log),
    logController: new LogController({ disableRequestLogging: true }),
    ...options,
    // Validation reads the text, and without hooks of its own nothing reads a parsed query.
    routerOptions: {
      ...options.routerOptions,
      ...(extend === undefined && { querystringParser: text => text as never })
    },
    ...(trustProxy.length > 0 && { trustProxy: [...trustProxy] }),
    clientErrorHandler: (error, socket) => respondToClientError(error, socket, app, limits)
  })
  loggedRequests(app, log, extend !== undefined)
  // Fastify itself knows neither QUERY nor the methods of WebDAV.
  for (const method of methods)
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method as HTTPMethods, { hasBody: true })
  return app
}

/** Routes outside the contract may have other methods. */
const extendWith = async (app: FastifyInstance, methods: Set<string>, extend: NonNullable<AppOptions['extend']>) => {
  const add = (route: RouteOptions) => {
    for (const method of [route.method].flat()) methods.add(method)
  }
  // Registered apart, so that the hook does not see the routes of the engine.
  await app.register(
    fp(async scope => {
      scope.addHook('onRoute', add)
      await extend(scope)
    })
  )
}

const corsOptionsOf = (options: AppOptions & { contract: Contract }): CorsOptions => {
  const { contract, corsOrigins: origins = [], corsRequestHeaders = [], mock } = options
  const { requestHeaders = [], responseHeaders = [] } = mock?.headers ?? {}
  return { contract, origins, requestHeaders: [...corsRequestHeaders, ...requestHeaders], responseHeaders }
}

const innermostFirst = (basePaths: string[]) => basePaths.toSorted((one, other) => other.length - one.length)
