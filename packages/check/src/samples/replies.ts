import {
  essenceOf,
  getOrMake,
  isJsonType,
  isObject,
  type Json,
  jsonText,
  type Node,
  type OpenApiDocument
} from '@contract-first/document'
import {
  contentsOf,
  declaredAs,
  type Field,
  headersIn,
  type Operation,
  operationsOf
} from '../operations/operations.ts'
import { plainText } from '../operations/parameters.ts'
import { accepts } from '../schema/accepts.ts'
import { examplesIn, examplesOf } from './examples.ts'
import { isForm, sentAs } from './media.ts'
import { Samples } from './samples.ts'

/** What a handler returns, and the client should get. */
export interface Reply {
  status: number
  headers: Record<string, string | number>
  type?: string
  body?: Json
}

/** How an operation responds if it succeeds. */
export interface ExampleResponse extends Omit<Reply, 'type'> {
  operationId: string
  /** Of the body, if it is not `application/json`. */
  mediaType?: string
}

/**
 * Makes the response that an operation declares under a key of its `responses`: the first example that its schema allows, or
 * else a value made from the schema, the same each time; if `isNew`, a random one. Of the media types, or of the accepted ones, JSON
 * comes first, then streams of JSON and text. Undefined if there is no such value.
 */
const responder = (document: OpenApiDocument, samples: Samples) => {
  const valueFor = (owner: Node, isNew: boolean, reference = owner.get('schema')): Json | undefined => {
    if (isNew) return samples.drawn(owner, reference)
    const schema = samples.schemas.sent(reference)
    const example = examplesOf(document, owner).find(
      ({ value }) => accepts(schema, value) === true && samples.isValid(reference, 'response', value)
    )
    if (example !== undefined) return example.value
    const made = samples.values.simple(schema)
    if (made === undefined || !samples.isValid(reference, 'response', made))
      return samples.valid(owner, 'response')[0]?.value
    const shown = reference === undefined ? made : withExamples(reference, made)
    return samples.isValid(reference, 'response', shown) ? shown : made
  }

  const bodyFor = (type: string, owner: Node, isNew: boolean): Json | undefined => {
    const textOf = streamed(type)
    if (textOf === undefined) {
      const value = valueFor(owner, isNew)
      if (isJsonType(type) || typeof value === 'string') return value
      // Other media types have no form in which values could be written.
      const texts = isForm(type) ? [] : samples.valid(owner, 'response').map(each => each.value)
      return texts.find(each => typeof each === 'string')
    }
    // An example of a stream: a text is the whole stream, a list its items.
    const written = examplesOf(document, owner).find(({ value }) => typeof value === 'string')
    const value = written?.value ?? valueFor(owner, isNew, owner.get('itemSchema') ?? owner.get('schema'))
    return value === undefined || typeof value === 'string' ? value : [value].flat().map(textOf).join('')
  }

  /** Replaces parts that have an example of their own by it. */
  const withExamples = (reference: Node, made: Json): Json => {
    const schema = document.resolve(reference)
    const example = [...examplesIn(reference), ...examplesIn(schema)].find(({ value }) =>
      samples.isValid(schema, 'response', value)
    )
    if (example !== undefined) return example.value
    const inPlace = [
      ...(schema.get('allOf')?.items() ?? []),
      ...['oneOf', 'anyOf'].flatMap(keyword =>
        (schema.get(keyword)?.items() ?? []).filter(each => samples.isValid(each, 'response', made)).slice(0, 1)
      )
    ]
    let value = inPlace.reduce((value, each) => withExamples(each, value), made)
    const items = schema.get('items')
    if (Array.isArray(value) && items !== undefined) value = value.map(each => withExamples(items, each))
    if (!isObject(value)) return value
    for (const [name, each] of schema.get('properties')?.entries() ?? []) {
      const inner: Json | undefined = value[name]
      if (inner !== undefined) value = { ...value, [name]: withExamples(each, inner) }
    }
    return value
  }

  return ({ responses }: Operation, key: string, isNew = false, accepted?: readonly string[]): Reply | undefined => {
    const response = responses.get(key)
    const headers = response && requiredHeaders(document, response, ({ node }) => valueFor(node, false))
    if (response === undefined || headers === undefined) return undefined
    const base = { status: Number(key.replace('XX', '00').replace('default', '200')), headers }
    const all = contentsOf(document, response)
    if (all.length === 0) return base
    const contents = all.flatMap(([written, media]): [string, Node][] => {
      return accepted?.includes(written) === false ? [] : [[sentAs(written, media), media]]
    })
    const [type, media] = contents.toSorted(([one], [other]) => rankOf(one) - rankOf(other))[0] ?? []
    const body = media && bodyFor(type ?? '', media, isNew)
    return type === undefined || body === undefined ? undefined : { ...base, type, body }
  }
}

