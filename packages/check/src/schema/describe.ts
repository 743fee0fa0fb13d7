import { getOrMake, type Json, listed, type Node, shortened } from '@contract-first/document'
import { assertionsOf, listedIn, unionOf, valuesIn, valuesOf } from './assertions.ts'
import { counterpartOf, nameOf, unpaired } from './likeness.ts'
import { type Bound, type Rational, toNumber } from './numbers.ts'
import { type Assertion, canonical, isNothing, isSchema, type Keywords, type Schema, typeOf } from './schema.ts'

/** The subject of an assertion for readers: bounds that a format implies belong to the format, and a multiple of 1 is a type. */
export type Subject = keyof Keywords

export const subjectOf = ({ keyword, keywords, schema }: Assertion): Subject => {
  if (schema.isFormat || keywords.opaque?.every(each => each.startsWith('format '))) return 'format'
  return keyword === 'multipleOf' && isOfIntegers(keywords) && writtenUnder(schema, keyword) === undefined
    ? 'types'
    : keyword
}

/** Whether an assertion is about a subject, and with a key about that one of several. */
export const isAbout = (subject: Subject | undefined, key?: string | number) => (each: Assertion) =>
  subjectOf(each) === subject && (key === undefined || each.key === key)

/** What a schema states about a subject; `place` avoids texts that only repeat the schema's name. */
export const textOf = (
  subject: Subject | undefined,
  schemas: readonly Schema[],
  key?: string | number,
  place?: string
): string => {
  if (subject === undefined) return [...new Set(schemas.map(outlineOf))].join(' and ')
  const isMeant = isAbout(subject, key)
  const all = schemas.flatMap(assertionsOf)
  // Derived assertions matter only if the contract itself states nothing.
  const written = all.filter(({ schema }) => schema.origin !== undefined)
  const own = written.some(isMeant) || neverDerived.has(subject) ? written.filter(isMeant) : all.filter(isMeant)
  const said = own.length > 0 || !unions.has(subject) ? own : written.filter(each => unions.has(subjectOf(each)))
  if (subject === 'types') {
    const types = typeNames(said, schemas)?.join(' or ')
    if (types === undefined) return 'any type'
    if (types !== '') return `type ${types}`
    if (schemas.some(({ origin }) => origin?.get('readOnly')?.value === true)) return 'readOnly (never sent)'
    return schemas.some(({ origin }) => origin?.key === 'items') ? 'no further items' : 'no value'
  }
  // The same assertion is described once for each place that it is used in.
  const descriptions = new Set(said.map(each => getOrMake(texts, each, () => textOfAssertion(subject, each))))
  if (descriptions.size > 0) return [...descriptions].join(' and ')
  const hidden = subject === 'required' && key !== undefined ? hiddenIn(schemas, key) : undefined
  if (hidden !== undefined) return hidden
  if (subject === 'required' && key !== undefined && !declares(schemas, key)) return undeclared
  if (subject === 'format' && schemas.flatMap(assertionsOf).some(isDouble)) return 'format double'
  const whole = (unions.has(subject) || subject === 'values') && schemas.find(({ origin }) => origin !== undefined)
  if (whole) return nameOf(whole) === place ? contentOf(whole) : outlineOf(whole)
  return absent[subject] ?? `no ${subject}`
}

/** `double` adds no bounds, and matters only where the other side has `float`. */
export const isDouble = ({ schema }: Assertion) => schema.origin?.get('format')?.value === 'double'

/** Subjects that say which kinds of values there are; one change often affects several of them. */
export const kinds: ReadonlySet<Subject> = new Set(['types', 'values', 'anyOf', 'oneOf'])
export const unions: ReadonlySet<Subject> = new Set(['anyOf', 'oneOf'])
/** Subjects that contain schemas: equal texts do not prove that nothing changed in these. */
export const wholes: ReadonlySet<Subject> = new Set([
  'contains',
  'patternProperties',
  'additionalProperties',
  'propertyNames',
  'dependentSchemas',
  'not',
  'if'
])
const neverDerived: ReadonlySet<Subject> = new Set([...unions, 'additionalProperties', 'minItems'])

export const declares = (schemas: readonly Schema[], name: string | number) =>
  schemas.flatMap(assertionsOf).some(({ keyword, key }) => keyword === 'properties' && key === name)

/** `readOnly (never sent)`, if one of the schemas declares such a property. */
export const hiddenIn = (schemas: readonly Schema[], name: string | number, before = ''): string | undefined => {
  const places = schemas.flatMap(assertionsOf).map(({ schema }) => schema.origin?.get('properties')?.get(name))
  const mark = ['readOnly', 'writeOnly'].find(mark => places.some(each => each?.get(mark)?.value === true))
  return mark && `${before}${mark} (never sent)`
}

