import type { Json, Node, OpenApiDocument } from '@contract-first/document'
import { isObject, isStackOverflow, jsonText } from '@contract-first/document'
import type { Finding } from '../changes/finding.ts'
import { credentialOf, headerValue } from '../live/credentials.ts'
import { type Operation, operationsOf, type Parameter } from '../operations/operations.ts'
import { jsonOf, nothingWritten, plainText, write } from '../operations/parameters.ts'
import { nearest } from '../samples/nearest.ts'
import { Samples } from '../samples/samples.ts'
import { accepts } from '../schema/accepts.ts'
import { type Direction, nameFromPlace } from '../schema/schema.ts'
import type { Code } from './blocks.ts'
import { excerpt } from './excerpt.ts'
import { type DiffLine, jsonDiff, marked } from './json-diff.ts'

/** A request or a response: the lines that concern the reader, and its body. */
interface Message {
  lines: readonly string[]
  body?: Json
}

/** A message as it was and as it is; without one of them, it cannot be shown. */
interface Messages {
  was?: Message | undefined
  is?: Message | undefined
  /** Whether the new one gets what the old one got. */
  keeps?: true
}
export type Exchange = Messages & { direction: Direction }

interface Side {
  document: OpenApiDocument
  operations: ReadonlyMap<string, Operation>
  samples: Samples
}

/** An operation in one of the contracts, and a part of its messages, unless it does not have it. */
interface Place {
  side: Side
  operation: Operation
  part: Part | undefined
}

/** Shows what clients have to change, by the witness of a finding and what is most like it, or by examples. */
export class Exchanges {
  readonly #before: Side
  readonly #after: Side

  constructor(before: OpenApiDocument, after: OpenApiDocument) {
    this.#before = sideOf(before)
    this.#after = sideOf(after)
  }

