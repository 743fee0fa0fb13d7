import { essenceOf, isJsonType, type Json, type Node, type OpenApiDocument } from '@contract-first/document'
import { contentsOf, declaredAs, type Field, headersIn, type Operation } from '../operations/operations.ts'
import { plainText } from '../operations/parameters.ts'
import type { Sample, Samples } from './samples.ts'

/** What a handler returns, and the client should get. */
export interface Reply {
  status: number
  headers: Record<string, string | number>
  type?: string
  body?: Json
  /** The place of the example that it is. */
  example?: string
}

const mostReplies = 8

/**
 * The responses of one operation: its examples, the simplest values that its schemas allow, those at bounds, and random ones; or
 * only newly drawn random ones.
 */
export const repliesOf = (
  document: OpenApiDocument,
  samples: Samples,
  operation: Operation,
  which: 'all' | 'drawn' = 'all'
): Reply[] => {
  // Without declared responses, any status without a body will do.
  if (operation.responses.size === 0) return [{ status: 200, headers: {} }]
  const headerValue = (header: Field) =>
    samples.valid(header.node, 'response').find(({ value }) => /^[!-~]+$/.test(plainText(header, value)))?.value
  // The service sends only final responses.
  return [...operation.responses].flatMap(([key, response]) => {
    if (key.startsWith('1')) return []
    const status = statusFor(key, operation)
    const headers = requiredHeaders(document, response, headerValue)
    if (status === undefined || headers === undefined) return []
    const contents = contentsOf(document, response)
    if (contents.length === 0 || status === 204 || status === 304) return [{ status, headers }]
    return contents.flatMap(([type, node]) =>
      (which === 'drawn' ? samples.drawn(node) : samples.valid(node, 'response'))
        .flatMap(({ value, example }: Sample): Reply[] => {
          const sent = sentAs(type, node)
          // Other media types have no form in which values could be compared.
          if (!isJsonType(sent) && (typeof value !== 'string' || isForm(sent))) return []
          return [{ status, headers, type: sent, body: value, ...(example !== undefined && { example }) }]
        })
        .slice(0, mostReplies)
    )
  })
}

/** The media type that a value is sent as: a range stands for JSON, or for bytes if its schema describes no value. */
export const sentAs = (mediaType: string, media: Node): string =>
  isRange(essenceOf(mediaType)) && isBytes(media.get('schema')) ? 'application/octet-stream' : namedType(mediaType)

export const namedType = (mediaType: string): string =>
  isRange(mediaType) ? 'application/json' : mediaType.replace('/*', '/plain')

const isRange = (mediaType: string) => mediaType === '*/*' || mediaType === 'application/*'
export const isForm = (mediaType: string) =>
  /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(mediaType)

/** Whether a schema is that of bytes, which no value describes. */
export const isBytes = (schema: Node | undefined): boolean =>
  schema === undefined ||
  schema.get('format')?.value === 'binary' ||
  schema.entries().every(([keyword]) => keyword === 'description' || keyword.startsWith('x-'))

/** A status that falls under this key rather than a more specific one. */
const statusFor = (key: string, { responses }: Operation): number | undefined => {
  if (/^\d+$/.test(key)) return Number(key)
  const statuses = [0, 1, 2, 3, 6, 8].flatMap(each => [2, 4, 5, 3].map(kind => kind * 100 + each))
  return statuses.find(status => declaredAs(responses, status) === key)
}

/** The texts or numbers of a response's required headers; undefined if there is no value for one of them. */
export const requiredHeaders = (
  document: OpenApiDocument,
  response: Node,
  valueFor: (header: Field) => Json | undefined
): Record<string, string | number> | undefined => {
  const headers: Record<string, string | number> = {}
  for (const each of headersIn(document, response.get('headers')?.entries() ?? [])) {
    if (!each.required) continue
    const value = valueFor(each)
    if (value === undefined) return undefined
    headers[each.name] = typeof value === 'number' ? value : plainText(each, value)
  }
  return headers
}
