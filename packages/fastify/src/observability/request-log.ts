import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { shortened, withoutKeyRests, withoutKeys } from '../api-keys/hidden-keys.ts'
import type { AnyOperation } from '../contract/contract.ts'
import { getOrMake } from '../node/get-or-make.ts'
import { methodOf } from '../routing/methods.ts'
import { hookRoutes } from '../routing/route-hooks.ts'
import { urlOf } from '../routing/targets.ts'
import { Metrics, type OperationFigures } from './metrics.ts'
import { lineHead, type ServiceLog } from './service-log.ts'

declare module 'fastify' {
  interface FastifyInstance {
    requestLog: RequestLog
    metrics: Metrics
  }
  interface FastifyRequest {
    /** The trace of its span, if requests are traced. */
    traceId: string | undefined
    /** What went wrong, for the log; `null` if nothing did, `undefined` if requests are not logged. */
    fault: Fault | null | undefined
    /** What its operation's line and figures have in common; not set if it is refused before its route's own hooks. */
    known: Known | undefined
  }
}

interface Fault {
  level: 'warn' | 'error'
  fields: object
  message: string | undefined
}

export interface RequestLogOptions {
  log: ServiceLog
  metrics: Metrics
}

/** Adds its id to every response, and logs and counts every request once it is over. */
export const requestLog = fp(
  async (app, options: RequestLogOptions) => {
    const requests = new RequestLog(options)
    app.decorate('requestLog', requests)
    app.decorate('metrics', options.metrics)
    app.decorateRequest('traceId', undefined)
    app.decorateRequest('fault', undefined)
    app.decorateRequest('known', undefined)
    app.addHook('onRequest', (request, reply, done) => {
      requests.begin(request, reply)
      done()
    })
    // Fastify makes a new object at each access to `routeOptions`, which costs 2 % of a get.
    hookRoutes(app, ({ config }) => {
      if (config?.operation === undefined) return undefined
      const known = requests.knownOf(config.operation)
      return (request, _reply, done) => {
        request.known = known
        done()
      }
    })
  },
  { name: 'request-log' }
)

/** In place of it in an application that logs its requests itself: `report` writes a line of its own. */
export const unlogged = fp(
  async app => {
    if (app.hasDecorator('requestLog')) return
    app.decorate('metrics', new Metrics())
    app.decorateRequest('fault', undefined)
  },
  { name: 'request-log' }
)

/** Adds to the request's log line what the client is not told, so that each request has one line. */
export const report = (request: FastifyRequest, level: Fault['level'], fields: object, message?: string): void => {
  if (request.fault === null) request.fault = { level, fields, message }
  else {
    const operationId = request.routeOptions.config.operation?.operationId
    request.log[level]({ ...targetOf(request.raw), operationId, ...fields }, message)
  }
}

export class RequestLog {
  readonly #log: ServiceLog
  readonly #metrics: Metrics
  readonly #logsAll: boolean
  readonly #none: Known
  readonly #known = new Map<AnyOperation, Known>()
  readonly #elsewhere = new WeakMap<ServerResponse, { id: string; status: number; atMs: number }>()

  constructor({ log, metrics }: RequestLogOptions) {
    this.#log = log
    this.#metrics = metrics
    this.#logsAll = log.isLevelEnabled('info')
    this.#none = { operationId: undefined, field: '', figures: metrics.of('-'), isDeprecated: false }
  }

  knownOf(operation: AnyOperation | undefined): Known {
    return operation === undefined ? this.#none : getOrMake(this.#known, operation, this.#knowing)
  }

