import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Schema, targetOf } from '../contract/schema.ts'
import type { Detail } from '../contract/violations.ts'
import { http } from '../node/http.ts'
import type { ServiceError } from './api-error.ts'

/** Keywords that the generator leaves in schemas and that shape a body. */
interface ErrorSchema extends Schema {
  readonly const?: unknown
  readonly default?: unknown
  readonly required?: readonly string[]
  readonly minimum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

/**
 * An error's body, made from the contract's schema for it: status, code and message under the names that contracts
 * commonly use, and whatever else is required. It may not fit the schema after all. `undefined` if nothing can be made.
 */
export const derivedError = (schema: Schema, error: ServiceError): unknown => made(schema, '', error, true, 0)

/** What a body, or a part of it, is about. */
interface Subject extends ServiceError {
  /** The violation that this part describes, if it is an item of a list. */
  readonly detail?: Detail
}

const deepest = 6

const made = (given: Schema, name: string, error: Subject, isRequired: boolean, depth: number): unknown => {
  const schema = targetOf(given) as ErrorSchema | undefined
  if (schema === undefined || depth > deepest) return undefined
  if ('const' in schema) return schema.const
  const variant = (schema.oneOf ?? schema.anyOf)?.find(each => targetOf(each)?.type !== 'null')
  if (variant !== undefined && schema.properties === undefined) return made(variant, name, error, isRequired, depth + 1)
  const type = [schema.type ?? (schema.properties ? 'object' : 'string')].flat().find(each => each !== 'null')
  const value = byType[type as keyof typeof byType]?.(schema, name, error, isRequired, depth)
  if (schema.enum === undefined || schema.enum.includes(value)) return value
  return isRequired ? schema.enum[0] : undefined
}

type Make = (schema: ErrorSchema, name: string, error: Subject, isRequired: boolean, depth: number) => unknown

/** Without properties that are forbidden (`false`). */
const sentOf = (properties: NonNullable<Schema['properties']>): Record<string, Schema> =>
  Object.fromEntries(Object.entries(properties).filter((each): each is [string, Schema] => each[1] !== false))

const byType = {
  object: ({ properties: declared = {}, required = [] }, _name, error, _isRequired, depth) => {
    const body: Record<string, unknown> = {}
    const properties = sentOf(declared)
    // One property has to say what is wrong.
    const texts = Object.keys(properties).filter(name => holdsText(properties[name] as Schema, name))
    const messageName = [messages, phrases, likeMessages, reasons, statuses]
      .map(names => texts.find(name => names.has(plain(name))))
      .find(name => name !== undefined)
    for (const [name, each] of Object.entries(properties)) {
      const isRequired = required.includes(name)
      if (!isRequired && !isTelling(name) && name !== messageName && placeOf(plain(name), error) === undefined) continue
      const role = name === messageName ? 'message' : name
      const value = made(each, role, error, isRequired, depth + 1)
      if (value !== undefined) body[name] = value
    }
    return Object.keys(body).length === 0 && required.length === 0 && depth > 0 ? undefined : body
  },
  array: ({ items = {}, maxItems = Number.POSITIVE_INFINITY }, name, error, _isRequired, depth) => {
    const { detail, details } = error
    if (plain(name) === 'loc') return detail === undefined ? [partOf(error)] : [detail.in, ...detail.at]
    // One item per violation; equal items are dropped.
    const subjects = details.map(each => ({ ...error, message: each.message, detail: each, details: [] }))
    const each = (subjects.length === 0 ? [error] : subjects).map(about => made(items, name, about, false, depth + 1))
    return each.filter((item, i) => item !== undefined && i < maxItems && !each.slice(0, i).some(isSameAs(item)))
  },
  string: ({ format, minLength = 0, maxLength = Number.POSITIVE_INFINITY }, name, error, isRequired) => {
    const formatted = plain(name) === 'pointer' ? undefined : formats[format as keyof typeof formats]?.()
    const where =
      placeOf(plain(name), error) ?? (formatted === undefined ? nowhere(plain(name), minLength, error) : undefined)
    if (where === undefined && formatted !== undefined)
      return isRequired || plain(name) === 'type' ? formatted : undefined
    const text =
      where === undefined
        ? textOf(plain(name), error)
        : format === 'json-pointer'
          ? decodeURI(where.replace(/^#/, ''))
          : where
    return text.length > maxLength ? text.slice(0, maxLength).toWellFormed() : text
  },
  integer: ({ minimum = 0 }, name, { status }, isRequired) =>
    isStatus(name) ? status : isRequired ? Math.max(0, minimum) : undefined,
  number: ({ minimum = 0 }, name, { status }, isRequired) =>
    isStatus(name) ? status : isRequired ? Math.max(0, minimum) : undefined,
  boolean: () => false,
  null: () => null
} satisfies Record<string, Make>

const isSameAs = (item: unknown) => (other: unknown) => isDeepStrictEqual(item, other)

/** Whether values have a free text somewhere, as far as the schema tells. */
const holdsText = (given: Schema, name: string, depth = 0): boolean => {
  const schema = targetOf(given) as ErrorSchema | undefined
  if (schema === undefined || depth > deepest || 'const' in schema || schema.enum !== undefined) return false
  const { type, format, properties = {}, items, anyOf = [], oneOf = [] } = schema
  const same = [...anyOf, ...oneOf, ...(items === undefined ? [] : [items])]
  const inner = Object.entries(sentOf(properties))
  const isText = type === undefined ? same.length + inner.length === 0 : [type].flat().includes('string')
  if (isText && (!codes.has(plain(name)) || reasons.has(plain(name))) && !Object.hasOwn(formats, format ?? ''))
    return true
  return (
    same.some(each => holdsText(each, name, depth + 1)) || inner.some(([key, each]) => holdsText(each, key, depth + 1))
  )
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '')

const codes = new Set(['code', 'errorcode', 'type', 'errortype', 'kind', 'reason', 'errorid', 'slug'])
/** Codes, but messages where nothing else can be one. */
const reasons = new Set(['reason'])
const statuses = new Set(['status', 'statuscode', 'httpstatus', 'httpstatuscode', 'httpcode', 'code', 'errorcode'])
const phrases = new Set(['title', 'statustext', 'statusmessage'])
const messages = new Set(
  ['message', 'messages', 'detail', 'details', 'description', 'errordescription', 'errormessage'].concat([
    ...['msg', 'text', 'summary', 'error', 'errors', 'fault', 'success', 'ok']
  ])
)
const likeMessages = { has: (name: string) => /(?:message|msg|text|string|description|detail|error)s?$/.test(name) }

const isStatus = (name: string) => statuses.has(plain(name))
/** Whether a property says what is wrong; other optional ones are omitted. */
const isTelling = (name: string) => [codes, statuses, phrases, messages].some(names => names.has(plain(name)))

const textOf = (name: string, { status, code, message }: ServiceError) => {
  if (codes.has(name)) return code
  if (statuses.has(name)) return String(status)
  return phrases.has(name) ? (http.STATUS_CODES[status] ?? code) : message
}

/** Where a violation is, under the names that contracts use for that. */
const placeOf = (name: string, { detail }: Subject): string | undefined => {
  if (detail === undefined) return undefined
  if (name === 'loc' || parts.has(name)) return detail.in
  // RFC 9457, section 3: a JSON Pointer as a fragment.
  if (name === 'pointer') return `#${detail.at.map(each => `/${escaped(String(each))}`).join('')}`
  return fields.has(name) ? detail.at.map(inPath).join('') || detail.in : undefined
}

/** The place of an error that concerns no single property: empty, or the part of the request. */
const nowhere = (name: string, minLength: number, error: Subject): string | undefined => {
  if (name === 'pointer') return '#'
  if (name === 'loc' || parts.has(name)) return partOf(error)
  return fields.has(name) ? (minLength > 0 ? partOf(error) : '') : undefined
}

const partOf = ({ status }: Subject) => (status === 413 || status === 415 ? 'body' : 'request')

const parts = new Set(['in', 'location'])
const fields = new Set([
  ...['field', 'fieldname', 'property', 'propertyname', 'propertypath', 'param', 'parameter', 'parametername'],
  ...['path', 'attribute', 'target', 'argument', 'input', 'source']
])
const escaped = (key: string) => encodeURI(key.replaceAll('~', '~0').replaceAll('/', '~1'))
const inPath = (key: string | number, i: number) => (typeof key === 'number' ? `[${key}]` : i === 0 ? key : `.${key}`)

const formats = {
  uri: () => 'about:blank',
  // RFC 9457, section 4.2.1: the problem has no more meaning than its status.
  'uri-reference': () => 'about:blank',
  uuid: randomUUID,
  'date-time': () => new Date().toISOString(),
  date: () => new Date().toISOString().slice(0, 10)
}
