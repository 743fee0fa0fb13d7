import {
  essenceOf,
  isJsonType,
  isObject,
  type Json,
  jsonText,
  type Node,
  type OpenApiDocument
} from '@contract-first/document'
import { contentsOf, type Operation, operationsOf } from '../operations/operations.ts'
import { accepts } from '../schema/accepts.ts'
import { examplesIn, examplesOf } from './examples.ts'
import { type Reply, requiredHeaders } from './replies.ts'
import { Samples } from './samples.ts'

/** How an operation responds if it succeeds. */
export interface ExampleResponse extends Omit<Reply, 'type' | 'example'> {
  operationId: string
  /** Of the body, if it is not `application/json`. */
  mediaType?: string
}

/**
 * Makes the response that an operation declares under a key of its `responses`: the first example that its schema allows, or
 * else a value made from the schema, the same each time. Of the accepted media types, JSON comes first. Undefined if there is no
 * such value, and for media types other than JSON, streams of JSON and text.
 */
export const exampleResponder = (document: OpenApiDocument, samples: Samples) => {
  const valueFor = (owner: Node, reference = owner.get('schema')): Json | undefined => {
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

  /** An example of a stream: a text is the whole stream, a list its items. */
  const streamFor = (owner: Node, textOf: TextOf): string | undefined => {
    const written = examplesOf(document, owner).find(({ value }) => typeof value === 'string')
    const value = written?.value ?? valueFor(owner, owner.get('itemSchema') ?? owner.get('schema'))
    if (value === undefined || typeof value === 'string') return value
    return [value].flat().map(textOf).join('')
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

  return ({ responses }: Operation, key: string, accepted?: readonly string[]): Reply | undefined => {
    const response = responses.get(key)
    const headers = response && requiredHeaders(document, response, ({ node }) => valueFor(node))
    if (response === undefined || headers === undefined) return undefined
    const base = { status: Number(key.replace('XX', '00').replace('default', '200')), headers }
    const all = contentsOf(document, response)
    if (all.length === 0) return base
    const contents = all.filter(([type]) => accepted?.includes(type) ?? true)
    const [type, content] =
      contents.find(([type]) => type === 'application/json') ??
      contents.find(([type]) => isJsonType(type)) ??
      contents.find(([type]) => streamed(type) !== undefined) ??
      contents.find(([type]) => type.startsWith('text/')) ??
      []
    const text = streamed(type ?? '')
    const body = content && (text === undefined ? valueFor(content) : streamFor(content, text))
    if (type === undefined || body === undefined || (type.startsWith('text/') && typeof body !== 'string'))
      return undefined
    return { ...base, type, body }
  }
}

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
  const example = exampleResponder(document, new Samples(document, 1))
  return operationsOf(document).flatMap(operation => {
    const reply = example(operation, successOf(operation) ?? '')
    if (reply === undefined) return []
    const { type = 'application/json', ...rest } = reply
    const operationId = String(operation.node.get('operationId')?.value)
    return [{ operationId, ...rest, ...(type !== 'application/json' && { mediaType: type }) }]
  })
}

/** The lowest status from 200 to 399; otherwise the default. */
export const successOf = ({ responses }: Operation): string | undefined =>
  [...responses.keys()].filter(status => /^[23]/.test(status)).toSorted()[0] ??
  (responses.has('default') ? 'default' : undefined)
