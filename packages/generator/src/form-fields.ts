import { entriesOf, isJsonType, isObject, type Json, type JsonObject } from '@contract-first/document'
import type { ContractReader } from './contract-reader.ts'
import type { Report } from './problems.ts'
import { derive, locate } from './read.ts'
import { inPlace, mapSubschemas, mapValues, typesOf } from './schema-tree.ts'

export interface Field {
  /** The content of a file; in some variants, it may also be a text, or an object in JSON. */
  file?: true | 'or text' | 'or json'
  /** A JSON text. */
  json?: true
  /** For a parameter: it is the whole query string. */
  whole?: true
  /** For an object that is spread over pairs: how its properties are written. */
  fields?: Record<string, Field>
  /** For a parameter: reserved characters need not be percent-encoded, and an empty value counts as absent. */
  reserved?: true
  emptyIsAbsent?: true
  /** The media types of a part of a `multipart/form-data` body. */
  types?: string[]
  style?: string
  explode?: boolean
}

/** The kind of a form decides how its fields are written. */
type FormKind = 'form' | 'multipart'

/**
 * How a form's properties are written, unless as a text or as a list of texts under one name. For example, the properties
 * `{ photo: { format: binary }, name: { type: string } }` of a `multipart` form have the fields `{ photo: { file: true } }`.
 * `others` says how undeclared properties are written; if it is present, each declared property has a field.
 */
export const readFields = (
  form: JsonObject,
  encoding: Json | undefined,
  kind: FormKind,
  reader: ContractReader
): { fields?: Record<string, Field>; others?: Field } => {
  const others = readOthers(form, kind, reader)
  const hasOthers = Object.keys(others).length > 0
  const all = readNamed(form, encoding, kind, reader)
  const fields = hasOthers ? all : all.filter(([, field]) => Object.keys(field).length > 0)
  return { ...(fields.length > 0 && { fields: Object.fromEntries(fields) }), ...(hasOthers && { others }) }
}

/** The fields of properties that the form or one of its variants declares by name. */
const readNamed = (form: JsonObject, encoding: Json | undefined, kind: FormKind, reader: ContractReader) => {
  const { properties = {} } = reader.follow(form) as { properties?: JsonObject }
  const declared = Map.groupBy(
    wholesOf(form, reader).flatMap(whole => entriesOf(whole.properties)),
    ([name]) => name
  )
  if (declared.size > 0) warnOfUnknown(encoding, declared, reader.report)
  return [...declared].map(([name, entries]): [string, Field] => {
    const schemas = entries.map(([, schema]) => schema)
    // The form's own declaration holds for all variants.
    const property = eitherOf(Object.hasOwn(properties, name) ? [properties[name] as Json] : schemas, reader)
    const how = reader.resolve(isObject(encoding) ? encoding[name] : undefined)
    return [name, fieldOf(property, how, kind, fileOf(name, schemas, kind, reader), reader)]
  })
}

const warnOfUnknown = (encoding: Json | undefined, declared: ReadonlyMap<string, unknown>, report: Report) => {
  for (const [name] of entriesOf(encoding))
    if (!declared.has(name))
      report.carry(
        locate(encoding as JsonObject, name),
        `encoding of ${name} is ignored: the schema has no such property`
      )
}

/** The field of properties with any other name. */
const readOthers = (form: JsonObject, kind: FormKind, reader: ContractReader): Field => {
  const schemas = wholesOf(form, reader).flatMap(({ additionalProperties, patternProperties }) =>
    [additionalProperties, ...entriesOf(patternProperties).map(([, each]) => each)].filter(isObject)
  )
  if (schemas.length === 0) return {}
  const file = fileOf('any other property', schemas, kind, reader)
  return fieldOf(eitherOf(schemas, reader), {}, kind, file, reader)
}

const targetOf = (schema: Json | undefined, { follow }: ContractReader) => follow(isObject(schema) ? schema : {})

/** Combines alternative schemas into one. */
const eitherOf = (schemas: readonly Json[], reader: ContractReader): JsonObject => {
  const [one = {}, ...more] = schemas.map(each => targetOf(each, reader))
  return more.length === 0 ? one : { anyOf: [one, ...more] }
}

/** A schema with its variants and parts. */
const wholesOf = (schema: Json, reader: ContractReader): JsonObject[] => {
  const whole = targetOf(schema, reader)
  const { allOf = [], anyOf = [], oneOf = [] } = whole
  const parts = [allOf, anyOf, oneOf].flat() as Json[]
  return [whole, ...parts.flatMap(each => wholesOf(each, reader))]
}

