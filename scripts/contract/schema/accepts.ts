import { isObject, type Json } from '../../document/json.ts'
import { regexOf } from '../../document/regular-expression.ts'
import { isKnownFormat, satisfiesFormat } from './formats.ts'
import { kept } from './memo.ts'
import { compare, isMultipleOf, rational } from './numbers.ts'
import { canonical, type Keywords, type Schema, typeOf, undecidedOf } from './schema.ts'

/** Whether a value is valid; undefined if that depends on an assertion that cannot be decided. */
export type Verdict = boolean | undefined

/** Decides as Ajv does, but exactly for any number; `given` are undecidable assertions that are known to hold. */
export const accepts = (schema: Schema, value: Json, given: ReadonlySet<string> = none): Verdict => {
  // Alternatives at several levels of a value would otherwise examine what is inside again and again.
  if (typeof value !== 'object' || value === null || given.size > 0) return judge(schema, value, given)
  const known = kept(verdicts, value, () => new WeakMap<Schema, { verdict: Verdict }>())
  return kept(known, schema, () => ({ verdict: judge(schema, value, given) })).verdict
}

const verdicts = new WeakMap<object, WeakMap<Schema, { verdict: Verdict }>>()

const judge = (schema: Schema, value: Json, given: ReadonlySet<string>): Verdict => {
  const { keywords } = schema
  if (keywords.types !== undefined && !keywords.types.includes(typeOf(value))) return false
  return every([
    keywords.values === undefined || keywords.values.some(each => canonical(each) === canonical(value)),
    ...ofType(keywords, value, given),
    ...(keywords.allOf ?? []).map(part => () => accepts(part, value, given)),
    keywords.anyOf === undefined || (() => some(keywords.anyOf, value, given)),
    keywords.oneOf === undefined || (() => exactlyOne(keywords.oneOf ?? [], value, given)),
    keywords.not === undefined || (() => opposite(accepts(keywords.not as Schema, value, given))),
    keywords.if === undefined || (() => conditional(keywords, keywords.if as Schema, value, given)),
    ...undecidedOf(keywords, typeOf(value)).map(each => given.has(each) || undefined)
  ])
}

const none: ReadonlySet<string> = new Set()
const opposite = (verdict: Verdict): Verdict => (verdict === undefined ? undefined : !verdict)

const every = (verdicts: (Verdict | (() => Verdict))[]): Verdict => {
  let all: Verdict = true
  for (const each of verdicts) {
    const verdict = typeof each === 'function' ? each() : each
    if (verdict === false) return false
    if (verdict === undefined) all = undefined
  }
  return all
}

const some = (schemas: readonly Schema[] = [], value: Json, given: ReadonlySet<string>): Verdict =>
  opposite(every(schemas.map(each => () => opposite(accepts(each, value, given)))))

const exactlyOne = (schemas: readonly Schema[], value: Json, given: ReadonlySet<string>): Verdict => {
  const verdicts = schemas.map(each => accepts(each, value, given))
  const valid = verdicts.filter(each => each === true).length
  if (valid > 1) return false
  return verdicts.includes(undefined) ? undefined : valid === 1
}

const conditional = (keywords: Keywords, condition: Schema, value: Json, given: ReadonlySet<string>): Verdict => {
  const holds = accepts(condition, value, given)
  const then = keywords.then === undefined || accepts(keywords.then, value, given)
  const otherwise = keywords.else === undefined || accepts(keywords.else, value, given)
  if (holds === undefined) return then === otherwise ? then : undefined
  return holds ? then : otherwise
}

const ofType = (keywords: Keywords, value: Json, given: ReadonlySet<string>): (Verdict | (() => Verdict))[] => {
  if (typeof value === 'number' || typeof value === 'bigint') return ofNumber(keywords, value)
  if (typeof value === 'string') return ofString(keywords, value, given)
  if (Array.isArray(value)) return ofArray(keywords, value)
  return isObject(value) ? ofObject(keywords, value) : []
}

const ofNumber = ({ minimum, maximum, multipleOf }: Keywords, value: number | bigint) => {
  const exact = rational(value)
  const within = (sign: number, exclusive: boolean) => sign > 0 || (sign === 0 && !exclusive)
  return [
    minimum === undefined || within(compare(exact, minimum.value), minimum.exclusive),
    maximum === undefined || within(compare(maximum.value, exact), maximum.exclusive),
    multipleOf === undefined || isMultipleOf(exact, multipleOf)
  ]
}

const ofString = (keywords: Keywords, value: string, given: ReadonlySet<string>): Verdict[] => {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = keywords
  const length = [...value].length
  return [
    length >= minLength && length <= maxLength,
    pattern === undefined || regexOf(pattern)?.test(value),
    format === undefined || (isKnownFormat(format) ? satisfiesFormat(format, value) : given.has(format) || undefined)
  ]
}

const ofArray = (keywords: Keywords, value: Json[]): (Verdict | (() => Verdict))[] => {
  const { prefixItems = [], items, minItems = 0, maxItems = Number.POSITIVE_INFINITY, contains } = keywords
  return [
    value.length >= minItems && value.length <= maxItems,
    keywords.uniqueItems === undefined || new Set(value.map(canonical)).size === value.length,
    () =>
      every(
        value.map((each, index) => () => {
          const schema = prefixItems[index] ?? items
          return schema === undefined || accepts(schema, each)
        })
      ),
    contains === undefined ||
      (() => {
        const verdicts = value.map(each => accepts(contains.schema, each))
        const sure = verdicts.filter(each => each === true).length
        const possible = verdicts.filter(each => each !== false).length
        if (sure >= contains.min && possible <= contains.max) return true
        return possible < contains.min || sure > contains.max ? false : undefined
      })
  ]
}

const ofObject = (keywords: Keywords, value: { [key: string]: Json }): (Verdict | (() => Verdict))[] => {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = keywords
  const names = Object.keys(value)
  const has = (name: string) => Object.hasOwn(value, name)
  return [
    names.length >= minProperties && names.length <= maxProperties,
    (keywords.required ?? []).every(has),
    [...(keywords.dependentRequired ?? [])].every(([name, others]) => !has(name) || others.every(has)),
    ...names.map(name => () => {
      const schemas = schemasFor(keywords, name)
      return schemas === undefined ? undefined : every(schemas.map(each => () => accepts(each, value[name] as Json)))
    }),
    ...(keywords.propertyNames === undefined
      ? []
      : names.map(name => () => accepts(keywords.propertyNames as Schema, name))),
    ...[...(keywords.dependentSchemas ?? [])].map(
      ([name, each]) =>
        () =>
          !has(name) || accepts(each, value)
    )
  ]
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
