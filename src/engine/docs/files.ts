import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest, onSendAsyncHookHandler } from 'fastify'

/** Sets the headers of a response, or 304 if the client has the bytes, and gives them in the coding that it likes best. */
export type ServedFile = (request: FastifyRequest, reply: FastifyReply) => Promise<Buffer | null>

/**
 * A file for readers, which is read and compressed when it is first asked for, and not on the event loop. Each form that
 * was asked for is kept, once: for each client a copy, and those that take nothing would fill the memory. At an address
 * that names `version` it may be kept for ever.
 */
export const servedFile = (type: string, read: () => Buffer | Promise<Buffer>, version: string): ServedFile => {
  const digest = once(async () =>
    createHash('sha256')
      .update(await read())
      .digest('base64url')
      .slice(0, 22)
  )
  const bytesIn = {
    br: once(async () => compressed.br(await read())),
    gzip: once(async () => compressed.gzip(await read())),
    identity: once(async () => read())
  }
  const codings: readonly Coding[] = type.startsWith('image/') ? ['identity'] : ['br', 'gzip', 'identity']

  return async (request, reply) => {
    const coding = preferred(codings, request.headers['accept-encoding'])
    // Each form has its own (RFC 9110, section 8.8.3).
    const etag = coding === 'identity' ? `"${await digest()}"` : `"${await digest()}-${coding}"`
    const asked = new URLSearchParams(String(request.query)).get('v')
    reply.header('etag', etag)
    reply.header('cache-control', asked === version ? 'public, max-age=31536000, immutable' : 'no-cache')
    if (codings.length > 1) {
      const others = reply.getHeader('vary')
      reply.header('vary', others === undefined ? 'Accept-Encoding' : `${others}, Accept-Encoding`)
    }
    if (isAmong(request.headers['if-none-match'], etag)) {
      reply.code(304)
      return null
    }
    if (coding !== 'identity') reply.header('content-encoding', coding)
    reply.header('content-type', type)
    return bytesIn[coding]()
  }
}

/** Has the texts of other plugins, which are the same each time, served as files are; of pages, what `html` makes of them. */
export const keepTexts = (options: { version: string; html: (text: string) => string }): onSendAsyncHookHandler => {
  const files = new Map<string, ServedFile>()
  return async (request, reply, payload) => {
    if (typeof payload !== 'string' || reply.statusCode !== 200) return payload
    const [path = ''] = request.url.split('?', 1)
    let file = files.get(path)
    if (file === undefined) {
      // JSON has no charset.
      const type = String(reply.getHeader('content-type')).replace(/^(application\/json);.*/, '$1')
      const text = type.startsWith('text/html') ? options.html(payload) : payload
      file = servedFile(type, () => Buffer.from(text), options.version)
      files.set(path, file)
    }
    return file(request, reply)
  }
}

type Coding = 'br' | 'gzip' | 'identity'

const compressed = {
  // The highest quality makes a tenth less of it, and takes thirty times as long.
  br: (bytes: Buffer) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes)
}
const brotli = promisify(brotliCompress)

/** Makes it at the first call, and again only after a failure. */
const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch(error => {
      made = undefined
      throw error
    })
    return made
  }
}

/** Of those with the highest weight the first (RFC 9110, section 12.5.3). To refuse what is not compressed is in vain. */
const preferred = (codings: readonly Coding[], accepted = ''): Coding => {
  const weights = new Map<string, number>()
  for (const each of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = each.split(';').map(part => part.trim())
    weights.set(name, Number(parameters.find(part => part.startsWith('q='))?.slice(2) ?? 1))
  }
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0
  const [best] = codings.filter(each => weightOf(each) > 0).toSorted((a, b) => weightOf(b) - weightOf(a))
  return best ?? 'identity'
}

const isAmong = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some(each => ['*', etag].includes(each.trim().replace(/^W\//, ''))) ?? false
