import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { varyBy } from '../http/security-headers.ts'
import { queryTextOf } from '../routing/targets.ts'

/** Sets the headers of a response and returns its body in the client's preferred coding, or `undefined` for a 304. */
export type ServedFile = (request: FastifyRequest, reply: FastifyReply) => Promise<Buffer | undefined>

/**
 * A file, read and compressed off the event loop at its first request. Each coding is kept once: copies for clients that
 * read slowly would fill the memory. A URL with `version`, if there is one, can be cached for ever.
 */
export const servedFile = (
  type: string,
  read: () => Buffer | Promise<Buffer>,
  version?: () => Promise<string>
): ServedFile => {
  const digest = once(async () => digestOf(await read()))
  const bytesIn = {
    // The highest quality would save another tenth, but take thirty times as long.
    br: once(async () => brotli(await read())),
    gzip: once(async () => promisify((await zlib()).gzip)(await read())),
    identity: once(async () => read())
  }
  const codings: readonly Coding[] = type.startsWith('image/') ? ['identity'] : ['br', 'gzip', 'identity']

  return async (request, reply) => {
    const coding = preferred(codings, request.headers['accept-encoding'])
    // Each coding needs an ETag of its own (RFC 9110, section 8.8.3).
    const etag = coding === 'identity' ? `"${await digest()}"` : `"${await digest()}-${coding}"`
    const requested = new URLSearchParams(queryTextOf(request.raw)).get('v')
    reply.header('etag', etag)
    const isVersioned = requested !== null && requested === (await version?.())
    reply.header('cache-control', isVersioned ? 'public, max-age=31536000, immutable' : 'no-cache')
    if (codings.length > 1) varyBy(reply, 'Accept-Encoding')
    if (isAmong(request.headers['if-none-match'], etag)) {
      reply.code(304)
      return undefined
    }
    if (coding !== 'identity') reply.header('content-encoding', coding)
    reply.header('content-type', type)
    return bytesIn[coding]()
  }
}

/** Short enough for headers and URLs. */
export const digestOf = (content: string | Buffer): string => hash('sha256', content, 'base64url').slice(0, 22)

type Coding = 'br' | 'gzip' | 'identity'

/** Loaded when it is first needed: it takes 2 % of the start. */
const zlib = () => import('node:zlib')

const brotli = async (content: Buffer): Promise<Buffer> => {
  const { brotliCompress, constants } = await zlib()
  return promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
}

/** Runs at the first call, and again only after a failure. */
export const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch(error => {
      made = undefined
      throw error
    })
    return made
  }
}

/** The first coding of the highest weight (RFC 9110, section 12.5.3); `identity` if all are excluded. */
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
