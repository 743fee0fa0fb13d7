import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
  preHandlerAsyncHookHandler,
  preParsingHookHandler,
  RouteHandlerMethod
} from 'fastify'
import { type ApiError, methodNotAllowed, notImplemented } from '../errors.ts'
import { closeIfUnread, notFound, sendHandlerError } from '../http/error-body.ts'
import { awaitBody } from '../http/faults.ts'
import { refuseUnsendable } from '../http/node-http.ts'
import { methodOf } from '../http/unknown-methods.ts'
import type { Principals } from '../security/judge.ts'
import type { Principal } from '../security/principal.ts'
import { type AnyOperation, ContractNotServed, isPlain } from './contract.ts'
import type { Deadlines } from './deadlines.ts'
import type { AnyHandler, AnyResult } from './handlers.ts'
import { onceReader } from './idempotency.ts'
import { ignoreBody, requireJson } from './json-body.ts'
import { unwritten } from './unwritten.ts'
import { schemaOf } from './validation.ts'
import type { Encodings } from './validators.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation that the route serves. */
    operation?: AnyOperation
  }
  interface FastifyInstance {
    /** Timeouts of handlers. */
    handlerDeadlines: Deadlines
    /** All that a request can have once it is routed. */
    routedMethods: ReadonlySet<string>
  }
}

/** What a mock adds to the handlers. */
export interface Mock {
  /** Those that it reads and sends in addition to the contract's. */
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

/**
 * A route for every operation of the contract, and a 405 for every other method of their URLs. An operation that declares
 * 501 needs no handler, and responds with it.
 * @throws ContractNotServed naming all others without a handler, unless a mock replaces them
 */
export const registerOperations = (
  app: FastifyInstance,
  entries: readonly AnyOperation[],
  table: Handlers,
  mock?: Mock,
  encodings?: Encodings
): void => {
  if (mock === undefined) refuseMissingHandlers(entries, table)
  for (const operation of entries) {
    const { operationId } = operation
    const given = handlerOf(table, operationId)
    const implemented = given === unwritten ? undefined : given
    const standIn = mock?.standIn(operation, implemented !== undefined)
    const handler = implemented ?? standIn?.handler
    const first = standIn === undefined ? [] : [standIn.preParsing]
    const route = { method: operation.method as HTTPMethods, url: operation.url, config: { operation } }
    if (handler === undefined) {
      const refusal = refusing(() => notImplemented(operationId))
      app.route({ ...route, ...refusal, preParsing: [...first, refusal.preParsing] })
    } else {
      app.route({
        ...route,
        schema: schemaOf(operation),
        ...stepsOf(operation, first, encodings),
        ...(standIn?.preHandler && { preHandler: standIn.preHandler }),
        handler: routeHandler(app, operation, handler, encodings)
      })
    }
  }

  // To the router, URLs that differ in the names of their parameters are one.
  const byShape = Map.groupBy(entries, each => shapeOf(each.url))
  const empties = new Map<string, string>()
  for (const [first, ...others] of byShape.values()) {
    const { url } = first as AnyOperation
    refuseOtherMethods(
      app,
      url,
      [first as AnyOperation, ...others].map(each => each.method)
    )
    for (const empty of withEmptyParameter(url)) if (!byShape.has(shapeOf(empty))) empties.set(shapeOf(empty), empty)
  }
  for (const empty of empties.values()) refuseAll(app, empty, notFound)
  for (const url of ['/', '/*']) {
    // Without a base path, the documentation is where there is nothing else.
    const isTaken = app.hasRoute({ method: 'GET', url: app.prefix + url })
    if (!isTaken) refuseAll(app, url, notFound)
  }
}

type Handlers = Readonly<Record<string, AnyHandler | undefined>>

const handlerOf = (table: Handlers, operationId: string) =>
  Object.hasOwn(table, operationId) ? table[operationId] : undefined

const refuseMissingHandlers = (entries: readonly AnyOperation[], table: Handlers) => {
  const missing = entries.filter(
    ({ operationId, responses }) => handlerOf(table, operationId) === undefined && !('501' in responses)
  )
  if (missing.length === 0) return
  const names = missing.map(({ operationId, method, path }) => `${operationId} (${method} ${path})`).join(', ')
  throw new ContractNotServed(`no handler for ${names}; only an operation whose contract declares 501 needs none`)
}

const stepsOf = (
  operation: AnyOperation,
  first: readonly preParsingHookHandler[],
  encodings: Encodings | undefined
) => {
  const { preParsing = [], preValidation = [] } = isPlain(operation) ? {} : (encodings?.stepsOf(operation) ?? {})
  return { preParsing: [...first, ...preParsing, ...bodySteps(operation)], preValidation }
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
  encodings: Encodings | undefined
): RouteHandlerMethod => {
  const { operationId, input } = operation
  const headersOf = input.headers && declaredHeaders(Object.keys(input.headers.properties))
  const onceOf = onceReader(operation)
  const principalOf = operation.security.length > 0 ? firstPrincipal : undefined
  const responseOf = responsesOf(operation, encodings)
  const inputsOf = isPlain(operation) ? undefined : encodings?.inputsOf(operation)
  const deadlines = app.handlerDeadlines
  const worthReading = app.initialConfig.bodyLimit

  const respond = (request: FastifyRequest, reply: FastifyReply, result: AnyResult) => {
    const { status, headers, body } = result
    const response = responseOf(status, body)
    if (headers !== undefined) refuseUnsendable(headers)
    reply.code(status)
    if (input.body === undefined) closeIfUnread(request, reply, worthReading)
    if (response === undefined) {
      if (headers !== undefined) reply.headers(headers)
      reply.send()
      return
    }
    if (response.send !== undefined) return response.send(reply, result)
    // Looked up once: by a status it costs 2 % of a get.
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
    const { params, query, body } = request
    const refuse = (error: unknown) => void sendHandlerError(error, request, reply, operation)
    let result: ReturnType<AnyHandler>
    try {
      const headers = headersOf?.(request.headers)
      const once = onceOf?.(request)
      const principal = principalOf?.(request)
      const input = { params, query, body, headers, once, principal, principals: request.principals ?? nobody }
      result = handler(inputsOf === undefined ? input : { ...input, ...inputsOf(request) })
    } finally {
      app.spend?.(request)
    }
    const deadline = deadlines.add(() => refuse(new Error(`the handler of ${operationId} timed out`)))
    const onFailure = (error: unknown) => void (deadline.remove() && refuse(error))
    result.then(result => {
      if (!deadline.remove()) return
      try {
        respond(request, reply, result)
      } catch (error) {
        refuse(error)
      }
    }, onFailure)
  }
}

const nobody: Principals = {}

/** The one that the contract names first; a key of the store has nothing but its id. */
const firstPrincipal = ({ principals, keyId }: FastifyRequest): Principal | undefined => {
  if (principals === undefined) return keyId === undefined ? undefined : { id: keyId }
  return Object.values(principals)[0]
}

/** By the contract's names; Node's are in lower case. */
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
  /** By which Fastify knows its serializer. */
  key: string
  hasBody: boolean
  /** Where the body may be something else than JSON. */
  send: ReturnType<Encodings['contentSender']> | undefined
  /** Once it has been sent. */
  serialize: ((body: unknown) => string) | undefined
}