/** Describes the change from one text to another. */
export const becameOf = (was: string, is: string) => {
  const [before, after] = [was, is].map(each => shortened(each, maxShown))
  if (was === is) return `${before} changed`
  if (was === undeclared) return is === 'required' ? 'It is new and required' : `It is new: ${after}`
  if (is === undeclared) return 'It was removed'
  if (isAbsence(was)) return `${after} was added`
  return isAbsence(is) ? `${before} was removed` : `${before} became ${after}`
}

const undeclared = 'not declared'
// Unlike `no value`, which is a statement.
const absence = /^no (?:minimum|maximum|pattern|format|contains|condition|\$dynamicRef|[a-z]+[A-Z]\w+)$/

export const isAbsence = (text: string) => text === undeclared || absence.test(text)

/** Longer texts are cut. */
export const maxShown = 200

/** What a list of values or alternatives has lost and gained, or only one of these, or that there is one now; otherwise undefined. */
export const changeOf = (
  subject: Subject | undefined,
  before: readonly Schema[],
  after: readonly Schema[],
  only?: 'lost' | 'gained'
): { text: string; lost?: string; gained?: string } | undefined => {
  if (subject !== 'values' && !(subject && unions.has(subject))) return undefined
  const limit = only === 'gained' || listedIn(before) ? undefined : limitOf(after)
  if (limit !== undefined) return { text: `It may now only be ${limit}` }
  const change = (unions.has(subject) && changedAlternatives(before, after)) || changedValues(before, after)
  const { word, ...changes } = change ?? {}
  const parts = Object.entries(changes).flatMap(([verb, items]) =>
    items.length === 0 || verb !== (only ?? verb) ? [] : [[verb, listed(items, maxChanged)] as const]
  )
  if (parts.length === 0) return undefined
  return { text: `${word} ${parts.map(part => part.join(' ')).join(' and ')}`, ...Object.fromEntries(parts) }
}

/** Values that a contract lists, as `one of 1, 2, 3`. */
const limitOf = (schemas: readonly Schema[]): string | undefined => {
  const values = listedIn(schemas) ?? []
  const isDerived = schemas.flatMap(assertionsOf).some(each => each.keyword === 'values' && !each.schema.origin)
  return values.length === 0 || isDerived ? undefined : `${values.length === 1 ? '' : 'one of '}${valuesText(values)}`
}

const maxChanged = 10

interface Change {
  word: string
  lost: string[]
  gained: string[]
}

const changedValues = (...sides: [before: readonly Schema[], after: readonly Schema[]]): Change | undefined => {
  const [old, now] = sides.map(each => listedIn(each)?.map(canonical))
  const word = commonWord(
    ...sides
      .flat()
      .flatMap(assertionsOf)
      .filter(({ keyword }) => keyword === 'values')
  )
  return word && old && now ? { word, lost: missing(old, now), gained: missing(now, old) } : undefined
}

const missing = (values: readonly string[], others: readonly string[]) => {
  const known = new Set(others)
  return values.filter(each => !known.has(each))
}

const changedAlternatives = (...sides: [before: readonly Schema[], after: readonly Schema[]]): Change | undefined => {
  const said = sides.map(each =>
    each.flatMap(assertionsOf).find(each => unionOf(each) && each.schema.origin !== undefined)
  )
  const [old, now] = said.map(each => each && unionOf(each))
  const word = commonWord(...said)
  // A single schema is compared with a union only if it is one of the alternatives.
  const sameAs = (schemas: readonly Schema[], others: readonly Schema[] = []) => {
    const same = counterpartOf(schemas, others)
    return same && [same]
  }
  const [olds, news] = [old ?? sameAs(sides[0], now), now ?? sameAs(sides[1], old)]
  if (!(word && olds && news)) return undefined
  const [lost = [], gained = []] = unpaired(olds, news).map(each => each.map(outlineOf))
  return { word, lost, gained }
}

/** The keyword that both sides use; undefined if they differ. */
const commonWord = (...said: readonly (Assertion | undefined)[]): string | undefined => {
  const [word, ...others] = new Set(said.flatMap(each => (each ? wordOf(each) : [])))
  return others.length === 0 ? word : undefined
}

/** Where a schema states something about a subject, otherwise where it is. */
export const placeOf = (
  subject: Subject | undefined,
  schemas: readonly Schema[],
  key?: string | number
): Node | undefined => {
  const said = schemas.flatMap(assertionsOf).find(isAbout(subject, key))
  const own = said && subject && (said.orNullIn?.origin ?? writtenUnder(said.schema, subject) ?? said.schema.origin)
  return own ?? schemas.find(({ origin }) => origin !== undefined)?.origin
}

