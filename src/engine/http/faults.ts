import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyInstance, preParsingHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import {
  type ApiError,
  expectationFailed,
  headersTooLarge,
  malformedRequest,
  requestTimeout,
  unsupportedTransferCoding,
  uriTooLong
} from '../errors.ts'
import type { RequestLog } from '../observability/request-log.ts'
import type { Limits } from '../operations/contract.ts'
import { dropInput, endLingering, lingerAfterResponse } from './linger.ts'
import { newestResponse } from './newest-response.ts'
import { http } from './node-http.ts'
import { allowHalfOpen, onTurn, packetOf, responseOnSocket } from './node-internals.ts'
import { securityHeaders } from './security-headers.ts'
import { requestOfUnknownMethod } from './unknown-methods.ts'

/**
 * How many requests may wait behind another of their connection; the last of them is answered with its end, and what
 * the client sent after it is for another one.
 */
const maxWaiting = 100

/**
 * Faults of HTTP itself, found before any route, in the contract's Error shape as all others.
 *
 * The requests of a connection are handled one after the other, each once the answer to the one before has gone out.
 * Node would handle all that it has read: also those after an answer that ends the connection, which nobody may
 * process (RFC 9112, section 9.6), and hundreds of answers for a client that takes none.
 */
export const httpFaults = fp(async (app, { limits }: { limits: Limits }) => {
  app.addHook('onRequest', ({ raw }, reply, done) =>
    afterPreviousResponse(raw, reply.raw, () => done(faultOf(raw, limits)))
  )

  // Fastify's router knows HTTP alone, and what it does not know comes to no hook.
  app.server.off('request', app.routing)
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!isHttp(request)) return refuseOther(request, response, app.requestLog)
    // RFC 9112, section 6.1: an older proxy on the way may not have understood where the body ends.
    if (request.httpVersion === '1.0' && request.headers['transfer-encoding'] !== undefined) {
      response.shouldKeepAlive = false
      lingerAfterResponse(request.socket)
    }
    app.routing(request, response)
  })
  // A client that waits with its body until it is told to go on: first let the request be judged by its header.
  for (const event of ['checkExpectation', 'checkContinue']) {
    app.server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      app.server.emit('request', request, response)
    })
  }
  app.server.on('connect', (request: IncomingMessage) => {
    const { socket } = request
    // Node has taken its own listener away, and without one a client that goes away would end the process.
    socket.on('error', () => socket.destroy())
    respondAfterEarlier(
      socket,
      malformedRequest('CONNECT is for proxies, and this server is not one.'),
      app.requestLog,
      request
    )
  })
  // A client that has sent all and says so still waits for its answer.
  allowHalfOpen(app.server)
})

const methods = new Set(http.METHODS)

/**
 * Node's parser takes RTSP and ICE as well, and does not say so. Their versions are 1.0 and 2.0, so that the bytes need
 * only be looked at for the first, which is rare in HTTP. A first line that came in an earlier packet is not seen.
 */
const isHttp = ({ httpVersionMajor, httpVersion, method = '', socket }: IncomingMessage): boolean =>
  httpVersionMajor === 1 && methods.has(method) && (httpVersion !== '1.0' || !otherProtocol.test(packetOf(socket)))

const otherProtocol = /^[A-Z_]+ \S+ (?:RTSP|ICE)\/\d\.\d\r?$/m

/** Once for each connection, which ends with it. */
const refuseOther = (request: IncomingMessage, response: ServerResponse, log: RequestLog): void => {
  const { socket } = request
  if (refused.has(socket)) return
  refused.add(socket)
  dropInput(socket)
  lingerAfterResponse(socket)
  const error = malformedRequest(noHttp)
  const body = error.text()
  response
    .writeHead(error.status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-request-id': log.refused(error.status, request),
      ...securityHeaders,
      connection: 'close'
    })
    .end(body)
}

const refused = new WeakSet<Socket>()

const waiting = new WeakMap<Socket, number>()

/** Goes on with a request once those before it on its connection are answered; not where one of them has ended it. */
export const afterPreviousResponse = (
  { socket }: IncomingMessage,
  response: ServerResponse,
  goOn: () => void
): void => {
  // An answer that ended the connection went out while this was still being read.
  if (socket.writable === false) return
  if (response.socket !== null) {
    goOn()
    return
  }
  const place = (waiting.get(socket) ?? 0) + 1
  waiting.set(socket, place)
  if (place === maxWaiting) dropInput(socket)
  onTurn(response, () => {
    waiting.set(socket, (waiting.get(socket) ?? 0) - 1)
    if (place === maxWaiting) {
      response.shouldKeepAlive = false
      lingerAfterResponse(socket)
    }
    goOn()
  })
}

const noHttp = 'The request is not valid HTTP/1.1.'

/** Tells a client that waits with its body to send it. */
export const awaitBody: preParsingHookHandler = (request, reply, payload, done) => {
  const { headers, httpVersion } = request.raw
  // HTTP/1.0 has no 100 (RFC 9110, section 10.1.1), and a body that is too large need not be sent at all.
  const isAwaited = headers.expect !== undefined && httpVersion !== '1.0'
  if (isAwaited && !(Number(headers['content-length']) > request.routeOptions.bodyLimit)) reply.raw.writeContinue()
  done(null, payload)
}

