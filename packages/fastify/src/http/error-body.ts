import { inspect } from 'node:util'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type AnyOperation, responseKey } from '../contract/contract.ts'
import {
  ApiError,
  bodyTooLarge,
  brokenOff,
  idempotencyKeyReused,
  internalError,
  malformedRequest,
  requestInProgress,
  serviceUnavailable,
  unsupportedMediaType
} from '../errors/api-error.ts'
import { type ErrorFormat, mayBeSent } from '../errors/format.ts'
import { http } from '../node/http.ts'
import { report } from '../observability/request-log.ts'
import { notFound } from '../routing/other-methods.ts'
import { VerifierUnavailable } from '../security/verifiers.ts'
import { InProgress, KeyReused } from '../store/idempotency.ts'
import { StoreUnavailable } from '../store/store.ts'
import { InvalidPart, withOtherParts } from '../validation/invalid-part.ts'
import { lingerAfterResponse } from './linger.ts'

declare module 'fastify' {
  interface FastifyInstance {
    errorFormat: ErrorFormat
  }
}

/** Responds to everything that is thrown with the contract's Error, without internal details. */
export const errorBody = fp(
  async app => {
    app.setErrorHandler((error, request, reply) => {
      const whole = error instanceof InvalidPart ? withOtherParts(error, request) : error
      app.charge?.(request)
      return sendError(whole, request, reply)
    })
  },
  { name: 'error-body', dependencies: ['request-log'] }
)

/** The error for URLs without any route. */
export const notFoundBody = fp(
  async app => {
    app.setNotFoundHandler(request => {
      throw notFound(request)
    })
  },
  { name: 'not-found-body', dependencies: ['error-body'] }
)

/** Responds with the contract's Error, even if the operation does not declare that status. */
export const sendError = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  isOfHandler = false
): FastifyReply => {
  request.awaitedHeaders = undefined
  const apiError = apiErrorOf(error, request, isOfHandler)
  // A handler has sent something itself.
  if (reply.sent) return reply
  const { errorFormat } = request.server
  // Only if needed: Fastify makes a new object at each access to `routeOptions`.
  const operation = errorFormat.isByOperation ? request.routeOptions.config?.operation : undefined
  const { mediaType, text } = errorFormat.of(apiError, operation, request)
  reply.code(apiError.status).headers(apiError.headers)
  closeIfUnread(request, reply)
  return sendText(reply, text, mediaType)
}

/** The kinds of errors are told apart here and nowhere else. */
const apiErrorOf = (error: unknown, request: FastifyRequest, isOfHandler: boolean): ApiError => {
  if (error instanceof ApiError) return error
  const ended = request.ending?.responseTo(error)
  if (ended !== undefined) return ended
  if (error instanceof StoreUnavailable) {
    request.server.metrics.storeErrors++
    report(request, 'warn', { err: error }, 'the store is unavailable')
    return serviceUnavailable()
  }
  if (error instanceof VerifierUnavailable) {
    report(request, 'warn', { err: error }, 'credentials cannot be judged')
    return serviceUnavailable('Credentials cannot be verified at the moment; try again.')
  }
  if (error instanceof InProgress) return requestInProgress()
  if (error instanceof KeyReused) return idempotencyKeyReused()
  // The client has gone away; nobody reads this response.
  if (error instanceof Error && error === request.raw.errored) return brokenOff()
  const known = error instanceof Error ? frameworkErrors.get((error as FastifyError).code) : undefined
  if (known !== undefined) return known(request)
  if (!isOfHandler && hasErrorStatus(error)) return hookErrorOf(error, request)
  // Anything can be thrown, and the log needs all of it.
  const err = error instanceof Error ? error : new Error(`a value other than an Error was thrown: ${inspect(error)}`)
  report(request, 'error', { err })
  return internalError()
}

interface ErrorWithStatus {
  code?: string
  message?: unknown
  statusCode: number
}

/**
 * Errors of hooks and plugins, such as @fastify/jwt, have a status by Fastify's convention, also those that are plain objects. A
 * handler's may be another service's.
 */
const hasErrorStatus = (error: unknown): error is ErrorWithStatus => {
  const { statusCode = 0 } = typeof error === 'object' && error !== null ? (error as FastifyError) : {}
  return Number.isInteger(statusCode) && statusCode >= 400 && statusCode in http.STATUS_CODES
}

/** A client is told the reason only if it can do something about it. */
const hookErrorOf = (error: ErrorWithStatus, request: FastifyRequest): ApiError => {
  const { statusCode, message } = error
  const phrase = http.STATUS_CODES[statusCode] as string
  const code = String(error.code ?? phrase)
    .replaceAll(/\W+/g, '_')
    .toLowerCase()
  if (statusCode < 500) return new ApiError(statusCode, code, typeof message === 'string' ? message : `${phrase}.`)
  report(request, statusCode === 503 ? 'warn' : 'error', { err: error })
  return statusCode === 500 ? internalError() : new ApiError(statusCode, code, `${phrase}.`)
}

/** Our errors for those of Fastify, by its codes. */
const frameworkErrors = new Map<unknown, (request: FastifyRequest) => ApiError>(
  Object.entries({
    FST_ERR_CTP_BODY_TOO_LARGE: ({ routeOptions }) => bodyTooLarge(routeOptions.bodyLimit),
    FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
      malformedRequest('The body does not have the length that Content-Length states.'),
    FST_ERR_CTP_INVALID_MEDIA_TYPE: ({ raw }) => unsupportedMediaType(raw.headers['content-type']),
    FST_ERR_CTP_EMPTY_TYPE: () => unsupportedMediaType()
  })
)

/**
 * Responds to what a handler has thrown. An error that its operation does not declare becomes a 500, unless the engine itself
 * may send that status: a client's mistake stays a 4xx.
 */
export const sendHandlerError = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: AnyOperation
): FastifyReply => {
  if (
    !(error instanceof ApiError) ||
    error === request.arriving?.fault ||
    responseKey(operation.responses, error.status) !== undefined ||
    mayBeSent(operation, error.status)
  )
    return sendError(error, request, reply, true)
  report(request, 'error', { err: error }, `${operation.operationId} does not declare ${error.status}`)
  return sendError(internalError(), request, reply)
}

/** Closes the connection after the response if more bytes of the body are still to come than are worth reading. */
export const closeIfUnread = ({ raw }: FastifyRequest, reply: FastifyReply, worthReading = 0): void => {
  // A stream of HTTP/2, which an application may listen for, ends alone.
  if (raw.httpVersionMajor !== 1) return
  const { 'transfer-encoding': coding, 'content-length': length, expect } = raw.headers
  if (coding === undefined && length === undefined && !reply.hasHeader('connection')) return
  // A client that waits for 100 Continue may still send its body.
  const bytes = coding === undefined && expect === undefined ? Number(length ?? 0) : Number.POSITIVE_INFINITY
  const isUnread = bytes > worthReading && !raw.complete
  if (isUnread) reply.header('connection', 'close')
  // Fastify sets `connection: close` after an invalid body, although it has read it whole and further requests may follow.
  if (isUnread || reply.hasHeader('connection')) lingerAfterResponse(raw.socket)
}

/** Sends a text as it is: without a serializer, Fastify would add a charset, which JSON does not have. */
export const sendText = (reply: FastifyReply, text: string, mediaType = 'application/json'): FastifyReply =>
  reply.type(mediaType).serializer(identitySerializer).send(text)

export const identitySerializer = (text: unknown): string => text as string
