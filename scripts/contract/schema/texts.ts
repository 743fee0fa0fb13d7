import { type Json, type JsonObject, withPart } from '../../document/json.ts'
import { accepts } from './accepts.ts'
import { assertionsOf, unionOf } from './assertions.ts'
import type { Found } from './found.ts'
import { kept } from './memo.ts'
import { rational } from './numbers.ts'
import type { Assertion, JsonType, Keywords, Schema } from './schema.ts'
import type { Solver } from './solve.ts'

/** A receiver of texts: its schema, and that with all values whose text it can read. */
export interface Reader {
  readable: Schema
  /** Those of a value that is written as a text, by the id of each schema that applies to it. */
  places: ReadonlyMap<number, Place>
}

interface Place {
  received: Schema
  readable: Schema
  reading: Reading
}

/** Nobody writes a number longer than the longest double. */
const maxDigits = 24

const integer: Keywords = { multipleOf: rational(1) }
const positive: Keywords = { minimum: { value: rational(0), exclusive: false } }

/** Numbers, and how they are written. */
const numerals: [Keywords, pattern: string][] = [
  [{}, '^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?$'],
  [positive, '^(?:0|[1-9]\\d*)(?:\\.\\d+)?$'],
  [integer, '^-?(?:0|[1-9]\\d*)$'],
  [{ ...integer, ...positive }, '^(?:0|[1-9]\\d*)$']
]

/**
 * In parameters, headers and form fields values are written as texts, which do not show their type: whoever reads `1` may take
 * it for a number or a string, as its schema says.
 */
export const readerOf = (solver: Solver, sent: Schema, received: Schema, whole: Reading): Reader => {
  const places = new Map<number, Place>()

  const readable = (schema: Schema, senders: readonly Schema[], reading: Reading | undefined): Schema => {
    if (reading === undefined) return schema
    const inner = withParts(schema, senders, reading)
    if (reading.fields !== undefined) return inner
    const items =
      reading.mayBeItem === true ? onlyItemsOf(solver, schema).map(each => readable(each, senders, single)) : []
    const more = [...otherwiseWritten(solver, schema, senders), ...items]
    const plus = inner.id === schema.id && more.length === 0 ? schema : solver.make({ anyOf: [inner, ...more] })
    for (const { id } of alternativesOf([schema]))
      if (!places.has(id)) places.set(id, { received: schema, readable: plus, reading })
    return plus
  }

  /** With items and properties, declared and others, that can be read; `known` has the schemas that several unions share. */
  const withParts = (
    schema: Schema,
    senders: readonly Schema[],
    reading: Reading,
    known = new Map<Schema, Schema>()
  ): Schema => (reading.depth === 0 ? schema : kept(known, schema, () => partsRead(schema, senders, reading, known)))

  const partsRead = (
    schema: Schema,
    senders: readonly Schema[],
    reading: Reading,
    known: Map<Schema, Schema>
  ): Schema => {
    const { items, properties, additionalProperties, allOf, anyOf, oneOf } = schema.keywords
    const changed: Keywords = {}
    if (items !== undefined) changed.items = readable(items, partsOf(senders, 'items'), itemsIn(reading))
    if (properties !== undefined)
      changed.properties = new Map(
        [...properties].map(([name, each]) => [
          name,
          readable(each, partsOf(senders, 'properties', name), propertyIn(reading, name))
        ])
      )
    if (additionalProperties !== undefined) {
      const others = partsOf(senders, 'additionalProperties')
      changed.additionalProperties = readable(additionalProperties, others, propertyIn(reading, ''))
    }
    const inEach = (schemas: readonly Schema[]) => schemas.map(each => withParts(each, senders, reading, known))
    if (allOf !== undefined) changed.allOf = inEach(allOf)
    // As they are, too: those of the sender are seen to be the same.
    if (anyOf !== undefined) changed.anyOf = [...new Set([...anyOf, ...inEach(anyOf)])]
    // Several that can read more might read the same.
    const others = inEach(oneOf ?? [])
    if (oneOf !== undefined && others.filter(each => !oneOf.includes(each)).length === 1) changed.oneOf = others
    return Object.keys(changed).length === 0 ? schema : solver.make({ ...schema.keywords, ...changed })
  }

  return { readable: readable(received, [sent], whole), places }
}

