import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyInstance, preParsingHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Limits } from '../contract/contract.ts'
import {
  type ApiError,
  expectationFailed,
  headersTooLarge,
  malformedRequest,
  requestTimeout,
  unsupportedTransferCoding,
  uriTooLong
} from '../errors/api-error.ts'
import type { ErrorFormat } from '../errors/format.ts'
import { http } from '../node/http.ts'
import { allowHalfOpen, endReading, onTurn, setKeepAlive } from '../node/internals.ts'
import { dropInput, endLingering, lingerAfterResponse } from './linger.ts'
import { newestResponse } from './newest-response.ts'
import { securityHeaders } from './security-headers.ts'

/** How many pipelined requests may wait. The response to the last closes the connection; what follows is not read. */
const maxWaiting = 100

/**
 * Rejects invalid HTTP before any route, with the contract's Error.
 *
 * The requests of a connection are handled one by one, each after the previous response has been sent. Node would handle
 * all that it has read: even those after a response that closes the connection, which must not be processed (RFC 9112,
 * section 9.6), and hundreds for a client that reads no response.
 */
export const invalidHttp = fp(
  async (app, { limits }: { limits: Limits }) => {
    app.addHook('onRequest', ({ raw }, reply, done) => {
      // RFC 9112, section 6.1: an older proxy may have misread where the body ends.
      if (raw.httpVersion === '1.0' && raw.headers['transfer-encoding'] !== undefined) {
        setKeepAlive(reply.raw, false)
        lingerAfterResponse(raw.socket)
      }
      afterPreviousResponse(raw, reply.raw, () => done(httpErrorOf(raw, limits)))
    })

    // For `Expect`: the header section is checked before the client is asked for the body.
    for (const event of ['checkExpectation', 'checkContinue']) {
      app.server.on(event, (request: IncomingMessage, response: ServerResponse) => {
        app.server.emit('request', request, response)
      })
    }
    app.server.on('connect', (request: IncomingMessage) => {
      const { socket } = request
      // Node has removed its own listener; without one, a client that disconnects would crash the process.
      socket.on('error', () => socket.destroy())
      respondAfterEarlier(socket, malformedRequest('CONNECT is for proxies, and this server is not one.'), app, request)
    })
    // A client that has ended its side still waits for its response.
    allowHalfOpen(app.server)
  },
  { name: 'invalid-http', dependencies: ['request-log', 'error-body'] }
)

/** A header that a proxy in front may have read otherwise. */
export const refuseRepeatedHeaders = fp(
  async app => {
    app.addHook('onRequest', ({ raw }, _reply, done) => {
      const repeated = repeatedField(raw.rawHeaders)
      done(repeated === undefined ? undefined : mayOccurOnce(repeated))
    })
  },
  { name: 'repeated-headers' }
)

const mayOccurOnce = (name: string) => malformedRequest(`The ${name} header may occur only once.`)

/** What responding takes where Fastify has no request. */
type Responding = Pick<FastifyInstance, 'requestLog' | 'errorFormat'>

const waiting = new WeakMap<Socket, number>()

/** Proceeds once the previous responses on the connection have been sent, unless one of them closed it. */
const afterPreviousResponse = ({ socket }: IncomingMessage, response: ServerResponse, proceed: () => void): void => {
  // A response closed the connection while this request was being read.
  if (socket.writable === false) return
  if (response.socket !== null) {
    proceed()
    return
  }
  const place = (waiting.get(socket) ?? 0) + 1
  waiting.set(socket, place)
  if (place === maxWaiting) dropInput(socket)
  onTurn(response, () => {
    waiting.set(socket, (waiting.get(socket) ?? 0) - 1)
    if (place === maxWaiting) {
      setKeepAlive(response, false)
      lingerAfterResponse(socket)
    }
    proceed()
  })
}

const noHttp = 'The request is not valid HTTP/1.1.'

/** Sends 100 Continue to a client that waits for it. */
export const awaitBody: preParsingHookHandler = (request, reply, payload, done) => {
  const { headers, httpVersion } = request.raw
  // HTTP/1.0 has no 100 (RFC 9110, section 10.1.1), and a body that is too large need not be sent.
  const isAwaited = headers.expect !== undefined && httpVersion !== '1.0'
  if (isAwaited && !(Number(headers['content-length']) > request.routeOptions.bodyLimit)) reply.raw.writeContinue()
  done(null, payload)
}

export const httpErrorOf = (raw: IncomingMessage, { uriBytes }: Limits): ApiError | undefined => {
  const { url = '', originalUrl = url } = raw as IncomingMessage & Rewritten
  // Node's parser lets 0.9 and 2.0 pass.
  if (raw.httpVersionMajor !== 1) return malformedRequest(noHttp, { connection: 'close' })
  if (originalUrl.length > uriBytes) return uriTooLong(uriBytes)
  // RFC 9112, section 3.2.4.
  if (originalUrl === '*' && raw.method !== 'OPTIONS')
    return malformedRequest('The request target * is for OPTIONS only.')
  const repeated = repeatedField(raw.rawHeaders)
  if (repeated !== undefined) return mayOccurOnce(repeated)
  const { host, expect, 'transfer-encoding': codings } = raw.headers
  // RFC 9112, section 3.2; HTTP/1.0 did not have it.
  if (host === undefined && raw.httpVersion === '1.1') return malformedRequest('The Host header is missing.')
  if (host !== undefined && !hostForm.test(host)) return malformedRequest('The Host header is not a valid host.')
  if (codings !== undefined && codings !== 'chunked') {
    const error = codingError(codings)
    if (error !== undefined) return error
  }
  // HTTP/1.0 has no expectations (RFC 9110, section 10.1.1).
  if (expect !== undefined && raw.httpVersion === '1.1' && !continueForm.test(expect)) return expectationFailed()
  return undefined
}

