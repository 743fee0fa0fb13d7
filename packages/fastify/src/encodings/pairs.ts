import type { Schema, Written } from '../contract/contract.ts'
import { known, shown } from '../contract/violations.ts'
import { getOrMake } from '../node/get-or-make.ts'
import { decoded, decodedReserved, type Pair } from '../routing/pairs.ts'
import { deepReader } from './deep-object.ts'
import { type ReadText, styleReader, unreadable } from './styles.ts'
import {
  anyPropertyOf,
  converterOf,
  isOpenObject,
  isScalar,
  isStructure,
  itemConverterOf,
  mayBe,
  mayBeAlone,
  namesIn,
  propertyOf,
  setOwn,
  textJudge
} from './texts.ts'

// Values sent as pairs of name and text: query strings, forms and cookies. If a contract declares a number `a`, a list `b`, an
// object `d` in the style deepObject, and an object `color` with the properties `R` and `G`, the pairs of
// `a=1&b=2&b=3&d[x]=4&R=100&z=5` are sorted like this before any of them is read:
//
//   whole    a: 1           the texts of a property, all of them together
//            b: 2, 3
//   deep     d: [x] = 4     what follows the name of a property in the style deepObject
//   spread   color: R = 100 properties of an object whose own name is not sent
//   others   z: 5           undeclared names: refused, ignored or kept

interface Reading {
  schema: Schema
  /** How values are written, if not in the style `form`, exploded. */
  written: Readonly<Record<string, Written>>
  /** What a name is called in violations. */
  what: (name: string) => string
  /** What happens to a name that is not declared. */
  unknown: 'refused' | 'ignored' | 'kept'
}

/** Reads the value of one property from all its texts. */
type ReadAll = (raws: readonly string[], violations: string[]) => unknown

type Serialized = Written & { style: string; explode: boolean; isVerbatim: boolean }

const serialized = (written: Written = {}): Serialized => {
  // The style cookie differs from the style form in that nothing is percent-encoded.
  const isVerbatim = written.style === 'cookie'
  const { style = 'form' } = isVerbatim ? {} : written
  return { ...written, style, explode: written.explode ?? style === 'form', isVerbatim }
}

export const pairsReader = (reading: Reading) => {
  const { schema, what, unknown } = reading
  const readers = readersOf(reading)
  return (pairs: readonly Pair[], violations: string[]): Record<string, unknown> => {
    const sorted: Sorted = { whole: new Map(), deep: new Map(), spread: new Map(), others: new Map() }
    for (const [rawName, text] of pairs) {
      const name = decoded(rawName)
      if (name === undefined) violations.push(`${what(shown(rawName))} is not percent-encoded UTF-8`)
      else {
        const { kind, property, rest = name } = placeOf(name, readers)
        if (kind !== 'others' || unknown === 'kept') getOrMake(sorted[kind], property, () => []).push([rest, text])
        else if (unknown === 'refused')
          violations.push(
            `${what(shown(name))} is unknown; ${known([...readers.whole.keys(), ...readers.owners.keys()])}`
          )
      }
    }

    const values: Record<string, unknown> = {}
    const set = (name: string, value: unknown) => {
      if (value !== unreadable) setOwn(values, name, value)
    }
    for (const [name, each] of sorted.whole) {
      if (sorted.deep.has(name)) violations.push(`${what(name)} occurs both as a value and as ${name}[…]`)
      else set(name, readers.whole.get(name)?.(textsOf(each), violations))
    }
    for (const [name, each] of sorted.deep) set(name, readers.deep.get(name)?.(name, each, violations))
    for (const [name, each] of sorted.spread) set(name, readers.spread.get(name)?.(each, violations))
    for (const [name, each] of sorted.others) {
      const own = anyPropertyOf(schema, name)
      const how = serialized(isStructure(own) ? { json: true } : {})
      set(name, readAll(name, own, how, what, true)(textsOf(each), violations))
    }
    return values
  }
}

/** The pairs of each property. */
type Sorted = Record<Place['kind'], Map<string, Pair[]>>

const textsOf = (pairs: readonly Pair[]) => pairs.map(([, text]) => text)

/** How the properties of each kind are read; one may be of several kinds. */
interface Readers {
  readonly whole: Map<string, ReadAll>
  readonly deep: Map<string, ReturnType<typeof deepReader>>
  readonly spread: Map<string, ReturnType<typeof objectReader>>
  /** By the name of a pair, the object in `spread` that it belongs to. */
  readonly owners: Map<string, string>
  /** The object in `spread` that may have any further property. */
  openOwner: string | undefined
}

