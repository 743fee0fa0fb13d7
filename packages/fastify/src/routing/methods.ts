import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError } from 'fastify'
import { shortened } from '../api-keys/hidden-keys.ts'
import { http } from '../node/http.ts'

/**
 * The request, if Node's parser failed at a method that it does not know: any token may be a method (RFC 9110, section
 * 9.1). It becomes a TRACE, and is rejected like any other method that its URL does not allow. `undefined` if the request
 * is invalid, or its header section is not complete in the packet.
 */
export const requestOfUnknownMethod = (
  { code, bytesParsed, rawPacket }: ConnectionError,
  socket: Socket
): IncomingMessage | undefined => {
  if (code !== 'HPE_INVALID_METHOD' && code !== 'HPE_INVALID_CONSTANT') return undefined
  // A Buffer, despite its declared type.
  const packet = (rawPacket as unknown as Buffer | undefined)?.toString('latin1') ?? ''
  const start = bytesParsed === 0 ? 0 : packet.lastIndexOf('\n', bytesParsed - 1) + 1
  const end = packet.indexOf('\r\n\r\n', start)
  const [first = '', ...lines] = packet.slice(start, Math.max(start, end)).split('\r\n')
  const [, method, target, minor] = requestLine.exec(first) ?? []
  if (method === undefined || methods.has(method)) return undefined
  const request: IncomingMessage & Renamed = new http.IncomingMessage(socket)
  for (const line of lines) {
    const [, name, value] = fieldLine.exec(line) ?? []
    if (name === undefined || value === undefined) return undefined
    request.rawHeaders.push(name, value)
    const known = request.headers[name.toLowerCase()]
    request.headers[name.toLowerCase()] = known === undefined ? value : `${known}, ${value}`
  }
  request.method = standIn
  request.originalMethod = shortened(method)
  request.url = target
  request.httpVersionMajor = 1
  request.httpVersionMinor = Number(minor)
  request.httpVersion = `1.${minor}`
  // Its body is not read: the response closes the connection.
  request.complete = true
  request.push(null)
  return request
}

/** The methods that reach the router: those of the documentation and of the contract, and TRACE for all others. */
export const routedMethods = (contract: readonly string[]): ReadonlySet<string> =>
  new Set(['GET', 'HEAD', 'OPTIONS', standIn, ...contract])

/**
 * Lets TRACE stand for all methods that no URL allows: the router has a tree for each method, and would otherwise need
 * catch-all routes in the trees of all 35 methods that Node knows.
 */
export const routeAsKnown = (request: IncomingMessage & Renamed, routed: ReadonlySet<string>): void => {
  const { method = '' } = request
  if (routed.has(method)) return
  request.originalMethod = method
  request.method = standIn
}

/** The method as sent, for logs and errors. */
export const methodOf = (request: IncomingMessage & Renamed): string => request.originalMethod ?? request.method ?? ''

interface Renamed {
  originalMethod?: string
}

// The engine serves no contract that declares it.
const standIn = 'TRACE'
const methods = new Set(http.METHODS)
const requestLine = /^([\w!#$%&'*+.^`|~-]+) ([!-~\x80-\xff]+) HTTP\/1\.([01])$/
const fieldLine = /^([\w!#$%&'*+.^`|~-]+):[ \t]*((?:[\t -~\x80-\xff]*[!-~\x80-\xff])?)[ \t]*$/
