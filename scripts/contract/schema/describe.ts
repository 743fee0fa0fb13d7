import { createHash } from 'node:crypto'
import type { Json } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
import { assertionsOf } from './assertions.ts'
import { digestOfKeywords } from './intern.ts'
import { beginningOf } from './json-schema.ts'
import { kept } from './memo.ts'
import { type Bound, type Rational, toNumber } from './numbers.ts'
import { type Assertion, canonical, isNothing, isSchema, type Keywords, type Schema, typeOf } from './schema.ts'

/** The subject of an assertion for readers: bounds that a format implies belong to the format, and a multiple of 1 is a type. */
export type Subject = keyof Keywords

export const subjectOf = ({ keyword, keywords, schema }: Assertion): Subject => {
  if (schema.isFormat || keywords.opaque?.every(each => each.startsWith('format '))) return 'format'
  return keyword === 'multipleOf' && isInteger(keywords) && writtenUnder(schema, keyword) === undefined
    ? 'types'
    : keyword
}

/** Whether an assertion is about a subject, and with a key about that one of several. */
export const isAbout = (subject: Subject | undefined, key?: string | number) => (each: Assertion) =>
  subjectOf(each) === subject && (key === undefined || each.key === key)

/** What a schema states about a subject, in a short form that does not depend on how it was written. */
export const textOf = (subject: Subject | undefined, schemas: readonly Schema[], key?: string | number): string => {
  if (subject === undefined) return schemaText({ allOf: schemas })
  const isMeant = isAbout(subject, key)
  const all = schemas.flatMap(assertionsOf)
  // What was derived is of no interest beside what was written.
  const written = all.filter(({ schema }) => schema.origin !== undefined)
  const own = written.some(isMeant) || neverDerived.has(subject) ? written.filter(isMeant) : all.filter(isMeant)
  const said = own.length > 0 || !unions.has(subject) ? own : written.filter(each => unions.has(subjectOf(each)))
  if (subject === 'types') return typeText(said, schemas)
  // The same assertion is described once for each place that it is used in.
  const found = new Set(said.map(each => kept(texts, each, () => textOfAssertion(subject, each))))
  if (found.size > 0) return [...found].join(' and ')
  if (subject === 'required' && key !== undefined && !declares(schemas, key)) return 'not declared'
  if (subject === 'format' && schemas.flatMap(assertionsOf).some(isDouble)) return 'format double'
  return absent[subject] ?? `no ${subject}`
}

/** It bounds nothing, and is of interest only beside `float`. */
export const isDouble = ({ schema }: Assertion) => schema.origin?.get('format')?.value === 'double'

export const unions: ReadonlySet<Subject> = new Set(['anyOf', 'oneOf'])
const neverDerived: ReadonlySet<Subject> = new Set([...unions, 'additionalProperties', 'minItems'])

const declares = (schemas: readonly Schema[], name: string | number) =>
  schemas.flatMap(assertionsOf).some(({ keyword, key }) => keyword === 'properties' && key === name)

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
  values: 'any value',
  opaque: 'nothing of the kind',
  required: 'optional',
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

const isInteger = ({ multipleOf }: Keywords) => multipleOf?.n === 1n && multipleOf.d === 1n

const typeText = (said: readonly Assertion[], schemas: readonly Schema[]): string => {
  const listed = schemas.flatMap(assertionsOf).flatMap(({ keywords }) => keywords.values ?? [])
  const lists = said.flatMap(({ keywords }) => keywords.types ?? [])
  const variants = schemas.flatMap(assertionsOf).flatMap(({ keywords }) => keywords.oneOf ?? keywords.anyOf ?? [])
  if (said.length === 0 && listed.length === 0 && variants.length > 0) {
    // Unions within unions may share alternatives.
    const texts = variants.map(each =>
      kept(typeTexts, each, () => typeText(assertionsOf(each).filter(isAbout('types')), [each]))
    )
    const names = new Set(texts.flatMap(each => each.replace('type ', '').split(' or ')))
    if (!texts.includes('any type')) return `type ${[...names].join(' or ')}`
  }
  if (said.every(({ keywords }) => keywords.types === undefined)) {
    const types = [...new Set(listed.map(each => (isWhole(each) ? 'integer' : typeOf(each))))].sort()
    return types.length === 0 ? 'any type' : `type ${types.join(' or ')}`
  }
  const whole = said.some(({ keywords }) => isInteger(keywords))
  const names = [...new Set(lists)].map(each => (each === 'number' && whole ? 'integer' : each))
  return names.length === 0 ? 'no value' : `type ${names.join(' or ')}`
}

