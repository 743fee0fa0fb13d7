import { entriesOf, isJsonType, isObject, type JsonObject } from '@contract-first/document'
import type { ContractReader } from './contract-reader.ts'
import type { Field } from './form-fields.ts'
import { isObjectWithoutType, objectKeyword } from './json-schema.ts'
import { readContent } from './media.ts'
import type { Report } from './problems.ts'
import { derive, locate } from './read.ts'

export interface Header {
  name: string
  required: boolean
  /** How it is written, if not as a plain text or list of texts. Handlers return headers as text in any case. */
  field?: Field
  schema: JsonObject
  /** As written in the contract. */
  written: JsonObject
}

export interface Parameter extends Header {
  in: 'path' | 'query' | 'header' | 'cookie'
  /** Whether an array is one parameter, `a,b`, instead of several. */
  commaSeparated: boolean
}

/** The header by which a client may send its request again. */
export const idempotencyKeyOf = (parameters: readonly Parameter[]): Parameter | undefined =>
  parameters.find(each => each.in === 'header' && each.name.toLowerCase() === 'idempotency-key')

/** The first is the default. */
const styles: Readonly<Record<Parameter['in'], readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie']
}

/**
 * Reads a parameter; undefined if it is refused or ignored, which is reported. For example,
 *
 *     { in: query, name: near, style: deepObject, schema: { properties: { lat: { type: number } } } }
 *
 * has the field `{ style: 'deepObject', explode: false }` and a schema of type object, the only type that this style can write.
 */
export const readParameter = (written: JsonObject, reader: ContractReader): Parameter | undefined => {
  if (written.in === 'querystring') return readQueryString(written, reader)
  const { name, in: place } = written as { name?: string; in?: Parameter['in'] }
  if (name === undefined || place === undefined) return undefined
  const what = `${place} parameter ${name}`
  if (!isUsable(written, name, place, reader.report)) return undefined
  const { schema: described, isJson } = readText(written, what, reader)
  const required = written.required === true || place === 'path'
  const schema = required ? withoutDefault(described, what, reader.report) : described
  const field = fieldOf(place, schema, isJson, written, reader)
  if (field !== undefined && !isJson && written.style !== 'deepObject')
    for (const { name, type } of nestedIn(schema, reader))
      reader.report.add(
        locate(written, 'schema'),
        `${what} has an ${type} in ${name}, which its style cannot express; use style: deepObject in a query, or content: application/json`
      )
  const isExploded = typeof written.explode === 'boolean' ? written.explode : place === 'query'
  const commaSeparated = reader.follow(schema).type === 'array' && !isExploded
  return { name, in: place, required, commaSeparated, ...(field && { field }), schema, written }
}

/** Reads a header of a response; undefined if it is ignored, which is reported. */
export const readHeader = (name: string, written: JsonObject, reader: ContractReader): Header | undefined => {
  if (name.toLowerCase() === 'content-type') {
    reader.report.carry(locate(written), `header ${name} is ignored: it is described by content`)
    return undefined
  }
  const what = `header ${name}`
  const { schema, isJson } = readText(written, what, reader)
  const required = written.required === true
  const [nested] = isJson ? [] : nestedIn(schema, reader)
  if (nested !== undefined) {
    reader.report.carry(
      locate(written, 'schema'),
      `${what} has an ${nested.type} in ${nested.name}, which headers cannot express, so it is not checked; use content: application/json`
    )
    return { name, required, schema: derive({ type: 'string' }, schema), written }
  }
  const field = fieldOf('header', schema, isJson, written, reader)
  return { name, required, ...(field && { field }), schema, written }
}

/** Reads `in: querystring`, which describes the whole query; handlers get it as a query parameter of its name. */
const readQueryString = (written: JsonObject, reader: ContractReader): Parameter | undefined => {
  const { report } = reader
  const name = String(written.name)
  const what = `querystring parameter ${name}`
  const [entry, ...more] = entriesOf(reader.resolve(written.content))
  if (entry === undefined || more.length > 0 || written.schema !== undefined) {
    if (!report.isIncomplete(written))
      report.add(locate(written), `${what} must be described by one media type in content, and by nothing else`)
    return undefined
  }
  const [type, media] = entry
  const required = written.required === true
  const whole = true
  const parameterOf = (field: Field, schema: JsonObject): Parameter => ({
    name,
    in: 'query',
    required,
    commaSeparated: false,
    field,
    schema,
    written
  })
  const [form] = readContent({ [type]: media }, 'request', reader)
  if (form?.kind === 'form' && form.schema !== undefined) {
    const fields = form.fields && { fields: form.fields }
    return parameterOf({ style: 'form', explode: true, whole, ...fields }, withType(form.schema, what, reader))
  }
  const schema = reader.readSchema(reader.resolve(media).schema)
  if (isJsonType(type)) return parameterOf({ json: true, whole }, schema)
  if (typeOf(schema, reader) === 'string') return parameterOf({ style: 'form', whole }, schema)
  report.add(locate(written, 'content'), `the content of ${what} must be JSON, a form, or have a schema of type string`)
  return undefined
}

