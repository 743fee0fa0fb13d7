import { readFileSync } from 'node:fs'
import {
  convertible,
  emptyTypes,
  type Fault,
  getOrMake,
  inconvertible,
  type Json,
  type JsonObject,
  JsonReading,
  type Place,
  Reading,
  Unexpected,
  type Written,
  writtenAt,
  yamlDocument
} from '@contract-first/document'
import { type ErrorCode, LineCounter, type Node } from 'yaml'
import type { Report } from './problems.ts'

interface Origin {
  file: string
  lines: LineCounter
  value: object
  written: Written
  joint?: Joint
  contradiction?: Contradiction
}

/** What combines several schemas, each of which may be shared, into one. */
export interface Joint {
  /** The schema with the `allOf`. */
  schema: object
  /** Where in its values the joined schemas apply: `.data[].id`. */
  within: string
}

/** Why no value satisfies a schema. */
export interface Contradiction {
  place: Place
  message: string
  /** The object or array, as written, at the place to report. */
  at: object
}

/** Returns the object that it is given, to which its subclass then adds a field. */
class Given {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is the purpose
    return object
  }
}

/**
 * Adds the origin to the object itself, as a private field, which loops, copies and JSON texts omit. A WeakMap would have a million
 * entries, and make reading a large contract take half as long again; a hidden property takes twice the time to set.
 */
class Originated extends Given {
  #origin: Origin

  constructor(object: object, origin: Origin) {
    super(object)
    this.#origin = origin
  }

  static originOf(object: object): Origin | undefined {
    return #origin in object ? object.#origin : undefined
  }
}

const setOrigin = (object: object, origin: Origin) => void new Originated(object, origin)
const { originOf } = Originated

/** The location of an object or array, or of one of its entries. Derived objects have the location of their origin. */
export const locate = (value: object, key?: string | number): Place => {
  const origin = originOf(value)
  if (origin === undefined) throw new Error('this value does not come from a contract')
  const offset = (key === undefined ? undefined : origin.written.entries.get(key)) ?? origin.written.offset
  const { line, col } = origin.lines.linePos(offset)
  return { file: origin.file, line, column: col }
}

/** The object or array as it is written in the contract, from which this one was derived. */
export const writtenAs = (value: object): object | undefined => originOf(value)?.value

/** The file of an object or array, and its offset there. */
export const positionOf = (value: object): { file: string; offset: number } | undefined => {
  const origin = originOf(value)
  return origin && { file: origin.file, offset: origin.written.offset }
}

/** Finds those of the given locations that belong to an object or array, or to one of its entries. */
export const placeFinder = (places: readonly Place[]) => {
  const byFile = Map.groupBy(places, each => each.file)
  const offsets = new Map<LineCounter, Map<number, Place>>()
  const offsetsIn = ({ file, lines }: Origin) =>
    getOrMake(offsets, lines, () => {
      const offsetOf = ({ line, column }: Place) => (lines.lineStarts[line - 1] ?? 0) + column - 1
      return new Map((byFile.get(file) ?? []).map(place => [offsetOf(place), place]))
    })
  const find = (value: object, offsetsOf: (origin: Origin) => (number | undefined)[]): Place[] => {
    const origin = originOf(value)
    const wanted = origin && offsetsIn(origin)
    if (origin === undefined || wanted === undefined || wanted.size === 0) return []
    return offsetsOf(origin).flatMap(offset => wanted.get(offset ?? -1) ?? [])
  }
  return {
    of: (value: object) =>
      find(value, ({ written: { offset, entries, faults } }) => [
        offset,
        ...entries.values(),
        ...(faults === undefined ? [] : [...faults.values()].flat())
      ]),
    ofEntries: (value: object, keys: readonly (string | number)[]) =>
      find(value, ({ written: { entries, faults } }) =>
        keys.flatMap(key => [entries.get(key), ...(faults?.get(key) ?? [])])
      )
  }
}

/** Gives a new object the location of the one that it was derived from, for messages. */
export const derive = <T extends object>(made: T, from: object): T => {
  const origin = originOf(from)
  if (origin !== undefined && originOf(made) === undefined) setOrigin(made, origin)
  return made
}

/** Gives a schema that was combined from several the location of the first, and records what combines them. */
export const deriveJoined = <T extends object>(made: T, first: object, joint: Joint): T => {
  const origin = originOf(first)
  if (origin !== undefined) setOrigin(made, { ...origin, joint })
  return made
}

export const jointOf = (value: object): Joint | undefined => originOf(value)?.joint

export const contradictionAt = (at: object, keyword: string, message: string): Contradiction => ({
  place: locate(at, keyword),
  message,
  at: (originOf(at) as Origin).value
})

/** Gives a schema that no value satisfies the location of another one, and the reason. */
export const deriveContradiction = <T extends object>(made: T, from: object, contradiction: Contradiction): T => {
  setOrigin(made, { ...(originOf(from) as Origin), contradiction })
  return made
}

/** The contradiction of a schema, or of one that it was derived from. */
export const contradictionOf = (value: object): Contradiction | undefined => originOf(value)?.contradiction

/**
 * The value of a YAML or JSON file; undefined if it cannot be parsed. `name` stands for the file in messages. Integers
 * beyond 2^53 are bigints.
 */
export const readSource = (file: string, name: string, report: Report): Json | undefined => {
  const text = readFileSync(file, 'utf8')
  return readJson(text, name, report) ?? readYaml(text, name, report)
}

