import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, onRequestHookHandler } from 'fastify'
import { type ApiError, methodNotAllowed, notImplemented } from '../errors.ts'
import { closeIfUnread, identitySerializer, notFound, sendHandlerError } from '../http/error-body.ts'
import { wantBody } from '../http/faults.ts'
import { http } from '../http/node-http.ts'
import { methodOf } from '../http/unknown-methods.ts'
import { type AnyHandler, type AnyOperation, type AnyResult, ContractNotServed, type Schema } from './contract.ts'
import type { Deadlines } from './deadlines.ts'
import { inputReaders } from './input.ts'
import { ignoreBody, wantJson } from './json-body.ts'
import { type Serializer, serializers } from './output.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The contract's entry that the route serves. */
    operation?: AnyOperation
  }
  interface FastifyInstance {
    /** For handlers to answer. */
    handlerDeadlines: Deadlines
  }
}

/** What a mock does beside the handlers. */
export interface Mock {
  /** Those that it looks at and answers with, beside the contract's. */
  headers: { requestHeaders: readonly string[]; responseHeaders: readonly string[] }
  /** What stands in for an operation, or for a handler that there is not yet. */
  standIn(operation: AnyOperation, hasHandler: boolean): StandIn
}
export interface StandIn {
  /** Asked once the caller is known, before the content of the request is judged. */
  onRequest: onRequestHookHandler
  handler?: AnyHandler | undefined
}

/**
 * A route for every operation of the contract, and for every other method of their URLs a response that says so. An
 * operation that is announced, by a 501 in the contract, needs no handler and responds with that.
 * @throws ContractNotServed naming all others that have none, unless a mock stands in for them
 */
export const registerOperations = (
  app: FastifyInstance,
  entries: readonly AnyOperation[],
  table: Handlers,
  mock?: Mock
): void => {
  const readerOf = inputReaders()
  const serializerOf = serializers()
  const deadlines = app.handlerDeadlines
  const worthReading = app.initialConfig.bodyLimit
  if (mock === undefined) refuseMissingHandlers(entries, table)

  for (const operation of entries) {
    const { operationId, url, input } = operation
    const implemented = handlerOf(table, operationId)
    const standIn = mock?.standIn(operation, implemented !== undefined)
    const handler = implemented ?? standIn?.handler
    const first = standIn === undefined ? [] : [standIn.onRequest]
    const route = { method: operation.method as HTTPMethods, url, config: { operation } }
    if (handler === undefined) {
      const refusal = answering(() => notImplemented(operationId))
      app.route({ ...route, ...refusal, onRequest: [...first, refusal.onRequest] })
      continue
    }
    const read = readerOf(operation)
    const serialize = bySchemaOf(operation, serializerOf)
    app.route({
      ...route,
      // Of a GET, Fastify reads no body.
      ...(input.body === undefined
        ? { onRequest: operation.method === 'GET' ? first : [...first, ignoreBody] }
        : { onRequest: [...first, wantJson], preParsing: wantBody }),
      // No async function: Fastify would wrap its promise in more of them, on every request.
      handler: (request, reply) => {
        const { params, query, headers, body } = request
        const refuse = (error: unknown) => void sendHandlerError(error, request, reply, operation)
        const expire = () => refuse(new Error(`the handler of ${operationId} gave no answer in time`))
        const begunMs = performance.now()
        let answer: ReturnType<AnyHandler>
        try {
          answer = handler(read({ params, query: query as unknown as string, headers, body }))
        } finally {
          app.spend?.(request, begunMs)
        }
        deadlines.add(expire)
        const onFailure = (error: unknown) => void (deadlines.remove(expire) && refuse(error))
        answer.then(result => {
          if (!deadlines.remove(expire)) return
          try {
            const text = serialize(result)
            reply.code(result.status)
            if (result.headers !== undefined) reply.headers(result.headers)
            if (input.body === undefined) closeIfUnread(request, reply, worthReading)
            if (text !== undefined) reply.header('content-type', 'application/json').serializer(identitySerializer)
            reply.send(text)
          } catch (error) {
            refuse(error)
          }
        }, onFailure)
      }
    })
  }

  const urls = new Set(entries.map(each => each.url))
  for (const url of urls) {
    answerOtherMethods(
      app,
      url,
      entries.filter(each => each.url === url).map(each => each.method)
    )
    // The router lets a parameter be empty; an address without it is another one, which nothing has.
    for (const empty of withEmptyParameter(url)) if (!urls.has(empty)) answerAll(app, empty, notFound)
  }
  for (const url of ['/', '/*']) if (!urls.has(url)) answerAll(app, url, notFound)
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

/** The checked text of a result; `undefined` where the contract declares no body. */
const bySchemaOf = (operation: AnyOperation, serializerOf: (schema: Schema) => Serializer) => {
  const texts = new Map<string, Serializer | undefined>()
  for (const [status, { body }] of Object.entries(operation.responses)) texts.set(status, body && serializerOf(body))

  return ({ status, body }: AnyResult): string | undefined => {
    const key = [String(status), `${Math.floor(status / 100)}XX`, 'default'].find(each => texts.has(each))
    if (key === undefined)
      throw new Error(`the handler of ${operation.operationId} answered ${status}, which the contract does not declare`)
    const serialize = texts.get(key)
    if (serialize === undefined && body !== undefined) {
      throw new Error(
        `the handler of ${operation.operationId} sends a body with ${status}, for which the contract has none`
      )
    }
    return serialize?.(body)
  }
}

/** OPTIONS for an address, and 405 for every method that it does not have (RFC 9110, sections 9.3.7 and 15.5.6). */
export const answerOtherMethods = (app: FastifyInstance, url: string, methods: readonly string[]) => {
  const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
  const allow = allowed.join(', ')
  // As a hook: a body is of no concern, and is not read.
  const options = (_request: FastifyRequest, reply: FastifyReply) => {
    reply.code(204).header('allow', allow).send()
  }
  app.route({ method: 'OPTIONS', url, onRequest: options, handler: options })
  const others = app.supportedMethods.filter(method => !allowed.includes(method))
  const refusal = answering(({ raw }) => methodNotAllowed(methodOf(raw), allow))
  app.route({ method: others, url, exposeHeadRoute: false, ...refusal })
}

/** One error for every method of an address; OPTIONS apart, since it is answered without a key. */
export const answerAll = (app: FastifyInstance, url: string, error: (request: FastifyRequest) => ApiError) => {
  app.route({ method: 'OPTIONS', url, ...answering(error) })
  const others = app.supportedMethods.filter(method => method !== 'OPTIONS')
  app.route({ method: others, url, exposeHeadRoute: false, ...answering(error) })
}

/** All methods that Node knows, so that none of them passes for an unknown address. */
export const knowAllMethods = (app: FastifyInstance) => {
  // A CONNECT has no path; it never comes to a route.
  const methods = http.METHODS.filter(method => method !== 'CONNECT')
  for (const method of methods) if (!app.supportedMethods.includes(method as never)) app.addHttpMethod(method)
}

/** Answered before anything of the body is read. */
const answering = (error: (request: FastifyRequest) => ApiError) => {
  const refuse = (request: FastifyRequest) => {
    throw error(request)
  }
  return { onRequest: refuse, handler: refuse }
}

const withEmptyParameter = (url: string) =>
  [...url.matchAll(/:[^/]+/g)].map(
    ({ 0: parameter, index }) => url.slice(0, index) + url.slice(index + parameter.length)
  )
