import Fastify, { type FastifyInstance, type FastifyPluginCallback, type HTTPMethods, LogController } from 'fastify'
import { type CompiledSchemas, compiledSchemas } from './contract/compiled-schemas.ts'
import { basePathStandIns, byBasePath, type Contract, isPlain, type Limits, limitsOf } from './contract/contract.ts'
import { docs } from './docs/docs.ts'
import { malformedPath } from './errors/api-error.ts'
import type { ServiceErrors } from './errors/format.ts'
import { derivedErrors, ownErrors } from './errors/format.ts'
import { closingConnections } from './http/closing.ts'
import { boundConnections } from './http/connections.ts'
import { type CorsOptions, cors, preflights } from './http/cors.ts'
import { errorBody } from './http/error-body.ts'
import { invalidHttp, respondToClientError } from './http/invalid-http.ts'
import { listenerOptions, type Timeouts, timeoutsOf } from './http/listener.ts'
import { charging, type OverloadBounds, overload } from './http/overload.ts'
import { keyLimit, type Quota, rateLimits } from './http/rate-limit.ts'
import { securing } from './http/security-headers.ts'
import { Metrics } from './observability/metrics.ts'
import { requestLog } from './observability/request-log.ts'
import { frameworkLog, type LogOptions, serviceLog } from './observability/service-log.ts'
import { Deadlines } from './operations/deadlines.ts'
import type { AnyHandler, Handlers, WithoutExtras } from './operations/handlers.ts'
import { refuseUnkeptKeys } from './operations/idempotency.ts'
import { type LifecycleOptions, lifecycleHeaders, removals } from './operations/lifecycle.ts'
import { type Mock, registerOperations } from './operations/routes.ts'
import { routedMethods } from './routing/methods.ts'
import { notFound, refuseAll, respondToUnmatched, unmatchedOf } from './routing/other-methods.ts'
import { malformedPathUrl, routedPath } from './routing/targets.ts'
import { auth } from './security/auth.ts'
import { Clients } from './security/clients.ts'
import { requirementsOf, takesKeys, type Verifiers } from './security/verifiers.ts'
import type { Store } from './store/store.ts'
import { jsonBody } from './validation/json-body.ts'
import { serializerCompiler } from './validation/serializer-compiler.ts'
import { validatorCompiler } from './validation/validator-compiler.ts'

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
}

/** A contract and a handler for each of its operations, which the compiler checks against it. */
export interface Served<C extends Contract, H extends Handlers<C['operations']>> {
  contract: C
  handlers: H & WithoutExtras<C['operations'], H>
  /** Who judges the credentials of its security schemes; default: a bearer token is a key of the store. */
  verifiers?: Verifiers<C['securitySchemes']> | undefined
  /** How errors look; default: `{ code, message, status }`, or what the contract declares instead. */
  errors?: ServiceErrors | undefined
}

