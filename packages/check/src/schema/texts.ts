import { getOrMake, type Json, type JsonObject, withPart } from '@contract-first/document'
import { accepts } from './accepts.ts'
import { assertionsOf, unionOf } from './assertions.ts'
import type { Found } from './found.ts'
import { rational } from './numbers.ts'
import { type Assertion, type JsonType, type Keywords, type Schema, typeOf, typeOfKeyword } from './schema.ts'
import type { Solver } from './solve.ts'

/** A receiver of texts: `readable` is its schema, widened by all values whose text it can read. */
export interface Reader {
  readable: Schema
  reading: Reading
  /** The places whose values are written as text, by the ids of the schemas that apply there. */
  places: ReadonlyMap<number, Place>
}

interface Place {
  received: Schema
  readable: Schema
  reading: Reading
}

const integer: Keywords = { multipleOf: rational(1) }
const positive: Keywords = { minimum: { value: rational(0), exclusive: false } }

/** Kinds of numbers, their texts, and the greatest length: of a double, or of an `int64`. */
const numerals: [Keywords, pattern: string, maxLength: number][] = [
  [{}, '^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?$', 24],
  [integer, '^-?(?:0|[1-9]\\d*)$', 20],
  [{ ...integer, ...positive }, '^(?:0|[1-9]\\d*)$', 20]
]

/**
 * In parameters, headers and form fields, values are written as text, which does not show their type: a receiver reads `1` as
 * a number or a string, as its schema says.
 */
export const readerOf = (solver: Solver, sent: Schema, received: Schema, whole: Reading): Reader => {
  const places = new Map<number, Place>()

  const readable = (schema: Schema, senders: readonly Schema[], as: Reading | undefined): Schema => {
    if (as === undefined) return schema
    const reading = readBy(schema, as)
    const inner = withParts(schema, senders, reading)
    if (reading.fields !== undefined) return inner
    const { lists } = reading
    const others = otherwiseWritten(solver, schema, senders, reading)
    const one = others.length === 0 ? schema : solver.make({ anyOf: [schema, ...others] })
    const more =
      lists === undefined || lists.isUnclear
        ? others
        : [...others, ...asLists(schema, senders, lists), ...asOnes(one, lists), solver.make(empty)]
    const plus = inner.id === schema.id && more.length === 0 ? schema : solver.make({ anyOf: [inner, ...more] })
    // A schema's own place takes precedence over one where it is only an alternative.
    for (const { id } of alternativesOf([schema]))
      if (id === schema.id || !places.has(id)) places.set(id, { received: schema, readable: plus, reading })
    return plus
  }

  /** Single values that are read as lists. */
  const asLists = (schema: Schema, senders: readonly Schema[], { received }: Lists): Schema[] =>
    onlyItemsOf(solver, schema).flatMap(({ items, isLimited }) => {
      const one = readable(items, senders, single)
      if (received === undefined) return [one]
      const undivided = solver.make({ pattern: `^[^${received}]*$`, ...(received === '.' && integer) })
      const longest = [...alternativesOf(senders)].flatMap(assertionsOf).map(({ keywords }) => keywords.maxLength)
      const texts = [...new Set([undefined, ...longest])]
        .map(maxLength => solver.make({ types: ['string'], ...(maxLength !== undefined && { maxLength }) }))
        .filter(each => !isLimited && solver.find([each], [one]) === 'none')
      return [solver.make({ allOf: [one, undivided] }), ...texts]
    })

  /** Lists that are read as single values. */
  const asOnes = (schema: Schema, { sent }: Lists): Schema[] => {
    const one = solver.make({ types: scalars, allOf: [schema] })
    const only = solver.make({ types: ['array'], minItems: 1, maxItems: 1, items: one })
    // The text of an object contains at least a comma.
    const isAnyText =
      sent === joint && solver.find([solver.make({ types: ['string'], minLength: 1 })], [one]) === 'none'
    return isAnyText ? [solver.make({ types: ['array', 'object'] })] : [only]
  }

  /** Widens the schemas of items and properties, declared or not; `known` holds schemas that several unions share. */
  const withParts = (
    schema: Schema,
    senders: readonly Schema[],
    reading: Reading,
    known = new Map<Schema, Schema>()
  ): Schema =>
    reading.depth === 0 ? schema : getOrMake(known, schema, () => partsRead(schema, senders, reading, known))

  const partsRead = (
    schema: Schema,
    senders: readonly Schema[],
    reading: Reading,
    known: Map<Schema, Schema>
  ): Schema => {
    const { items, properties, additionalProperties, allOf, anyOf, oneOf } = schema.keywords
    const changed: Keywords = {}
    if (items !== undefined) changed.items = readable(items, partsOf(senders, 'items'), readingOfItems(reading))
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
    // The originals are kept as well, so that alternatives equal to the sender's are recognized.
    if (anyOf !== undefined) changed.anyOf = [...new Set([...anyOf, ...inEach(anyOf)])]
    // Only if one alternative was widened: several might then accept the same text, which `oneOf` forbids.
    const others = inEach(oneOf ?? [])
    if (oneOf !== undefined && others.filter(each => !oneOf.includes(each)).length === 1) changed.oneOf = others
    return Object.keys(changed).length === 0 ? schema : solver.make({ ...schema.keywords, ...changed })
  }

  return { readable: readable(received, [sent], whole), reading: readBy(received, whole), places }
}