/** How a value is read that is not JSON. */
export interface Reading {
  /** How many levels of lists and objects within it are texts, too. */
  depth: number
  /** Its objects are JSON. */
  hasJson?: true
  /** It may be the only item of a list, as in `q=a&q=b`; `perhaps`, where OpenAPI does not say so. */
  mayBeItem?: true | 'perhaps'
  /** It is a form, whose fields are written as they are by default, as styles say, or as JSON. */
  fields?: ReadonlyMap<string, 'styled' | 'json'>
}

/** More levels of lists and objects are not read as texts. */
const maxLevels = 4

/** How values are read that are not written as in JSON; undefined for others. */
export const readingOf = (wire: Wire): Reading | undefined => {
  if (typeof wire === 'object') return { depth: maxLevels, fields: wire }
  if (wire === 'data' || wire === 'bytes') return undefined
  return { depth: maxLevels, ...(wire === 'texts' && { mayBeItem: true }) }
}

/**
 * How values are written. `data`: as in JSON. `text`: as plain text, in parameters and headers, so that `1` and `"1"` are the
 * same; `texts`: whose lists are written item by item, `q=a&q=b`; `elements`: values at any depth, in XML and CSV.
 * `bytes`: as they are. A map: a form, with the fields that are not written as is usual for their type.
 */
export type Wire = 'data' | 'text' | 'texts' | 'elements' | 'bytes' | ReadonlyMap<string, 'styled' | 'json'>

const single: Reading = { depth: 0 }
/** A list of texts; what has more structure is JSON (OpenAPI 3.1.1, 4.8.15.1.1). */
const field: Reading = { depth: 1, hasJson: true, mayBeItem: true }

const itemsIn = ({ depth, fields, hasJson }: Reading): Reading | undefined =>
  depth === 0 || fields !== undefined ? undefined : { depth: depth - 1, ...(hasJson && { hasJson }) }

const propertyIn = ({ depth, fields, hasJson, mayBeItem }: Reading, name: string): Reading | undefined => {
  if (fields === undefined)
    return depth === 0 || hasJson ? undefined : { depth: depth - 1, ...(mayBeItem && { mayBeItem: 'perhaps' }) }
  const written = fields.get(name)
  if (written === undefined) return field
  return written === 'json' ? undefined : { depth: maxLevels, mayBeItem: true }
}

/** What lists of one item may contain. */
const onlyItemsOf = (solver: Solver, schema: Schema): Schema[] => {
  const said = assertionsOf(schema)
  const [first, ...others] = said
  const variants = first && unionOf(first)
  if (first !== undefined && variants !== undefined) {
    const lists = variants.filter(each => solver.find([each, solver.make({ types: ['array'] })]) !== 'none')
    const isClear = others.length === 0 && (first.keyword === 'anyOf' || lists.length === 1)
    return isClear ? lists.flatMap(each => onlyItemsOf(solver, each)) : []
  }
  const isList = said.some(({ keywords }) => keywords.types?.includes('array'))
  if (!isList || !said.every(allowsOneItem)) return []
  return [solver.make({ types: scalars, allOf: said.flatMap(({ keywords }) => keywords.items ?? []) })]
}

const scalars: JsonType[] = ['null', 'boolean', 'number', 'string']

const allowsOneItem = ({ keyword, keywords: { minItems = 0, maxItems = 1 } }: Assertion) =>
  ['types', 'items', 'minItems', 'maxItems', 'uniqueItems'].includes(keyword) && minItems <= 1 && maxItems >= 1

/** The values that `schema` does not allow, but of which it allows another one with the same text. */
const otherwiseWritten = (solver: Solver, schema: Schema, senders: readonly Schema[]): Schema[] => {
  const allows = (keywords: Keywords) => solver.find([solver.make(keywords)], [schema]) === 'none'
  const said = [...alternativesOf(senders)].flatMap(assertionsOf)
  const listed = said.flatMap(({ keywords }) => keywords.values ?? [])
  const isRead = (value: Json) =>
    accepts(schema, value) === false && sameText(value).some(each => accepts(schema, each) === true)
  const values = [...listed, null, true, false, 'null', 'true', 'false'].filter(isRead)
  const found = values.length > 0 ? [solver.make({ values })] : []
  for (const [number, pattern] of [...numerals, ...boundedIn(said)]) {
    const numbers: Keywords = { types: ['number'], ...number }
    const texts: Keywords = { types: ['string'], pattern }
    const [areNumbers, areTexts] = [allows(numbers), allows({ ...texts, maxLength: maxDigits })]
    if (areNumbers !== areTexts) found.push(solver.make(areNumbers && !number.maximum ? texts : numbers))
  }
  return found
}

