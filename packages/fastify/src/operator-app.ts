import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { shortened } from './api-keys/hidden-keys.ts'
import type { Limits } from './contract/contract.ts'
import { ApiError, serviceUnavailable } from './errors/api-error.ts'
import { plainErrors } from './errors/format.ts'
import { closingConnections } from './http/closing.ts'
import { boundConnections } from './http/connections.ts'
import { endings } from './http/endings.ts'
import { errorBody, sendText } from './http/error-body.ts'
import { invalidHttp, respondToClientError } from './http/invalid-http.ts'
import { listenerOptions, type Timeouts, timeoutsOf } from './http/listener.ts'
import { securing } from './http/security-headers.ts'
import type { Health } from './observability/health.ts'
import { Metrics } from './observability/metrics.ts'
import { report, requestLog } from './observability/request-log.ts'
import type { ServiceLog } from './observability/service-log.ts'
import { routedMethods } from './routing/methods.ts'
import { allowOnlyGet, notFound, refuseAll } from './routing/other-methods.ts'
import { refusedPath, refusedPathUrl } from './routing/targets.ts'
import { StoreUnavailable } from './store/store.ts'

export interface OperatorOptions {
  limits: Limits
  health: Health
  log: ServiceLog
  /** Host names that requests may use, in addition to its own. */
  names?: readonly string[]
  timeouts?: Partial<Timeouts>
}

/** Health and metrics for operators, on a separate listener, since they are not public. */
export const buildOperatorApp = async (options: OperatorOptions): Promise<FastifyInstance> => {
  const { limits, health } = options
  const timeouts = timeoutsOf(options)
  const misdirected = hostJudge(options.names ?? [])
  // Probes come every few seconds, so only failures are logged.
  const level = options.log.isLevelEnabled('warn') ? 'warn' : options.log.level
  const log = options.log.child({}, { level }) as ServiceLog
  const methods = routedMethods([])
  const app: FastifyInstance = Fastify({
    ...listenerOptions(limits, timeouts, methods),
    clientErrorHandler: (error, socket) => respondToClientError(error, socket, app, limits)
  })
  await app.register(endings)
  await app.register(closingConnections, { graceMs: 0 })
  app.decorate('serviceLog', log)
  app.decorate('errorFormat', plainErrors)
  app.decorate('routedMethods', methods)
  await app.register(boundConnections, {
    max: maxConnections,
    name: 'operatorConnections',
    stalledMs: timeouts.stalledMs
  })
  // Not counted among the service's requests.
  await app.register(requestLog, { log, metrics: new Metrics() })
  await app.register(securing)
  await app.register(errorBody)
  await app.register(invalidHttp, { limits })
  app.addHook('onRequest', ({ raw }, _reply, done) => done(misdirected(raw)))

  const metrics = onceInAWhile(async () => {
    const registry = await health.metrics()
    return { type: registry.contentType, text: await registry.metrics() }
  })
  const pages: Record<string, (request: FastifyRequest) => Promise<Page>> = {
    '/livez': async () => status('alive'),
    '/readyz': async request => status('ready', await withReason(request, () => health.ready())),
    '/metrics': metrics
  }
  for (const [url, page] of Object.entries(pages)) {
    app.get(url, async (request, reply) => {
      const { type, text } = await page(request)
      return sendText(reply, text, type)
    })
    allowOnlyGet(app, url)
  }
  refuseAll(app, refusedPathUrl, refusedPath)
  for (const url of ['/', '/*']) refuseAll(app, url, notFound)
  return app
}

// They use file descriptors of the process, which public connections need.
const maxConnections = 50

interface Page {
  type: string
  text: string
}

const status = (status: string, more: object = {}): Page => ({
  type: 'application/json',
  text: JSON.stringify({ status, ...more })
})

/** Unlike clients, operators see why the store is unavailable; the log has the details. */
const withReason = async <T>(request: FastifyRequest, check: () => Promise<T>): Promise<T> => {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    report(request, 'warn', { err: error }, 'the store is unavailable')
    throw serviceUnavailable(`The store is unavailable: ${error.message}.`)
  }
}

/** Keeps a page for a second: making one of metrics takes as long as dozens of requests. */
const onceInAWhile = (make: () => Promise<Page>): (() => Promise<Page>) => {
  let page: Promise<Page> | undefined
  const forget = () => {
    page = undefined
  }
  return () => {
    page ??= make().finally(() => setTimeout(forget, keptMs).unref())
    return page
  }
}

const keptMs = 1_000

/**
 * Rejects other host names, against DNS rebinding: the owner of a name could point it here, and a page of theirs would
 * read the metrics through the browser of somebody who can reach them. IP addresses are safe; browsers always send Host.
 */
const hostJudge = (names: readonly string[]): ((raw: IncomingMessage) => ApiError | undefined) => {
  const own = new Set(['', 'localhost', hostname(), ...names].map(name => name.toLowerCase()))
  return ({ headers: { host = '' } }) => {
    const name = host.replace(/\.?(?::\d*)?$/, '').toLowerCase()
    if (own.has(name) || name.startsWith('[') || isIP(name) === 4) return undefined
    return new ApiError(
      421,
      'misdirected_request',
      `This server is not ${shortened(name)}: use its IP address, localhost, its host name, or a name in OPERATOR_NAMES.`
    )
  }
}
