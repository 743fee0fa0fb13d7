import type { Json, JsonObject } from '../document/json.ts'
import type { Report } from './problems.ts'
import { locate } from './read.ts'
import { typesOf } from './schema.ts'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  /** Whether an array is one parameter, `a,b`, instead of several. */
  commaSeparated: boolean
  explode: boolean
  schema: JsonObject
  /** As written in the contract. */
  written: JsonObject
}

export interface Header {
  name: string
  required: boolean
  schema: JsonObject
  /** As written in the contract. */
  written: JsonObject
}

/** Whether a client may send its request again: it is carried out once for each idempotency key. */
export const isRepeatable = (parameters: readonly Parameter[]): boolean =>
  parameters.some(each => each.in === 'header' && each.name.toLowerCase() === 'idempotency-key')

const scalars = ['string', 'number', 'integer', 'boolean']
const styles = { path: 'simple', query: 'form', header: 'simple' }
// OpenAPI ignores these as parameters: `content` and `security` describe them.
const described = ['accept', 'content-type', 'authorization']

/** Reads parameters and headers, whose text is unambiguous only for some types and styles. */
export const parameterReader = (
  schema: (written: Json | undefined) => JsonObject,
  flat: (schema: JsonObject) => JsonObject,
  report: Report
) => {
  const checkType = (value: JsonObject, at: JsonObject, mayBeArray: boolean, what: string) => {
    const type = value.type as string
    if (type === 'array' && mayBeArray) {
      const items = value.items
      checkType(flat(typeof items === 'object' ? (items as JsonObject) : {}), at, false, `the items of ${what}`)
      return
    }
    const variants = ['anyOf', 'oneOf', 'not'].find(keyword => keyword in value)
    if (scalars.includes(type) && variants === undefined) return
    const seen = variants ?? (typesOf(value).join(' or ') || 'no type')
    const expected = `one of ${scalars.join(', ')}${mayBeArray ? ', or an array of one' : ''}`
    report.add(locate(at, 'schema'), `${what} has ${seen}; as it is serialized as text, ${expected} is expected`)
  }

  const parameter = (written: JsonObject): Parameter | undefined => {
    const { name, in: place } = written as { name?: string; in?: Parameter['in'] }
    if (name === undefined || place === undefined) return undefined
    const what = `${place} parameter ${name}`
    const { style } = written
    if (style !== undefined && style !== styles[place]) {
      report.add(locate(written, 'style'), `style ${style} of ${what} is not supported; ${styles[place]} is expected`)
    }
    if (place === 'path' && written.required !== true && !report.isIncomplete(written)) {
      report.add(locate(written, 'required'), `${what} must be required: true`)
    }
    if (place === 'header' && described.includes(name.toLowerCase())) {
      report.carry(locate(written, 'name'), `${what} is ignored: ${name} is described by content and security`)
      return undefined
    }
    const value = schema(written.schema)
    if (!report.isIncomplete(written)) checkType(flat(value), written, place === 'query', what)
    const explode = typeof written.explode === 'boolean' ? written.explode : place === 'query'
    const commaSeparated = flat(value).type === 'array' && !explode
    return { name, in: place, required: written.required === true, explode, commaSeparated, schema: value, written }
  }

  const header = (name: string, written: JsonObject): Header | undefined => {
    if (name.toLowerCase() === 'content-type') {
      report.carry(locate(written), `header ${name} is ignored: it is described by content`)
      return undefined
    }
    const value = schema(written.schema)
    if (!report.isIncomplete(written)) checkType(flat(value), written, false, `header ${name}`)
    return { name, required: written.required === true, schema: value, written }
  }
  return { parameter, header }
}
