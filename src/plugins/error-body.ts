import { inspect } from 'node:util'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import {
  ApiError,
  apiKeyMissing,
  bodyTooLarge,
  internalError,
  malformedPath,
  malformedRequest,
  pathNotFound,
  serviceUnavailable,
  unsupportedMediaType
} from '../errors.ts'
import { lingerAfterAnswer } from '../linger.ts'
import type { AnyOperation } from '../operations.ts'
import { StoreUnavailable } from '../store/store.ts'
import { report } from './request-log.ts'

/** Answers everything that is thrown with the contract's Error, and keeps from the client what is ours alone. */
export const errorBody = fp(async app => {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler(request => {
    throw notFound(request)
  })
})

export const notFound = ({ url }: FastifyRequest): ApiError => pathNotFound(url.split('?', 1)[0] ?? url)

/** Answers with the Error; one that the operation does not declare is a fault of ours. */
export const sendError = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  operation?: AnyOperation
): FastifyReply => {
  const answer = declared(answerTo(error, request), request, operation)
  reply.code(answer.status).headers(answer.headers).header('content-type', 'application/json')
  closeIfUnread(request, reply)
  return reply.serializer(asItIs).send(answer.text())
}

/** The four kinds of errors are told apart here and nowhere else. */
const answerTo = (error: unknown, request: FastifyRequest): ApiError => {
  if (error instanceof ApiError) return error
  if (error instanceof StoreUnavailable) {
    request.server.metrics.storeErrors++
    report(request, 'warn', { err: error }, 'the store is unavailable')
    return serviceUnavailable()
  }
  // Its client has gone away; nobody reads this answer.
  if (error instanceof Error && error === request.raw.errored) return malformedRequest('The request broke off.')
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
    FST_BEARER_AUTH_MISSING_AUTHORIZATION_HEADER: apiKeyMissing,
    // Another scheme than Bearer; a key that is refused is the verifier's own ApiError.
    FST_BEARER_AUTH_INVALID_AUTHORIZATION_HEADER: apiKeyMissing,
    FST_ERR_BAD_URL: malformedPath,
    FST_ERR_CTP_BODY_TOO_LARGE: ({ routeOptions }) => bodyTooLarge(routeOptions.bodyLimit),
    FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => malformedRequest('The body is not as long as Content-Length says.'),
    FST_ERR_CTP_INVALID_MEDIA_TYPE: ({ raw }) =>
      unsupportedMediaType(raw.headers['content-type'] ?? 'without a Content-Type'),
    FST_ERR_CTP_EMPTY_TYPE: () => unsupportedMediaType('without a Content-Type')
  })
)

const declared = (answer: ApiError, request: FastifyRequest, operation: AnyOperation | undefined): ApiError => {
  if (operation === undefined || hasStatus(operation.responses, answer.status) || beforeRouting.has(answer.code))
    return answer
  report(request, 'error', { answer }, `${operation.operationId} does not declare ${answer.status}`)
  return internalError()
}

// Found out on an operation's route, but not by the operation: the contract's description has them.
const beforeRouting = new Set([
  'malformed_request',
  'uri_too_long',
  'path_not_found',
  'expectation_failed',
  'unsupported_transfer_coding'
])

const hasStatus = (responses: object, status: number) =>
  status in responses || `${Math.floor(status / 100)}XX` in responses || 'default' in responses

/** Ends the connection with an answer while bytes of the body are still to come: else they would all have to be read. */
export const closeIfUnread = ({ raw }: FastifyRequest, reply: FastifyReply): void => {
  const hasBody = raw.headers['transfer-encoding'] !== undefined || Number(raw.headers['content-length'] ?? 0) > 0
  const isUnread = hasBody && !raw.complete
  if (isUnread) reply.header('connection', 'close')
  // Fastify ends it after a body that is no JSON, though it has read all of it: there further requests may come.
  if (isUnread || reply.hasHeader('connection')) lingerAfterAnswer(raw.socket)
}

/** For text that is JSON already; without a serializer Fastify would add a charset, which JSON has none of. */
export const asItIs = (text: unknown): string => text as string
