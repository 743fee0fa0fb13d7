import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { AnyResult, Contents } from '../contract/contract.ts'
import { discard, type Ending, endingOf } from '../http/endings.ts'
import { EventStream, JsonLines, readableOf } from './items.ts'
import { mediaFinder, mediaTypeOf } from './media-types.ts'

/** Sends a body of a response in one of its media types; the key is that of the response. */
export const contentSender = (contents: Contents, key: string, operationId: string) => {
  const types = Object.keys(contents)
  const find = mediaFinder(types)
  const only = types.length === 1 && !types[0]?.includes('*') ? types[0] : undefined
  const assumed = only ?? types.find(type => type === 'application/json')

  return (reply: FastifyReply, { status, headers, contentType = assumed, body }: AnyResult): void => {
    const type = contentType === undefined ? undefined : find(contentType)
    const media = type === undefined ? undefined : contents[type]
    if (contentType === undefined || type === undefined || media === undefined)
      throw new Error(
        `the handler of ${operationId} returned the content type ${contentType} with ${status}; one of ${types.join(', ')} is declared`
      )
    const isText = typeof body === 'string'
    if (media.kind === 'text' && isText && mediaTypeOf(contentType)?.parameters.has('charset') === false)
      reply.header('content-type', `${contentType}; charset=utf-8`)
    else reply.header('content-type', contentType)
    const write =
      (media.schema ?? media.items) && (reply.getSerializationFunction(key, type) as (value: unknown) => string)
    if (media.kind === 'json') {
      // Fastify would send the first two unserialized.
      if (body instanceof Uint8Array || isStream(body))
        throw new Error(`the handler of ${operationId} returned bytes as ${type}, for which a value is expected`)
      reply.serializer((value: unknown) => {
        const text = (write as (value: unknown) => string)(value)
        // Not earlier: an error in its place must not have them.
        if (headers !== undefined) reply.headers(headers)
        return text
      })
      reply.send(body)
      return
    }
    if (isText && media.schema !== undefined) write?.(body)
    const isOfEvents = mediaTypeOf(contentType)?.subtype === 'event-stream'
    const areItems = body instanceof EventStream || body instanceof JsonLines
    if (areItems && (media.items === undefined || isOfEvents !== body instanceof EventStream))
      throw new Error(`the handler of ${operationId} returned ${body.constructor.name} as ${type}`)
    if (headers !== undefined) reply.headers(headers)
    // nginx would hold back events until they fill a buffer.
    if (body instanceof EventStream) reply.header('x-accel-buffering', 'no')
    const ending = isOfEvents || areItems ? endingOf(reply) : undefined
    const payload =
      areItems && ending !== undefined
        ? readableOf(body, write as (value: unknown) => string, ending)
        : payloadOf(body, operationId, ending)
    if (!(payload instanceof Readable)) reply.send(payload)
    else if (reply.request.method === 'HEAD') sendNothingOf(payload, reply)
    else reply.server.endings.send(reply, payload, isOfEvents)
  }
}

const isStream = (body: unknown) =>
  body instanceof EventStream ||
  body instanceof JsonLines ||
  (typeof body === 'object' && body !== null && Symbol.asyncIterator in body)

/** For HEAD: Fastify would read the stream to its end. */
const sendNothingOf = (payload: Readable, reply: FastifyReply) => {
  discard(payload)
  reply.send(Readable.from([]))
}

const payloadOf = (body: unknown, operationId: string, ending: Ending | undefined): Readable | Buffer => {
  if (typeof body === 'string') return Buffer.from(body)
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (body instanceof Readable) return body
  if (typeof body === 'object' && body !== null && Symbol.asyncIterator in body) {
    const values = body as AsyncIterable<unknown>
    return Readable.from(ending?.untilAborted(values) ?? values, { objectMode: false })
  }
  throw new Error(`the handler of ${operationId} returned a body that is neither a text, bytes nor a stream`)
}
