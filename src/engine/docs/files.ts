import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface ServedFile {
  /** A short text that is another one when the bytes are others. */
  version(): Promise<string>
  /** The bytes in the coding that the client likes best, or 304 if it has them. */
  answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

/**
 * A file for readers, which is read and compressed when it is first asked for, and not on the event loop. Each form that
 * was asked for is kept, once: for each client a copy, and those that take nothing would fill the memory.
 */
export const servedFile = (type: string, read: () => Buffer | Promise<Buffer>): ServedFile => {
  const version = once(async () =>
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

  return {
    version,
    answer: async (request, reply) => {
      const coding = preferred(codings, request.headers['accept-encoding'])
      const current = await version()
      // Each form has its own (RFC 9110, section 8.8.3).
      const etag = coding === 'identity' ? `"${current}"` : `"${current}-${coding}"`
      const asked = new URLSearchParams(String(request.query)).get('v')
      reply.header('etag', etag)
      reply.header('cache-control', asked === current ? 'public, max-age=31536000, immutable' : 'no-cache')
      if (codings.length > 1) {
        const others = reply.getHeader('vary')
        reply.header('vary', others === undefined ? 'Accept-Encoding' : `${others}, Accept-Encoding`)
      }
      if (isAmong(request.headers['if-none-match'], etag)) return reply.code(304).send()
      const bytes = await bytesIn[coding]()
      if (coding !== 'identity') reply.header('content-encoding', coding)
      return reply.header('content-type', type).send(bytes)
    }
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