  of(finding: Finding): Exchange | undefined {
    const { uses, place, rule, sentIn } = finding
    const [use = ''] = uses
    const part = sentIn ?? (place.startsWith(use) ? place.slice(use.length).trim() : '')
    const placeIn = (side: Side): Place | undefined => {
      const operation = side.operations.get(normal(use))
      return operation && { side, operation, part: partOf(side.document, operation, part) }
    }
    const [before, after] = [placeIn(this.#before), placeIn(this.#after)]
    if (before === undefined || after === undefined) return undefined
    const direction = rule.startsWith('response-') ? 'response' : 'request'
    try {
      const messages = (direction === 'response' ? responsesFor : requestsFor)(finding, before, after)
      return messages && isDifferent(messages) ? { direction, ...messages } : undefined
    } catch (error) {
      // An example is left out if its schemas are nested too deeply.
      if (!isStackOverflow(error)) throw error
      return undefined
    }
  }
}

const isDifferent = ({ was, is }: Messages) => jsonText([was?.lines, was?.body]) !== jsonText([is?.lines, is?.body])

const sideOf = (document: OpenApiDocument): Side => ({
  document,
  operations: new Map(operationsOf(document).map(each => [normal(each.id), each])),
  samples: new Samples(document, 1)
})

/** Names of path parameters make no difference. */
const normal = (id: string) => id.replaceAll(/\{[^{}]*\}/g, '{}')

interface Part {
  /** What has the schema: a parameter, a header, or a media type. */
  owner: Node
  schema: Node | undefined
  parameter?: Parameter
  mediaType?: string
  header?: string
  status?: string
}

const partOf = (document: OpenApiDocument, operation: Operation, name: string): Part | undefined => {
  const [, location, parameterName = ''] = /^(path|query|querystring|header|cookie) parameter (.+)$/.exec(name) ?? []
  if (location !== undefined) {
    const named = operation.parameters.filter(each => each.name === nameFromPlace(parameterName))
    const parameter = named.find(each => each.in === location) ?? named[0]
    return parameter && { owner: parameter.node, schema: parameter.schema, parameter }
  }
  const match = /^(?:request body|response (\S+?))(?: header (\S+))?(?: \(([^()]*)\))?(?: body)?$/.exec(name)
  if (match === null) return undefined
  const [, status, header, media] = match
  if (status === undefined) return bodyOf(operation, media)
  const [list, key] = header === undefined ? ['content', media ?? 'application/json'] : ['headers', header]
  const reference = operation.responses.get(status)?.get(list)?.get(key)
  const owner = reference && document.resolve(reference)
  return owner && { owner, schema: owner.get('schema'), status, ...(header !== undefined && { header }) }
}

const bodyOf = ({ body }: Operation, media = 'application/json'): Part | undefined => {
  const [mediaType, owner] = body?.content.find(([type]) => type === media) ?? body?.content[0] ?? []
  if (owner === undefined || mediaType === undefined) return undefined
  return { owner, schema: owner.get('schema'), mediaType }
}

const requestsFor = ({ rule, witness, was = '' }: Finding, before: Place, after: Place): Messages | undefined => {
  const [sampleBefore, sampleAfter] = [before, after].map(each => () => samplesOf(each, 'request')[0])
  if (rule.startsWith('security-')) return { was: withCredentials(before), is: withCredentials(after) }
  if (rule === 'request-media-type-removed') {
    const now = after.part?.mediaType
    return now === undefined ? undefined : { was: withType(before, was), is: withType(after, now) }
  }
  if (witness !== undefined) {
    const other = likeWitness(witness, 'request', before, after)
    const is = other?.value === undefined ? undefined : requestOf(after, other.value)
    return other && { was: requestOf(before, witness), is }
  }
  if (/-(?:added|became)-required$/.test(rule))
    return after.part && { was: requestOf(before), is: requestOf(after, sampleAfter?.()) }
  if (/-default-(?:changed|removed)$/.test(rule))
    return after.part && { was: requestOf(before), is: requestOf(after, jsonOf(was)), keeps: true }
  if (rule.endsWith('-removed'))
    return before.part && { was: requestOf(before, sampleBefore?.()), is: requestOf(after) }
  if (!/-(?:moved|serialization-changed)$/.test(rule)) return undefined
  // The same value in both forms, if there is one that differs in them, preferably with several parts.
  const values = samplesOf(before, 'request').map(each => (Array.isArray(each) ? [...each, ...each] : each))
  const sizeOf = (value: Json) => (isObject(value) || Array.isArray(value) ? Math.min(Object.keys(value).length, 2) : 0)
  return values
    .toSorted((a, b) => sizeOf(b) - sizeOf(a))
    .map(value => ({ was: requestOf(before, value), is: requestOf(after, value) }))
    .find(isDifferent)
}

const responsesFor = ({ rule, witness }: Finding, before: Place, after: Place): Messages | undefined => {
  if (witness !== undefined) {
    const other = likeWitness(witness, 'response', after, before)
    return other && { was: responseOf(before, other.value), is: responseOf(after, witness) }
  }
  if (/-status-added$|-unlike$|-unexpected$/.test(rule)) {
    const value = samplesOf(after, 'response').find(each => !isEmpty(each))
    return after.part && { is: responseOf(after, value) }
  }
  if (!/^response-header-(?:removed|became-optional)$/.test(rule) || before.part === undefined) return undefined
  return { was: responseOf(before, samplesOf(before, 'response')[0]), is: { lines: [statusLine(before.part)] } }
}

const isEmpty = (value: Json) => typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** What is most like the witness on the other side; undefined unless it shows the change in these parts. */
const likeWitness = (witness: Json, direction: Direction, allowing: Place, refusing: Place) => {
  if (allowing.part === undefined || refusing.part === undefined) return undefined
  const { schemas } = refusing.side.samples
  const sent = allowing.side.samples.schemas[direction](allowing.part.schema)
  const expected = direction === 'request' ? schemas.request(refusing.part.schema) : schemas.sent(refusing.part.schema)
  if (accepts(sent, witness) === false || accepts(expected, witness) === true) return undefined
  return { value: nearest(schemas.solver, expected, witness) }
}

const samplesOf = ({ side, part }: Place, direction: Direction): Json[] =>
  part === undefined ? [] : side.samples.valid(part.owner, direction, part.schema).map(({ value }) => value)

const requestOf = ({ operation, part }: Place, value?: Json): Message => {
  const written = nothingWritten()
  if (part?.parameter !== undefined && value !== undefined) write(written, part.parameter, value)
  const path = operation.path.replace(/\{([^{}]+)\}/g, (all, name: string) => written.path.get(name) ?? all)
  const cookies = written.cookies.length === 0 ? [] : [`Cookie: ${written.cookies.join('; ')}`]
  const headers = [...written.headers].map(([name, text]) => `${name}: ${text}`)
  const isBody = part !== undefined && part.parameter === undefined && value !== undefined
  return {
    lines: [`${operation.method} ${path}${queryOf(written.query)}`, ...headers, ...cookies],
    ...(isBody && { body: value })
  }
}

const withType = (place: Place, type: string): Message => ({
  lines: [...requestOf(place).lines, `Content-Type: ${type}`]
})

/** With the credentials that come first in the contract. */
const withCredentials = ({ side, operation }: Place): Message => {
  const credentials = (operation.security[0] ?? []).flatMap(name => credentialOf(side.document, name) ?? [])
  const query = credentials.filter(each => each.in === 'query').map(({ name }) => `${name}=KEY`)
  const headers = credentials.flatMap(each => {
    if (each.in === 'header') return `${each.name}: ${each.scheme === 'Basic' ? 'Basic KEY' : headerValue(each, 'KEY')}`
    return each.in === 'cookie' ? `Cookie: ${each.name}=KEY` : []
  })
  return { lines: [`${operation.method} ${operation.path}${queryOf(query)}`, ...headers] }
}

const queryOf = (parts: readonly string[]) => (parts.length === 0 ? '' : `?${parts.join('&')}`)

const statusLine = ({ status }: Part) => (status === 'default' ? 'HTTP (any other status)' : `HTTP ${status}`)

const responseOf = ({ part }: Place, value: Json | undefined): Message | undefined => {
  if (part === undefined || value === undefined) return undefined
  const { header } = part
  if (header === undefined) return { lines: [statusLine(part)], body: value }
  return { lines: [statusLine(part), `${header}: ${plainText({ explode: false, isJson: isObject(value) }, value)}`] }
}

export const codeOf = ({ was, is }: Exchange): Code => {
  if (was !== undefined && is !== undefined) {
    const lines = [...lineDiff(was.lines, is.lines), ...bodyDiff(was.body, is.body)]
    return { text: lines.map(([mark, text]) => `${mark} ${text}`).join('\n'), language: 'diff' }
  }
  const { lines = [], body } = was ?? is ?? {}
  return { text: [...lines, ...(body === undefined ? [] : excerpt(body, maxWidth))].join('\n'), language: 'http' }
}

const maxWidth = 60

const bodyDiff = (was: Json | undefined, is: Json | undefined): DiffLine[] => {
  if (was !== undefined && is !== undefined) return jsonDiff(was, is)
  return [...(was === undefined ? [] : marked('-', was)), ...(is === undefined ? [] : marked('+', is))]
}

/** Lines at the start that both have are shown once. */
const lineDiff = (was: readonly string[], is: readonly string[]): DiffLine[] => {
  const first = was.findIndex((each, index) => each !== is[index])
  const start = first === -1 ? was.length : first
  const marked = (mark: DiffLine[0], lines: readonly string[]) => lines.map((text): DiffLine => [mark, text])
  return [...marked(' ', was.slice(0, start)), ...marked('-', was.slice(start)), ...marked('+', is.slice(start))]
}