const rankOf = (type: string): number =>
  [type === 'application/json', isJsonType(type), streamed(type) !== undefined, type.startsWith('text/'), true].indexOf(
    true
  )

/** Media types that a generated handler cannot write. */
const others = 4

type TextOf = (item: Json) => string

const line: TextOf = item => `${jsonText(item)}\n`
const record: TextOf = item => `\x1e${jsonText(item)}\n`
/** An object with the fields of an event is one; any other value is an event's data. */
const event: TextOf = item => {
  const isEvent = isObject(item) && 'data' in item && Object.keys(item).every(name => fieldsOfEvents.has(name))
  const fields = isEvent ? item : { data: jsonText(item) }
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    (typeof value === 'string' ? value : jsonText(value)).split('\n').map(each => `${name}: ${each}\n`)
  )
  return `${lines.join('')}\n`
}

const fieldsOfEvents = new Set(['event', 'data', 'id', 'retry'])

/** How a media type writes an item of a stream; undefined if it is not a stream of values. */
const streamed = (type: string): TextOf | undefined => {
  const essence = essenceOf(type)
  if (essence === 'text/event-stream') return event
  if (/^application\/(?:geo\+)?json-seq$/.test(essence)) return record
  return /^application\/(?:(?:x-)?ndjson|jsonl|x-jsonlines)$/.test(essence) ? line : undefined
}

/** A successful response for each operation that declares one which can be shown. */
export const exampleResponsesOf = (document: OpenApiDocument): ExampleResponse[] => {
  const respond = responder(document, new Samples(document, 1))
  return operationsOf(document).flatMap(operation => {
    const reply = respond(operation, successOf(operation) ?? '')
    if (reply === undefined) return []
    const { type = 'application/json', ...rest } = reply
    if (rankOf(type) === others) return []
    const operationId = String(operation.node.get('operationId')?.value)
    return [{ operationId, ...rest, ...(type !== 'application/json' && { mediaType: type }) }]
  })
}

/** The lowest status from 200 to 399; otherwise the default. */
const successOf = ({ responses }: Operation): string | undefined =>
  [...responses.keys()].filter(status => /^[23]/.test(status)).toSorted()[0] ??
  (responses.has('default') ? 'default' : undefined)

/** What makes responses for the operations of a contract. */
export type MadeReplies = ReturnType<typeof madeRepliesOf>

/** Responses that fit a contract: its examples, and where it has none that fits, values made from its schemas; the same for a seed. */
export const madeRepliesOf = (document: OpenApiDocument, seed: number) => {
  const operations = new Map(operationsOf(document).map(each => [each.id, each]))
  const respond = responder(document, new Samples(document, seed))
  const known = new Map<string, Reply | undefined>()
  return {
    /**
     * A reply with this status, otherwise with the lowest 2xx or 3xx; if `isNew`, a new random value each time. `accepted` are the media
     * types to choose from, named as in the contract.
     */
    reply(
      { method, path }: { method: string; path: string },
      code: string | undefined,
      isNew: boolean,
      accepted?: readonly string[]
    ): Reply | undefined {
      const operation = operations.get(`${method} ${path}`)
      if (operation === undefined || !/^[2-5]\d\d$/.test(code ?? '200')) return undefined
      if (operation.responses.size === 0) return { status: Number(code ?? 200), headers: {} }
      const key = (code === undefined ? successOf(operation) : declaredAs(operation.responses, Number(code))) ?? ''
      const make = () => respond(operation, key, isNew, accepted)
      const reply = isNew ? make() : getOrMake(known, [operation.id, key, ...(accepted ?? [])].join(' '), make)
      // A range or `default` covers many statuses; the client asked for one.
      return reply && { ...reply, status: Number(code ?? reply.status) }
    }
  }
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
