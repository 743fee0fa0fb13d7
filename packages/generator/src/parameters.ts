import { entriesOf, isJsonType, isObject, type Json, type JsonObject } from '@contract-first/document'
import type { Field } from './form-fields.ts'
import { type Direction, isObjectWithoutType, objectKeyword } from './json-schema.ts'
import type { Media } from './media.ts'
import type { Report } from './problems.ts'
import { derive, locate } from './read.ts'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  required: boolean
  /** Whether an array is one parameter, `a,b`, instead of several. */
  commaSeparated: boolean
  explode: boolean
  /** How it is written, if not as a plain text or list of texts. */
  field?: Field
  schema: JsonObject
  /** As written in the contract. */
  written: JsonObject
}

export interface Header {
  name: string
  required: boolean
  /** How it is written, if not as a plain text; handlers return it as a text all the same. */
  field?: Field
  schema: JsonObject
  /** As written in the contract. */
  written: JsonObject
}

/** The header by which a client may send its request again. */
export const idempotencyKeyOf = (parameters: readonly Parameter[]): Parameter | undefined =>
  parameters.find(each => each.in === 'header' && each.name.toLowerCase() === 'idempotency-key')

const scalars = ['string', 'number', 'integer', 'boolean']
/** The first is the default. */
const styles: Readonly<Record<Parameter['in'], readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie']
}
// OpenAPI ignores these as parameters: `content` and `security` describe them.
const described = ['accept', 'content-type', 'authorization']

type Schemas = (written: Json | undefined) => JsonObject

