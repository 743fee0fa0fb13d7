import {
  contentsOf,
  declaredAs,
  type Field,
  isForm,
  type Operation,
  plainText,
  requiredHeaders,
  type Sample,
  type Samples,
  type Reply as Sent,
  sentAs
} from '@contract-first/check/internals'
import { isJsonType, type OpenApiDocument } from '@contract-first/document'

/** What a handler returns, and the client should get. */
export interface Reply extends Sent {
  /** The place of the example that it is. */
  example?: string
}

const mostReplies = 8

/** The responses of one operation: its examples, the simplest values that its schemas allow, those at bounds, and random ones. */
export const repliesOf = (document: OpenApiDocument, samples: Samples, operation: Operation): Reply[] => {
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
      samples
        .valid(node, 'response')
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

/** A status that falls under this key rather than a more specific one. */
const statusFor = (key: string, { responses }: Operation): number | undefined => {
  if (/^\d+$/.test(key)) return Number(key)
  // Beside a declared success, `default` is for the rest.
  const isForRest = key === 'default' && [...responses.keys()].some(each => each.startsWith('2'))
  const kinds = isForRest ? [4, 5, 3] : [2, 4, 5, 3]
  const statuses = [0, 1, 2, 3, 6, 8].flatMap(each => kinds.map(kind => kind * 100 + each))
  return statuses.find(status => declaredAs(responses, status) === key)
}