interface Rewritten {
  /** The URL as sent, if Fastify was given another form of it. */
  originalUrl?: string
}

// RFC 3986, section 3.2.2, and a port; empty for a URL without a host.
const hostForm = /^(?:\[[\da-fA-F:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/

// As Node looks for it.
const continueForm = /(?:^|\W)100-continue(?:$|\W)/i

/**
 * The repeated header that must not be repeated. Node would use the first, and a proxy in front may have checked another.
 * Node joins other headers to a list, or they are not read here.
 */
const repeatedField = (rawHeaders: readonly string[]): string | undefined => {
  let seen = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    const single = singleByLength[name.length]
    if (single === undefined || name.toLowerCase() !== single) continue
    if (seen & (1 << name.length)) return singleFields.find(each => each.length === name.length)
    seen |= 1 << name.length
  }
  return undefined
}

const singleFields = ['Host', 'Content-Type', 'Authorization'] as const
// Found by length, since their lengths differ.
const singleByLength: (string | undefined)[] = []
for (const name of singleFields) singleByLength[name.length] = name.toLowerCase()

/** RFC 9112, sections 6.1 and 6.3: the last coding determines where the body ends, so it must be chunked. */
const codingError = (value: string): ApiError | undefined => {
  const codings = value
    .toLowerCase()
    .split(',')
    .map(coding => coding.trim())
    .filter(coding => coding !== '')
  if (codings.at(-1) !== 'chunked')
    return malformedRequest('The last transfer coding must be chunked.', { connection: 'close' })
  return codings.length > 1 ? unsupportedTransferCoding() : undefined
}

/** Responds to what the parser rejected: there is no request, so the response is written to the socket. */
export const respondToClientError = (error: ConnectionError, socket: Socket, app: Responding, limits: Limits): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
  else respondAfterEarlier(socket, apiErrorOf(error, limits), app)
}

/** Responds to a request whose rest did not arrive in time. */
export const respondWithTimeout = (socket: Socket, app: Responding): void =>
  respondAfterEarlier(socket, requestTimeout(), app)

/** Responds after the responses to earlier requests of the connection, unless one of them closes it. */
const respondAfterEarlier = (socket: Socket, error: ApiError, app: Responding, request?: IncomingMessage): void => {
  const pending = newestResponse(socket)
  const respond = () => end(socket, error, app.errorFormat, app.requestLog.refused(error.status, request))
  if (pending === undefined) respond()
  else if (pending.req.complete || pending.writableEnded) {
    dropInput(socket)
    pending.once('close', () => {
      if (socket.writable) respond()
    })
  } else if (pending.socket === null) {
    dropInput(socket)
    onTurn(pending, () => respondAfterEarlier(socket, error, app, request))
  } else if (!pending.headersSent) {
    end(socket, error, app.errorFormat, app.requestLog.respondedElsewhere(pending, error.status))
    endReading(pending.req)
  } else socket.destroy()
}

const apiErrorOf = (error: ConnectionError, { uriBytes, headerBytes }: Limits): ApiError => {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout()
    case 'HPE_HEADER_OVERFLOW':
      return endsInRequestLine(error) ? uriTooLong(uriBytes) : headersTooLarge(headerBytes)
    case 'HPE_INVALID_METHOD':
      return malformedRequest('The request does not begin with a known method.')
    default:
      return malformedRequest(noHttp)
  }
}

/** Whether the parser gave up in a request line, so that the URL is too long: header lines begin with a name and a colon. */
const endsInRequestLine = ({ rawPacket, bytesParsed }: ConnectionError) => {
  // A Buffer, despite its declared type.
  const packet = rawPacket as unknown as Buffer | undefined
  if (packet === undefined) return false
  const start = packet.lastIndexOf('\n', bytesParsed - 1) + 1
  return /^[A-Z-]+ /.test(packet.toString('latin1', start, start + 20))
}

const securityLines = Object.entries(securityHeaders).map(header => header.join(': '))

const end = (socket: Socket, error: ApiError, format: ErrorFormat, requestId: string) => {
  const { mediaType, text: body } = format.of(error)
  const head = [
    `HTTP/1.1 ${error.status} ${http.STATUS_CODES[error.status]}`,
    `content-type: ${mediaType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `date: ${new Date().toUTCString()}`,
    `x-request-id: ${requestId}`,
    ...securityLines,
    'connection: close'
  ]
  endLingering(socket, `${head.join('\r\n')}\r\n\r\n${body}`)
}