/** Reads parameters and headers, which are texts. */
export const parameterReader = (
  schema: Schemas,
  flat: (schema: JsonObject) => JsonObject,
  resolve: (value: Json | undefined) => JsonObject,
  mediaOf: (content: Json | undefined, direction: Direction) => Media[],
  report: Report
) => {
  const typeOf = (value: JsonObject): string | undefined => {
    const { type, enum: values, const: only } = flat(value)
    if (['anyOf', 'oneOf', 'not'].some(keyword => keyword in flat(value))) return undefined
    if (typeof type === 'string') return type
    const listed = only === undefined ? values : [only]
    const isOfTexts = type === undefined && Array.isArray(listed) && listed.every(each => typeof each === 'string')
    return isOfTexts ? 'string' : undefined
  }
  const isScalar = (value: JsonObject) => scalars.includes(typeOf(value) ?? '')
  const itemsOf = (value: JsonObject): JsonObject => {
    const { items } = flat(value)
    return isObject(items) ? items : {}
  }

  /** A style writes an object or a text: where only properties are described, it is an object. */
  const typed = (value: JsonObject, what: string): JsonObject => {
    const target = flat(value)
    if (!isObjectWithoutType(target)) return value
    report.carry(
      locate(target, objectKeyword(target)),
      `without a type, ${what} is read as an object, and as nothing else; add type: object`
    )
    return derive({ ...target, type: 'object' }, target)
  }

  /** What is in a list or object must be texts, where these are separated by a character. */
  const nestedIn = (value: JsonObject): { name: string; type: string }[] => {
    const inside: [string, Json][] = [['its items', itemsOf(value)], ...entriesOf(flat(value).properties)]
    return inside.flatMap(([name, each]) => {
      const type = typeOf(isObject(each) ? each : {})
      return type === 'array' || type === 'object' ? [{ name, type }] : []
    })
  }

  /** The schema of a parameter or header, and whether it is a JSON text. */
  const contentOf = (written: JsonObject, what: string): { value: JsonObject; isJson: boolean } => {
    const [entry, ...more] = entriesOf(resolve(written.content))
    if (entry === undefined) return { value: schema(written.schema), isJson: false }
    const [type, media] = entry
    const isJson = isJsonType(type)
    if (more.length > 0 || (!isJson && !type.startsWith('text/')))
      report.add(locate(written, 'content'), `the content of ${what} must be one media type: JSON, or a text`)
    return { value: schema(resolve(media).schema), isJson }
  }

  const fieldOf = (
    place: Parameter['in'],
    value: JsonObject,
    isJson: boolean,
    written: JsonObject
  ): Field | undefined => {
    const style = String(written.style ?? styles[place][0])
    const explode = typeof written.explode === 'boolean' ? written.explode : style === 'form' || style === 'cookie'
    const isPlainList = place === 'query' && style === 'form' && typeOf(value) === 'array' && isScalar(itemsOf(value))
    const isPlain =
      (isScalar(value) || isPlainList) &&
      (style === 'form' || style === 'simple') &&
      place !== 'cookie' &&
      // It is no key of the objects that plain values are read into.
      written.name !== '__proto__' &&
      !isJson &&
      written.allowReserved !== true &&
      written.allowEmptyValue !== true
    if (isPlain) return undefined
    const mayBeText = isScalar(value) ? typeOf(value) === 'string' : false
    return {
      ...(isJson ? { json: true } : { style, explode }),
      ...(written.allowReserved === true && { reserved: true }),
      ...(written.allowEmptyValue === true && !mayBeText && { emptyIsAbsent: true })
    }
  }

  /** Handlers get it as a query parameter of its name. */
  const queryString = (written: JsonObject): Parameter | undefined => {
    const name = String(written.name)
    const what = `querystring parameter ${name}`
    const [entry, ...more] = entriesOf(resolve(written.content))
    if (entry === undefined || more.length > 0 || written.schema !== undefined) {
      if (!report.isIncomplete(written))
        report.add(locate(written), `${what} is described by one media type in content, and by nothing else`)
      return undefined
    }
    const [type, media] = entry
    const all = {
      name,
      in: 'query',
      required: written.required === true,
      commaSeparated: false,
      explode: true
    } as const
    const [form] = mediaOf({ [type]: media }, 'request')
    if (form?.kind === 'form' && form.schema !== undefined) {
      const field: Field = { style: 'form', explode: true, whole: true, ...(form.fields && { fields: form.fields }) }
      return { ...all, field, schema: typed(form.schema, what), written }
    }
    const value = schema(resolve(media).schema)
    if (isJsonType(type)) return { ...all, field: { json: true, whole: true }, schema: value, written }
    if (typeOf(value) === 'string') return { ...all, field: { style: 'form', whole: true }, schema: value, written }
    report.add(
      locate(written, 'content'),
      `the content of ${what} must be JSON, a form, or have a schema of type string`
    )
    return undefined
  }

  const parameter = (written: JsonObject): Parameter | undefined => {
    if (written.in === 'querystring') return queryString(written)
    const { name, in: place } = written as { name?: string; in?: Parameter['in'] }
    if (name === undefined || place === undefined) return undefined
    const what = `${place} parameter ${name}`
    const { style } = written
    if (style !== undefined && !styles[place].includes(style as string)) {
      const expected = styles[place].join(' or ')
      report.add(locate(written, 'style'), `style ${style} is not one of a ${place} parameter; ${expected} is expected`)
      return undefined
    }
    if (place === 'path' && written.required !== true && !report.isIncomplete(written)) {
      report.carry(locate(written, 'required'), `${what} should be required: true, and is read so`)
    }
    if (place === 'header' && described.includes(name.toLowerCase())) {
      report.carry(locate(written, 'name'), `${what} is ignored: ${name} is described by content and security`)
      return undefined
    }
    if (place === 'header' && name === '__proto__') {
      report.add(locate(written, 'name'), `${what} never arrives, as Node.js drops it; choose another name`)
      return undefined
    }
    const { value: content, isJson } = contentOf(written, what)
    const withDefault = isJson ? content : typed(content, what)
    const required = written.required === true || place === 'path'
    const value = required ? withoutDefault(withDefault, what, report) : withDefault
    const field = fieldOf(place, value, isJson, written)
    if (field !== undefined && !isJson && style !== 'deepObject')
      for (const { name, type } of nestedIn(value))
        report.add(
          locate(written, 'schema'),
          `${what} has an ${type} in ${name}, for which its style has no form; use style: deepObject in a query, or content: application/json`
        )
    const explode = typeof written.explode === 'boolean' ? written.explode : place === 'query'
    const commaSeparated = flat(value).type === 'array' && !explode
    return {
      name,
      in: place,
      required,
      explode,
      commaSeparated,
      ...(field && { field }),
      schema: value,
      written
    }
  }

  const header = (name: string, written: JsonObject): Header | undefined => {
    if (name.toLowerCase() === 'content-type') {
      report.carry(locate(written), `header ${name} is ignored: it is described by content`)
      return undefined
    }
    const what = `header ${name}`
    const { value: content, isJson } = contentOf(written, what)
    const value = isJson ? content : typed(content, what)
    const required = written.required === true
    const [nested] = isJson ? [] : nestedIn(value)
    if (nested !== undefined) {
      report.carry(
        locate(written, 'schema'),
        `${what} has an ${nested.type} in ${nested.name}, for which headers have no form, so it is not checked; use content: application/json`
      )
      return { name, required, schema: derive({ type: 'string' }, value), written }
    }
    const field = fieldOf('header', value, isJson, written)
    return { name, required, ...(field && { field }), schema: value, written }
  }
  return { parameter, header }
}

const withoutDefault = (schema: JsonObject, what: string, report: Report): JsonObject => {
  if (schema.default === undefined) return schema
  const { default: _, ...others } = schema
  report.carry(locate(schema, 'default'), `the default of ${what} has no effect: it is required`)
  return derive(others, schema)
}
