import { inspect } from 'node:util'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  HTTPMethods,
  preHandlerAsyncHookHandler,
  preParsingHookHandler,
  preValidationHookHandler,
  RouteHandlerMethod
} from 'fastify'
import type { CompiledSchemas } from '../contract/compiled-schemas.ts'
import {
  type AnyOperation,
  type AnyResult,
  type Contract,
  ContractNotServed,
  isPlain,
  limitsOf,
  responseKey
} from '../contract/contract.ts'
import { notImplemented } from '../errors/api-error.ts'
import { discard, endingOf, late } from '../http/endings.ts'
import { closeIfUnread, sendHandlerError } from '../http/error-body.ts'
import { awaitBody } from '../http/invalid-http.ts'
import { getOrMake } from '../node/get-or-make.ts'
import { refuseUnsendable } from '../node/http.ts'
import { beforeBody } from '../routing/other-methods.ts'
import { queryTextOf, routedPath } from '../routing/targets.ts'
import type { Principals } from '../security/judge.ts'
import type { Principal } from '../security/principal.ts'
import { withoutParameters } from '../security/security-schemes.ts'
import type { Once } from '../store/idempotency.ts'
import type { Encodings } from '../validation/encodings.ts'
import { ignoreBody, requireJson, withContentType } from '../validation/json-body.ts'
import { headersJudge, requireHeaders } from '../validation/response-headers.ts'
import { validatorCompiler } from '../validation/validator-compiler.ts'
import type { Deadlines } from './deadlines.ts'
import type { AnyHandler, AnyHandlers } from './handlers.ts'
import { onceReader } from './idempotency.ts'
import { unwritten } from './unwritten.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation that the route serves. */
    operation?: AnyOperation
  }
  interface FastifyInstance {
    /** Timeouts of handlers. */
    handlerDeadlines: Deadlines
  }
}

/** What a mock adds to the handlers. */
export interface Mock {
  /** Headers that it reads and sends in addition to the contract's. */
  headers: { requestHeaders: readonly string[]; responseHeaders: readonly string[] }
  /** Replaces an operation, or a handler that is not written yet. */
  standIn(operation: AnyOperation, hasHandler: boolean): StandIn
}
export interface StandIn {
  /** Runs after authentication and before validation. */
  preParsing: preParsingHookHandler
  /** Runs after validation, before the handler. */
  preHandler?: preHandlerAsyncHookHandler
  handler?: AnyHandler | undefined
}

export interface Registered {
  contract: Pick<Contract, 'securitySchemes' | 'limits'>
  compiled: CompiledSchemas
  handlers: AnyHandlers
  /** Whether a store keeps what was responded to an Idempotency-Key. */
  keepsKeys: boolean
  mock?: Mock | undefined
  /** Needed if some operation is not plain. */
  encodings?: Encodings | undefined
}

/**
 * A route for every operation of the contract. One that declares 501 needs no handler, and responds with it.
 * @throws ContractNotServed naming all others without a handler, unless a mock replaces them
 */
export const registerOperations = (
  app: FastifyInstance,
  entries: readonly AnyOperation[],
  { contract, compiled, handlers: table, keepsKeys, mock, encodings }: Registered
): void => {
  if (mock === undefined) refuseMissingHandlers(entries, table)
  const limits = limitsOf(contract)
  // Not in the loop itself: V8 would optimize that while it runs, for nothing.
  const add = (operation: AnyOperation) => {
    const { operationId, bodyBytes = limits.bodyBytes } = operation
    const given = handlerOf(table, operationId)
    const implemented = given === unwritten ? undefined : given
    const standIn = mock?.standIn(operation, implemented !== undefined)
    const handler = implemented ?? standIn?.handler
    const first = standIn === undefined ? [] : [standIn.preParsing]
    const route = {
      // In one route, which takes half the time at the start that two of them take.
      method: (operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method) as HTTPMethods,
      url: routedPath(operation.url),
      exposeHeadRoute: false,
      bodyLimit: bodyBytes,
      config: { operation }
    }
    if (handler === undefined) {
      const refusal = beforeBody(() => {
        throw notImplemented(operationId)
      })
      app.route({ ...route, ...refusal, preParsing: [...first, refusal.preParsing] })
    } else {
      app.route({
        ...route,
        schema: routeSchema(operation),
        validatorCompiler: validatorCompiler(compiled, encodings, operation),
        ...stepsOf(operation, first, encodings, contract.securitySchemes),
        ...requireHeaders(app, operation),
        ...(standIn?.preHandler && { preHandler: standIn.preHandler }),
        handler: routeHandler(app, operation, handler, { compiled, encodings, keepsKeys, bodyBytes })
      })
    }
  }
  for (const each of entries) add(each)
}

const handlerOf = (table: AnyHandlers, operationId: string) =>
  Object.hasOwn(table, operationId) ? table[operationId] : undefined

