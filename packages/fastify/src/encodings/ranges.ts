import type { FastifyRequest } from 'fastify'
import { type AnyOperation, type AnyResult, responseKey } from '../contract/contract.ts'
import { ApiError } from '../errors/api-error.ts'
import { Download, type DownloadSource } from './download.ts'

/**
 * What is sent for a download: all of it, or as much as the client asks for and the contract declares. `undefined` for operations
 * that can have none.
 */
export const rangesOf = ({
  responses
}: AnyOperation): ((request: FastifyRequest, result: AnyResult) => AnyResult) | undefined => {
  const declared = (status: number) => responses[responseKey(responses, status) ?? '']
  const types = Object.entries(declared(200)?.contents ?? {}).flatMap(([type, { kind }]) =>
    kind === 'json' ? [] : type
  )
  if (types.length === 0) return undefined
  const parts = declared(206)?.contents ?? {}
  const hasParts = types.every(type => type in parts)
  const unchanged = declared(304)
  const mayBeUnchanged = unchanged !== undefined && unchanged.body === undefined && unchanged.contents === undefined
  const mayBeUnsatisfiable = declared(416) !== undefined

  return (request, result) => {
    const { status, body } = result
    if (!(body instanceof Download)) return result
    const { source } = body
    const { size, etag, lastModified } = source
    const headers = {
      ...(hasParts && status === 200 && { 'accept-ranges': 'bytes' }),
      ...(etag !== undefined && { etag }),
      ...(lastModified !== undefined && { 'last-modified': lastModified.toUTCString() }),
      ...result.headers
    }
    const sent = (status: number, start: number, length: number, more = {}): AnyResult => ({
      ...result,
      status,
      headers: { ...headers, ...more, 'content-length': length },
      body: bytesOf(source, start, length)
    })
    if (status !== 200) return sent(status, 0, size)
    const { 'if-none-match': tags, range } = request.headers
    if (mayBeUnchanged && tags !== undefined && etag !== undefined && isListed(tags, etag))
      return { status: 304, headers }
    const isAsked = hasParts && range !== undefined && request.method === 'GET' && isCurrent(request, source)
    const part = isAsked ? partOf(range, size) : undefined
    if (part === undefined || (part === unsatisfiable && !mayBeUnsatisfiable)) return sent(200, 0, size)
    if (part === unsatisfiable)
      throw new ApiError(416, 'range_not_satisfiable', `The range must begin within the ${size} bytes.`, {
        'content-range': `bytes */${size}`
      })
    const { start, end } = part
    return sent(206, start, end - start + 1, { 'content-range': `bytes ${start}-${end}/${size}` })
  }
}

const unsatisfiable = 'unsatisfiable'

/** The part that a `Range` asks for; `undefined` if it is to be ignored: other units, several ranges, what is no range. */
const partOf = (range: string, size: number): { start: number; end: number } | typeof unsatisfiable | undefined => {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(range) ?? []
  if (first === '') {
    if (last === '') return undefined
    const length = Math.min(Number(last), size)
    return length === 0 ? unsatisfiable : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? unsatisfiable : { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
}

/** Whether `If-Range` is absent or names the state of the source. Only a strong validator does (RFC 9110, section 13.1.5). */
const isCurrent = ({ headers }: FastifyRequest, { etag, lastModified }: DownloadSource): boolean => {
  const { 'if-range': condition } = headers
  if (condition === undefined) return true
  if (/^(?:W\/)?"/.test(condition as string)) return condition === etag && !etag.startsWith('W/')
  // What has changed within the last second may change again within it.
  return lastModified?.toUTCString() === condition && Date.now() - lastModified.getTime() >= 1_000
}

/** Whether `If-None-Match` names the ETag, weak or not (RFC 9110, section 13.1.2). */
const isListed = (tags: string, etag: string): boolean =>
  tags.trim() === '*' || tags.match(/"[^"]*"/g)?.includes(etag.replace(/^W\//, '')) === true

/** More bytes than announced would be read as the next response. */
async function* bytesOf(source: DownloadSource, start: number, length: number) {
  if (length === 0) return
  let left = length
  for await (const chunk of source.read(start, start + length - 1)) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Uint8Array)
    left -= bytes.byteLength
    if (left < 0) break
    yield bytes
  }
  if (left !== 0) throw new Error(`a download gave ${left < 0 ? 'more' : 'fewer'} than the ${length} bytes asked for`)
}
