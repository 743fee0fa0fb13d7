import { inspect } from 'node:util'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import {
  ApiError,
  bodyTooLarge,
  internalError,
  malformedRequest,
  pathNotFound,
  serviceUnavailable,
  unsupportedMediaType
} from '../errors.ts'
import { report } from '../observability/request-log.ts'
import type { AnyOperation } from '../operations/contract.ts'
import { InvalidPart, withOtherParts } from '../operations/validation.ts'
import { StoreUnavailable } from '../store/store.ts'
import { lingerAfterResponse } from './linger.ts'

/** Answers everything that is thrown with the contract's Error, and keeps from the client what is ours alone. */
export const errorBody = fp(async app => {
  app.setErrorHandler((error, request, reply) => {
    if (!(error instanceof InvalidPart)) return sendError(error, request, reply)
    const whole = withOtherParts(error, request)
    app.spend?.(request)
    return sendError(whole, request, reply)
  })
  app.setNotFoundHandler(request => {
    throw notFound(request)
  })
})

export const notFound = ({ url }: FastifyRequest): ApiError => pathNotFound(url.split('?', 1)[0] ?? url)

/** Responds with the Error of the contract, whether or not the operation declares its status: a client's fault is no 500. */
export const sendError = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const answer = apiErrorOf(error, request)
  reply.code(answer.status).headers(answer.headers).header('content-type', 'application/json')
  closeIfUnread(request, reply)
  return reply.serializer(identitySerializer).send(answer.text())
}

/** The four kinds of errors are told apart here and nowhere else. */
const apiErrorOf = (error: unknown, request: FastifyRequest): ApiError => {
  if (error instanceof ApiError) return error
  if (error instanceof StoreUnavailable) {
    request.server.metrics.storeErrors++
    report(request, 'warn', { err: error }, 'the store is unavailable')
    return serviceUnavailable()
  }
  // Its client has gone away; nobody reads this answer.
  if (error instanceof Error && error === request.raw.errored)
    return malformedRequest('The client broke off the request.')
  const known = error instanceof Error ? answers.get((error as FastifyError).code) : undefined
  if (known !== undefined) return known(request)
  // What was thrown may be no Error, and the log wants all of it.
  const err = error instanceof Error ? error : new Error(`something that is no Error was thrown: ${inspect(error)}`)
  report(request, 'error', { err })
  return internalError()
}

/** What the framework and its plugins refuse, in our words. */
const answers = new Map<unknown, (request: FastifyRequest) => ApiError>(
  Object.entries({
    FST_ERR_CTP_BODY_TOO_LARGE: ({ routeOptions }) => bodyTooLarge(routeOptions.bodyLimit),
    FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
      malformedRequest('The body does not have the length that Content-Length states.'),
    FST_ERR_CTP_INVALID_MEDIA_TYPE: ({ raw }) => unsupportedMediaType(raw.headers['content-type']),
    FST_ERR_CTP_EMPTY_TYPE: () => unsupportedMediaType()
  })
)

/** What a handler has thrown; an error of its own that its operation does not declare is a fault of ours. */
export const sendHandlerError = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: AnyOperation
): FastifyReply => {
  if (!(error instanceof ApiError) || hasStatus(operation.responses, error.status))
    return sendError(error, request, reply)
  report(request, 'error', { answer: error }, `${operation.operationId} does not declare ${error.status}`)
  return sendError(internalError(), request, reply)
}

const hasStatus = (responses: object, status: number) =>
  status in responses || `${Math.floor(status / 100)}XX` in responses || 'default' in responses

/**
 * Ends the connection with a response while more bytes of the body are to come than are worth reading: none with an error,
 * so many after a success that needed no body.
 */
export const closeIfUnread = ({ raw }: FastifyRequest, reply: FastifyReply, worthReading = 0): void => {
  const { 'transfer-encoding': coding, 'content-length': length, expect } = raw.headers
  if (coding === undefined && length === undefined && !reply.hasHeader('connection')) return
  // A client that waits to be told to send its body may or may not send it after all.
  const bytes = coding === undefined && expect === undefined ? Number(length ?? 0) : Number.POSITIVE_INFINITY
  const isUnread = bytes > worthReading && !raw.complete
  if (isUnread) reply.header('connection', 'close')
  // Fastify ends it after a body that is no JSON, though it has read all of it: there further requests may come.
  if (isUnread || reply.hasHeader('connection')) lingerAfterResponse(raw.socket)
}

/** For text that is JSON already; without a serializer Fastify would add a charset, which JSON has none of. */
export const identitySerializer = (text: unknown): string => text as string
