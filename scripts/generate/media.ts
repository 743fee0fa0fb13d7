import { entriesOf, isObject, type Json, type JsonObject, put } from '../document/json.ts'
import type { Direction } from './json-schema.ts'
import type { Report } from './problems.ts'
import { derive, locate } from './read.ts'
import { typesOf } from './schema.ts'

/** How a body arrives or is sent: a value that is checked, a text, or bytes. */
export type MediaKind = 'json' | 'text' | 'form' | 'multipart' | 'stream'

/** A body in one of the media types that are declared for it. */
export interface Media {
  /** With its parameters; it may be a range, such as `image/*`. */
  type: string
  kind: MediaKind
  /** Absent if values are not checked. */
  schema?: JsonObject
  /** Of forms: how properties are written, if not in the usual way. */
  fields?: Record<string, Field>
}

export interface Field {
  /** The content of a file. */
  file?: true
  /** A JSON text. */
  json?: true
  /** Of a parameter: reserved characters need not be percent-encoded, an empty value is an absent one. */
  reserved?: true
  emptyIsAbsent?: true
  /** The media types of a part of a `multipart/form-data` body. */
  types?: string[]
  style?: string
  explode?: boolean
}

/** Reads `content`, whose schemas mean something else for each media type. */
export const mediaReader = (
  schema: (written: Json | undefined) => JsonObject,
  flat: (schema: JsonObject) => JsonObject,
  resolve: (value: Json | undefined) => JsonObject,
  report: Report
) => {
  const isBinary = (written: JsonObject): boolean => {
    const value = flat(schema(written))
    return value.format === 'binary' || Object.keys(value).every(keyword => !describing.has(keyword))
  }

  const kindOf = (type: string, media: JsonObject, direction: Direction): MediaKind => {
    const essence = essenceOf(type)
    const isBytes = !isObject(media.schema) || isBinary(media.schema)
    if (isJson(essence)) return 'json'
    if (essence === '*/*' || essence === 'application/*') return isBytes ? 'stream' : 'json'
    if (direction === 'request' && essence === 'application/x-www-form-urlencoded') return 'form'
    if (direction === 'request' && essence === 'multipart/form-data') return 'multipart'
    if (streamed.has(essence) || !isText(essence)) return 'stream'
    return isObject(media.schema) && flat(schema(media.schema)).format === 'binary' ? 'stream' : 'text'
  }

  const mediaOf = (type: string, written: JsonObject, direction: Direction): Media => {
    const kind = kindOf(type, written, direction)
    const isForm = kind === 'form' || kind === 'multipart'
    if (written.encoding !== undefined && !isForm)
      report.carry(locate(written, 'encoding'), 'encoding describes forms, and this body is none')
    if (kind === 'json') {
      const isRange = /\*$/.test(essenceOf(type))
      if (isRange)
        report.carry(locate(written), `${type} is served as application/json, since its schema is not binary`)
      return { type: isRange ? 'application/json' : type, kind, schema: schema(written.schema) }
    }
    if (isForm) {
      const value = schema(written.schema)
      const fields = fieldsOf(value, written, kind)
      return { type, kind, schema: value, ...(Object.keys(fields).length > 0 && { fields }) }
    }
    const value = written.schema === undefined ? undefined : schema(written.schema)
    const isString = value !== undefined && typesOf(flat(value)).join() === 'string'
    if (kind === 'text' && isString) return { type, kind, schema: value }
    if (value !== undefined && isObject(written.schema) && !isString && !isBinary(written.schema))
      report.carry(
        locate(written, 'schema'),
        `the schema of ${type} is for readers: ${kind === 'text' ? 'the text' : 'the stream'} is not checked against it`
      )
    return { type, kind }
  }

  /** The properties of a form that are not written as a text, or as a list of texts under one name. */
  const fieldsOf = (value: JsonObject, { encoding }: JsonObject, kind: 'form' | 'multipart') => {
    const fields: Record<string, Field> = {}
    const { properties = {} } = flat(value) as { properties?: JsonObject }
    const all = Map.groupBy(propertiesIn(value), ([name]) => name)
    for (const [name] of entriesOf(encoding)) {
      if (all.size === 0 || all.has(name)) continue
      report.carry(
        locate(encoding as JsonObject, name),
        `encoding of ${name} is ignored: the schema has no such property`
      )
    }
    for (const [name, same] of all) {
      const how = resolve(isObject(encoding) ? encoding[name] : undefined)
      const isOwn = Object.hasOwn(properties, name)
      const written = isOwn ? [properties[name]] : same.map(([, each]) => each)
      const [one = {}, ...more] = written.map(each => flat(isObject(each) ? each : {}))
      const field = fieldOf(more.length === 0 ? one : { anyOf: [one, ...more] }, how, kind)
      // What a variant says of a file is checked of a text.
      if (Object.keys(field).length > 0 && (isOwn || !field.file)) put(fields, name, field)
    }
    return fields
  }

  /** Those of variants and parts, too. */
  const propertiesIn = (schema: Json, around: readonly Json[] = []): [string, Json][] => {
    const whole = flat(isObject(schema) ? schema : {})
    if (around.includes(whole)) return []
    const parts = [whole.allOf ?? [], whole.anyOf ?? [], whole.oneOf ?? []].flat() as Json[]
    return [...entriesOf(whole.properties), ...parts.flatMap(each => propertiesIn(each, [...around, whole]))]
  }

  const fieldOf = (property: JsonObject, encoding: JsonObject, kind: 'form' | 'multipart'): Field => {
    const { style, explode, contentType } = encoding
    const isStyled = style !== undefined || explode !== undefined || encoding.allowReserved !== undefined
    const { items } = property
    const item = typesOf(property).includes('array') ? flat(isObject(items) ? items : {}) : property
    const types =
      typeof contentType === 'string' && !isStyled ? contentType.split(',').map(each => each.trim()) : undefined
    if (kind === 'multipart' && isFile(item)) return { file: true, ...(types && { types }) }
    if (isStyled)
      return {
        style: String(style ?? 'form'),
        explode: typeof explode === 'boolean' ? explode : (style ?? 'form') === 'form'
      }
    const json = types?.every(each => isJson(essenceOf(each))) ?? isStructure(item)
    return { ...(json && { json }), ...(kind === 'multipart' && types && { types }) }
  }

  const isStructure = (item: JsonObject): boolean => {
    if (typesOf(item).some(each => each === 'object' || each === 'array') || item.properties !== undefined) return true
    const variants = [item.anyOf ?? [], item.oneOf ?? []].flat().flatMap(each => {
      const variant = flat(isObject(each) ? each : {})
      if (typesOf(variant).join() === 'null') return []
      return [typesOf(variant).includes('array') && isObject(variant.items) ? flat(variant.items) : variant]
    })
    return variants.length > 0 && variants.every(isStructure)
  }

  const isFile = (item: JsonObject) =>
    item.format === 'binary' || Object.keys(item).every(keyword => !describing.has(keyword))

  return (content: Json | undefined, direction: Direction): Media[] => {
    // What is for readers may stand beside them.
    const all = entriesOf(content)
      .filter(([type]) => type.includes('/'))
      .map(([type, each]) => mediaOf(type, resolve(each), direction))
    // A range may stand for a type that is declared too.
    return all.filter(({ type }, index) => !all.slice(0, index).some(each => each.type === type))
  }
}

