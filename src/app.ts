import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { basePath, limits } from '../generated/operations.ts'
import { auth, keyVerifier } from './plugins/auth.ts'
import { closingConnections } from './plugins/closing.ts'
import { docs } from './plugins/docs.ts'
import { errorBody, notFound, sendError } from './plugins/error-body.ts'
import { answerClientError, faultOf, httpFaults } from './plugins/http-faults.ts'
import { jsonBody } from './plugins/json-body.ts'
import { isGoneBy, type LifecycleOptions, lifecycleHeaders, removedOperations } from './plugins/lifecycle.ts'
import { answerAll, knowAllMethods, registerOperations } from './plugins/routes.ts'
import { frameworkLog, type LogOptions, serviceLog } from './plugins/service-log.ts'
import { petHandlers } from './routes/pets.ts'
import type { Store } from './store/store.ts'

export interface AppOptions extends Partial<LifecycleOptions> {
  store: Store
  /** Keys that are valid beside those of the store. */
  apiKeys?: readonly string[]
  /** As pino has it; without it nothing is logged. */
  logger?: LogOptions
  timeouts?: Partial<Timeouts>
}

export interface Timeouts {
  /** For the header section to arrive. */
  headersMs: number
  /** For the whole request to arrive. */
  requestMs: number
  /** How often connections are looked at for the two above. */
  checkMs: number
}

const defaultTimeouts: Timeouts = { headersMs: 10_000, requestMs: 30_000, checkMs: 1_000 }

/** The service without its process: what a request passes through, in order. */
export const buildApp = async (options: AppOptions): Promise<FastifyInstance> => {
  const { store, apiKeys = [], logger = { level: 'silent' } } = options
  const lifecycle = { removedOperations: options.removedOperations ?? 'answer', now: options.now ?? Date.now } as const
  const timeouts = { ...defaultTimeouts, ...options.timeouts }

  const log = serviceLog(logger)

  const app = Fastify({
    ...frameworkLog(log),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.bodyBytes,
    requestTimeout: timeouts.requestMs,
    // A request that has arrived is answered, also while the process ends.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    rewriteUrl: ({ url = '' }) => originForm(url),
    routerOptions: {
      // Whatever its length, a parameter's value is judged by the contract.
      maxParamLength: limits.headerBytes,
      // The contract says how each parameter is to be read.
      querystringParser: text => text as never
    },
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
      requireHostHeader: false
    },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      const fault = faultOf(request.raw)
      if (fault !== undefined || !request.raw.url?.startsWith(`${basePath}/`))
        return sendError(fault ?? error, request, reply)
      keyVerifier(v1).call(v1, request, reply, refusal => sendError(refusal ?? error, request, reply))
    }
  })
  let v1: FastifyInstance = app

  await app.register(closingConnections)
  app.decorate('serviceLog', log)
  knowAllMethods(app)
  await app.register(errorBody)
  await app.register(httpFaults)
  await app.register(docs)
  // The framework's own not-found handler comes after the body has been read.
  answerAll(app, '/*', notFound)
  await app.register(
    async scope => {
      v1 = scope
      // Each puts itself in front of what a route has: what stands last here comes first.
      await scope.register(removedOperations, lifecycle)
      await scope.register(auth, { keys: store.keys, apiKeys })
      await scope.register(lifecycleHeaders)
      await scope.register(jsonBody)
      registerOperations(scope, { ...petHandlers({ pets: store.pets, isGone: isGoneBy(lifecycle) }) })
    },
    { prefix: basePath }
  )
  return app
}

/** A server has to take the absolute form too (RFC 9112, section 3.2.2). */
const originForm = (url: string) => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*(?=\/|$)/i, '') || '/')
