import { entriesOf, essenceOf, isJsonType, isObject, type Json, type JsonObject } from '@contract-first/document'
import type { ContractReader } from './contract-reader.ts'
import { type Field, isAnything, isFile, readFields } from './form-fields.ts'
import type { Direction } from './json-schema.ts'
import type { Report } from './problems.ts'
import { derive, locate } from './read.ts'
import { typesOf } from './schema-tree.ts'

/** How a body is received or sent. */
export type MediaKind = 'json' | 'text' | 'form' | 'multipart' | 'stream'

/** A body in one of the media types that are declared for it. */
export interface Media {
  /** With its parameters; it may be a range, such as `image/*`. */
  type: string
  kind: MediaKind
  /** Absent if values are not checked. */
  schema?: JsonObject
  /** For forms: how properties are written, if not in the usual way. */
  fields?: Record<string, Field>
  /** The same for undeclared properties. */
  others?: Field
  /** For a response that is a stream of JSON values or events: the schema of what handlers yield. */
  items?: JsonObject
}

/** A declared body, with its schema before and after references are followed. */
interface Body {
  type: string
  written: JsonObject
  schema: JsonObject
  target: JsonObject
  isRequest: boolean
}

/**
 * Reads `content`: what its schemas mean depends on the media type. For example, the body of a request
 *
 *     multipart/form-data: { schema: { properties: { name: { type: string }, photo: { format: binary } } } }
 *
 * is `{ type: 'multipart/form-data', kind: 'multipart', schema, fields: { photo: { file: true } } }`; `name` has no field, as it
 * is written in the usual way.
 */
export const readContent = (content: Json | undefined, direction: Direction, reader: ContractReader): Media[] => {
  // Documentation may stand beside media types.
  const all = entriesOf(content)
    .filter(([type]) => type.includes('/'))
    .map(([type, each]) => readMedia(type, reader.resolve(each), direction, reader))
  // A range may have been replaced by a type that is declared as well.
  return all.filter(({ type }, index) => !all.slice(0, index).some(each => each.type === type))
}

const readMedia = (type: string, written: JsonObject, direction: Direction, reader: ContractReader): Media => {
  const schema = reader.readSchema(written.schema)
  const body = { type, written, schema, target: reader.follow(schema), isRequest: direction === 'request' }
  const kind = kinds.find(([isMeant]) => isMeant(essenceOf(type), body))?.[1](body) ?? 'stream'
  if (written.encoding !== undefined && kind !== 'form' && kind !== 'multipart')
    reader.report.carry(locate(written, 'encoding'), 'encoding describes forms, but this body is not a form')
  if (kind === 'stream' && !body.isRequest && hasItems(type)) return { type, kind, items: readItems(body, reader) }
  if (written.itemSchema !== undefined)
    reader.report.carry(locate(written, 'itemSchema'), 'itemSchema is for readers: items of this body are not checked')
  if (kind === 'json') return readJson(body, reader.report)
  if (kind === 'form' || kind === 'multipart')
    return { type, kind, schema, ...readFields(schema, written.encoding, kind, reader) }
  return readUnchecked(body, kind, reader.report)
}

const readJson = ({ type, written, schema }: Body, report: Report): Media => {
  if (!essenceOf(type).endsWith('*')) return { type, kind: 'json', schema }
  report.carry(locate(written), `${type} is served as application/json, since its schema is not binary`)
  return { type: 'application/json', kind: 'json', schema }
}

/** A text or bytes. The schema matters only for a text, and only if it describes strings. */
const readUnchecked = (body: Body, kind: 'text' | 'stream', report: Report): Media => {
  const { type, written, schema, target } = body
  const isString = typesOf(target).join() === 'string'
  if (kind === 'text' && isString) return { type, kind, schema }
  if (!isString && !isBinary(body))
    report.carry(
      locate(written, 'schema'),
      `the schema of ${type} is for readers: the ${kind} is not checked against it`
    )
  return { type, kind }
}

