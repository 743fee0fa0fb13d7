import type { Schema, Written } from '../contract/contract.ts'
import { known, shown } from '../contract/violations.ts'
import { deepReader } from './deep-object.ts'
import { type ReadText, styleReader, unreadable } from './styles.ts'
import {
  anyPropertyOf,
  converterOf,
  decoded,
  decodedReserved,
  isOpenObject,
  isScalar,
  isStructure,
  itemConverterOf,
  mayBe,
  mayBeAlone,
  namesIn,
  type Pair,
  propertyOf,
  setOwn,
  textJudge
} from './texts.ts'

// Values sent as pairs of name and text: query strings, forms and cookies.

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

export const pairsReader = ({ schema, written, what, unknown }: Reading) => {
  const names = namesIn(schema)
  const isForm = unknown === 'kept'
  const direct = new Map<string, ReadAll>()
  const deep = new Map<string, ReturnType<typeof deepReader>>()
  /** For objects spread over pairs: the object to which a pair of this name belongs. */
  const owners = new Map<string, string>()
  let openOwner: string | undefined
  for (const name of names) {
    const own = propertyOf(schema, name) ?? {}
    const how = serialized(written[name])
    const { style, explode } = how
    const isObject = mayBe(own, 'object')
    if (style === 'deepObject') deep.set(name, deepReader(own, what))
    if (!how.json && style === 'form' && explode && isObject) {
      for (const each of namesIn(own)) owners.set(each, name)
      if (isOpenObject(own)) openOwner ??= name
      if (mayBe(own, 'array') || isScalar(own)) direct.set(name, readAll(name, own, how, what, isForm))
    } else direct.set(name, readAll(name, own, how, what, isForm))
  }
  const ownersReader = new Map(
    [...new Set([...owners.values(), ...(openOwner === undefined ? [] : [openOwner])])].map(name => [
      name,
      objectReader(propertyOf(schema, name) ?? {}, what)
    ])
  )

  return (pairs: readonly Pair[], violations: string[]): Record<string, unknown> => {
    const found = new Map<ReadAll, { name: string; raws: string[] }>()
    const spread = new Map<string, Pair[]>()
    const branches = new Map<string, Pair[]>()
    const kept = new Map<string, string[]>()
    for (const [rawName, raw] of pairs) {
      const name = decoded(rawName)
      const at = name?.indexOf('[') ?? -1
      const stem = name?.slice(0, at === -1 ? undefined : at)
      const reader = name === undefined ? undefined : direct.get(name)
      if (name === undefined) violations.push(`${what(shown(rawName))} is not percent-encoded UTF-8`)
      else if (reader !== undefined && !(owners.has(name) && deep.has(name)))
        found.getOrInsertComputed(reader, () => ({ name, raws: [] })).raws.push(raw)
      else if (at > 0 && stem !== undefined && deep.has(stem))
        branches.getOrInsertComputed(stem, () => []).push([name.slice(at), raw])
      else {
        const owner = owners.get(name) ?? openOwner
        if (owner !== undefined) spread.getOrInsertComputed(owner, () => []).push([name, raw])
        else if (isForm) kept.getOrInsertComputed(name, () => []).push(raw)
        else if (unknown === 'refused')
          violations.push(`${what(shown(name))} is unknown; ${known([...direct.keys(), ...owners.keys()])}`)
      }
    }

    const values: Record<string, unknown> = {}
    const set = (name: string, value: unknown) => {
      if (value !== unreadable) setOwn(values, name, value)
    }
    for (const [read, { name, raws }] of found) {
      if (branches.has(name)) violations.push(`${what(name)} occurs both as a value and as ${name}[…]`)
      else set(name, read(raws, violations))
    }
    for (const [name, each] of branches) set(name, deep.get(name)?.(name, each, violations))
    for (const [name, each] of spread) set(name, ownersReader.get(name)?.(each, violations))
    for (const [name, raws] of kept) {
      const own = anyPropertyOf(schema, name)
      const how = serialized(isStructure(own) ? { json: true } : {})
      set(name, readAll(name, own, how, what, isForm)(raws, violations))
    }
    return values
  }
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
  // Made when needed, since the schema may contain itself.
  let read: ReturnType<typeof pairsReader> | undefined
  return (pairs: readonly Pair[], violations: string[]): unknown => {
    read ??= pairsReader({ schema, written: {}, what, unknown: 'kept' })
    return read(pairs, violations)
  }
}

/** The pairs of `a=1&b=2`. */
export const pairsIn = (text: string, separator: string | RegExp = '&'): Pair[] =>
  text.split(separator).flatMap(each => {
    if (each === '') return []
    const at = each.indexOf('=')
    return [at === -1 ? [each, ''] : [each.slice(0, at), each.slice(at + 1)]]
  })