/** Whether its schemas say that a property is a file. */
const fileOf = (name: string, schemas: readonly Json[], kind: FormKind, reader: ContractReader): Field['file'] => {
  if (kind !== 'multipart') return undefined
  const natures = new Set(schemas.flatMap(each => naturesOf(each, reader)))
  if (!natures.has('file')) return natures.size === 1 && natures.has('anything') ? true : undefined
  if (!natures.has('object')) return natures.has('text') ? 'or text' : true
  const at = schemas.find(isObject)
  if (natures.has('text') && at !== undefined)
    reader.report.add(
      locate(at),
      `${name} is a file, an object or a text, depending on the variant, but a form does not show which; give one of them another name`
    )
  return 'or json'
}

/** What a property, or an item of a list of them, may be. */
type Nature = 'file' | 'anything' | 'object' | 'text'

const naturesOf = (schema: Json | undefined, reader: ContractReader, around: readonly Json[] = []): Nature[] => {
  const whole = targetOf(schema, reader)
  if (around.includes(whole)) return []
  const { anyOf = [], oneOf = [], allOf = [], items = {}, type } = whole
  const isArray = typesOf(whole).includes('array')
  const parts = [anyOf, oneOf, allOf, isArray ? items : []].flat() as Json[]
  if (parts.length === 0) return natureOf(whole)
  const natures = parts.flatMap(each => naturesOf(each, reader, [...around, whole]))
  if (isArray || type === undefined) return natures
  // A part without a type has the type beside it.
  return natures.flatMap(each => (each === 'anything' ? natureOf({ type }) : each))
}

const natureOf = (schema: JsonObject): Nature[] => {
  if (isFile(schema)) return ['file']
  if (isAnything(schema)) return ['anything']
  const types = typesOf(schema)
  if (types.join() === 'null') return []
  return [types.includes('object') || schema.properties !== undefined ? 'object' : 'text']
}

export const isFile = ({ format }: JsonObject) => format === 'binary'
export const isAnything = (schema: JsonObject) => Object.keys(schema).every(keyword => !describing.has(keyword))

/** A schema with none of these keywords accepts any bytes. */
const describing = new Set(
  'type enum const properties required items prefixItems additionalProperties anyOf oneOf allOf not $ref'.split(' ')
)
const fieldOf = (
  property: JsonObject,
  { style, explode, allowReserved, contentType }: JsonObject,
  kind: FormKind,
  file: Field['file'],
  reader: ContractReader
): Field => {
  const isStyled = [style, explode, allowReserved].some(each => each !== undefined)
  const types =
    typeof contentType === 'string' && !isStyled ? contentType.split(',').map(each => each.trim()) : undefined
  if (file) return { file, ...(types && { types }) }
  if (isStyled)
    return {
      style: String(style ?? 'form'),
      explode: typeof explode === 'boolean' ? explode : (style ?? 'form') === 'form'
    }
  const item = typesOf(property).includes('array') ? targetOf(property.items, reader) : property
  const json = types?.every(isJsonType) ?? isStructure(item, reader)
  return { ...(json && { json }), ...(kind === 'multipart' && types && { types }) }
}

/** Whether it is an object or array in each of its variants. */
const isStructure = (item: JsonObject, reader: ContractReader): boolean => {
  const types = typesOf(item)
  if (types.includes('object') || types.includes('array') || item.properties !== undefined) return true
  const variants = ([item.anyOf ?? [], item.oneOf ?? []].flat() as Json[])
    .map(each => targetOf(each, reader))
    .filter(each => typesOf(each).join() !== 'null')
  const itemOf = (each: JsonObject) =>
    typesOf(each).includes('array') && isObject(each.items) ? reader.follow(each.items) : each
  return variants.length > 0 && variants.every(each => isStructure(itemOf(each), reader))
}

/** A form's schema as the engine reads it, where a file has a type of its own. `schema` may have references. */
export const withFiles = (
  schema: JsonObject,
  { fields = {}, others }: { fields?: Record<string, Field>; others?: Field },
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
    // The contract's objects are not files, although both are objects in JavaScript.
    const isObjectOnly = natureOf(value).includes('object') && !['anyOf', 'oneOf', 'allOf'].some(each => each in value)
    return isObjectOnly ? derive({ allOf: [schema, { not: { type: 'file' } }] } as JsonObject, value) : schema
  }
  return formOf(schema) as JsonObject
}