/** Which declared response a result is serialized as; `undefined` if that has no body. */
const responsesOf = ({ operationId, responses }: AnyOperation, encodings: Encodings | undefined) => {
  const declared = (status: number): DeclaredResponse => {
    const key = [String(status), `${Math.floor(status / 100)}XX`, 'default'].find(each => each in responses)
    if (key === undefined)
      throw new Error(`the handler of ${operationId} returned ${status}, which the contract does not declare`)
    const { body, contents } = responses[key] ?? {}
    const send = contents && encodings?.contentSender(contents, key.toLowerCase(), operationId)
    return { key: key.toLowerCase(), hasBody: body !== undefined || contents !== undefined, send, serialize: undefined }
  }
  const known = new Map<number, DeclaredResponse>()

  return (status: number, body: unknown): DeclaredResponse | undefined => {
    const response = known.getOrInsertComputed(status, declared)
    if (response.hasBody === (body !== undefined)) return body === undefined ? undefined : response
    const [sent, declares] = body === undefined ? ['no body', 'one'] : ['a body', 'none']
    throw new Error(
      `the handler of ${operationId} returned ${sent} with ${status}, for which the contract declares ${declares}`
    )
  }
}

/** OPTIONS for a URL, and a 405 for every method that it does not allow (RFC 9110, sections 9.3.7 and 15.5.6). */
export const refuseOtherMethods = (app: FastifyInstance, url: string, methods: readonly string[]) => {
  const allowed = [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])]
  const allow = allowed.join(', ')
  // As a hook, before any body is read.
  const options = (_request: FastifyRequest, reply: FastifyReply) => {
    reply.code(204).header('allow', allow).send()
  }
  // The contract may have an operation of its own.
  if (!methods.includes('OPTIONS')) app.route({ method: 'OPTIONS', url, preParsing: options, handler: options })
  const others = [...app.routedMethods].filter(method => !allowed.includes(method)) as HTTPMethods[]
  const refusal = refusing(({ raw }) => methodNotAllowed(methodOf(raw), allow))
  app.route({ method: others, url, exposeHeadRoute: false, ...refusal })
}

/** The same error for every method of a URL; OPTIONS apart, since it needs no key. */
export const refuseAll = (app: FastifyInstance, url: string, error: (request: FastifyRequest) => ApiError) => {
  app.route({ method: 'OPTIONS', url, ...refusing(error) })
  const others = [...app.routedMethods].filter(method => method !== 'OPTIONS') as HTTPMethods[]
  app.route({ method: others, url, exposeHeadRoute: false, ...refusing(error) })
}

/** Before any body is read. */
const refusing = (error: (request: FastifyRequest) => ApiError) => {
  const refuse = (request: FastifyRequest) => {
    throw error(request)
  }
  return { preParsing: refuse, handler: refuse }
}

const shapeOf = (url: string) => url.replaceAll(/(?<!:):(?!:)\w+/g, ':')

/**
 * The router allows empty parameters; a URL with one does not exist. What would follow one is not told apart: many URLs begin
 * alike, and each route takes time at the start.
 */
const withEmptyParameter = (url: string) =>
  // Where it is a part of a segment, the router itself wants something there.
  [...url.matchAll(/(?<!:):\w+(?=\/|$)/g)].map(
    ({ 0: parameter, index }) => url.slice(0, index) + (index + parameter.length === url.length ? '' : '/*')
  )
