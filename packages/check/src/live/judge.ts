import { isUtf8 } from 'node:buffer'
import { essenceOf, isJsonType, type Node, type OpenApiDocument } from '@contract-first/document'
import { lifecycleOf } from '../changes/lifecycle.ts'
import { covers, mediaTypeOf } from '../changes/media-types.ts'
import { responseHeaders } from '../changes/response-headers.ts'
import { contentOf, headersIn, type Operation, operationsOf, responseOf } from '../operations/operations.ts'
import { jsonOf, readingsOf } from '../operations/parameters.ts'
import type { Schemas, Violation } from '../samples/schemas.ts'
import { accepts } from '../schema/accepts.ts'
import { contentOf as describe } from '../schema/describe.ts'
import type { Response } from './client.ts'
import { declarationsOf, placeOf } from './declared.ts'

/** What is wrong with a response ("it …"), and what is expected instead. */
export interface Fault {
  wrong: string
  right: string
  /** Faults with the same cause are counted together; `wrong` by default. */
  cause?: string
  /** A wider cause; if it was found as well, this one is part of it. */
  within?: string
  /** A cause that operations share, such as a schema that both refer to: then it is told once, with their names. */
  shared?: string
  /** What is wrong, if it is more than a detail of the response: the status, given what was sent (`request`) or whatever was sent. */
  about?: 'request' | 'status'
  /** Whether it may be intended, for reasons that a contract cannot express. */
  isNote?: boolean
}

/** Compares responses with the contract, whatever the request was. */
export const judgeOf = (document: OpenApiDocument, schemas: Schemas) => {
  const headerFaults = ({ node }: Operation, response: Node, { status, headers }: Response): Fault[] => {
    const declared = headersIn(document, responseHeaders(document, node, String(status), response))
    return declared.flatMap(({ name, required, isJson, node: header, schema: written }): Fault[] => {
      const text = headers[name.toLowerCase()]
      const fault = (wrong: string, right: string, cause: string): Fault[] => {
        return [{ wrong, right, cause, shared: `${placeOf(header)} ${cause}` }]
      }
      if (text === undefined)
        return required ? fault(`has no ${name} header`, 'the header, which the contract requires', `no ${name}`) : []
      const schema = schemas.response(written)
      const readings = isJson ? [jsonOf(text)].filter(each => each !== undefined) : readingsOf(text)
      if (readings.some(each => accepts(schema, each) !== false)) return []
      return fault(`has ${name}: ${text}`, `${shortened(describe(schema))}, as the contract declares`, name)
    })
  }

  const bodyFaults = (response: Node, { status, headers, body }: Response): Fault[] => {
    const type = headers['content-type']
    const content = contentOf(document, response)
    const declared = content.map(([each]) => each).join(' or ')
    // These have no content, whatever the headers say (RFC 9110, section 15).
    if (status === 204 || status === 205 || status === 304) return []
    if (content.length === 0) {
      if (body.length === 0) return []
      return [{ wrong: `has a body with ${status}`, right: 'none, since the contract declares none' }]
    }
    if (body.length === 0 && type === undefined) return [{ wrong: `has no body with ${status}`, right: declared }]
    const match = content.find(([each]) => covers(mediaTypeOf(each), mediaTypeOf(essenceOf(type ?? ''))))
    if (match === undefined)
      return [{ wrong: type === undefined ? 'has no media type' : `has the media type ${type}`, right: declared }]
    return contentFaults(match[1].get('schema'), essenceOf(type ?? ''), body)
  }

  const contentFaults = (node: Node | undefined, type: string, body: Buffer): Fault[] => {
    if (!isJsonType(type) && !(type.startsWith('text/') && type !== 'text/event-stream' && node !== undefined))
      return []
    if (!isUtf8(body)) return [{ wrong: 'has a body that is not UTF-8', right: 'UTF-8', shared: 'not UTF-8' }]
    const text = body.toString()
    const value = isJsonType(type) ? jsonOf(text) : text
    const notJson = 'has a body that is not JSON'
    if (value === undefined) return [{ wrong: `${notJson}: ${shortened(text)}`, right: 'JSON', cause: notJson }]
    const schema = schemas.response(node)
    if (!isJsonType(type) && readingsOf(text).some(each => accepts(schema, each) !== false)) return []
    const violations = schemas.violationsOf(schema, value)
    const isNew = ({ text }: Violation) => violations.every(each => each.text !== text)
    const faultWith = (verb: string, { path, rule, text }: Violation, right: string, isNote: boolean): Fault => {
      const declarations = node === undefined ? [] : declarationsOf(document, node, path)
      const declaration = declarations.find(each => each.get('properties') !== undefined) ?? declarations[0]
      const place = declaration && placeOf(declaration)
      const cause = [verb, place, rule, path.split('/').at(-1)].join(' ')
      const wrong = `has a body that the contract does not ${verb}: ${text}`
      return { wrong, right: `${right}${place === undefined ? '' : ` at ${place}`}`, cause, shared: cause, isNote }
    }
    return [
      ...violations.map(each => faultWith('allow', each, 'a body as declared', false)),
      ...schemas
        .undeclaredIn(node, value)
        .filter(isNew)
        .map(each => faultWith('describe', each, 'declared properties, although others are allowed', true))
    ]
  }

  return (operation: Operation, received: Response): Fault[] => {
    const response = responseOf(operation, received.status)
    const ofBody = response === undefined ? [] : bodyFaults(response, received)
    const isWrong = ofBody.some(({ isNote }) => !isNote)
    return [
      ...(response === undefined ? [undeclared(operation, received)] : headerFaults(operation, response, received)),
      ...lifecycleFaults(operation, received),
      // Error bodies share one form: if it is wrong, details of it are not worth reporting.
      ...(received.status < 400 ? ofBody : together(ofBody.filter(({ isNote }) => !isNote || !isWrong)))
    ]
  }
}