/** Integers between bounds have a limited number of digits. */
function* boundedIn(said: ReturnType<typeof assertionsOf>): Generator<[Keywords, string]> {
  const minimum = said.find(({ keywords }) => keywords.minimum)?.keywords.minimum
  const maximum = said.find(({ keywords }) => keywords.maximum)?.keywords.maximum
  if (minimum === undefined || maximum === undefined) return
  const digits = Math.max(...[minimum, maximum].map(({ value }) => String(value.n / value.d).replace('-', '').length))
  const sign = minimum.value.n < 0n ? '-?' : ''
  yield [{ ...integer, minimum, maximum }, `^${sign}(?:0|[1-9]\\d{0,${digits - 1}})$`]
}

/** How many values are tried one after the other. */
const maxTried = 10
/** If all of them can be read: larger or longer ones. */
const beyond: Keywords[] = [2, 4, 7, 10, 19].flatMap(digits => [
  { types: ['number'], minimum: { value: rational(10 ** digits), exclusive: false } },
  { types: ['number'], maximum: { value: rational(-(10 ** digits)), exclusive: false } },
  { types: ['string'], minLength: digits }
])

/** A sent value whose text cannot be read, `preferred` if it is one; `readable` does not contain all values that can be. */
export const unreadIn = (
  solver: Solver,
  sent: readonly Schema[],
  { received, readable, reading }: Place,
  preferred?: Found<Json>
): Found<Json> => {
  const none = [readable]
  const isUnread = (value: Json) => readingsOf(value, reading).every(each => accepts(received, each) === false)
  if (typeof preferred === 'object' && isUnread(preferred.value)) return preferred
  let found = solver.find(sent, none)
  for (; typeof found === 'object' && none.length <= maxTried; found = solver.find(sent, none)) {
    if (isUnread(found.value)) return found
    none.push(solver.constant(found.value))
  }
  if (typeof found === 'string') return found
  for (const bound of beyond) {
    found = solver.find([...sent, solver.make(bound)], [readable])
    if (typeof found === 'object' && isUnread(found.value)) return found
  }
  return 'unknown'
}

/** The schemas, and their alternatives at any depth. */
const alternativesOf = (schemas: readonly Schema[]): Set<Schema> => {
  const found = new Set(schemas)
  for (const schema of found)
    for (const each of [schema.keywords, ...assertionsOf(schema).map(({ keywords }) => keywords)])
      for (const variant of [...(each.anyOf ?? []), ...(each.oneOf ?? []), ...(each.allOf ?? [])]) found.add(variant)
  return found
}

const partsOf = (
  schemas: readonly Schema[],
  keyword: 'items' | 'additionalProperties' | 'properties',
  name = ''
): Schema[] =>
  [...alternativesOf(schemas)].flatMap(
    ({ keywords }) => (keyword === 'properties' ? keywords.properties?.get(name) : keywords[keyword]) ?? []
  )

/** The other values with the same text. */
const sameText = (value: Json): Json[] => {
  // A list of one, too.
  if (value === null) return ['null', ['null']]
  if (typeof value !== 'string') return typeof value === 'object' ? [] : [String(value)]
  if (value === 'null') return [null]
  if (value === 'true' || value === 'false') return [value === 'true']
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value)) return []
  return [value.length > 15 && !value.includes('.') ? BigInt(value) : Number(value)]
}

const maxReadings = 256

/** All values that are written like this one, as far as they are not too many. */
export const readingsOf = (value: Json, reading: Reading | undefined): Json[] => {
  if (reading === undefined) return [value]
  if (value === null || typeof value !== 'object') {
    const readings = reading.fields === undefined ? [value, ...sameText(value)] : [value]
    return reading.mayBeItem ? [...readings, ...readings.map(each => [each])] : readings
  }
  return Object.entries(value).reduce<Json[]>(
    (wholes, [key, each]) => {
      const readings = readingsOf(each, Array.isArray(value) ? itemsIn(reading) : propertyIn(reading, key))
      if (wholes.length * readings.length > maxReadings) return wholes
      return wholes.flatMap(whole => readings.map(reading => withPart(whole as Json[] | JsonObject, key, reading)))
    },
    [value]
  )
}
