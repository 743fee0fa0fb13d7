import { isUtf8 } from 'node:buffer'
import { type Readable, Transform } from 'node:stream'
import type { FastifyRequest, preParsingHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { AnyMedia, AnyOperation } from '../contract/contract.ts'
import {
  type ApiError,
  bodyTooLarge,
  brokenOff,
  malformedRequest,
  notAcceptable,
  unsupportedMediaType
} from '../errors/api-error.ts'
import { varyBy } from '../http/security-headers.ts'
import { hasBody, parsedJson, refuseCoding } from '../validation/json-body.ts'
import { mediaFinder, mediaTypeOf, negotiator } from './media-types.ts'
import { partsOf } from './multipart.ts'

// Bodies in media types other than JSON. Which one arrives is decided before it is read; Fastify then reads it with one
// of two parsers, which collects it up to the limit, or passes it on as a stream.

declare module 'fastify' {
  interface FastifyRequest {
    /** Which of several declared media types the body has. */
    arriving?: Arriving | undefined
    /** Which of several declared media types the client accepts, the preferred ones first. */
    accepted?: readonly string[] | undefined
  }
}

interface Arriving {
  /** As the contract declares it. */
  readonly declared: string
  readonly media: AnyMedia
  /** As the client sent it. */
  readonly contentType: string
  /** What proved wrong while a handler read the body. */
  fault?: ApiError
}

/** A body as read, from which a validator makes the value for handlers. */
export class Arrived {
  readonly arriving: Arriving
  readonly content: unknown

  constructor(arriving: Arriving, content: unknown) {
    this.arriving = arriving
    this.content = content
  }
}

// Shown to Fastify, which chooses parsers by media type, not by operation. `request.raw` keeps what was sent.
const collected = 'application/vnd.collected'
const asCollected = { 'content-type': collected }
const asStream = { 'content-type': 'application/vnd.streamed' }

/** Reads bodies that `chooseMedia` has let through. */
export const otherBodies = fp(
  async app => {
    app.decorateRequest('arriving', undefined)
    app.decorateRequest('accepted', undefined)
    app.addContentTypeParser<Buffer>(
      collected,
      { parseAs: 'buffer' },
      async (request: FastifyRequest, body: Buffer) => {
        const { arriving } = request
        if (arriving === undefined) throw unsupportedMediaType(collected)
        if (arriving.media.kind === 'json' && body.length === 0) return undefined
        app.beginCharging?.(request)
        return new Arrived(arriving, await readers[arriving.media.kind](body, arriving.contentType))
      }
    )
    app.addContentTypeParser('*', (request, payload, done) => {
      const { arriving } = request
      if (arriving === undefined) return done(unsupportedMediaType(request.raw.headers['content-type']))
      const { bodyLimit } = request.routeOptions
      if (Number(request.raw.headers['content-length']) > bodyLimit) return done(bodyTooLarge(bodyLimit))
      done(null, new Arrived(arriving, bounded(payload as Readable, bodyLimit, arriving)))
    })
  },
  { name: 'other-bodies', dependencies: ['json-body'] }
)

const textOf = (bytes: Buffer): string => {
  if (!isUtf8(bytes)) throw malformedRequest('The body must be UTF-8.')
  return bytes.toString()
}

const readers: Record<AnyMedia['kind'], (body: Buffer, contentType: string) => unknown> = {
  json: parsedJson,
  text: textOf,
  form: textOf,
  multipart: partsOf,
  stream: body => body
}

/** Passes the bytes on, with an error once there are more than the limit. */
const bounded = (payload: Readable, limit: number, arriving: Arriving): Readable => {
  let bytes = 0
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes <= limit) return done(null, chunk)
      arriving.fault = bodyTooLarge(limit)
      done(arriving.fault)
    }
  })
  // Whoever reads it gets the error; if nobody does, it must not be uncaught.
  counter.on('error', () => {})
  // Not `pipeline`, which would destroy the connection before there is a response.
  payload.on('error', error => counter.destroy(error))
  payload.once('aborted', () => {
    arriving.fault = brokenOff()
    counter.destroy(arriving.fault)
  })
  counter.on('close', () => payload.unpipe(counter))
  return payload.pipe(counter)
}

/** Rejects a body of an undeclared media type before it is read. */
export const chooseMedia = ({ bodies = {} }: AnyOperation): preParsingHookHandler => {
  const find = mediaFinder(Object.keys(bodies))
  const expected = listed(
    Object.entries(bodies).map(([type, { kind }]) => (isOfText(kind) ? `${type} in UTF-8` : type))
  )
  return (request, _reply, _payload, done) => {
    const contentType = request.raw.headers['content-type']
    if (contentType === undefined) {
      if (hasBody(request)) throw unsupportedMediaType(undefined, expected)
      return done()
    }
    const declared = find(contentType)
    const media = declared === undefined ? undefined : bodies[declared]
    if (declared === undefined || media === undefined || (isOfText(media.kind) && !isInUtf8(contentType)))
      throw unsupportedMediaType(contentType, expected)
    refuseCoding(request, expected)
    request.arriving = { declared, media, contentType }
    request.headers = media.kind === 'stream' ? asStream : asCollected
    done()
  }
}

const isOfText = (kind: AnyMedia['kind']) => kind === 'json' || kind === 'text' || kind === 'form'

const isInUtf8 = (contentType: string): boolean => {
  const charset = mediaTypeOf(contentType)?.parameters.get('charset')
  return charset === undefined || /^(?:utf-8|us-ascii)$/i.test(charset)
}

/** Finds which of the media types of successful responses the client accepts; rejects the request if it accepts none. */
export const negotiate = (operation: AnyOperation): preParsingHookHandler | undefined => {
  const declared = negotiated(operation)
  if (declared === undefined) return undefined
  const accepted = negotiator(declared)
  return (request, reply, _payload, done) => {
    const { accept } = request.raw.headers
    varyBy(reply, 'Accept')
    request.accepted = accepted(accept)
    if (request.accepted.length === 0) throw notAcceptable(accept ?? '', listed(declared))
    done()
  }
}

/** The media types of an operation's successful responses, if there is a choice. Beside another success, `default` is for errors. */
const negotiated = ({ responses }: AnyOperation): string[] | undefined => {
  const successes = Object.keys(responses).some(status => status.startsWith('2')) ? /^2/ : /^default$/
  const types = Object.entries(responses).flatMap(([status, { body, contents = {} }]) => {
    if (!successes.test(status)) return []
    return body === undefined ? Object.keys(contents) : ['application/json']
  })
  const declared = [...new Set(types)]
  return declared.length < 2 ? undefined : declared
}

/** `a, b or c`. */
const listed = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), names.at(-1) ?? 'none'].filter(each => each !== '').join(' or ')