/** Compares the response to a method that a path does not declare with what HTTP requires (RFC 9110, section 15.5.6). */
export const methodJudge = (document: OpenApiDocument) => {
  const description = String(document.root.get('info')?.get('description')?.value ?? '')
  const isPromised = /\b405\b/.test(description) || operationsOf(document).some(({ responses }) => responses.has('405'))
  return (declared: readonly string[], { status, headers }: Response): Fault[] => {
    const right = `405 with Allow: ${declared.join(', ')}`
    if (status < 400) return [{ wrong: `responds with ${status}`, right: `${right}, since it is not in the contract` }]
    if (status !== 405 && (isPromised || (status >= 500 && status !== 501)))
      return [{ wrong: `responds with ${status}`, right, shared: `method ${status}` }]
    if (status !== 405 || !isPromised || headers.allow !== undefined) return []
    return [{ wrong: 'has no Allow header with 405', right, shared: 'no Allow' }]
  }
}

/** One fault in place of several: errors share a form, and one that has another form breaks it in many ways. */
const together = ([first, ...others]: readonly Fault[]): Fault[] => {
  if (first === undefined) return []
  const more = others.map(({ wrong }) => wrong.replace(`${notAllowed} `, ''))
  const cause = [first, ...others].map(each => each.cause ?? each.wrong).join()
  return [{ ...first, wrong: [first.wrong, ...more].join('; '), cause, shared: cause }]
}

const notAllowed = 'has a body that the contract does not allow:'

const undeclared = ({ responses }: Operation, { status, body }: Response): Fault => ({
  wrong: `responds with ${status}, which is not declared${body.length === 0 ? '' : `: ${shortened(body.toString())}`}`,
  right: `one of ${[...responses.keys()].join(', ') || 'none'}`,
  cause: `undeclared ${status}`,
  about: 'status'
})

/** Checks the headers that announce the removal of an operation against the contract's dates. */
const lifecycleFaults = ({ node }: Operation, { headers }: Response): Fault[] => {
  const { deprecated, since, sunset } = lifecycleOf(node)
  const expected = {
    // RFC 9745, section 2.1: a date in seconds.
    Deprecation: since && `@${Date.parse(since) / 1000}`,
    // RFC 8594, section 3: an HTTP-date; a day begins at midnight UTC.
    Sunset: sunset && new Date(sunset).toUTCString()
  }
  return Object.entries(expected).flatMap(([name, due]): Fault[] => {
    const said = headers[name.toLowerCase()]
    if (!deprecated || due === undefined || said === due) return []
    const wrong = said === undefined ? `has no ${name} header` : `has ${name}: ${said}`
    return [{ wrong, right: `${name}: ${due}, as the contract declares` }]
  })
}

export const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 120 ? `${line.slice(0, 120)}…` : line
}
