import { holds, isObject, type Json, regexOf, whyNoRegex } from '@contract-first/document'
import { stringFormats } from '@contract-first/formats'

/** What a key may contain. `only`: the version that has the key; `otherwise`: the rule in the other one. */
export type Rule = { only?: Version; otherwise?: Rule } & (
  | /** An object of a kind of the grammar, a list of them, or a mapping of names to them. */
  { one: string }
  | { list: string }
  | { map: string; names?: RegExp }
  /** A mapping whose values refer to schemas, by reference or by component name. */
  | { references: string }
  /** A plain value: returns what is expected instead, if it is wrong. `words` are documentation, and may stand beside a `$ref`. */
  | { value: (value: Json, version: Version) => string | undefined; words?: true }
  /** Kept in the documentation, with a warning that it has no effect. */
  | { carried: string; unless?: (value: Json) => string | undefined }
  /** Identifies a schema for references, which are rewritten. */
  | { identifier: true }
  /** Known, but not supported. */
  | { refused: string }
)

export type Version = '3.0' | '3.1' | '3.2'

/** Whether a version has what `only` that one introduced: 3.2 has all that 3.1 has. */
export const has = (version: Version, only: Version): boolean =>
  version === only || (version === '3.2' && only === '3.1')

/** A kind of OpenAPI object with all its keys, except extensions (`x-…`). */
export interface Kind {
  /** Its name in the specification. */
  name: string
  /** Which objects of this name it is, if there are several. */
  variant?: string
  /** The section of `components` for this kind; if there is one, a `$ref` may replace the object. */
  section?: string
  required?: readonly string[]
  /** Values that are assumed, with a warning, for required keys that many contracts omit. */
  assumed?: Readonly<Record<string, Json>>
  keys: Readonly<Record<string, Rule>>
  /** Unknown keys are refused. In other kinds they are ignored with a warning, unless they look misspelled. */
  isClosed?: true
  /** The rule for unlisted keys; a string says what is expected instead. */
  others?: (key: string, siblings?: readonly string[], value?: Json) => Rule | string
}

const value = (test: (value: Json) => boolean, expected: string) => ({
  value: (each: Json) => (test(each) ? undefined : expected)
})
const isText = (each: Json) => typeof each === 'string'
const isListOf = (test: (each: Json) => boolean) => (each: Json) => Array.isArray(each) && each.every(test)
const areDistinct = (test: (each: Json) => boolean) => (each: Json) =>
  isListOf(test)(each) && new Set(each as Json[]).size === (each as Json[]).length

export const one = (kind: string): Rule => ({ one: kind })
export const list = (kind: string): Rule => ({ list: kind })
export const map = (kind: string, names?: RegExp): Rule => (names ? { map: kind, names } : { map: kind })
export const identifier: Rule = { identifier: true }
export const refused = (reason: string): Rule => ({ refused: reason })
export const carried = (reason: string): Rule => ({ carried: reason })
export const only = (version: Version, rule: Rule, otherwise?: Rule): Rule => ({
  ...rule,
  only: version,
  ...(otherwise && { otherwise })
})
export const documentation = (rule: ReturnType<typeof value>): Rule => ({ ...rule, words: true })

export const text = value(isText, 'a text')
export const words = documentation(text)
export const any = value(() => true, '')
export const anything = documentation(any)

export const flag = value(each => typeof each === 'boolean', 'true or false')
export const count = value(each => Number.isSafeInteger(each) && (each as number) >= 0, 'a non-negative integer')
export const size = value(each => Number.isSafeInteger(each) && (each as number) > 0, 'a positive integer')
export const positive = value(each => typeof each === 'number' && each > 0, 'a number above 0')
export const texts = value(isListOf(isText), 'a list of strings')
export const textLists = value(
  each => isObject(each) && Object.values(each).every(areDistinct(isText)),
  'a mapping of names to lists of distinct strings'
)
export const oneOf = (allowed: Json[], reason: string) =>
  value(each => allowed.includes(each), `${allowed.join(' or ')}: ${reason}`)

