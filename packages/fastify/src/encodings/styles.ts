import type { Schema, Written } from '../contract/contract.ts'
import { shown } from '../contract/violations.ts'
import { Read } from '../node/json.ts'
import { parsedJson } from '../validation/json-body.ts'
import { anyPropertyOf, converterOf, isScalar, itemConverterOf, mayBe, setOwn, textJudge } from './texts.ts'

// The styles of OpenAPI (3.1.1, section 4.8.12.2) for a parameter whose text contains nothing else: path parameters, headers,
// and in forms what follows a name. A parameter `id` with the list [3, 4] or the object {"R": 100}:
//
//   style           list     exploded     object      exploded
//   simple          3,4      3,4          R,100       R=100
//   label           .3,4     .3.4         .R,100      .R=100
//   matrix          ;id=3,4  ;id=3;id=4   ;id=R,100   ;R=100
//   spaceDelimited  3%204                 R%20100
//   pipeDelimited   3|4                   R|100
//
// Texts are split before they are decoded, so that a percent-encoded separator is part of a value.

/** Reads a value; adds to `violations` what cannot be read. */
export type ReadText = (raw: string, violations: string[]) => unknown

interface Reading {
  /** What violations call it: `path parameter id`. */
  what: string
  name: string
  schema: Schema
  written: Written
  /** `undefined` if it cannot be decoded. */
  decode: (text: string) => string | undefined
}

/** In place of a value that could not be read; the violation is already reported. */
export const unreadable = Symbol('unreadable')

export const styleReader = ({ what, name, schema, written, decode }: Reading): ReadText => {
  const { style = 'simple', explode = false, json } = written
  const { decoded, scalar, list, object } = readersOf(what, schema, decode)
  if (json)
    return (raw, violations) => {
      const text = decoded(raw, violations)
      return text === undefined ? unreadable : jsonIn(text, what, violations)
    }

  const isArray = mayBe(schema, 'array')
  const isObject = mayBe(schema, 'object')
  const isText = textJudge(schema)
  const { begin, separator, shownAs = separator } = marks(style, explode, name, isObject, isArray)
  const refuse = (raw: string, form: string, violations: string[]) => {
    violations.push(`${what} must be written as ${begin}${form}, not ${shown(raw)}`)
    return unreadable
  }
  const pairsOf = (text: string): Pairs | undefined => {
    if (text === '') return []
    return explode ? assignments(text, separator, style === 'matrix') : alternating(text.split(separator))
  }

  return (given, violations) => {
    // In style matrix, an empty text has no `=`: `;name`.
    const isBare = begin === `;${name}=` && given.split(';', 2)[1] === name
    const raw = isBare ? begin + given.slice(name.length + 1) : given
    if (!raw.startsWith(begin)) return refuse(raw, '…', violations)
    const text = raw.slice(begin.length)
    if (isObject) {
      const pairs = pairsOf(text)
      if (pairs !== undefined) return object(pairs, violations)
      if (!isArray && !isScalar(schema))
        return refuse(raw, `name${explode ? '=' : shownAs}value${shownAs}…`, violations)
    }
    if (!isArray) return scalar(text, violations)
    const texts = text.split(separator)
    if (texts.length === 1 && isText(decode(text) ?? '')) return scalar(text, violations)
    const items = style === 'matrix' && explode ? withoutNames(texts, name) : texts
    return items === undefined ? refuse(raw, `…${begin}…`, violations) : list(items, violations)
  }
}

/** Readers of what has been split already. */
const readersOf = (what: string, schema: Schema, decode: Reading['decode']) => {
  const convert = converterOf(schema)
  const convertItem = itemConverterOf(schema)
  const decoded = (text: string, violations: string[]): string | undefined => {
    const value = decode(text)
    if (value === undefined) violations.push(`${what} cannot be percent-decoded to UTF-8`)
    return value
  }
  const scalar: ReadText = (raw, violations) => {
    const text = decoded(raw, violations)
    return text === undefined ? unreadable : convert(text)
  }
  const list = (texts: readonly string[], violations: string[]): unknown => {
    const values = texts.map(each => decoded(each, violations))
    return values.includes(undefined) ? unreadable : (values as string[]).map(convertItem)
  }
  const object = (pairs: Pairs, violations: string[]): unknown => {
    const value = {}
    for (const [rawName, rawText] of pairs) {
      const [key, text] = [decoded(rawName, violations), decoded(rawText, violations)]
      if (key === undefined || text === undefined) return unreadable
      if (Object.hasOwn(value, key)) violations.push(`${what} has ${shown(key)} more than once`)
      setOwn(value, key, converterOf(anyPropertyOf(schema, key))(text))
    }
    return value
  }
  return { decoded, scalar, list, object }
}

interface Marks {
  begin: string
  separator: string | RegExp
  shownAs?: string
}

/** What a text begins with, and what separates its parts. */
const marks = (style: string, explode: boolean, name: string, isObject: boolean, isArray: boolean): Marks => {
  switch (style) {
    case 'label':
      return { begin: '.', separator: explode && (isObject || isArray) ? '.' : ',' }
    case 'matrix':
      return { begin: explode && isObject ? ';' : `;${name}=`, separator: explode ? ';' : ',' }
    case 'spaceDelimited':
      return { begin: '', separator: /%20|\+| /i, shownAs: '%20' }
    case 'pipeDelimited':
      return { begin: '', separator: /%7C|\|/i, shownAs: '|' }
    default:
      return { begin: '', separator: ',' }
  }
}

type Pairs = readonly (readonly [string, string])[]

/** The items of `3;id=4`, whose first name has been read; `undefined` if one has another name. */
const withoutNames = (texts: readonly string[], name: string): string[] | undefined => {
  const items = texts.map((each, index) => {
    if (index === 0) return each
    if (each === name) return ''
    return each.startsWith(`${name}=`) ? each.slice(name.length + 1) : undefined
  })
  return items.includes(undefined) ? undefined : (items as string[])
}

/** Of `R=100,G=200`. */
const assignments = (text: string, separator: string | RegExp, isEmptyBare: boolean): Pairs | undefined => {
  const pairs = text.split(separator).map(each => {
    const at = each.indexOf('=')
    if (at === -1) return isEmptyBare ? ([each, ''] as const) : undefined
    return [each.slice(0, at), each.slice(at + 1)] as const
  })
  return pairs.includes(undefined) ? undefined : (pairs as Pairs)
}

/** Of `R,100,G,200`. */
const alternating = (texts: readonly string[]): Pairs | undefined => {
  if (texts.length % 2 === 1) return undefined
  return Array.from({ length: texts.length / 2 }, (_, index) => [texts[2 * index] ?? '', texts[2 * index + 1] ?? ''])
}

export const jsonIn = (text: string, what: string, violations: string[]): unknown => {
  try {
    const value = parsedJson(Buffer.from(text))
    return value instanceof Read ? value.exact() : value
  } catch (error) {
    violations.push(`${what} must be JSON: ${(error as Error).message.replace(/^.*?: /, '').replace(/\.$/, '')}`)
    return unreadable
  }
}