const refuseMissingHandlers = (entries: readonly AnyOperation[], table: AnyHandlers) => {
  const missing = entries.filter(
    ({ operationId, responses }) => handlerOf(table, operationId) === undefined && !('501' in responses)
  )
  if (missing.length === 0) return
  const names = missing.map(({ operationId, method, path }) => `${operationId} (${method} ${path})`).join(', ')
  throw new ContractNotServed(
    `no handler for ${names}; only an operation whose contract declares 501 needs none; \`unwritten\` in its place responds with 501`
  )
}

const stepsOf = (
  operation: AnyOperation,
  first: readonly preParsingHookHandler[],
  encodings: Encodings | undefined,
  schemes: Contract['securitySchemes']
) => {
  const { preParsing = [], preValidation = [] } = isPlain(operation) ? {} : (encodings?.stepsOf(operation) ?? {})
  const last = operation.method === 'QUERY' ? [withContentType] : []
  return {
    preParsing: [...first, ...preParsing, ...bodySteps(operation), ...last],
    preValidation: [queryAsWritten(operation, schemes), ...preValidation]
  }
}

/**
 * How a parameter is read depends on its declaration, so validation gets the query as text. The application's hooks before
 * that see what Fastify has parsed.
 */
const queryAsWritten = ({ security }: AnyOperation, schemes: Contract['securitySchemes']): preValidationHookHandler => {
  const names = security
    .flatMap(each => Object.keys(each))
    .flatMap(name => (schemes[name]?.in === 'query' ? (schemes[name].name ?? []) : []))
  const credentials = new Set(names)
  return (request, _reply, done) => {
    const text = queryTextOf(request.raw)
    request.query = credentials.size === 0 ? text : withoutParameters(text, credentials)
    done()
  }
}

const bodySteps = ({ method, input, bodies }: AnyOperation): preParsingHookHandler[] => {
  if (input.body !== undefined) return [requireJson, awaitBody]
  // Fastify reads no body of a GET or HEAD.
  return method === 'GET' || method === 'HEAD' || bodies !== undefined ? [] : [ignoreBody]
}

/** Calls the handler with what Fastify has validated, and lets Fastify serialize its result. */
const routeHandler = (
  app: FastifyInstance,
  operation: AnyOperation,
  handler: AnyHandler,
  { compiled, encodings, keepsKeys, bodyBytes }: Omit<Registered, 'contract' | 'handlers'> & { bodyBytes: number }
): RouteHandlerMethod => {
  const { operationId, input } = operation
  const headersOf = input.headers && declaredHeaders(Object.keys(input.headers.properties))
  const onceOf = keepsKeys ? onceReader(operation) : undefined
  const principalOf = operation.security.length > 0 ? firstPrincipal : undefined
  const responseOf = responsesOf(operation, compiled, encodings)
  const inputsOf = isPlain(operation) ? undefined : encodings?.inputsOf(operation)
  const rangesOf = isPlain(operation) ? undefined : encodings?.rangesOf(operation)
  const deadlines = app.handlerDeadlines

  const respond = (request: FastifyRequest, reply: FastifyReply, returned: AnyResult) => {
    const result = rangesOf === undefined ? returned : rangesOf(request, returned)
    if (result?.status === undefined)
      throw new Error(
        reply.sent
          ? `the handler of ${operationId} has sent a response itself, which nothing has checked; it must return { status, body }`
          : `the handler of ${operationId} returned ${inspect(result, { depth: 0 })}, but must return { status, body }`
      )
    const { status, headers, body } = result
    const response = responseOf(status, body)
    if (headers !== undefined) refuseUnsendable(headers)
    response.judgeHeaders?.(headers, reply)
    reply.code(status)
    if (input.body === undefined) closeIfUnread(request, reply, bodyBytes)
    if (!response.hasBody) {
      if (headers !== undefined) reply.headers(headers)
      reply.send()
      return
    }
    if (response.send !== undefined) return response.send(reply, result)
    // Kept, since looking it up by status costs 2 % of a get.
    response.serialize ??= reply.getSerializationFunction(response.key) as (body: unknown) => string
    const { serialize } = response
    // Fastify would add a charset, which JSON does not have, and send a string as it is.
    reply
      .type('application/json')
      .serializer(headers === undefined ? serialize : withHeaders(reply, headers, serialize))
    reply.send(body)
  }

  // Not async: Fastify would wrap the promise in more of them, on every request.
  return (request, reply) => {
    const refuse = (error: unknown) => void sendHandlerError(error, request, reply, operation)
    let returned: ReturnType<AnyHandler> | AnyResult
    try {
      const headers = headersOf?.(request.headers)
      const once = onceOf?.(request)
      const principal = principalOf?.(request)
      const input = new HandlerInput(reply, headers, once, principal)
      returned = handler(inputsOf === undefined ? input : Object.assign(input, inputsOf(request)))
    } finally {
      app.charge?.(request)
    }
    const expire = () => {
      // Another timeout bounds how long a body may take to arrive.
      if (isArriving(request)) {
        deadline = deadlines.add(expire)
        return
      }
      refuse(new Error(`the handler of ${operationId} timed out`))
      request.ending?.abort(late())
    }
    let deadline = deadlines.add(expire)
    const onFailure = (error: unknown) => void (deadline.remove() && refuse(error))
    // In JavaScript, a handler may return its result itself.
    const result = returned instanceof Promise ? returned : Promise.resolve(returned)
    result.then(result => {
      if (!deadline.remove()) return discard(result?.body)
      try {
        respond(request, reply, result)
      } catch (error) {
        discard(result?.body)
        refuse(error)
      }
    }, onFailure)
  }
}

