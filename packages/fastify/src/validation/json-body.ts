import { Readable } from 'node:stream'
import type { FastifyRequest, preParsingHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { malformedJson, unsupportedMediaType } from '../errors/api-error.ts'
import { Read, readJson } from '../node/json.ts'

/** Reads bodies as JSON with exact integers; no other media type. */
export const jsonBody = fp(
  async app => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
      if (body.length === 0) return done(null, undefined)
      app.beginCharging?.(request)
      try {
        done(null, parsedJson(body))
      } catch (error) {
        done(error as Error)
      }
    })
  },
  { name: 'json-body' }
)

/** The value of a JSON text, as validators expect it. @throws ApiError if it is malformed */
export const parsedJson = (body: Buffer): unknown => {
  try {
    const value = readJson(body)
    // Fastify passes null to validators for an absent body.
    return value === null ? jsonNull : value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw malformedJson(error.message)
  }
}

const jsonNull = new Read(null)

/** Rejects a body of another media type before it is read. */
export const requireJson: preParsingHookHandler = (request, _reply, _payload, done) => {
  const { 'content-type': type } = request.raw.headers
  if (type !== undefined ? !isJson(type) : hasBody(request)) throw unsupportedMediaType(type)
  refuseCoding(request)
  done()
}

export const refuseCoding = ({ raw }: FastifyRequest, expected?: string): void => {
  const coding = raw.headers['content-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw unsupportedMediaType(`one in the content coding ${coding}`, expected)
}

/** For operations without a request body: ignores any body, whatever its media type and size. */
export const ignoreBody: preParsingHookHandler = (request, _reply, _payload, done) => {
  // Without these headers, Fastify parses no body; `request.raw` keeps them.
  if (request.raw.headers['content-type'] !== undefined || hasBody(request)) request.headers = withoutBody
  done()
}
const withoutBody = { 'content-type': undefined, 'content-length': undefined, 'transfer-encoding': undefined }

/**
 * Fastify itself rejects a QUERY without a Content-Type (RFC 10008, section 2). Whether a body is required is for the
 * contract to say, and a body without a media type has already been rejected.
 */
export const withContentType: preParsingHookHandler = (request, _reply, payload, done) => {
  if (request.headers['content-type'] !== undefined) return done(null, payload)
  request.headers = { ...withoutBody, 'content-type': 'application/json' }
  done(null, Readable.from([]))
}

export const hasBody = ({ raw: { headers } }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const isJson = (type: string): boolean => {
  if (type === 'application/json') return true
  const [mediaType = '', ...parameters] = type
    .toLowerCase()
    .split(';')
    .map(part => part.trim())
  // JSON is UTF-8 (RFC 8259, section 8.1); other parameters have no meaning.
  return (
    mediaType === 'application/json' &&
    parameters.every(each => !each.startsWith('charset=') || /^charset="?utf-8"?$/.test(each))
  )
}
