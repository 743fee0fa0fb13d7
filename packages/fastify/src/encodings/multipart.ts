import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { ApiError, malformedRequest } from '../errors/api-error.ts'
import { mediaTypeOf } from './media-types.ts'

/** A file of a `multipart/form-data` body, held in memory; the limit of the body applies. */
export interface UploadedFile {
  /** The client's name for it, without a path but otherwise unchecked. */
  readonly filename: string | undefined
  readonly contentType: string
  readonly bytes: Buffer
}

export interface Part extends UploadedFile {
  readonly name: string
}

const mostParts = 1_000

/** The parts of a `multipart/form-data` body (RFC 7578), in their order. */
export const partsOf = async (body: Buffer, contentType: string): Promise<Part[]> => {
  const boundary = mediaTypeOf(contentType)?.parameters.get('boundary')
  if (boundary === undefined || boundary === '') throw malformed('its Content-Type has no boundary')
  // Loaded only for contracts with such forms.
  const { Busboy } = await import('@fastify/busboy')
  const parts: Part[] = []
  let fault: ApiError | undefined
  const parser = new Busboy({
    // Quoted, since the boundary may contain anything.
    headers: { 'content-type': `multipart/form-data; boundary=${JSON.stringify(boundary)}` },
    // Every part as bytes; its schema decides what it is.
    isPartAFile: () => true,
    limits: { parts: mostParts, headerPairs: 20 },
    // As large as a part can be, so that each is complete at once.
    fileHwm: body.length + 1
  })
  parser.on('partsLimit', () => {
    fault ??= new ApiError(413, 'body_too_large', `The body has more than ${mostParts} parts.`)
  })
  parser.on(
    'file',
    (name: string | undefined, content: Readable, filename: string | undefined, _encoding: string, type: string) => {
      const chunks: Buffer[] = []
      content.on('data', chunk => chunks.push(chunk))
      content.on('error', () => {})
      content.on('end', () => {
        if (name === undefined) fault ??= malformed('a part has no name')
        else parts.push({ name, filename, contentType: type, bytes: Buffer.concat(chunks) })
      })
    }
  )
  const finished = once(parser, 'finish')
  parser.end(body)
  try {
    await finished
  } catch (error) {
    throw malformed((error as Error).message.replace(/^./, first => first.toLowerCase()).replace(/\.$/, ''))
  }
  if (fault !== undefined) throw fault
  return parts
}

const malformed = (reason: string) => malformedRequest(`The body must be well-formed multipart/form-data: ${reason}.`)