// OpenAPI ignores these as parameters: `content` and `security` describe them.
const ignored = ['accept', 'content-type', 'authorization']

const isUsable = (written: JsonObject, name: string, place: Parameter['in'], report: Report): boolean => {
  const what = `${place} parameter ${name}`
  const { style } = written
  if (style !== undefined && !styles[place].includes(style as string)) {
    const expected = styles[place].join(' or ')
    report.add(
      locate(written, 'style'),
      `style ${style} does not exist for a ${place} parameter; ${expected} is expected`
    )
    return false
  }
  if (place === 'path' && written.required !== true && !report.isIncomplete(written))
    report.carry(locate(written, 'required'), `${what} should be required: true, and is read as such`)
  if (place !== 'header') return true
  const isIgnored = ignored.includes(name.toLowerCase())
  if (isIgnored)
    report.carry(locate(written, 'name'), `${what} is ignored: ${name} is described by content and security`)
  if (name === '__proto__')
    report.add(locate(written, 'name'), `${what} never arrives, as Node.js drops it; choose another name`)
  return !isIgnored && name !== '__proto__'
}

/** The schema of a parameter or header, and whether it is a JSON text. */
const readText = (written: JsonObject, what: string, reader: ContractReader) => {
  const { readSchema, resolve, report } = reader
  const [entry, ...more] = entriesOf(resolve(written.content))
  if (entry === undefined) return { schema: withType(readSchema(written.schema), what, reader), isJson: false }
  const [type, media] = entry
  const isJson = isJsonType(type)
  if (more.length > 0 || (!isJson && !type.startsWith('text/')))
    report.add(locate(written, 'content'), `the content of ${what} must be one media type: JSON, or a text`)
  const schema = readSchema(resolve(media).schema)
  return { schema: isJson ? schema : withType(schema, what, reader), isJson }
}

/** Adds the type that a style needs: an object if the schema describes properties. */
const withType = (schema: JsonObject, what: string, { follow, report }: ContractReader): JsonObject => {
  const target = follow(schema)
  if (!isObjectWithoutType(target)) return schema
  report.carry(
    locate(target, objectKeyword(target)),
    `without a type, ${what} is only read as an object; add type: object`
  )
  return derive({ ...target, type: 'object' }, target)
}

const withoutDefault = (schema: JsonObject, what: string, report: Report): JsonObject => {
  if (schema.default === undefined) return schema
  const { default: _, ...others } = schema
  report.carry(locate(schema, 'default'), `the default of ${what} has no effect: it is required`)
  return derive(others, schema)
}

/** How a parameter or header is written, if not as a plain text, or in a query as a list of plain texts. */
const fieldOf = (
  place: Parameter['in'],
  schema: JsonObject,
  isJson: boolean,
  { name, style: given, explode: isExploded, allowReserved, allowEmptyValue }: JsonObject,
  reader: ContractReader
): Field | undefined => {
  const style = String(given ?? styles[place][0])
  const explode = typeof isExploded === 'boolean' ? isExploded : style === 'form' || style === 'cookie'
  const type = typeOf(schema, reader)
  const isList = place === 'query' && style === 'form' && type === 'array' && isScalar(itemTypeOf(schema, reader))
  const isPlain =
    (isScalar(type) || isList) &&
    (style === 'form' || style === 'simple') &&
    place !== 'cookie' &&
    // Plain values are read into objects, where `__proto__` is not an ordinary key.
    name !== '__proto__' &&
    !isJson &&
    allowReserved !== true &&
    allowEmptyValue !== true
  if (isPlain) return undefined
  return {
    ...(isJson ? { json: true } : { style, explode }),
    ...(allowReserved === true && { reserved: true }),
    ...(allowEmptyValue === true && type !== 'string' && { emptyIsAbsent: true })
  }
}

/** The items or properties that are not texts, which cannot be separated by a character. */
const nestedIn = (schema: JsonObject, reader: ContractReader): { name: string; type: string }[] => {
  const properties = entriesOf(reader.follow(schema).properties).map(
    ([name, each]) => [name, typeOf(isObject(each) ? each : {}, reader)] as const
  )
  return [['its items', itemTypeOf(schema, reader)] as const, ...properties].flatMap(([name, type]) =>
    type === 'array' || type === 'object' ? [{ name, type }] : []
  )
}

const typeOf = (schema: JsonObject, { follow }: ContractReader): string | undefined => {
  const target = follow(schema)
  const { type, enum: values, const: only } = target
  if ('anyOf' in target || 'oneOf' in target || 'not' in target) return undefined
  if (typeof type === 'string') return type
  const listed = only === undefined ? values : [only]
  const isOfTexts = type === undefined && Array.isArray(listed) && listed.every(each => typeof each === 'string')
  return isOfTexts ? 'string' : undefined
}

const itemTypeOf = (schema: JsonObject, reader: ContractReader): string | undefined => {
  const { items } = reader.follow(schema)
  return isObject(items) ? typeOf(items, reader) : undefined
}

const isScalar = (type = '') => ['string', 'number', 'integer', 'boolean'].includes(type)