/** How a value that is not written as JSON is read. */
export interface Reading {
  /** For how many levels of lists and objects the values inside are texts as well. */
  depth: number
  /** Its objects are JSON. */
  hasJson?: true
  /** How lists are written that may also be single values. */
  lists?: Lists
  /** Of a form: the fields written in a style, or as JSON; the others are written in the default way. */
  fields?: ReadonlyMap<string, Lists | 'json'>
}

/** The separator of a list's items: a comma in `q=a,b`; undefined in `q=a&q=b`, which repeats the name. */
export interface Lists {
  sent: string | undefined
  received: string | undefined
  /** OpenAPI does not define how they are written. */
  isUnclear?: true
  /** In a path, where an empty text would make another path. */
  isNeverEmpty?: true
  /** The receiver's schema does not mention lists, so it reads `a` as a single value. */
  isNone?: boolean
}

/** Empty lists and objects are not written at all (RFC 6570, 3.2.1). */
const empty: Keywords = { types: ['array', 'object'], maxItems: 0, maxProperties: 0 }

/** The only separator for which a text that is not a list may be one. */
const joint = ','
const exploded: Lists = { sent: undefined, received: undefined }

/** Lists and objects nested more deeply are not read as text. */
const maxLevels = 4

/** How values are read; undefined if they are written as in JSON, or are bytes. */
export const readingOf = (wire: Wire): Reading | undefined => {
  if (wire === 'data' || wire === 'bytes') return undefined
  if (wire instanceof Map) return { depth: maxLevels, fields: wire }
  return { depth: maxLevels, ...(isOfLists(wire) && { lists: wire }) }
}

/**
 * How values are written. `data`: as in JSON. `text`: as plain text, where `1` and `"1"` are the same. `Lists`: as text in
 * parameters and headers. `elements`: as text at any depth, in XML and CSV. `bytes`: raw. A map: as a form, with the fields
 * that are not written in the usual way for their type.
 */
export type Wire = 'data' | 'text' | 'elements' | 'bytes' | Lists | ReadonlyMap<string, Lists | 'json'>

export const isOfLists = (wire: Wire): wire is Lists => typeof wire === 'object' && 'sent' in wire

const single: Reading = { depth: 0 }
/** A list of texts, and nothing else. */
const items: Reading = { depth: 1 }
/** A list of texts; values with more structure are JSON (OpenAPI 3.1.1, 4.8.15.1.1). */
const field: Reading = { depth: 1, hasJson: true, lists: exploded }

const readingOfItems = ({ depth, fields, hasJson }: Reading): Reading | undefined =>
  depth === 0 || fields !== undefined ? undefined : { depth: depth - 1, ...(hasJson && { hasJson }) }

const propertyIn = ({ depth, fields, hasJson, lists }: Reading, name: string): Reading | undefined => {
  if (fields === undefined)
    return depth === 0 || hasJson
      ? undefined
      : { depth: depth - 1, ...(lists && { lists: { ...lists, isNone: false, isUnclear: true } }) }
  const written = fields.get(name)
  if (written === undefined) return field
  return written === 'json' ? undefined : { depth: maxLevels, lists: written }
}

