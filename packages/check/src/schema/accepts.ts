import { getOrMake, isObject, type Json, type JsonObject, regexOf } from '@contract-first/document'
import { knownFormat } from './formats.ts'
import { compare, isMultipleOf, rational } from './numbers.ts'
import { canonical, type Keywords, type Schema, typeOf, undecidedOf } from './schema.ts'

/** Whether a value is valid; undefined if that depends on an assertion that cannot be decided. */
export type Verdict = boolean | undefined

/** Decides as Ajv does, but exactly for any number; `given` are undecidable assertions that are known to hold. */
export const accepts = (schema: Schema, value: Json, given: ReadonlySet<string> = none): Verdict => {
  // Without this cache, nested alternatives would examine the inner values again and again.
  const isObjectOrList = typeof value === 'object' && value !== null
  const { anyOf, oneOf } = schema.keywords
  if (given.size > 0 || !(isObjectOrList || anyOf || oneOf)) return judge(schema, value, given)
  const decided: Decided = isObjectOrList ? getOrMake(ofObjects, value, newMap) : getOrMake(ofScalars, schema, newMap)
  if (decided.size >= maxDecided) decided.clear()
  return getOrMake(decided, isObjectOrList ? schema : value, () => ({ verdict: judge(schema, value, given) })).verdict
}

/** Logs have any number of values. */
const maxDecided = 10_000

/** By value, and then by schema; those of scalars by schema, and then by value. */
type Decided = Map<Schema | Json, { verdict: Verdict }>
const ofObjects = new WeakMap<object, Decided>()
const ofScalars = new WeakMap<Schema, Decided>()
const newMap = (): Decided => new Map()

const none: ReadonlySet<string> = new Set()

const judge = ({ keywords }: Schema, value: Json, given: ReadonlySet<string>): Verdict =>
  every(verdictsOn(keywords, value, given), each => each)

const every = <T>(items: Iterable<T>, verdictOf: (item: T) => Verdict): Verdict => {
  let all: Verdict = true
  for (const each of items) {
    const verdict = verdictOf(each)
    if (verdict === false) return false
    if (verdict === undefined) all = undefined
  }
  return all
}

export const opposite = (verdict: Verdict): Verdict => (verdict === undefined ? undefined : !verdict)

/** One for each assertion, until one is false. */
function* verdictsOn(keywords: Keywords, value: Json, given: ReadonlySet<string>): Generator<Verdict> {
  const { types, values, allOf = [], anyOf, oneOf, not, if: condition } = keywords
  const verdict = (each: Schema) => accepts(each, value, given)
  const type = typeOf(value)
  if (types !== undefined) yield types.includes(type)
  if (values !== undefined) yield textsOf(values).has(canonical(value))
  if (typeof value === 'number' || typeof value === 'bigint') yield* ofNumber(keywords, value)
  else if (typeof value === 'string') yield* ofString(keywords, value)
  else if (Array.isArray(value)) yield* ofArray(keywords, value)
  else if (isObject(value)) yield* ofObject(keywords, value)
  for (const part of allOf) yield verdict(part)
  if (anyOf !== undefined) yield opposite(every(anyOf, each => opposite(verdict(each))))
  if (oneOf !== undefined) yield exactlyOne(oneOf.map(verdict))
  if (not !== undefined) yield opposite(verdict(not))
  if (condition !== undefined) yield conditional(keywords, verdict(condition), verdict)
  for (const each of undecidedOf(keywords, type)) yield given.has(each) || undefined
}

const textsOf = (values: readonly Json[]): ReadonlySet<string> =>
  getOrMake(texts, values, () => new Set(values.map(canonical)))

const texts = new WeakMap<readonly Json[], ReadonlySet<string>>()

const exactlyOne = (verdicts: Verdict[]): Verdict => {
  const valid = verdicts.filter(each => each === true).length
  if (valid > 1) return false
  return verdicts.includes(undefined) ? undefined : valid === 1
}

const conditional = (keywords: Keywords, holds: Verdict, verdict: (each: Schema) => Verdict): Verdict => {
  const then = keywords.then === undefined || verdict(keywords.then)
  const otherwise = keywords.else === undefined || verdict(keywords.else)
  if (holds === undefined) return then === otherwise ? then : undefined
  return holds ? then : otherwise
}

function* ofNumber({ minimum, maximum, multipleOf }: Keywords, value: number | bigint): Generator<Verdict> {
  const exact = rational(value)
  const within = (sign: number, exclusive: boolean) => sign > 0 || (sign === 0 && !exclusive)
  if (minimum !== undefined) yield within(compare(exact, minimum.value), minimum.exclusive)
  if (maximum !== undefined) yield within(compare(maximum.value, exact), maximum.exclusive)
  if (multipleOf !== undefined) yield isMultipleOf(exact, multipleOf)
}

function* ofString(keywords: Keywords, value: string): Generator<Verdict> {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = keywords
  const length = [...value].length
  yield length >= minLength && length <= maxLength
  if (pattern !== undefined) yield regexOf(pattern)?.test(value)
  if (format !== undefined) yield knownFormat(format).holds(value)
}

function* ofArray(keywords: Keywords, value: Json[]): Generator<Verdict> {
  const { prefixItems = [], items, minItems = 0, maxItems = Number.POSITIVE_INFINITY, contains } = keywords
  yield value.length >= minItems && value.length <= maxItems
  if (keywords.uniqueItems) yield new Set(value.map(canonical)).size === value.length
  for (const [index, each] of value.entries()) {
    const schema = prefixItems[index] ?? items
    if (schema !== undefined) yield accepts(schema, each)
  }
  if (contains === undefined) return
  const verdicts = value.map(each => accepts(contains.schema, each))
  const sure = verdicts.filter(each => each === true).length
  const possible = verdicts.filter(each => each !== false).length
  if (possible < contains.min || sure > contains.max) yield false
  else yield (sure >= contains.min && possible <= contains.max) || undefined
}

function* ofObject(keywords: Keywords, value: JsonObject): Generator<Verdict> {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY, required = [], propertyNames } = keywords
  const names = Object.keys(value)
  const has = (name: string) => Object.hasOwn(value, name)
  yield names.length >= minProperties && names.length <= maxProperties
  yield required.every(has)
  for (const [name, others] of keywords.dependentRequired ?? []) yield !has(name) || others.every(has)
  for (const name of names) {
    const schemas = schemasFor(keywords, name)
    yield schemas && every(schemas, each => accepts(each, value[name] as Json))
  }
  if (propertyNames !== undefined) for (const name of names) yield accepts(propertyNames, name)
  for (const [name, each] of keywords.dependentSchemas ?? []) yield !has(name) || accepts(each, value)
}

/** The schemas for a property of this name; undefined if a pattern is invalid. */
export const schemasFor = (keywords: Keywords, name: string): Schema[] | undefined => {
  const { properties, patternProperties, additionalProperties } = keywords
  const named = properties?.get(name)
  const schemas = named === undefined ? [] : [named]
  for (const [pattern, schema] of patternProperties ?? []) {
    const regex = regexOf(pattern)
    if (regex === undefined) return undefined
    if (regex.test(name)) schemas.push(schema)
  }
  if (schemas.length === 0 && additionalProperties !== undefined) schemas.push(additionalProperties)
  return schemas
}