/** A form's schema for values whose files can be anything: their bytes are not checked. */
export const withoutFiles = (
  { schema = {}, fields = {} }: Media,
  flat: (schema: JsonObject) => JsonObject
): JsonObject => {
  if (!Object.values(fields).some(each => each.file)) return schema
  const whole = flat(schema)
  const properties = derive({} as JsonObject, whole)
  for (const [name, each] of entriesOf(whole.properties)) {
    if (!Object.hasOwn(fields, name) || !fields[name]?.file) put(properties, name, each)
    else {
      const property = flat(isObject(each) ? each : {})
      put(properties, name, typesOf(property).includes('array') ? derive({ ...property, items: {} }, property) : {})
    }
  }
  return derive({ ...whole, properties }, whole)
}

export const essenceOf = (type: string): string => (type.split(';')[0] as string).trim().toLowerCase()

const isJson = (essence: string) => /^(?:application|text)\/json$|\+json$/.test(essence)
export const isJsonType = (type: string): boolean => isJson(essenceOf(type))

/** Without one of these keywords, a schema accepts any bytes. */
const describing = new Set(
  'type enum const properties required items prefixItems additionalProperties anyOf oneOf allOf not $ref'.split(' ')
)

const streamed = new Set([
  ...[
    'text/event-stream',
    'application/x-ndjson',
    'application/ndjson',
    'application/jsonl',
    'application/x-jsonlines'
  ],
  ...['application/json-seq', 'application/geo+json-seq']
])

const isText = (essence: string) =>
  essence.startsWith('text/') ||
  /\+(?:xml|yaml)$/.test(essence) ||
  /^application\/(?:(?:x-)?(?:javascript|yaml|sh|sql)|ecmascript|graphql|xml|toml|x-www-form-urlencoded)$/.test(essence)