const isWhole = (value: Json) => typeof value === 'bigint' || Number.isInteger(value)

const typeTexts = new WeakMap<Schema, string>()
const texts = new WeakMap<Assertion, string>()

const textOfAssertion = (subject: Subject, { keywords, schema }: Assertion): string => {
  switch (subject) {
    case 'values':
      return short('enum ', (keywords.values ?? []).map(canonical).join(', '))
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
      return schemaText({ prefixItems: schema.keywords.prefixItems ?? [] })
    case 'uniqueItems':
      return 'unique items'
    case 'anyOf':
    case 'oneOf': {
      // Variants of a `oneOf` that may overlap for a reader are compared as those of an `anyOf`.
      const [written = subject, ...others] = [...unions].filter(each => schema.origin?.get(each) !== undefined)
      return variantsText(others.length === 0 ? written : subject, keywords.anyOf ?? keywords.oneOf ?? [])
    }
    case 'dynamic':
      return schema.origin === undefined ? 'a schema that contains itself' : '$dynamicRef'
    case 'opaque':
      return short('', (keywords.opaque ?? []).join(', '))
  }
  const part = keywords[subject]
  if (typeof part === 'number' || typeof part === 'string') return `${subject} ${part}`
  if (isSchema(part) && isNothing(part))
    return subject === 'additionalProperties' ? 'other properties refused' : `no ${subject}`
  return schemaText(keywords)
}

/** Encodings are compared as formats. */
const formatText = (format: string | undefined, origin: Node | undefined) => {
  const [name, encoding] = ['format', 'contentEncoding'].map(keyword => origin?.get(keyword)?.value)
  return encoding !== undefined && format !== name ? `contentEncoding ${encoding}` : `format ${format ?? name}`
}

/** Variants by the names of components, or else their content. */
const variantsText = (subject: Subject, variants: readonly Schema[]): string => {
  const texts: string[] = []
  let length = 0
  for (const each of variants) {
    if (length > longest) break
    texts.push(nameOf(each) ?? beginningOf(each.keywords, longest))
    length += texts.at(-1)?.length ?? 0
  }
  return cut(`${subject} `, texts.join(', '), () =>
    variants.map(each => nameOf(each) ?? digestOfKeywords({ allOf: [each] })).join()
  )
}

export const nameOf = ({ origin }: Schema): string | undefined =>
  /^#\/components\/schemas\/([^/]+)$/.exec(origin?.pointer ?? '')?.[1]

const schemaText = (keywords: Keywords): string =>
  cut('', beginningOf(keywords, longest), () => digestOfKeywords(keywords))

const longest = 80

const short = (title: string, text: string) => cut(title, text, () => text)

/** Long texts are cut, with a digest of the whole, so that different ones remain different. */
const cut = (title: string, text: string, whole: () => string) => {
  if (text.length <= longest) return title + text
  const digest = createHash('sha256').update(whole()).digest('hex').slice(0, 6)
  return `${title}${text.slice(0, 60)}… (${digest})`
}

const boundText = (word: string, beyond: string, { value, exclusive }: Bound) =>
  `${exclusive ? beyond : word} ${rationalText(value)}`

const rationalText = (value: Rational) => String(value.d === 1n ? value.n : toNumber(value))