/** Whether the handler gets its body as a stream whose end has not arrived. */
const isArriving = ({ arriving, raw }: FastifyRequest) => arriving?.media.kind === 'stream' && !raw.complete

/** A class, so that a request pays for a signal or a logger only if the handler asks for it. */
class HandlerInput {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly headers: unknown
  readonly once: Once | undefined
  readonly principal: Principal | undefined
  readonly principals: Principals
  readonly #reply: FastifyReply

  constructor(reply: FastifyReply, headers: unknown, once: Once | undefined, principal: Principal | undefined) {
    const { params, query, body, principals } = reply.request
    this.params = params
    this.query = query
    this.body = body
    this.headers = headers
    this.once = once
    this.principal = principal
    this.principals = principals ?? nobody
    this.#reply = reply
  }

  get signal(): AbortSignal {
    return endingOf(this.#reply).signal
  }

  get reply(): FastifyReply {
    return this.#reply
  }

  get request(): FastifyRequest {
    const { request } = this.#reply
    return request.server.withLog?.(request) ?? request
  }

  get log(): FastifyBaseLogger {
    return this.request.log
  }

  get requestId(): string {
    return this.#reply.request.id
  }
}

const nobody: Principals = {}

/** The principal that the contract names first; a key of the store has only an id. */
const firstPrincipal = ({ principals, keyId }: FastifyRequest): Principal | undefined => {
  if (principals === undefined) return keyId === undefined ? undefined : { id: keyId }
  return Object.values(principals)[0]
}

/** The headers under the contract's names; Node has them in lower case. */
const declaredHeaders = (names: readonly string[]) => {
  const keys = names.map(name => [name, name.toLowerCase()] as const)
  return (headers: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(keys.flatMap(([name, key]) => (headers[key] === undefined ? [] : [[name, headers[key]]])))
}

/** Sets the headers once the body is serialized: an error in its place must not have them. */
const withHeaders =
  (reply: FastifyReply, headers: NonNullable<AnyResult['headers']>, serialize: (body: unknown) => string) =>
  (body: unknown): string => {
    const text = serialize(body)
    reply.headers(headers)
    return text
  }

interface DeclaredResponse {
  /** Fastify's key for the serializer. */
  key: string
  hasBody: boolean
  judgeHeaders: ReturnType<typeof headersJudge> | undefined
  /** Set if the body may be something other than JSON. */
  send: ReturnType<Encodings['contentSender']> | undefined
  /** Set when the response is first sent. */
  serialize: ((body: unknown) => string) | undefined
}

/** The declared response by which a result is serialized. */
const responsesOf = (operation: AnyOperation, compiled: CompiledSchemas, encodings: Encodings | undefined) => {
  const { operationId, responses } = operation
  const declared = (status: number): DeclaredResponse => {
    const key = responseKey(responses, status)
    if (key === undefined)
      throw new Error(`the handler of ${operationId} returned ${status}, which the contract does not declare`)
    const { headers = {}, body, contents } = responses[key] ?? {}
    return {
      key: key.toLowerCase(),
      hasBody: body !== undefined || contents !== undefined,
      judgeHeaders:
        Object.keys(headers).length === 0 ? undefined : headersJudge(operation, headers, compiled, encodings),
      send: contents && encodings?.contentSender(contents, key.toLowerCase(), operationId),
      serialize: undefined
    }
  }
  const known = new Map<number, DeclaredResponse>()

  return (status: number, body: unknown): DeclaredResponse => {
    const response = getOrMake(known, status, declared)
    if (response.hasBody === (body !== undefined)) return response
    const [sent, declares] = body === undefined ? ['no body', 'one'] : ['a body', 'none']
    throw new Error(
      `the handler of ${operationId} returned ${sent} with ${status}, for which the contract declares ${declares}`
    )
  }
}

/** The `schema` of an operation's route: the contract's schemas under Fastify's names. */
export const routeSchema = ({ input, bodies, responses }: AnyOperation): FastifySchema => {
  const { params, query, headers, body = bodies } = input
  const sent = Object.entries(responses).flatMap(([status, { body, contents = {} }]): [string, object][] => {
    if (body !== undefined) return [[status, body]]
    const checked = Object.entries(contents).flatMap(([type, media]) =>
      (media.schema ?? media.items) === undefined ? [] : [[type, { schema: media }]]
    )
    return checked.length === 0 ? [] : [[status, { content: Object.fromEntries(checked) }]]
  })
  return {
    ...(params && { params }),
    ...(headers && { headers }),
    querystring: query,
    // If not just JSON, the contents by media type: Fastify's own form has no media ranges.
    ...(body && { body }),
    response: Object.fromEntries(sent)
  }
}
