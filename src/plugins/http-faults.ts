import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, preParsingHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import {
  type ApiError,
  expectationFailed,
  headersTooLarge,
  malformedRequest,
  requestTimeout,
  uriTooLong
} from '../errors.ts'
import { dropInput, endLingering, lingerAfterAnswer } from '../linger.ts'
import type { Limits } from '../operations.ts'
import type { RequestLog } from './request-log.ts'
import { securityHeaders } from './security-headers.ts'

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
  app.addHook('onRequest', ({ raw }, reply, done) => inTurn(raw, reply.raw, () => done(faultOf(raw, limits))))

  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const answer = expectationFailed()
    const body = answer.text()
    lingerAfterAnswer(request.socket)
    response
      .writeHead(answer.status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'x-request-id': app.requestLog.refused(answer.status, request),
        ...securityHeaders,
        connection: 'close'
      })
      .end(body)
  })
  // The client waits with its body until it is told to go on: first let the request be judged by its header.
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    app.server.emit('request', request, response)
  })
  app.server.on('connect', (request: IncomingMessage) => {
    const { socket } = request
    // Node has taken its own listener away, and without one a client that goes away would end the process.
    socket.on('error', () => socket.destroy())
    answerAfterEarlier(socket, malformedRequest('CONNECT is for proxies, and this is none.'), app.requestLog, request)
  })
  // A client that has sent all and says so still waits for its answer.
  ;(app.server as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true
})

const waiting = new WeakMap<Socket, number>()

/** Goes on with a request once those before it on its connection are answered; not where one of them has ended it. */
export const inTurn = ({ socket }: IncomingMessage, response: ServerResponse, goOn: () => void): void => {
  // An answer that ended the connection went out while this was still being read.
  if (socket.writable === false) return
  if (response.socket !== null) {
    goOn()
    return
  }
  const place = (waiting.get(socket) ?? 0) + 1
  waiting.set(socket, place)
  if (place === maxWaiting) dropInput(socket)
  response.once('socket', () => {
    waiting.set(socket, (waiting.get(socket) ?? 0) - 1)
    if (place === maxWaiting) {
      response.shouldKeepAlive = false
      lingerAfterAnswer(socket)
    }
    goOn()
  })
}

const noHttp = 'The request is no valid HTTP/1.1.'

/** Tells a client that waits with its body to send it. */
export const wantBody: preParsingHookHandler = (request, reply, payload, done) => {
  const { headers, httpVersion } = request.raw
  // HTTP/1.0 has no 100 (RFC 9110, section 10.1.1), and a body that is too large need not be sent at all.
  const isAwaited = headers.expect !== undefined && httpVersion !== '1.0'
  if (isAwaited && !(Number(headers['content-length']) > request.routeOptions.bodyLimit)) reply.raw.writeContinue()
  done(null, payload)
}

export const faultOf = (raw: IncomingMessage, { uriBytes }: Limits): ApiError | undefined => {
  if ((raw.url?.length ?? 0) > uriBytes) return uriTooLong(uriBytes)
  if (raw.httpVersionMajor !== 1) return malformedRequest(noHttp)
  const hosts = raw.headers.host === undefined ? 0 : countOf(raw.rawHeaders, 'host')
  if (hosts > 1) return malformedRequest('The Host header may occur only once.')
  // RFC 9112, section 3.2; HTTP/1.0 did not have it.
  if (hosts === 0 && raw.httpVersion === '1.1') return malformedRequest('The Host header is missing.')
  if (hosts === 1 && !hostForm.test(raw.headers.host ?? '')) return malformedRequest('The Host header names no host.')
  return undefined
}

// RFC 3986, section 3.2.2, and a port; empty where an address has no host.
const hostForm = /^(?:\[[\da-fA-F:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/

const countOf = (rawHeaders: string[], name: string) => {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const each = rawHeaders[i]
    if (each?.length === name.length && each.toLowerCase() === name) count++
  }
  return count
}

/** What the parser refused has no request; the answer goes to the socket itself. */
export const answerClientError = (error: ConnectionError, socket: Socket, log: RequestLog, limits: Limits): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  answerAfterEarlier(socket, answerTo(error, limits), log)
}

/** For a request whose rest is not waited for any longer. */
export const answerTimeout = (socket: Socket, log: RequestLog): void =>
  answerAfterEarlier(socket, requestTimeout(), log)

/** Earlier requests on this connection may be under way: their answers have to come first. */
const answerAfterEarlier = (socket: Socket, answer: ApiError, log: RequestLog, request?: IncomingMessage): void => {
  const pending = (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined
  if (pending === undefined) end(socket, answer, log.refused(answer.status, request))
  else if (pending.req.complete || pending.writableEnded) {
    dropInput(socket)
    pending.once('finish', () => {
      if (socket.writable) answerAfterEarlier(socket, answer, log, request)
    })
  } else if (!pending.headersSent) end(socket, answer, log.answeredElsewhere(pending, answer.status))
  else socket.destroy()
}

const answerTo = (error: ConnectionError, { uriBytes, headerBytes }: Limits): ApiError => {
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
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `date: ${new Date().toUTCString()}`,
    `x-request-id: ${requestId}`,
    ...securityLines,
    'connection: close'
  ]
  endLingering(socket, `${head.join('\r\n')}\r\n\r\n${body}`)
}