const absent: { [K in Subject]?: string } = {
  opaque: 'nothing of the kind',
  required: 'optional',
  uniqueItems: 'repeated items allowed',
  propertyNames: 'any property names',
  not: 'nothing excluded',
  if: 'no condition',
  dynamic: 'no $dynamicRef',
  additionalProperties: 'other properties allowed'
}

const writtenAs: { [K in Subject]?: string[] } = {
  types: ['type'],
  values: ['const', 'enum'],
  minimum: ['minimum', 'exclusiveMinimum'],
  maximum: ['maximum', 'exclusiveMaximum']
}

const writtenUnder = ({ origin }: Schema, subject: Subject): Node | undefined =>
  (writtenAs[subject] ?? [subject]).map(keyword => origin?.get(keyword)).find(each => each !== undefined)

const isOfIntegers = ({ multipleOf }: Keywords) => multipleOf?.n === 1n && multipleOf.d === 1n

/** Whether it is a `multipleOf` beside `type: integer`. */
const isOfMultiples = ({ keyword, schema: { origin } }: Assertion) =>
  keyword === 'multipleOf' && [origin?.get('type')?.value].flat().includes('integer')

/** Null comes last; undefined if nothing restricts them. */
const typeNames = (said: readonly Assertion[], schemas: readonly Schema[]): string[] | undefined => {
  const all = schemas.flatMap(assertionsOf)
  const values = all.flatMap(({ keywords }) => keywords.values ?? [])
  const isInteger = said.some(({ keywords }) => isOfIntegers(keywords)) || all.some(isOfMultiples)
  const lists = said.flatMap(({ keywords }) => keywords.types ?? [])
  const names = said.some(hasTypes)
    ? lists.map(each => (each === 'number' && isInteger ? 'integer' : each))
    : values.map(each => (isIntegral(each) ? 'integer' : typeOf(each)))
  // Unions within unions may share alternatives.
  const typesIn = (variant: Schema) =>
    getOrMake(
      typesOfVariants,
      variant,
      () => typeNames(assertionsOf(variant).filter(isAbout('types')), [variant]) ?? 'any'
    )
  const variants = said.length + values.length > 0 ? [] : all.flatMap(each => unionOf(each) ?? []).map(typesIn)
  if (variants.includes('any') || (names.length + variants.length === 0 && !said.some(hasTypes))) return undefined
  const order = (each: string) => (each === 'null' ? '~' : each)
  return [...new Set([...names, ...variants.flat()])].sort((a, b) => (order(a) < order(b) ? -1 : 1))
}

const hasTypes = ({ keywords }: Assertion) => keywords.types !== undefined

const isIntegral = (value: Json) => typeof value === 'bigint' || Number.isInteger(value)

const typesOfVariants = new WeakMap<Schema, string[] | 'any'>()
const texts = new WeakMap<Assertion, string>()

const textOfAssertion = (subject: Subject, assertion: Assertion, depth = 0): string => {
  const { keywords, schema } = assertion
  const outline = (part: Schema) => partOf(part, depth)
  switch (subject) {
    case 'values':
      return `${wordOf(assertion)} ${valuesText(keywords.values ?? []) || 'without values'}`
    case 'minimum':
      return boundText('minimum', 'above', keywords.minimum as Bound)
    case 'maximum':
      return boundText('maximum', 'below', keywords.maximum as Bound)
    case 'multipleOf':
      return `multiple of ${rationalText(keywords.multipleOf as Rational)}`
    case 'format':
      return formatText(keywords.format, schema.origin)
    case 'required':
      return 'required'
    case 'prefixItems':
      return `prefixItems ${listed((schema.keywords.prefixItems ?? []).map(outline), maxListed)}`
    case 'uniqueItems':
      return 'unique items'
    case 'anyOf':
    case 'oneOf':
      return `${wordOf(assertion)} ${variantsText(unionOf(assertion) ?? [], depth)}`
    case 'additionalProperties':
      if (isNothing(keywords.additionalProperties as Schema)) return 'other properties refused'
      return `other properties: ${outline(keywords.additionalProperties as Schema)}`
    case 'contains': {
      const { schema, min, max } = keywords.contains as NonNullable<Keywords['contains']>
      return `contains ${outline(schema)}, at least ${min}${Number.isFinite(max) ? ` and at most ${max}` : ''}`
    }
    case 'if':
      return parts.flatMap(each => (keywords[each] ? `${each} ${outline(keywords[each])}` : [])).join(' ')
    case 'dynamic':
      if (schema.origin === undefined) return 'a schema that contains itself'
      return schema.origin.get('$dynamicRef') ? '$dynamicRef' : 'what alternatives leave unevaluated'
    case 'opaque':
      return (keywords.opaque ?? []).join(', ')
  }
  const part: unknown = keywords[subject]
  if (!(part instanceof Map)) return `${subject} ${isSchema(part) ? outline(part) : part}`
  const entries = [...part].map(([name, each]) => `${name}: ${isSchema(each) ? outline(each) : each.join(' and ')}`)
  return `${subject} ${entries.join(', ')}`
}

