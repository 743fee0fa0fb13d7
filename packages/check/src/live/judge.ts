import { isUtf8 } from 'node:buffer'
import { essenceOf, isJsonType, type Node, type OpenApiDocument } from '@contract-first/document'
import { entriesAt } from '../attributes.ts'
import { lifecycleOf } from '../changes/lifecycle.ts'
import { covers, mediaTypeOf } from '../changes/media-types.ts'
import { responseHeaders } from '../changes/response-headers.ts'
import { contentOf, headersIn, type Operation, responseOf } from '../operations/operations.ts'
import { jsonOf, readingsOf } from '../operations/parameters.ts'
import { anyItem, type Schemas } from '../samples/schemas.ts'
import { accepts } from '../schema/accepts.ts'
import { assertionsOf } from '../schema/assertions.ts'
import { contentOf as describe } from '../schema/describe.ts'
import { typeOf } from '../schema/schema.ts'
import type { Response } from './client.ts'

/** What is wrong with a response ("it …"), and what is expected instead. */
export interface Fault {
  wrong: string
  right: string
  /** Faults with the same cause are counted together; `wrong` by default. */
  cause?: string
  /** A wider cause; if it was found as well, this one is part of it. */
  within?: string
  /**
   * What is wrong, if it is more than a detail of the response. `request`: the status, given what was sent. `status`: the status,
   * whatever was sent. `service`: something all operations have in common, so that each cause is reported once.
   */
  about?: 'request' | 'status' | 'service'
  /** Whether it may be intended, for reasons that a contract cannot express. */
  isNote?: boolean
}

/** Compares responses with the contract, whatever the request was. */
export const judgeOf = (document: OpenApiDocument, schemas: Schemas) => {
  const headerFaults = ({ node }: Operation, response: Node, { status, headers }: Response): Fault[] => {
    const declared = headersIn(document, responseHeaders(document, node, String(status), response))
    return declared.flatMap(({ name, required, isJson, schema: written }): Fault[] => {
      const text = headers[name.toLowerCase()]
      if (text === undefined)
        return required ? [{ wrong: `has no ${name} header`, right: 'the header, which the contract requires' }] : []
      const schema = schemas.response(written)
      const readings = isJson ? [jsonOf(text)].filter(each => each !== undefined) : readingsOf(text)
      if (readings.some(each => accepts(schema, each) !== false)) return []
      const types = assertionsOf(schema).flatMap(({ keywords }) => keywords.types ?? [])
      const reading = readings.find(each => types.includes(typeOf(each))) ?? text
      const fault = schemas.faultOf(schema, reading) ?? 'it does not match its schema'
      const cause = `${name} ${fault}`
      const right = `${shortened(describe(schema))}, as the contract declares`
      return [{ wrong: `has ${name}: ${text} (${fault})`, right, cause }]
    })
  }

  const bodyFaults = (response: Node, method: string, { status, headers, body }: Response): Fault[] => {
    const type = headers['content-type']
    const content = contentOf(document, response)
    const declared = content.map(([each]) => each).join(' or ')
    // These have no content, whatever the headers say (RFC 9110, sections 9.3.2 and 15).
    if (method === 'HEAD' || status === 204 || status === 205 || status === 304) return []
    if (content.length === 0) {
      if (body.length === 0) return []
      return [{ wrong: `has a body with ${status}`, right: 'none, since the contract declares none' }]
    }
    if (body.length === 0 && type === undefined) return [{ wrong: `has no body with ${status}`, right: declared }]
    const match = content.find(([each]) => covers(mediaTypeOf(each), mediaTypeOf(essenceOf(type ?? ''))))
    if (match === undefined) {
      const wrong = type === undefined ? 'has no media type' : `has the media type ${type}`
      // JSON under another media type is also checked against the schema of the only declared one.
      const [only, ...others] = content
      const isMeant =
        only !== undefined && others.length === 0 && isJsonType(only[0]) && jsonOf(body.toString()) !== undefined
      return [{ wrong, right: declared }, ...(isMeant ? contentFaults(only[1].get('schema'), only[0], body) : [])]
    }
    return contentFaults(match[1].get('schema'), essenceOf(type ?? ''), body)
  }

  const contentFaults = (node: Node | undefined, type: string, body: Buffer): Fault[] => {
    if (!isJsonType(type) && !(type.startsWith('text/') && node !== undefined)) return []
    if (!isUtf8(body)) return [{ wrong: 'has a body that is not UTF-8', right: 'UTF-8' }]
    const text = body.toString()
    if (type === 'text/event-stream') return eventFaults(node, text)
    const value = isJsonType(type) ? jsonOf(text) : text
    const notJson = 'has a body that is not JSON'
    if (value === undefined) return [{ wrong: `${notJson}: ${shortened(text)}`, right: 'JSON', cause: notJson }]
    const schema = schemas.response(node)
    if (!isJsonType(type) && readingsOf(text).some(each => accepts(schema, each) !== false)) return []
    const faults = schemas.faultsOf(schema, value)
    const more = schemas.undeclaredIn(node, value).filter(each => !faults.includes(each))
    const faultWith = (verb: string, fault: string, right: string, isNote: boolean): Fault => {
      const wrong = `has a body that the contract does not ${verb}: ${fault}`
      return { wrong, right, cause: anyItem(wrong), isNote }
    }
    return [
      ...faults.map(each => faultWith('allow', each, 'a body as declared', false)),
      ...more.map(each => faultWith('describe', each, 'declared properties, although others are allowed', true))
    ]
  }

  /** A schema of event streams describes the whole text, or each event: `{ event, data, id }`, whose data may be JSON. */
  const eventFaults = (node: Node | undefined, text: string): Fault[] => {
    const schema = schemas.response(node)
    if (accepts(schema, text) !== false) return []
    for (const event of eventsOf(text)) {
      const data = jsonOf(event.data ?? '')
      const readings = data === undefined ? [event] : [event, { ...event, data }]
      if (readings.some(each => accepts(schema, each) !== false)) continue
      const fault = schemas.faultOf(schema, readings.at(-1) ?? event) ?? 'it does not match its schema'
      const wrong = `sends an event that the contract does not allow: ${fault}`
      return [{ wrong, right: 'events as declared', cause: wrong }]
    }
    return []
  }

  return (operation: Operation, method: string, received: Response): Fault[] => {
    const response = responseOf(operation, received.status)
    const ofBody = response === undefined ? [] : bodyFaults(response, method, received)
    const isWrong = ofBody.some(({ isNote }) => !isNote)
    const faults = [
      ...(response === undefined ? [undeclared(operation, received)] : headerFaults(operation, response, received)),
      ...challengeFaults(received),
      ...lifecycleFaults(operation, response, received),
      // Error bodies share one form: if it is wrong, details of it are not worth reporting.
      ...(received.status < 400
        ? ofBody
        : ofBody.filter(({ isNote }) => !isNote || !isWrong).map((each): Fault => ({ ...each, about: 'service' })))
    ]
    // A missing header may be reported for two reasons; one is enough.
    return faults.filter(({ wrong }, index) => index === faults.findIndex(each => each.wrong === wrong))
  }
}