/** The items that lists of one item may contain, and whether longer lists are limited. */
const onlyItemsOf = (solver: Solver, schema: Schema): { items: Schema; isLimited: boolean }[] => {
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
  const items = solver.make({ types: scalars, allOf: said.flatMap(({ keywords }) => keywords.items ?? []) })
  return [{ items, isLimited: said.some(({ keyword }) => keyword === 'maxItems' || keyword === 'uniqueItems') }]
}

const scalars: JsonType[] = ['null', 'boolean', 'number', 'string']
const allowsOneItem = ({ keyword, keywords: { minItems = 0, maxItems = 1 } }: Assertion) => {
  const isPlain = ['types', 'items', 'minItems', 'maxItems', 'uniqueItems'].includes(keyword)
  return (isPlain || (typeOfKeyword[keyword] ?? 'array') !== 'array') && minItems <= 1 && maxItems >= 1
}

/** Values that `schema` rejects although it allows another value with the same text. */
const otherwiseWritten = (solver: Solver, schema: Schema, senders: readonly Schema[], reading: Reading): Schema[] => {
  const allows = (keywords: Keywords) => solver.find([solver.make(keywords)], [schema]) === 'none'
  const said = [...alternativesOf(senders)].flatMap(assertionsOf)
  const listed = said.flatMap(({ keywords }) => keywords.values ?? [])
  const isRead = (value: Json) =>
    accepts(schema, value) === false && readingsOf(value, reading).some(each => accepts(schema, each) === true)
  const values = [...listed, null, true, false, 'null', 'true', 'false'].filter(isRead)
  const others = values.length > 0 ? [solver.make({ values })] : []
  for (const [number, pattern, maxLength] of [...numerals]) {
    const numbers: Keywords = { types: ['number'], ...number }
    const texts: Keywords = { types: ['string'], pattern }
    const [areNumbers, areTexts] = [allows(numbers), allows({ ...texts, maxLength })]
    if (areNumbers !== areTexts) others.push(solver.make(areNumbers ? texts : numbers))
  }
  return others
}

/** How many values are tried before giving up. */
const maxTried = 10
const maxTriedLists = 3
const stepsForOne = 1_000

/** Values to try if the simple ones can be read: long ones, and lists of these. */
const beyond = (solver: Solver, { lists }: Reading): Schema[] => {
  const bound = (sign: number) => ({ value: rational(sign * 10 ** 15), exclusive: false })
  const single: Keywords[] = [
    { types: ['number'], ...integer, minimum: bound(1) },
    { types: ['number'], ...integer, maximum: bound(-1) },
    { types: ['string'], minLength: 16 }
  ]
  const inLists = single.map((items): Keywords => ({ types: ['array'], minItems: 1, items: solver.make(items) }))
  return [...single, ...(lists === undefined ? [] : inLists)].map(each => solver.make(each))
}

/** A sent value whose text cannot be read, if possible `preferred`; `readable` is incomplete, so each value is checked. */
export const unreadIn = (
  solver: Solver,
  written: readonly Schema[],
  { received, readable, reading }: Place,
  preferred?: Found<Json>
): Found<Json> => {
  const { lists } = reading
  const present = { minItems: 1, minProperties: 1, ...(lists?.isNeverEmpty && { minLength: 1 }) }
  const sent = lists ? [...written, solver.make(present), ...writable(solver, written)] : written
  const none = [readable]
  const isUnread = (value: Json) =>
    accepts(solver.make({ allOf: sent }), value) !== false &&
    readingsOf(value, reading).every(each => accepts(received, each) === false)
  if (typeof preferred === 'object' && isUnread(preferred.value)) return preferred
  let found = solver.find(sent, none)
  // Fewer lists are tried, as excluding them takes many steps.
  while (typeof found === 'object' && none.length <= (Array.isArray(found.value) ? maxTriedLists : maxTried)) {
    if (isUnread(found.value)) return found
    none.push(solver.constant(found.value))
    found = solver.findWithin(stepsForOne, sent, none)
  }
  if (found === 'none') return found
  for (const bound of beyond(solver, reading)) {
    found = solver.findWithin(stepsForOne, [...sent, bound], [readable])
    if (typeof found === 'object' && isUnread(found.value)) return found
  }
  return 'unknown'
}

