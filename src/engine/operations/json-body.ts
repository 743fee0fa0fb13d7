import type { FastifyRequest, preParsingHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { malformedJson, unsupportedMediaType } from '../errors.ts'
import { Rounded, readJson } from './json.ts'

/** Reads bodies as JSON with exact integers, and nothing as anything else. */
export const jsonBody = fp(async app => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    const begunMs = performance.now()
    try {
      const value = readJson(body)
      app.spend?.(request, begunMs)
      // To validators, Fastify hands on null for an absent body.
      done(null, value === null ? jsonNull : value)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      app.spend?.(request, begunMs)
      done(malformedJson(error.message))
    }
  })
})

const jsonNull = new Rounded(null, () => null)

/** Refuses a body of another media type while it has not been read. */
export const requireJson: preParsingHookHandler = (request, _reply, _payload, done) => {
  const { 'content-type': type, 'content-encoding': coding } = request.raw.headers
  if (type !== undefined ? !isJson(type) : hasBody(request)) throw unsupportedMediaType(type)
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw unsupportedMediaType(`one in the content coding ${coding}`)
  done()
}

/** What an operation does not declare it does not look at: neither its media type nor its size is judged. */
export const ignoreBody: preParsingHookHandler = (request, _reply, _payload, done) => {
  // By these Fastify would parse it; the request as it came keeps them.
  if (request.raw.headers['content-type'] !== undefined || hasBody(request)) request.headers = withoutBody
  done()
}
const withoutBody = { 'content-type': undefined, 'content-length': undefined, 'transfer-encoding': undefined }

const hasBody = ({ raw: { headers } }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const isJson = (type: string): boolean => {
  if (type === 'application/json') return true
  const [mediaType = '', ...parameters] = type
    .toLowerCase()
    .split(';')
    .map(part => part.trim())
  // JSON is UTF-8 (RFC 8259, section 8.1); other parameters mean nothing to it.
  return (
    mediaType === 'application/json' &&
    parameters.every(each => !each.startsWith('charset=') || /^charset="?utf-8"?$/.test(each))
  )
}