const undeclared = ({ responses }: Operation, { status, body }: Response): Fault => ({
  wrong: `responds with ${status}, which is not declared${body.length === 0 ? '' : `: ${shortened(body.toString())}`}`,
  right: `one of ${[...responses.keys()].join(', ') || 'none'}`,
  cause: `undeclared ${status}`,
  about: 'status'
})

const challengeFaults = ({ status, headers }: Response): Fault[] =>
  status === 401 && headers['www-authenticate'] === undefined
    ? [
        {
          wrong: 'has no WWW-Authenticate header',
          right: 'one with each 401 (RFC 9110, section 15.5.2)',
          about: 'service'
        }
      ]
    : []

/** Checks the headers that announce the removal of an operation against the contract's dates. */
const lifecycleFaults = ({ node }: Operation, response: Node | undefined, { headers }: Response): Fault[] => {
  const { deprecated, since, sunset } = lifecycleOf(node)
  const expected = {
    // RFC 9745, section 2.1: a date in seconds.
    Deprecation: since && `@${Date.parse(since) / 1000}`,
    // RFC 8594, section 3: an HTTP-date; a day begins at midnight UTC.
    Sunset: sunset && new Date(sunset).toUTCString()
  }
  return Object.entries(expected).flatMap(([name, due]): Fault[] => {
    const said = headers[name.toLowerCase()]
    if (!deprecated) {
      if (said === undefined || isDeclared(response, name)) return []
      return [{ wrong: `has ${name}: ${said}`, right: 'no such header, since the contract declares no deprecation' }]
    }
    if (due === undefined || said === due) return []
    const wrong = said === undefined ? `has no ${name} header` : `has ${name}: ${said}`
    return [{ wrong, right: `${name}: ${due}, as the contract declares` }]
  })
}

const isDeclared = (response: Node | undefined, name: string) =>
  entriesAt(response, 'headers').some(([each]) => each.toLowerCase() === name.toLowerCase())

export const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 120 ? `${line.slice(0, 120)}…` : line
}

/** The events that have arrived whole (HTML, section 9.2.6), without comments. */
const eventsOf = (text: string): Record<string, string>[] =>
  text
    .split(/\r\n\r\n|\n\n|\r\r/)
    .slice(0, -1)
    .map(block => {
      const event: Record<string, string> = {}
      for (const [, name = '', value = ''] of block.matchAll(/^([^:\r\n]+)(?:: ?(.*))?$/gm))
        event[name] = name === 'data' && event.data !== undefined ? `${event.data}\n${value}` : value
      return event
    })
    .filter(event => event.data !== undefined)
