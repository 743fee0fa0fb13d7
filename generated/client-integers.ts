// Copied from @contract-first/generator/package/client-integers.ts by `npm run generate`: do not edit it.

import {
  checkExact,
  type Int64,
  type Kind,
  mayBeInexact,
  own,
  type Places,
  patternOf,
  strictest,
  Unfit
} from './client-places.ts'
import { randomUuid } from './client-retries.ts'

type Inside = Exclude<Places, string>

/** The digits of a number that a double may not hold exactly. */
class Digits {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

const textOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

/**
 * `JSON.parse`, with each number that may be inexact as its digits. These pass through it as texts, since not every runtime
 * gives a reviver the source of a number.
 */
const parseDigits = (text: string): unknown => {
  // Random, so that no text from the server can begin with it.
  const mark = randomUuid()
  const marked = text.replace(textOrNumber, each =>
    each[0] !== '"' && mayBeInexact.test(each) ? `"${mark}${each}"` : each
  )
  return JSON.parse(marked, (_key, value) =>
    typeof value === 'string' && value.startsWith(mark) ? new Digits(value.slice(mark.length)) : value
  )
}

/**
 * The value of a JSON text, with each int64 of the contract as `int64` says.
 * @throws SyntaxError if it is not JSON
 * @throws Unfit if an integer of the contract would be rounded, or is not an int64
 */
export const parseBody = (text: string, places: Places, int64: Int64): unknown => {
  // Parsed unchanged first, since marks are in the right places only if the JSON is valid.
  const rounded = JSON.parse(text)
  if (!isKind(places) && Object.keys(places).length === 0) return rounded
  const isLong = mayBeInexact.test(text)
  return walk(isLong ? parseDigits(text) : rounded, [places], 'body', isLong, (value, kinds, at) =>
    received(value, kinds, at, int64)
  )
}

const received = (value: unknown, kinds: readonly Kind[], at: string, int64: Int64): unknown => {
  if (typeof value !== 'number' && !(value instanceof Digits)) return value
  const source = value instanceof Digits ? value.source : String(value)
  const double = Number(source)
  const isInt64 = kinds.includes('int64')
  if (!isInt64 && !kinds.includes('integer')) return double
  const integer = integerOf(source)
  const isInRange = integer !== undefined && BigInt.asIntN(64, integer) === integer
  if (kinds.includes('number') && !isInRange) return double
  if (isInt64 && int64 !== 'number') {
    if (isInRange) return int64 === 'bigint' ? integer : String(integer)
    throw new Unfit(`${at} is ${source}, which is not an int64`, 'invalid-body')
  }
  if (Number.isSafeInteger(double) || integer === undefined) return double
  const option = isInt64 ? "; the option int64: 'bigint' keeps it exact" : ''
  throw new Unfit(`${at} is ${source}, which a number would round${option}`)
}

// More than any number up to 2^64 has; large exponents are not written out.
const mostDigits = 40

/** The value of a JSON number if it is an integer: `1.0` and `1e2` are. */
export const integerOf = (source: string): bigint | undefined => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  // Matched once from the left: /0+$/ would start at every zero, which takes seconds for a long number.
  const [significant] = /^\d*[1-9]/.exec(digits) ?? []
  if (significant === undefined) return 0n
  const scale = Number(exponent) - fraction.length + (digits.length - significant.length)
  if (scale < 0) return undefined
  return BigInt(sign + significant.slice(0, mostDigits) + '0'.repeat(Math.min(scale, mostDigits)))
}

/**
 * The JSON text of a value, with each int64 of the contract exact.
 * @throws Unfit if a number in the place of an integer may have been rounded
 */
export const bodyText = (value: unknown, places: Places, int64: Int64): string => {
  const mark = randomUuid()
  const sent = (each: unknown, kinds: readonly Kind[], at: string): unknown => {
    const isInt64 = kinds.includes('int64')
    if (isInt64 && typeof each === 'bigint') return mark + each
    if (isInt64 && typeof each === 'string' && int64 === 'string' && !kinds.includes('string')) {
      if (/^-?(?:0|[1-9]\d*)$/.test(each)) return mark + each
      throw new TypeError(`${at} is ${JSON.stringify(each)}, which is not an integer in decimal digits`)
    }
    checkExact(at, each, strictest(kinds))
    return each
  }
  const text = JSON.stringify(walk(value, [places], 'body', false, sent))
  return text.replace(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1')
}

/** The value with its numbers converted; unchanged parts are not copied. */
export const walk = (
  value: unknown,
  places: readonly Places[],
  at: string,
  everywhere: boolean,
  convert: (value: unknown, kinds: readonly Kind[], at: string) => unknown
): unknown => {
  if (places.length === 0 && !everywhere) return value
  const fitting = places.flatMap(place => alternatives(place, value))
  if (typeof value !== 'object' || value instanceof Digits) return convert(value, fitting.filter(isKind), at)
  if (value === null) return value
  const inside = fitting.filter((place): place is Inside => !isKind(place))
  const source = value as Record<string, unknown>
  let copy = source
  for (const key of Object.keys(source)) {
    const [ways, to] = Array.isArray(value)
      ? [inside.map(place => place.first?.[Number(key)] ?? place.items), `${at}[${key}]`]
      : [inside.flatMap(place => ofProperty(place, key)), `${at}.${key}`]
    const converted = walk(
      source[key],
      ways.filter(way => way !== undefined),
      to,
      everywhere,
      convert
    )
    if (converted === source[key]) continue
    if (copy === source) copy = (Array.isArray(value) ? [...value] : { ...source }) as Record<string, unknown>
    // Safe even for __proto__, which the copy already has as an own property.
    copy[key] = converted
  }
  return copy
}

const ofProperty = ({ properties, patterns = {}, others }: Inside, key: string): readonly (Places | undefined)[] => {
  const declared = [
    own(properties, key),
    ...Object.entries(patterns).map(([pattern, place]) => (patternOf(pattern).test(key) ? place : undefined))
  ].filter(place => place !== undefined)
  return declared.length > 0 ? declared : [others]
}

const isKind = (place: Places): place is Kind => typeof place === 'string'

/**
 * A place, with the variants that the value may be. If it is none of them, a variant was added after the client was generated;
 * then all count, as an unexpected bigint is better than a rounded number.
 */
const alternatives = (place: Places, value: unknown): readonly Places[] => {
  if (isKind(place) || place.anyOf === undefined) return [place]
  const fitting = place.anyOf.filter(each =>
    isKind(each) ? typeof value !== 'object' || value instanceof Digits : fits(each, value)
  )
  const chosen = fitting.length > 0 ? fitting : place.anyOf
  return [place, ...chosen.flatMap(each => alternatives(each, value))]
}

const fits = ({ has = [], is = {} }: Inside, value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return has.length === 0
  const object = value as Record<string, unknown>
  return (
    has.every(name => own(object, name) !== undefined) &&
    Object.keys(is).every(name => !Object.hasOwn(object, name) || is[name]?.includes(plain(object[name])))
  )
}

const plain = (value: unknown) => (value instanceof Digits ? Number(value.source) : value)