const readersOf = ({ schema, written, what, unknown }: Reading): Readers => {
  const readers: Readers = {
    whole: new Map(),
    deep: new Map(),
    spread: new Map(),
    owners: new Map(),
    openOwner: undefined
  }
  for (const name of namesIn(schema)) {
    const own = propertyOf(schema, name) ?? {}
    const how = serialized(written[name])
    if (how.style === 'deepObject') readers.deep.set(name, deepReader(own, what))
    const isSpread = !how.json && how.style === 'form' && how.explode && mayBe(own, 'object')
    if (isSpread) {
      readers.spread.set(name, objectReader(own, what))
      for (const each of namesIn(own)) readers.owners.set(each, name)
      if (isOpenObject(own)) readers.openOwner ??= name
    }
    if (!isSpread || mayBe(own, 'array') || isScalar(own))
      readers.whole.set(name, readAll(name, own, how, what, unknown === 'kept'))
  }
  return readers
}

/** Where a pair belongs: to which property, and under which name there, if that is another. */
interface Place {
  kind: 'whole' | 'deep' | 'spread' | 'others'
  property: string
  rest?: string
}

const placeOf = (name: string, { whole, deep, owners, openOwner }: Readers): Place => {
  if (whole.has(name) && !(owners.has(name) && deep.has(name))) return { kind: 'whole', property: name }
  const at = name.indexOf('[')
  const stem = name.slice(0, Math.max(0, at))
  if (deep.has(stem) && at > 0) return { kind: 'deep', property: stem, rest: name.slice(at) }
  const owner = owners.get(name) ?? openOwner
  return owner === undefined ? { kind: 'others', property: name } : { kind: 'spread', property: owner }
}

const undecodable = (what: string) => `${what} cannot be percent-decoded to UTF-8`

const readAll = (
  name: string,
  schema: Schema,
  written: Serialized,
  what: (name: string) => string,
  isForm: boolean
): ReadAll => {
  const { style, explode, reserved, emptyIsAbsent, json, isVerbatim } = written
  const decode = isVerbatim ? asItIs : reserved ? decodedReserved : decoded
  const isArray = mayBe(schema, 'array')
  const isExploded = (explode || style === 'deepObject') && !json && isArray
  const isText = textJudge(schema)
  const convertItem = itemConverterOf(schema)
  // Where lists and objects are spread over pairs, a single text is neither.
  const isAlone = !json && (explode || style === 'deepObject')
  const convert = converterOf(schema)
  const readAlone: ReadText = (raw, violations) => {
    const text = decode(raw)
    if (text !== undefined) return convert(text)
    violations.push(undecodable(what(name)))
    return unreadable
  }
  const readOne = isAlone
    ? readAlone
    : styleReader({
        what: what(name),
        name,
        schema,
        written: { ...written, style: style === 'form' ? 'simple' : style, explode: false },
        decode
      })
  // A parameter in JSON is one text; each item of a list in a form may be one.
  const readItems: ReadAll = (raws, violations) => {
    const values = raws.map(raw => readOne(raw, violations))
    if (values.includes(unreadable)) return unreadable
    return values.length === 1 && mayBeAlone(schema, values[0]) ? values[0] : values
  }
  if (json && isForm && isArray) return readItems
  return (raws, violations) => {
    if (emptyIsAbsent && raws.length === 1 && raws[0] === '') return unreadable
    const [first = ''] = raws
    // A single text becomes a list of one only where it cannot be a value by itself.
    if (raws.length === 1 && (!isExploded || isText(decode(first) ?? ''))) return readOne(first, violations)
    if (!isExploded) {
      const written = json ? '[a,b]' : ['a', 'b'].join(separators[style] ?? ',')
      violations.push(
        `${what(name)} occurs more than once${isArray ? `; its items are written as ${name}=${written}` : ''}`
      )
      return unreadable
    }
    const texts = raws.map(decode)
    if (!texts.includes(undefined)) return (texts as string[]).map(convertItem)
    violations.push(undecodable(what(name)))
    return unreadable
  }
}

const asItIs = (text: string) => text

const separators: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '|' }

/** An object that is spread over pairs. */
const objectReader = (schema: Schema, what: (name: string) => string) => {
  // Made when needed, since the schema may be recursive.
  let read: ReturnType<typeof pairsReader> | undefined
  return (pairs: readonly Pair[], violations: string[]): unknown => {
    read ??= pairsReader({ schema, written: {}, what, unknown: 'kept' })
    return read(pairs, violations)
  }
}
