import { entriesOf, essenceOf, isJsonType, isObject, type Json, type JsonObject, put } from '@contract-first/document'
import type { Direction } from './json-schema.ts'
import type { Report } from './problems.ts'
import { derive, locate } from './read.ts'
import { inPlace, mapSubschemas, mapValues, typesOf } from './schema-tree.ts'

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
  /** How other properties are. */
  others?: Field
}

export interface Field {
  /** The content of a file; in some variants, it may also be a text, or an object in JSON. */
  file?: true | 'or text' | 'or json'
  /** A JSON text. */
  json?: true
  /** Of a parameter: it is the whole query string. */
  whole?: true
  /** Of an object that is spread over pairs: how its properties are written. */
  fields?: Record<string, Field>
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
    return isFile(value) || isAnything(value)
  }

  const kindOf = (type: string, media: JsonObject, direction: Direction): MediaKind => {
    const essence = essenceOf(type)
    const isBytes = !isObject(media.schema) || isBinary(media.schema)
    if (isJsonType(essence)) return 'json'
    if (essence === '*/*' || essence === 'application/*') return isBytes ? 'stream' : 'json'
    if (direction === 'request' && essence === 'application/x-www-form-urlencoded') return 'form'
    // Parts by position have no names.
    const isByPosition = (media.itemSchema ?? media.prefixEncoding ?? media.itemEncoding) !== undefined
    if (direction === 'request' && essence === 'multipart/form-data') return isByPosition ? 'stream' : 'multipart'
    if (isStreamed(type) || !isText(essence)) return 'stream'
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
      const others = othersOf(value, kind)
      const hasOthers = Object.keys(others).length > 0
      const fields = fieldsOf(value, written, kind, hasOthers)
      const hasFields = Object.keys(fields).length > 0
      return { type, kind, schema: value, ...(hasFields && { fields }), ...(hasOthers && { others }) }
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

  /** The properties of a form that are not written as a text, or as a list of texts under one name; if wanted, also the others. */
  const fieldsOf = (value: JsonObject, { encoding }: JsonObject, kind: 'form' | 'multipart', areAllWanted: boolean) => {
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
      const all = same.map(([, each]) => each)
      const written = Object.hasOwn(properties, name) ? [properties[name]] : all
      const [one = {}, ...more] = written.map(each => flat(isObject(each) ? each : {}))
      const file = kind === 'multipart' ? fileOf(name, all) : undefined
      const field = fieldOf(more.length === 0 ? one : { anyOf: [one, ...more] }, how, kind, file)
      if (areAllWanted || Object.keys(field).length > 0) put(fields, name, field)
    }
    return fields
  }

  /** Of the properties of a form that are not declared by name. */
  const othersOf = (value: JsonObject, kind: 'form' | 'multipart'): Field => {
    const all = wholesOf(value).flatMap(({ additionalProperties, patternProperties }) =>
      [additionalProperties, ...entriesOf(patternProperties).map(([, each]) => each)].filter(isObject)
    )
    const [one, ...more] = all.map(flat)
    if (one === undefined) return {}
    const file = kind === 'multipart' ? fileOf('any other property', all) : undefined
    return fieldOf(more.length === 0 ? one : { anyOf: [one, ...more] }, {}, kind, file)
  }

  const propertiesIn = (schema: Json): [string, Json][] =>
    wholesOf(schema).flatMap(({ properties }) => entriesOf(properties))

  /** A schema with its variants and parts. */
  const wholesOf = (schema: Json, around: readonly Json[] = []): JsonObject[] => {
    const whole = flat(isObject(schema) ? schema : {})
    if (around.includes(whole)) return []
    const parts = [whole.allOf ?? [], whole.anyOf ?? [], whole.oneOf ?? []].flat() as Json[]
    return [whole, ...parts.flatMap(each => wholesOf(each, [...around, whole]))]
  }

  /** Whether a property is a file, as far as its schemas tell. */
  const fileOf = (name: string, written: Json[]): Field['file'] => {
    const natures = new Set(written.flatMap(each => naturesOf(each)))
    if (!natures.has('file')) return natures.size === 1 && natures.has('anything') ? true : undefined
    const at = written.find(isObject)
    if (!natures.has('object')) return natures.has('text') ? 'or text' : true
    if (natures.has('text') && at !== undefined)
      report.add(
        locate(at),
        `${name} is a file, an object or a text, by variant, which a form does not tell apart; give one of them another name`
      )
    return 'or json'
  }

  /** What a property may be, alone or in a list. */
  const naturesOf = (written: Json | undefined, around: readonly Json[] = []): Nature[] => {
    const whole = flat(isObject(written) ? written : {})
    if (around.includes(whole)) return []
    const { anyOf = [], oneOf = [], allOf = [], items = {} } = whole
    const isArray = typesOf(whole).includes('array')
    const parts = [anyOf, oneOf, allOf, isArray ? items : []].flat() as Json[]
    if (parts.length === 0) return natureOf(whole)
    const natures = parts.flatMap(each => naturesOf(each, [...around, whole]))
    // A part without a type has the one beside it.
    const { type } = whole
    return isArray || type === undefined
      ? natures
      : natures.flatMap(each => (each === 'anything' ? natureOf({ type }) : each))
  }

  const fieldOf = (
    property: JsonObject,
    encoding: JsonObject,
    kind: 'form' | 'multipart',
    file: Field['file']
  ): Field => {
    const { style, explode, contentType } = encoding
    const isStyled = style !== undefined || explode !== undefined || encoding.allowReserved !== undefined
    const { items } = property
    const item = typesOf(property).includes('array') ? flat(isObject(items) ? items : {}) : property
    const types =
      typeof contentType === 'string' && !isStyled ? contentType.split(',').map(each => each.trim()) : undefined
    if (file) return { file, ...(types && { types }) }
    if (isStyled)
      return {
        style: String(style ?? 'form'),
        explode: typeof explode === 'boolean' ? explode : (style ?? 'form') === 'form'
      }
    const json = types?.every(isJsonType) ?? isStructure(item)
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

  return (content: Json | undefined, direction: Direction): Media[] => {
    // What is for readers may stand beside them.
    const all = entriesOf(content)
      .filter(([type]) => type.includes('/'))
      .map(([type, each]) => mediaOf(type, resolve(each), direction))
    // A range may stand for a type that is declared too.
    return all.filter(({ type }, index) => !all.slice(0, index).some(each => each.type === type))
  }
}