const places = ['path', 'query', 'header', 'cookie']
export const place: Rule = {
  value: (each, version) =>
    [...places, ...(version === '3.2' ? ['querystring'] : [])].includes(each as string)
      ? undefined
      : `${places.join(' or ')}: there are no other places`
}

const isNumber = (each: Json) => typeof each === 'number' || typeof each === 'bigint'
export const bound = value(isNumber, 'a number')
export const exclusiveBound: Rule = {
  value: (each, version) => {
    if (version === '3.0') return typeof each === 'boolean' ? undefined : 'true or false in OpenAPI 3.0'
    return isNumber(each) || typeof each === 'boolean' ? undefined : 'a number in OpenAPI 3.1'
  }
}

/** What is expected instead of an invalid pattern. */
export const wantedPattern = (each: Json): string | undefined => {
  if (typeof each === 'string' && regexOf(each) !== undefined) return undefined
  const reason = typeof each === 'string' ? whyNoRegex(each) : undefined
  return `a regular expression that is valid in JavaScript${reason === undefined ? '' : `: ${reason}`}`
}
export const pattern: Rule = { value: wantedPattern }

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object']
export const type: Rule = {
  value: (each, version) => {
    if (version === '3.0' && !Array.isArray(each))
      return each === 'null' || types.includes(each as string) ? undefined : `one of ${types.join(', ')}`
    const known = (one: Json) => one === 'null' || types.includes(one as string)
    const fits = known(each) || (areDistinct(known)(each) && (each as Json[]).length > 0)
    return fits ? undefined : `one or a list of ${types.join(', ')}, null`
  }
}

const isExact = (each: Json): boolean => !holds(each, part => typeof part === 'bigint')
/** A JSON value that generated code can represent: integers beyond 2^53 would change. */
export const exact = value(isExact, 'a value without integers beyond 2^53')
export const exactList = value(
  each => Array.isArray(each) && each.length > 0 && isExact(each),
  'a list of at least one value, without integers beyond 2^53'
)

const integers = (least: number, most: number) => ({ least, most, isInteger: true })
const largestFloat = 2 ** 128 - 2 ** 104
/** The number formats of the OpenAPI registry that a double can hold; int64 needs a bigint. */
export const numberRanges: Readonly<Record<string, { least: number; most: number; isInteger: boolean }>> = {
  int8: integers(-128, 127),
  int16: integers(-32_768, 32_767),
  int32: integers(-(2 ** 31), 2 ** 31 - 1),
  uint8: integers(0, 255),
  uint16: integers(0, 65_535),
  uint32: integers(0, 2 ** 32 - 1),
  float: { least: -largestFloat, most: largestFloat, isInteger: false }
}

/** The formats that are checked, with their types; `password` and `binary` are hints for readers. */
export const formats: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(numberRanges).map(([name, { isInteger }]) => [name, isInteger ? 'integer' : 'number'])
  ),
  int64: 'integer',
  uint64: 'integer',
  double: 'number',
  ...Object.fromEntries([...Object.keys(stringFormats), 'password', 'binary'].map(format => [format, 'string']))
}
/** In JSON Schema, an unknown format is only an annotation. */
export const isKnownFormat = (format: Json | undefined) => typeof format === 'string' && Object.hasOwn(formats, format)

/** The supported dialects: those of OpenAPI 3.1, and JSON Schema 2020-12, which it extends. */
export const dialect: Rule = {
  carried: 'names the dialect that OpenAPI 3.1 has anyway',
  unless: each =>
    typeof each === 'string' && dialects.test(each)
      ? undefined
      : 'the dialect is that of the OpenAPI version; https://json-schema.org/draft/2020-12/schema is expected'
}
const dialects =
  /^https:\/\/(?:json-schema\.org\/draft\/2020-12\/schema|spec\.openapis\.org\/oas\/3\.[12]\/dialect\/(?:base|\d{4}-\d\d-\d\d))#?$/

/** What the grammar accepts as the name of a media type or a range. */
export const mediaType = (name: string): boolean =>
  /^(?:\*\/\*|[\w!#$&^.+-]+\/(?:\*|(?:\*\+)?[\w!#$&^.+-]+))[ \t]*(?:;.*)?$/.test(name)