/** Parses JSON without the YAML parser, which takes ten times as long; undefined if that is needed to name an error. */
const readJson = (text: string, name: string, report: Report): Json | undefined => {
  if (!text.trimStart().startsWith('{')) return undefined
  const reading = new JsonReading(text)
  try {
    const root = reading.toJson()
    const lines = new LineCounter()
    for (let start = 0; ; ) {
      lines.addNewLine(start)
      start = text.indexOf('\n', start) + 1
      if (start === 0) break
    }
    keepOrigins(reading.written, name, lines)
    // A repeated key is reported at its repetition.
    for (const { offset } of reading.repeated)
      report.add(placeOf(offset, name, lines), ownWords.DUPLICATE_KEY as string)
    return root
  } catch (error) {
    if (error instanceof Unexpected || error instanceof SyntaxError) return undefined
    throw error
  }
}

const readYaml = (text: string, name: string, report: Report): Json | undefined => {
  const lines = new LineCounter()
  const { contents, errors, warnings } = yamlDocument(text, { lineCounter: lines, merge: true, uniqueKeys: false })
  const faults = [...errors, ...warnings].map(
    ({ pos, code, message }): Fault => ({
      offset: pos[0],
      message: ownWords[code] ?? message
    })
  )
  const complain = ({ offset, message }: Fault) => report.add(placeOf(offset, name, lines), message)
  if (errors.some(({ code }) => !ofOneEntry.has(code))) {
    faults.forEach(complain)
    return undefined
  }
  const reading = new Reading()
  const root = reading.toJson(contents as Node | null)
  for (const fault of [...faults, ...reading.faults]) {
    complain(fault.other === undefined ? fault : { ...fault, message: ownWords.DUPLICATE_KEY as string })
    keepFault(fault, reading.written)
  }
  keepOrigins(reading.written, name, lines)
  return reading.isTooLarge ? undefined : root
}

const placeOf = (offset: number, file: string, lines: LineCounter): Place => {
  const { line, col } = lines.linePos(offset)
  return { file, line, column: col }
}

/** Records which entry has an error, so that only what needs this entry is refused. */
const keepFault = ({ offset, of }: Fault, all: ReadonlyMap<object, Written>) => {
  let at = of && { written: all.get(of.holder) as Written, key: of.key as string | number, offset }
  if (at === undefined)
    for (const written of all.values())
      for (const [key, start] of written.entries)
        if (start <= offset && start >= (at?.offset ?? 0)) at = { written, key, offset: start }
  if (at === undefined) return
  at.written.faults ??= new Map()
  getOrMake(at.written.faults, at.key, () => []).push(offset)
}

const keepOrigins = (all: ReadonlyMap<object, Written>, file: string, lines: LineCounter) => {
  for (const [value, written] of all) setOrigin(value, { file, lines, value, written })
}

const ownWords: Partial<Record<ErrorCode, string>> = {
  DUPLICATE_KEY:
    'this key is declared twice in one mapping; each may be declared once (two operations cannot share a method and a path)',
  MULTIPLE_DOCS: 'a second document begins here; a file may have only one'
}

/** Errors in a single entry, which do not affect others. */
const ofOneEntry = new Set<ErrorCode>([
  'ALIAS_PROPS',
  'BAD_ALIAS',
  'BAD_DQ_ESCAPE',
  'KEY_OVER_1024_CHARS',
  'MULTIPLE_ANCHORS',
  'MULTIPLE_TAGS',
  'NON_STRING_KEY',
  'TAG_RESOLVE_FAILED'
])

/** A document in Swagger 2.0 as OpenAPI 3.0, with the locations of the former; undefined if it cannot be converted. */
export const convertedFrom = (document: JsonObject, report: Report): JsonObject | undefined => {
  for (const { keys, message } of inconvertible(document)) report.add(placeAt(document, keys), message)
  for (const keys of emptyTypes(document))
    report.carry(
      placeAt(document, keys),
      `${keys.at(-1)} is empty, although there is a body; application/json is assumed`
    )
  const { converted, faults } = convertible(document)
  for (const { keys, message } of faults)
    report.add(placeAt(document, keys), `this cannot be converted to OpenAPI 3.0: ${message}`)
  if (converted !== undefined) keepWritten(converted, [], document)
  return converted
}

const keepWritten = (value: Json, keys: readonly (string | number)[], document: JsonObject): void => {
  if (typeof value !== 'object' || value === null) return
  const offsetOf = (path: readonly (string | number)[]) => originOffset(document, writtenAt(document, path))
  const offsets = Object.keys(value).map(
    key => [Array.isArray(value) ? Number(key) : key, offsetOf([...keys, key])] as const
  )
  const { file, lines } = originOf(document) as Origin
  setOrigin(value, { file, lines, value, written: { offset: offsetOf(keys), entries: new Map(offsets) } })
  for (const [key, each] of Object.entries(value)) keepWritten(each, [...keys, key], document)
}

/** The innermost object or array on a path, with the offset there. */
const originOffset = (document: JsonObject, keys: readonly (string | number)[]): number => {
  let holder: object = document
  let offset = (originOf(document) as Origin).written.offset
  for (const key of keys) {
    const { entries } = (originOf(holder) as Origin).written
    offset = entries.get(Array.isArray(holder) ? Number(key) : key) ?? offset
    const inner: Json = (holder as Record<string | number, Json>)[key] as Json
    if (typeof inner !== 'object' || inner === null) break
    holder = inner
  }
  return offset
}

const placeAt = (document: JsonObject, keys: readonly (string | number)[]): Place => {
  const { file, lines } = originOf(document) as Origin
  return placeOf(originOffset(document, keys), file, lines)
}