/** The service without its process: what a request passes through, in order. */
export const buildApp = async <C extends Contract, H extends Handlers<C['operations']>>(
  options: AppOptions & Served<C, H>
): Promise<FastifyInstance> => {
  const { store, contract, mock, realm = 'service' } = options
  const limits = limitsOf(contract)
  const timeouts = timeoutsOf(options)
  const operations = Object.values(contract.operations)
  const requirementOf = requirementsOf(operations, contract.securitySchemes, options.verifiers as Verifiers | undefined)
  const encodings = operations.every(isPlain) ? undefined : await import('./encodings/encodings.ts')
  const compiled = compiledSchemas(contract)
  const app = createApp(options, limits, timeouts, compiled)
  app.decorate('takesKeys', operations.map(requirementOf).some(takesKeys))

  // Connections.
  await app.register(closingConnections, { graceMs: timeouts.graceMs, patienceMs: options.shutdownTimeoutMs })
  await app.register(boundConnections, {
    max: options.maxConnections,
    name: 'connections',
    stalledMs: timeouts.stalledMs
  })

  // What every request passes through, in this order.
  if (options.tracing !== undefined) await app.register(options.tracing)
  await app.register(requestLog, { log: app.serviceLog, metrics: options.metrics ?? new Metrics() })
  await app.register(securing)
  await app.register(errorBody)
  const forPages = corsOptionsOf(options)
  if (forPages.origins.length > 0) await app.register(cors, forPages)
  await app.register(invalidHttp, { limits })
  if (forPages.origins.length > 0) await app.register(preflights)
  const clients = options.overload && new Clients(requirementOf)
  if (options.overload !== undefined && clients !== undefined)
    await app.register(overload, { store, bounds: options.overload, clients })
  const { rateLimit: perKey, authFailureLimit: perAddress, redisUrl } = options
  await app.register(rateLimits, { perKey, perAddress, redisUrl, redisMs: timeouts.redisMs, realm })

  // Depending on the URL: the documentation, nothing, or an operation of the contract.
  await app.register(docs, contract)
  // The router takes two colons for a literal one.
  const routed = (basePath: string) => routedPath(basePath).replaceAll(':', '::')
  const entriesBelow = new Map([...byBasePath(contract)].map(([basePath, all]) => [routed(basePath), all]))
  // Without a base path, the contract's own routes cover all other URLs.
  if (!entriesBelow.has('')) {
    refuseAll(app, malformedPathUrl, malformedPath)
    // Fastify's own not-found handler runs after the body has been read.
    refuseAll(app, '/*', notFound)
  }
  refuseUnkeptKeys(operations, store)
  const unmatched = unmatchedOf(entriesBelow)
  for (const [prefix, entries] of entriesBelow) {
    const serving = async (scope: FastifyInstance) => {
      const { apiKeys = [], removedOperations = 'answer', now } = options
      // The rest of the order; after it come 404, 405, 501, 415 and the body.
      await scope.register(lifecycleHeaders)
      const { refuse } = scope.rateLimits
      await scope.register(auth, { contract, realm, requirementOf, clients, keys: store.keys, apiKeys, now, refuse })
      await scope.register(keyLimit)
      await scope.register(removals, { removedOperations, now: now ?? Date.now })
      if (options.overload !== undefined) await scope.register(charging)
      await scope.register(jsonBody)
      if (encodings !== undefined) await scope.register(encodings.otherBodies)
      refuseAll(scope, malformedPathUrl, malformedPath)
      const handlers = options.handlers as Record<string, AnyHandler>
      registerOperations(scope, entries, handlers, compiled, mock, encodings)
      respondToUnmatched(scope, unmatched)
    }
    await app.register(serving, { prefix })
  }
  return app
}

type Described = { contract: Contract; errors?: ServiceErrors | undefined }

const createApp = (
  { contract, errors, logger = { level: 'silent' }, trustProxy = [] }: AppOptions & Described,
  limits: Limits,
  timeouts: Timeouts,
  compiled: CompiledSchemas
): FastifyInstance => {
  const log = serviceLog(logger)
  const methods = routedMethods(Object.values(contract.operations).map(each => each.method))
  const standIns = basePathStandIns(contract)
  const app: FastifyInstance = Fastify({
    ...frameworkLog(log),
    logController: new LogController({ disableRequestLogging: true }),
    ...listenerOptions(
      limits,
      timeouts,
      methods,
      innermostFirst([...byBasePath(contract).keys(), ...(standIns?.keys() ?? [])]),
      standIns
    ),
    ...(trustProxy.length > 0 && { trustProxy: [...trustProxy] }),
    clientErrorHandler: (error, socket) => respondToClientError(error, socket, app, limits)
  })
  // Fastify itself knows neither QUERY nor the methods of WebDAV.
  for (const method of methods)
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method as HTTPMethods, { hasBody: true })
  app.setValidatorCompiler(validatorCompiler(compiled))
  app.setSerializerCompiler(serializerCompiler(compiled))
  app.decorate('serviceLog', log)
  const asDefined = (own: ServiceErrors) =>
    ownErrors(own, contract, compiled, err => log.error({ err }, 'errors.body failed'))
  app.decorate('errorFormat', errors ? asDefined(errors) : derivedErrors(contract, compiled, text => log.warn(text)))
  app.decorate('routedMethods', methods)
  const handlerDeadlines = new Deadlines(timeouts.handlerMs)
  app.decorate('handlerDeadlines', handlerDeadlines)
  app.addHook('onClose', async () => handlerDeadlines.close())
  return app
}

const corsOptionsOf = (options: AppOptions & { contract: Contract }): CorsOptions => {
  const { contract, corsOrigins: origins = [], corsRequestHeaders = [], mock } = options
  const { requestHeaders = [], responseHeaders = [] } = mock?.headers ?? {}
  return { contract, origins, requestHeaders: [...corsRequestHeaders, ...requestHeaders], responseHeaders }
}

const innermostFirst = (basePaths: string[]) => basePaths.toSorted((one, other) => other.length - one.length)
