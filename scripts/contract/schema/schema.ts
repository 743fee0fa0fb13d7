import type { Json } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
import type { Bound, Rational } from './numbers.ts'

export type Direction = 'request' | 'response'

export type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

/**
 * What a schema asserts, in the words of JSON Schema 2020-12, each way of saying a thing reduced to one: integer is a
 * multiple of 1, const an enum of one, nullable a type, an exclusive bound a kind of bound, `$ref` the schema itself.
 * A value is valid when it satisfies all of them.
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
  /** Of strings only; formats of numbers are bounds. */
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

  /** Assertions that are not decided, as canonical text: equal ones are the same, of others nothing is known. */
  opaque?: readonly string[]
  /** What a `$dynamicRef` may lead to; which of them it does is not decided. */
  dynamic?: readonly Schema[]
}

/** A set of values. Schemas of the same `id` hold the same values. */
export interface Schema {
  /** Given by the interner, once all that the schema consists of is known; 0 before. */
  id: number
  keywords: Keywords
  /** Where it was written; none for what was made on the way. */
  origin?: Node
  /** It is what the format of its origin means for numbers. */
  isFormat?: true
}

/** One assertion of a schema that can fail on its own; a value is valid when none of them does. */
export interface Assertion {
  keyword: keyof Keywords
  /** Which of several of the keyword: a property's name, an item's index. */
  key?: string | number
  /** The schema that asserts nothing else. Keywords whose meaning depends on others have those beside them, emptied. */
  keywords: Keywords
  /** The one that it was said in. */
  schema: Schema
}

/** One text for each value of JSON: keys sorted, `1.0` and `1` alike. */
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

/** What the keywords say of a value of the type without its being decided here. */
export const undecidedOf = ({ opaque = [], dynamic }: Keywords, type: JsonType): string[] => [
  ...opaque.filter(each => {
    if (each.startsWith('content')) return type === 'string'
    return !each.startsWith('format') || type === 'number'
  }),
  ...(dynamic === undefined
    ? []
    : [
        `$dynamicRef ${dynamic
          .map(({ id }) => id)
          .sort()
          .join()}`
      ])
]

export const typeOf = (value: Json): JsonType => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'bigint' ? 'number' : (typeof value as JsonType)
}