  begin(request: FastifyRequest, reply: FastifyReply): void {
    const beganMs = performance.now()
    request.fault = null
    reply.header('x-request-id', request.id)
    // Emitted once, whether the response was sent or the client disconnected.
    reply.raw.on('close', () => this.#end(request, reply, beganMs))
  }

  /**
   * Logs and counts a request that is rejected before Fastify sees it.
   * @returns the request's id, for the response
   */
  refused(status: number, raw?: IncomingMessage): string {
    const requestId = raw === undefined ? newId() : requestIdOf(raw)
    this.#none.figures.count(status)
    if (this.#logsAll) this.#log.info({ requestId, ...(raw && targetOf(raw)), status }, 'request')
    return requestId
  }

  /**
   * For a request that has begun, but gets its response on the socket because the rest of it is invalid or late.
   * @returns the request's id, for the response
   */
  respondedElsewhere(response: ServerResponse, status: number): string {
    const id = requestIdOf(response.req)
    this.#elsewhere.set(response, { id, status, atMs: performance.now() })
    return id
  }

  #end(request: FastifyRequest, { raw }: FastifyReply, beganMs: number): void {
    const known = request.known ?? this.knownOf(request.routeOptions.config?.operation)
    const elsewhere = raw.writableEnded ? undefined : this.#elsewhere.get(raw)
    const id = elsewhere?.id ?? request.id
    const status = raw.writableEnded ? raw.statusCode : elsewhere?.status
    const ms = (elsewhere?.atMs ?? performance.now()) - beganMs
    known.figures.count(status ?? 0)
    known.figures.countDuration(ms / 1000)
    if (known.isDeprecated && request.keyId !== undefined) known.figures.countKey(request.keyId)
    if (this.#logsAll || request.fault) this.#write(request, id, known, status, ms)
  }

  #write(request: FastifyRequest, id: string, known: Known, status: number | undefined, ms: number): void {
    const { raw, fault, keyId } = request
    const { method, path } = targetOf(raw)
    const made = raw.headers['x-request-id'] === undefined ? id : newId()
    const traceId = request.traceId ?? traceIdOf(raw.headers.traceparent) ?? made
    const durationMs = Math.round(ms * 1000) / 1000
    // Helps to find out who sends such requests.
    const from =
      status === 401 || status === 429
        ? {
            address: shortened(request.ip),
            refusedKeyId: request.refusedKeyId,
            refusedBecause: request.refusedBecause
          }
        : undefined
    if (fault) {
      const about = { requestId: id, traceId, method, path, operationId: known.operationId }
      const outcome = status === undefined ? { aborted: true } : { status }
      this.#log[fault.level]({ ...about, ...outcome, durationMs, keyId, ...from, ...fault.fields }, fault.message)
      return
    }
    const outcome = status === undefined ? ',"aborted":true' : `,"status":${status}`
    const key = keyId === undefined ? '' : `,"keyId":${JSON.stringify(keyId)}`
    const refused = from === undefined ? '' : `,${JSON.stringify(from).slice(1, -1)}`
    this.#log.writeLine(
      `${infoHead}${Date.now()},"requestId":"${id}","traceId":"${traceId}","method":"${method}","path":${JSON.stringify(path)}` +
        `${known.field}${outcome},"durationMs":${durationMs}${key}${refused},"msg":"request"}\n`
    )
  }

  #knowing = ({ operationId, lifecycle }: AnyOperation): Known => ({
    operationId,
    field: `,"operationId":${JSON.stringify(operationId)}`,
    figures: this.#metrics.of(operationId),
    isDeprecated: lifecycle.deprecation !== undefined
  })
}

interface Known {
  operationId: string | undefined
  /** As written in a log line. */
  field: string
  figures: OperationFigures
  isDeprecated: boolean
}

const infoHead = lineHead('info')

const targetOf = (raw: IncomingMessage) => ({ method: methodOf(raw), path: pathOf(urlOf(raw)) })

/** Without the query, which may contain secrets and is not needed to find a request. */
const pathOf = (url: string) => {
  const at = url.indexOf('?')
  const path = withoutKeyRests(at === -1 ? url : url.slice(0, at))
  return path.length > longestPath ? `${path.slice(0, longestPath)}…` : path
}

const longestPath = 200

/** The id that the client sent, if it is fit for logs and headers; otherwise a new one. */
export const requestIdOf = ({ headers }: IncomingMessage): string => {
  const id = headers['x-request-id'] as string | undefined
  return id !== undefined && idForm.test(id) && withoutKeys(id) === id ? id : newId()
}

const idForm = /^[\w.:/+=~-]{1,100}$/

/** 128 random bits, which also serve as the id of a trace (W3C Trace Context, section 3.2.2.3). */
const newId = (): string => {
  if (digitsUsed === digits.length) {
    digits = randomBytes(256 * (idDigits / 2)).toString('hex')
    digitsUsed = 0
  }
  digitsUsed += idDigits
  return digits.slice(digitsUsed - idDigits, digitsUsed)
}

const idDigits = 32
// Made for many ids at once.
let digits = ''
let digitsUsed = 0

/** The trace id of a well-formed `traceparent` (W3C Trace Context, section 3.2; later versions may be longer). */
export const traceIdOf = (traceparent: unknown): string | undefined => {
  if (typeof traceparent !== 'string') return undefined
  const [, version, traceId, parentId, more] = traceparentForm.exec(traceparent) ?? []
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined
  return traceId === zeroTrace || parentId === zeroParent ? undefined : traceId
}

const traceparentForm = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/
const zeroTrace = '0'.repeat(32)
const zeroParent = '0'.repeat(16)