/** Restricts values to those whose text OpenAPI defines: no objects, and nothing nested in lists, unless described. */
const writable = (solver: Solver, written: readonly Schema[]): Schema[] => {
  const said = [...alternativesOf(written)].flatMap(assertionsOf)
  const has = (schema: Schema, ...types: JsonType[]) =>
    [...alternativesOf([schema])].flatMap(assertionsOf).some(each => types.some(type => speaksOf(each, type)))
  const parts = said.flatMap(({ keywords }) => [
    ...(keywords.items ? [keywords.items] : []),
    ...(keywords.prefixItems ?? [])
  ])
  const areObjects = said.some(each => speaksOf(each, 'object'))
  const areNested = parts.some(each => has(each, 'array', 'object'))
  return [
    ...(areObjects ? [] : [solver.make({ types: [...scalars, 'array'] })]),
    ...(areNested ? [] : [solver.make({ items: solver.make({ types: scalars }) })])
  ]
}

/** Whether the assertion concerns arrays, or objects. */
const speaksOf = ({ keyword, keywords: { types = [], values = [] } }: Assertion, type: JsonType) =>
  types.includes(type) || values.some(each => typeOf(each) === type) || typeOfKeyword[keyword] === type

/** The schemas, and their alternatives at any depth. */
const alternativesOf = (schemas: readonly Schema[]): Set<Schema> => {
  const all = new Set(schemas)
  for (const schema of all)
    for (const each of [schema.keywords, ...assertionsOf(schema).map(({ keywords }) => keywords)])
      for (const variant of [...(each.anyOf ?? []), ...(each.oneOf ?? []), ...(each.allOf ?? [])]) all.add(variant)
  return all
}

/** A receiver whose schema does not mention lists reads none. */
const readBy = (schema: Schema, reading: Reading): Reading => {
  const isOfLists = [...alternativesOf([schema])].flatMap(assertionsOf).some(each => speaksOf(each, 'array'))
  const { lists } = reading
  return lists === undefined || isOfLists ? reading : { ...reading, lists: { ...lists, isNone: true } }
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
  if (value === null) return ['null']
  if (typeof value !== 'string') return typeof value === 'object' ? [] : [String(value)]
  if (value === 'null') return [null]
  if (value === 'true' || value === 'false') return [value === 'true']
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value)) return []
  return [value.length > 15 && !value.includes('.') ? BigInt(value) : Number(value)]
}

const maxReadings = 256

/** All values with the same text as this one, or a selection if there are too many. */
export const readingsOf = (value: Json, reading: Reading | undefined): Json[] => {
  if (reading === undefined) return [value]
  const { lists, fields } = reading
  if (value === null || typeof value !== 'object') {
    if (fields !== undefined) return [value]
    const readings = [value, ...sameText(value)]
    return lists === undefined || lists.isNone
      ? readings
      : [...readings, ...readingsOf(itemsIn(String(value), lists), items)]
  }
  const structured = Object.entries(value).reduce<Json[]>(
    (wholes, [key, each]) => {
      const readings = readingsOf(each, Array.isArray(value) ? readingOfItems(reading) : propertyIn(reading, key))
      const read = (whole: Json, reading: Json) => withPart(whole as Json[] | JsonObject, key, reading)
      if (wholes.length * readings.length <= maxReadings)
        return wholes.flatMap(whole => readings.map(reading => read(whole, reading)))
      // Too many combinations: spreads the readings over the values, from the first ones to the last ones.
      return wholes.map((whole, index) =>
        read(whole, readings[Math.floor((index * readings.length) / wholes.length)] ?? each)
      )
    },
    [value]
  )
  const one = Array.isArray(value) && lists ? asOne(value, lists) : undefined
  return one === undefined ? structured : [...structured, one, ...sameText(one)]
}

const itemsIn = (text: string, { received }: Lists) => (received === undefined ? [text] : text.split(received))

/** The single value with the same text as the list. */
const asOne = (items: readonly Json[], { sent }: Lists): Json | undefined => {
  if (items.some(each => typeof each === 'object' && each !== null)) return undefined
  return items.length === 1 ? items[0] : sent === joint ? items.map(String).join(joint) : undefined
}