/** What a handler yields, an item at a time. A schema that is not of a string is that of an item, or of the list of them. */
const readItems = ({ type, written, target }: Body, { readSchema, resolve }: ContractReader): JsonObject => {
  const [itemType] = typesOf(target)
  const isWhole = written.itemSchema === undefined && (itemType === 'string' || isFile(target))
  const item = isWhole
    ? true
    : (written.itemSchema ?? (itemType === 'array' ? resolve(written.schema).items : written.schema))
  if (essenceOf(type) !== events) return readSchema(item)
  if (isEvent(item, resolve)) return readSchema(withContent(item, resolve))
  const text = { type: 'string' }
  const properties = { event: text, data: readSchema(item), id: text, retry: { type: 'integer', minimum: 0 } }
  return { type: 'object', required: ['data'], properties }
}

const variants = ['allOf', 'anyOf', 'oneOf'] as const
type Resolve = ContractReader['resolve']

/** Whether a schema describes events with all their fields, as OpenAPI 3.2 has it, not just their data. */
const isEvent = (item: Json | undefined, resolve: Resolve): boolean => {
  const names = fieldsIn(item, resolve)
  return names.includes('data') && names.every(name => fieldsOfEvents.has(name))
}
const fieldsOfEvents = new Set(['event', 'data', 'id', 'retry'])

const fieldsIn = (item: Json | undefined, resolve: Resolve): string[] => {
  const { properties = {}, ...schema } = resolve(item)
  return [...Object.keys(properties as JsonObject), ...partsOf(schema).flatMap(each => fieldsIn(each, resolve))]
}

const partsOf = (schema: JsonObject) => variants.flatMap(each => (schema[each] ?? []) as Json[])

/** The same schema, with what the text of `data` contains in place of the text. */
const withContent = (item: Json | undefined, resolve: Resolve): Json => {
  const schema = resolve(item)
  const { properties } = schema
  const data = isObject(properties) ? resolve(properties.data).contentSchema : undefined
  const parts = variants.flatMap(each =>
    schema[each] === undefined ? [] : [[each, (schema[each] as Json[]).map(part => withContent(part, resolve))]]
  )
  return derive(
    { ...schema, ...(data && { properties: { ...(properties as JsonObject), data } }), ...Object.fromEntries(parts) },
    schema
  )
}

const events = 'text/event-stream'
const lines = ['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/x-jsonlines']
const streamed = new Set([events, ...lines, 'application/json-seq', 'application/geo+json-seq'])

const hasItems = (type: string): boolean => [events, ...lines].includes(essenceOf(type))

/** Whether it is a stream of items, which may never end. */
export const isStreamed = (type: string): boolean => streamed.has(essenceOf(type))

const isText = (essence: string) =>
  essence.startsWith('text/') ||
  /\+(?:xml|yaml)$/.test(essence) ||
  /^application\/(?:(?:x-)?(?:javascript|yaml|sh|sql)|ecmascript|graphql|xml|toml|x-www-form-urlencoded)$/.test(essence)

const isBinary = ({ written, target }: Body) => !isObject(written.schema) || isFile(target) || isAnything(target)

/** The first row that matches decides; everything else is a stream. */
const kinds: readonly [isMeant: (essence: string, body: Body) => boolean, kind: (body: Body) => MediaKind][] = [
  [isJsonType, () => 'json'],
  [essence => essence === '*/*' || essence === 'application/*', body => (isBinary(body) ? 'stream' : 'json')],
  [(essence, { isRequest }) => isRequest && essence === 'application/x-www-form-urlencoded', () => 'form'],
  [
    (essence, { isRequest }) => isRequest && essence === 'multipart/form-data',
    // Parts identified by position (`prefixEncoding`) have no names.
    ({ written }) =>
      (written.itemSchema ?? written.prefixEncoding ?? written.itemEncoding) === undefined ? 'multipart' : 'stream'
  ],
  [isStreamed, () => 'stream'],
  [isText, ({ target }) => (isFile(target) ? 'stream' : 'text')]
]
