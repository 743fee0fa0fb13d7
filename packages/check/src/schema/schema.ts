import { isObject, type Json, jsonText, type Node } from '@contract-first/document'
import type { Bound, Rational } from './numbers.ts'

export type Direction = 'request' | 'response'

export type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

/**
 * The assertions of a schema in terms of JSON Schema 2020-12, normalized: an integer is a multiple of 1, const an enum of
 * one, nullable a type, an exclusive bound a kind of bound, `$ref` the schema itself. A valid value satisfies all of them.
 */
export interface Keywords {
  types?: readonly JsonType[]
  /** `enum` and `const`. */
  values?: readonly Json[]

  minimum?: Bound
  maximum?: Bound
  multipleOf?: Rational

  minLength?: number
  maxLength?: number
  pattern?: string
  /** For strings only; number formats become bounds. */
  format?: string

  prefixItems?: readonly Schema[]
  items?: Schema
  minItems?: number
  maxItems?: number
  uniqueItems?: true
  contains?: { schema: Schema; min: number; max: number }

  properties?: ReadonlyMap<string, Schema>
  patternProperties?: ReadonlyMap<string, Schema>
  additionalProperties?: Schema
  required?: readonly string[]
  minProperties?: number
  maxProperties?: number
  propertyNames?: Schema
  dependentRequired?: ReadonlyMap<string, readonly string[]>
  dependentSchemas?: ReadonlyMap<string, Schema>

  allOf?: readonly Schema[]
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  not?: Schema
  if?: Schema
  then?: Schema
  else?: Schema

  /** Undecidable assertions as canonical text: equal ones are the same, others are unrelated. */
  opaque?: readonly string[]
  /** The possible targets of a `$dynamicRef`; which one applies is not decided. */
  dynamic?: readonly Schema[]
}

/** A set of values. Schemas with the same `id` allow the same values. */
export interface Schema {
  /** Assigned by the interner, once all parts are known; 0 before. */
  id: number
  keywords: Keywords
  /** Where it was written; undefined if it was derived. */
  origin?: Node
  /** One of the combinations of alternatives that may match, with what they declare together. */
  isChoice?: true
  /** It was derived from a number format at its origin. */
  isFormat?: true
  /** It says `nullable: true`, which means nothing in OpenAPI 3.1. */
  isMeantNullable?: true
}

export const isSchema = (value: unknown): value is Schema => isObject(value) && isObject(value.keywords)

/** Whether it allows no value, as `false` does. */
export const isNothing = ({ keywords }: Schema): boolean => keywords.types?.length === 0

/** One assertion that can fail by itself; a value is valid if none of them fails. */
export interface Assertion {
  keyword: keyof Keywords
  /** Distinguishes assertions of the same keyword: a property's name, an item's index. */
  key?: string | number
  /** The schema with this assertion only. Keywords that it depends on are included, but emptied. */
  keywords: Keywords
  /** The schema that contains it. */
  schema: Schema
  /** The schema whose alternatives allow null beside it. */
  orNullIn?: Schema
}

/** A name in a place such as `Pet.owner.name`; in quotes if it is empty or would look like several steps. */
export const nameInPlace = (name: string): string => (/^$|[\s".]|\[\d*\]|\{\}/.test(name) ? jsonText(name) : name)
/** The name itself; a path of several steps stays as it is. */
export const nameFromPlace = (text: string): string => (/^"(?:[^"\\]|\\.)*"$/.test(text) ? JSON.parse(text) : text)

/** The type of the values that a keyword is about; others satisfy it. */
export const typeOfKeyword: { readonly [K in keyof Keywords]: JsonType } = {
  ...{ minimum: 'number', maximum: 'number', multipleOf: 'number' },
  ...{ minLength: 'string', maxLength: 'string', pattern: 'string', format: 'string' },
  ...{ prefixItems: 'array', items: 'array', minItems: 'array', maxItems: 'array' },
  ...{ uniqueItems: 'array', contains: 'array' },
  ...{ properties: 'object', patternProperties: 'object', additionalProperties: 'object', propertyNames: 'object' },
  ...{ required: 'object', minProperties: 'object', maxProperties: 'object' },
  ...{ dependentRequired: 'object', dependentSchemas: 'object' }
}

/** The schemas in some keywords. */
export const partsIn = (keywords: Keywords): Schema[] =>
  [
    ...(keywords.prefixItems ?? []),
    ...[keywords.items, keywords.contains?.schema, keywords.additionalProperties, keywords.propertyNames],
    ...[keywords.not, keywords.if, keywords.then, keywords.else],
    ...(keywords.properties?.values() ?? []),
    ...(keywords.patternProperties?.values() ?? []),
    ...(keywords.dependentSchemas?.values() ?? []),
    ...(keywords.allOf ?? []),
    ...(keywords.anyOf ?? []),
    ...(keywords.oneOf ?? []),
    ...(keywords.dynamic ?? [])
  ].filter(each => each !== undefined)

export const unique = (schemas: readonly Schema[]): Schema[] => [
  ...new Map(schemas.map(each => [each.id, each])).values()
]

export const idsOf = (schemas: readonly Schema[]): string =>
  schemas.length === 1 ? String(schemas[0]?.id) : [...new Set(schemas.map(({ id }) => id))].sort((a, b) => a - b).join()

/** A text that is unique for each JSON value: keys are sorted, `1.0` and `1` are alike. */
export const canonical = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number' && Number.isInteger(value)) return String(BigInt(value))
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${canonical(value[key] as Json)}`)
  return `{${entries.join()}}`
}

/** The undecidable assertions about values of the type; an unknown `format` is not an assertion. */
export const undecidedOf = ({ opaque = [], dynamic }: Keywords, type: JsonType): string[] => [
  ...opaque.filter(each => {
    return each.startsWith('content') ? type === 'string' : !each.startsWith('format ')
  }),
  ...(dynamic === undefined ? [] : [`$dynamicRef ${idsOf(dynamic)}`])
]

export const typeOf = (value: Json): JsonType => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'bigint' ? 'number' : (typeof value as JsonType)
}