const parts = ['if', 'then', 'else'] as const
const valueText = (value: Json) => shortened(canonical(value), maxValue)
const valuesText = (values: readonly Json[]) => listed(values.map(valueText), maxListed)

/** Encodings are compared as formats. */
const formatText = (format: string | undefined, origin: Node | undefined) => {
  const [name, encoding] = ['format', 'contentEncoding'].map(keyword => origin?.get(keyword)?.value)
  return encoding !== undefined && format !== name ? `contentEncoding ${encoding}` : `format ${format ?? name}`
}

/** Variants of a `oneOf` that may overlap for a reader are compared as those of an `anyOf`. */
const wordOf = ({ keyword, schema: { origin } }: Assertion): string => {
  // Values without an origin come from a discriminator.
  if (keyword === 'values') return origin === undefined ? 'discriminator' : 'enum'
  const [written = keyword, ...others] = [...unions].filter(each => origin?.get(each) !== undefined)
  return others.length === 0 ? written : keyword
}

const variantsText = (variants: readonly Schema[], depth: number): string => {
  const texts = [...new Set(variants.slice(0, maxListed).map(each => partOf(each, depth)))]
  return texts.join(', ') + (variants.length > maxListed ? ` and ${variants.length - maxListed} more` : '')
}

/** A short text by which readers recognize a schema: its name, or else its constants, its title or what it contains. */
export const outlineOf = (schema: Schema): string => getOrMake(outlines, schema, () => partOf(schema, 0))

const outlines = new WeakMap<Schema, string>()

const partOf = (schema: Schema, depth: number): string => nameOf(schema) ?? contentOf(schema, depth)

/** The same without a name. */
export const contentOf = (schema: Schema, depth = 0): string => {
  const all = assertionsOf(schema)
  const written = all.filter(each => each.schema.origin !== undefined)
  const said = written.length > 0 ? written : all
  const values = valuesIn(said)
  if (values !== undefined) return values.length === 1 ? valueText(values[0] as Json) : `enum (${valuesText(values)})`
  const types = typeNames(said.filter(isAbout('types')), [schema])
  if (isNothing(schema) || depth > maxDepth) return types?.join(' or ') || 'any value'

  const properties = said.flatMap(({ keyword, keywords }) =>
    keyword === 'properties' ? [...(keywords.properties ?? [])] : []
  )
  const constants = properties.flatMap(([name, each]) => {
    const [value, ...more] = valuesOf(each) ?? []
    return value === undefined || more.length > 0 ? [] : `${name}: ${valueText(value)}`
  })
  const title = schema.origin?.get('title')?.value
  if (properties.length > 0 && constants.length === 0 && typeof title === 'string') return title
  const required = said.flatMap(({ keywords }) => keywords.required ?? [])
  const names = [...required, ...properties.flatMap(([name]) => (required.includes(name) ? [] : `${name}?`))]
  const shown = listed([...new Set(constants.length > 0 ? constants : names)], maxNames)
  const items = said.find(({ keyword }) => keyword === 'items')?.keywords.items
  const containers: Record<string, string> = {
    ...(shown !== '' && { object: `object {${shown}}` }),
    ...(items && { array: `array of ${partOf(items, depth + 1)}` })
  }
  const others = said.filter(each => !shownApart.has(subjectOf(each)))
  const rest = [...new Set(others.map(each => textOfAssertion(subjectOf(each), each, depth + 1)))].join(', ')
  const hasUnion = others.some(unionOf)
  const start =
    types === undefined || hasUnion ? Object.values(containers) : types.map(each => containers[each] ?? each)
  if (start.length === 0) return rest || 'any value'
  return start.join(' or ') + (rest && ` (${rest})`)
}

const shownApart = new Set<Subject>(['types', 'properties', 'required', 'items'])
const maxDepth = 1
const maxNames = 5
const maxValue = 60
const maxListed = 20

const boundText = (word: string, beyond: string, { value, exclusive }: Bound) =>
  `${exclusive ? beyond : word} ${rationalText(value)}`

const rationalText = (value: Rational) => String(value.d === 1n ? value.n : toNumber(value))