export const faultOf = (raw: IncomingMessage, { uriBytes }: Limits): ApiError | undefined => {
  const { url = '', originalUrl = url } = raw as IncomingMessage & Rewritten
  if (originalUrl.length > uriBytes) return uriTooLong(uriBytes)
  // RFC 9112, section 3.2.4.
  if (originalUrl === '*' && raw.method !== 'OPTIONS')
    return malformedRequest('The request target * is for OPTIONS only.')
  const repeated = repeatedField(raw.rawHeaders)
  if (repeated !== undefined) return malformedRequest(`The ${repeated} header may occur only once.`)
  const { host, expect, 'transfer-encoding': codings } = raw.headers
  // RFC 9112, section 3.2; HTTP/1.0 did not have it.
  if (host === undefined && raw.httpVersion === '1.1') return malformedRequest('The Host header is missing.')
  if (host !== undefined && !hostForm.test(host)) return malformedRequest('The Host header is not a valid host.')
  if (codings !== undefined && codings !== 'chunked') {
    const fault = codingFault(codings)
    if (fault !== undefined) return fault
  }
  // HTTP/1.0 has no expectations (RFC 9110, section 10.1.1).
  if (expect !== undefined && raw.httpVersion === '1.1' && !continueForm.test(expect)) return expectationFailed()
  return undefined
}

interface Rewritten {
  /** As it came, where Fastify has been given another form of it. */
  originalUrl?: string
}

// RFC 3986, section 3.2.2, and a port; empty where an address has no host.
const hostForm = /^(?:\[[\da-fA-F:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/

// Where Node looks for it, and tells the client to go on or not.
const continueForm = /(?:^|\W)100-continue(?:$|\W)/i

/**
 * A header field that occurs more than once though it may not. Of others Node makes a list, or they are not read here;
 * of these it takes the first, where a proxy in front may have judged by another one.
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
// No two of them are of one length.
const singleByLength: (string | undefined)[] = []
for (const name of singleFields) singleByLength[name.length] = name.toLowerCase()

/** RFC 9112, sections 6.1 and 6.3: the last coding says where the body ends, so that it has to be chunked. */
const codingFault = (value: string): ApiError | undefined => {
  const codings = value
    .toLowerCase()
    .split(',')
    .map(coding => coding.trim())
    .filter(coding => coding !== '')
  if (codings.at(-1) !== 'chunked')
    return malformedRequest('The last transfer coding must be chunked.', { connection: 'close' })
  return codings.length > 1 ? unsupportedTransferCoding() : undefined
}

/** What the parser refused has no request; the answer goes to the socket itself. */
export const respondToClientError = (
  error: ConnectionError,
  socket: Socket,
  { server, requestLog }: Pick<FastifyInstance, 'server' | 'requestLog'>,
  limits: Limits
): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const request = requestOfUnknownMethod(error, socket)
  if (request === undefined) respondAfterEarlier(socket, apiErrorOf(error, limits), requestLog)
  else afterEarlier(socket, () => server.emit('request', request, lastResponse(request)))
}

/** For a request that the parser has not found, and with which it has ended. */
const lastResponse = (request: IncomingMessage): ServerResponse => {
  const response = responseOnSocket(request, () => endLingering(request.socket))
  response.shouldKeepAlive = false
  return response
}

/** Once all earlier requests of the connection are answered, unless one of the answers ends it; nothing more is read. */
const afterEarlier = (socket: Socket, goOn: () => void): void => {
  dropInput(socket)
  const pending = newestResponse(socket)
  if (pending === undefined) goOn()
  else
    pending.once('close', () => {
      if (socket.writable) goOn()
    })
}

/** For a request whose rest is not waited for any longer. */
export const respondWithTimeout = (socket: Socket, log: RequestLog): void =>
  respondAfterEarlier(socket, requestTimeout(), log)

/** Earlier requests on this connection may be under way: their answers have to come first. */
const respondAfterEarlier = (socket: Socket, answer: ApiError, log: RequestLog, request?: IncomingMessage): void => {
  const pending = newestResponse(socket)
  if (pending === undefined) end(socket, answer, log.refused(answer.status, request))
  else if (pending.req.complete || pending.writableEnded)
    afterEarlier(socket, () => end(socket, answer, log.refused(answer.status, request)))
  else if (pending.socket === null) {
    dropInput(socket)
    onTurn(pending, () => respondAfterEarlier(socket, answer, log, request))
  } else if (!pending.headersSent) end(socket, answer, log.respondedElsewhere(pending, answer.status))
  else socket.destroy()
}

const apiErrorOf = (error: ConnectionError, { uriBytes, headerBytes }: Limits): ApiError => {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout()
    case 'HPE_HEADER_OVERFLOW':
      return endsInRequestLine(error) ? uriTooLong(uriBytes) : headersTooLarge(headerBytes)
    default:
      return malformedRequest(noHttp)
  }
}

/** Whether the parser gave up in a first line: what is too long is the address. A header's name ends with a colon. */
const endsInRequestLine = ({ rawPacket, bytesParsed }: ConnectionError) => {
  // A Buffer, other than its declared type says.
  const packet = rawPacket as unknown as Buffer | undefined
  if (packet === undefined) return false
  const start = packet.lastIndexOf('\n', bytesParsed - 1) + 1
  return /^[A-Z-]+ /.test(packet.toString('latin1', start, start + 20))
}

const securityLines = Object.entries(securityHeaders).map(header => header.join(': '))

const end = (socket: Socket, answer: ApiError, requestId: string) => {
  const body = answer.text()
  const head = [
    `HTTP/1.1 ${answer.status} ${http.STATUS_CODES[answer.status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `date: ${new Date().toUTCString()}`,
    `x-request-id: ${requestId}`,
    ...securityLines,
    'connection: close'
  ]
  endLingering(socket, `${head.join('\r\n')}\r\n\r\n${body}`)
}