type Nature = 'file' | 'anything' | 'object' | 'text'

const natureOf = (schema: JsonObject): Nature[] => {
  if (isFile(schema)) return ['file']
  if (isAnything(schema)) return ['anything']
  const types = typesOf(schema)
  if (types.join() === 'null') return []
  return [types.includes('object') || schema.properties !== undefined ? 'object' : 'text']
}

const isFile = ({ format }: JsonObject) => format === 'binary'
const isAnything = (schema: JsonObject) => Object.keys(schema).every(keyword => !describing.has(keyword))

/** A form's schema for what is read of it: a file has a type of its own. `schema` may have references. */
export const withFiles = (
  schema: JsonObject,
  { fields = {}, others }: Media,
  flat: (schema: JsonObject) => JsonObject
): JsonObject => {
  const isFileIn = (name: string) => Object.hasOwn(fields, name) && fields[name]?.file !== undefined
  const areFiles = others?.file !== undefined
  if (!areFiles && !Object.keys(fields).some(isFileIn)) return schema
  const formOf = (written: Json, around: readonly Json[] = []): Json => {
    if (!isObject(written) || around.includes(written.$ref as Json)) return written
    const inside = written.$ref === undefined ? around : [...around, written.$ref]
    const form = mapSubschemas(flat(written), (part, keyword) => (inPlace.has(keyword) ? formOf(part, inside) : part))
    const { properties, patternProperties, additionalProperties } = form
    if (isObject(properties))
      form.properties = mapValues(properties, (each, name) => (isFileIn(name) ? fieldSchema(each) : each))
    if (areFiles && isObject(patternProperties))
      form.patternProperties = mapValues(patternProperties, each => fieldSchema(each))
    if (areFiles && isObject(additionalProperties)) form.additionalProperties = fieldSchema(additionalProperties)
    return form
  }
  const fieldSchema = (written: Json, around: readonly Json[] = []): Json => {
    if (!isObject(written) || around.includes(written.$ref as Json)) return written
    const inside = written.$ref === undefined ? around : [...around, written.$ref]
    const value = flat(written)
    if (isFile(value)) return derive({ type: 'file' } as JsonObject, value)
    const schema = mapSubschemas(value, (part, keyword) =>
      keyword === 'items' || inPlace.has(keyword) ? fieldSchema(part, inside) : part
    )
    // A file is not an object of the contract.
    const isObjectOnly = natureOf(value).includes('object') && !['anyOf', 'oneOf', 'allOf'].some(each => each in value)
    return isObjectOnly ? derive({ allOf: [schema, { not: { type: 'file' } }] } as JsonObject, value) : schema
  }
  return formOf(schema) as JsonObject
}

/** Whether it is a sequence that may have no end. */
export const isStreamed = (type: string): boolean => streamed.has(essenceOf(type))

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
