import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError } from 'fastify'
import fp from 'fastify-plugin'
import { limits } from '../../generated/operations.ts'
import {
  type ApiError,
  expectationFailed,
  headersTooLarge,
  malformedRequest,
  requestTimeout,
  uriTooLong
} from '../errors.ts'

/** Faults of HTTP itself, found before any route, in the contract's Error shape as all others. */
export const httpFaults = fp(async app => {
  app.addHook('onRequest', async ({ raw }) => {
    const fault = faultOf(raw)
    if (fault !== undefined) throw fault
  })

  app.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const answer = expectationFailed()
    response.writeHead(answer.status, { 'content-type': 'application/json', connection: 'close' }).end(answer.text())
  })
  // The client waits with its body until it is told to go on: first let the request be judged by its header.
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    app.server.emit('request', request, response)
  })
  app.addHook('preParsing', async (request, reply) => {
    if (request.raw.headers.expect !== undefined) reply.raw.writeContinue()
  })
  app.server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    write(socket, malformedRequest('CONNECT is for proxies, and this is none.'))
  })
})

export const faultOf = (raw: IncomingMessage): ApiError | undefined => {
  if ((raw.url?.length ?? 0) > limits.uriBytes) return uriTooLong(limits.uriBytes)
  const hosts = raw.headers.host === undefined ? 0 : countOf(raw.rawHeaders, 'host')
  if (hosts > 1) return malformedRequest('The Host header may occur only once.')
  // RFC 9112, section 3.2; HTTP/1.0 did not have it.
  if (hosts === 0 && raw.httpVersion === '1.1') return malformedRequest('The Host header is missing.')
  return undefined
}

const countOf = (rawHeaders: string[], name: string) => {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const each = rawHeaders[i]
    if (each?.length === name.length && each.toLowerCase() === name) count++
  }
  return count
}

/** What the parser refused has no request; the answer goes to the socket itself. */
export const answerClientError = (error: ConnectionError, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  // An earlier request on this connection may be under way: its answer has to come first.
  const pending = (socket as { _httpMessage?: ServerResponse })._httpMessage
  if (pending === undefined || pending.writableEnded) write(socket, answerTo(error))
  else if (pending.req.complete) pending.once('finish', () => write(socket, answerTo(error)))
  else if (!pending.headersSent) write(socket, answerTo(error))
  else socket.destroy()
}

const answerTo = (error: ConnectionError): ApiError => {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout()
    case 'HPE_HEADER_OVERFLOW':
      return endsInRequestLine(error) ? uriTooLong(limits.uriBytes) : headersTooLarge(limits.headerBytes)
    default:
      return malformedRequest('The request is no valid HTTP/1.1.')
  }
}

/** Whether the parser gave up while there was no end of the first line yet: what is too long is the address. */
const endsInRequestLine = ({ rawPacket }: ConnectionError) => {
  // A Buffer, other than its declared type says.
  const packet = rawPacket as unknown as Buffer | undefined
  return packet !== undefined && /^[A-Z-]+ /.test(packet.toString('latin1', 0, 20)) && !packet.includes('\r\n')
}

const write = (socket: Socket, answer: ApiError) => {
  const body = answer.text()
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `date: ${new Date().toUTCString()}`,
    'connection: close'
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroySoon())
}
