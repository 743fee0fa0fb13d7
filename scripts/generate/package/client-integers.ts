/** What the contract declares a number to be; `number` occurs only beside variants that differ. */
type Kind = 'int64' | 'integer' | 'number'

/**
 * Where a body may have integers that a double cannot hold. It has only the paths that lead to one: an empty object
 * means that there is none.
 */
export type Places = Kind | Inside
interface Inside {
  readonly properties?: Readonly<Record<string, Places>>
  /** Of all other properties. */
  readonly others?: Places
  /** Of an array's first items, in order. */
  readonly first?: readonly Places[]
  /** Of all further items. */
  readonly items?: Places
  readonly anyOf?: readonly Places[]
  /** In `anyOf`: the properties that the value must have, and the values that properties can have. */
  readonly has?: readonly string[]
  readonly is?: Readonly<Record<string, readonly unknown[]>>
}

export type Int64 = 'number' | 'bigint'

/** A number that cannot become what the contract declares without being changed. */
export class Unfit extends Error {
  readonly kind: 'inexact' | 'invalid-body'
  constructor(message: string, kind: 'inexact' | 'invalid-body' = 'inexact') {
    super(message)
    this.kind = kind
  }
}

// In ECMA-262 (JSON.parse source text access), but not in every browser in use.
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown
const { parse, rawJSON } = JSON as unknown as {
  parse(text: string, reviver?: Reviver): unknown
  rawJSON?: (text: string) => unknown
}

/** A number whose double may differ from its digits. */
class Digits {
  readonly double: number
  readonly source: string | undefined
  constructor(double: number, source: string | undefined) {
    this.double = double
    this.source = source
  }
}
const keepDigits: Reviver = (_key, value, context) =>
  typeof value !== 'number' || (Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? ''))
    ? value
    : new Digits(value, context?.source)

// Shorter numbers without an exponent are exact as doubles.
const mayBeInexact = /[\d.eE+-]{16}|\d[eE]/

/**
 * The value of a JSON text, with each int64 of the contract as `int64` says.
 * @throws SyntaxError if it is not JSON
 * @throws Unfit if an integer of the contract would be rounded, or cannot be a bigint
 */
export const parseBody = (text: string, places: Places, int64: Int64): unknown => {
  // First without a reviver: with one, a syntax error inside many nested values crashes the process (Node.js 26.10).
  const rounded = parse(text)
  if (!isKind(places) && Object.keys(places).length === 0) return rounded
  const isLong = mayBeInexact.test(text)
  return walk(isLong ? parse(text, keepDigits) : rounded, [places], 'body', isLong, (value, kinds, at) =>
    received(value as number | Digits, kinds, at, int64)
  )
}

const received = (value: number | Digits, kinds: readonly Kind[], at: string, int64: Int64): number | bigint => {
  const { double, source } = typeof value === 'number' ? { double: value, source: String(value) } : value
  const isInt64 = kinds.includes('int64')
  if (!isInt64 && !kinds.includes('integer')) return double
  const isSafe = Number.isSafeInteger(double)
  const integer = integerOf(source ?? String(double))
  const isInRange = integer !== undefined && BigInt.asIntN(64, integer) === integer
  if (kinds.includes('number') && !isInRange) return double
  const written = source ?? `about ${double}`
  if (isInt64 && int64 === 'bigint') {
    if (source === undefined && !isSafe) throw new Unfit(`${at} is ${written}: this runtime does not keep its digits`)
    if (isInRange) return integer
    throw new Unfit(`${at} is ${written}, which is not an int64`, 'invalid-body')
  }
  if (isSafe || integer === undefined) return double
  const option = isInt64 ? "; createClient({ int64: 'bigint' }) keeps it exact" : ''
  throw new Unfit(`${at} is ${written}, which a number would round${option}`)
}

// More than any number up to 2^64 has: a large exponent is not written out.
const mostDigits = 40

/** The value of a JSON number if it is an integer: `1.0` and `1e2` are. */
const integerOf = (source: string): bigint | undefined => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  // Matched from the left, in one attempt: /0+$/ tries at every zero, which takes seconds for a long number.
  const [significant] = /^\d*[1-9]/.exec(digits) ?? []
  if (significant === undefined) return 0n
  const scale = Number(exponent) - fraction.length + (digits.length - significant.length)
  if (scale < 0) return undefined
  return BigInt(sign + significant.slice(0, mostDigits) + '0'.repeat(Math.min(scale, mostDigits)))
}

/**
 * The JSON text of a value, with each int64 of the contract exact.
 * @throws Unfit if a number in such a place is not a safe integer
 */
export const bodyText = (value: unknown, places: Places): string =>
  JSON.stringify(walk(value, [places], 'body', false, sent))

const sent = (value: unknown, kinds: readonly Kind[], at: string): unknown => {
  if (!kinds.includes('int64')) return value
  if (typeof value !== 'bigint') {
    if (Number.isSafeInteger(value) || kinds.includes('number')) return value
    throw new Unfit(unsafe(at, value))
  }
  if (Number.isSafeInteger(Number(value))) return Number(value)
  if (rawJSON === undefined) throw new Unfit(`${at} is ${value}, which this runtime cannot write without JSON.rawJSON`)
  return rawJSON(String(value))
}

/** The error about a number in the place of an int64. */
export const unsafe = (at: string, value: unknown) =>
  `${at} is ${value}, which is not an integer that a number holds exactly; createClient({ int64: 'bigint' }) accepts a bigint`

/** The value with its numbers converted; what does not change is not copied. */
const walk = (
  value: unknown,
  places: readonly Places[],
  at: string,
  everywhere: boolean,
  convert: (value: unknown, kinds: readonly Kind[], at: string) => unknown
): unknown => {
  if (places.length === 0 && !everywhere) return value
  const fitting = places.flatMap(place => alternatives(place, value))
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Digits)
    return convert(value, fitting.filter(isKind), at)
  if (typeof value !== 'object' || value === null) return value
  const inside = fitting.filter((place): place is Inside => !isKind(place))
  const source = value as Record<string, unknown>
  let copy = source
  for (const key of Object.keys(source)) {
    const [ways, to] = Array.isArray(value)
      ? [inside.map(place => place.first?.[Number(key)] ?? place.items), `${at}[${key}]`]
      : [inside.map(place => own(place.properties, key) ?? place.others), `${at}.${key}`]
    const converted = walk(
      source[key],
      ways.filter(way => way !== undefined),
      to,
      everywhere,
      convert
    )
    if (converted === source[key]) continue
    if (copy === source) copy = (Array.isArray(value) ? [...value] : { ...source }) as Record<string, unknown>
    // An own property even if it is called __proto__, since the copy has it already.
    copy[key] = converted
  }
  return copy
}

const isKind = (place: Places): place is Kind => typeof place === 'string'

/** An own property: `constructor` is none. */
export const own = <T>(object: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined

/**
 * A place and those of its variants that the value can be. If it can be none of them, one was added after the client
 * was generated, and all count: an unexpected bigint is better than a rounded number.
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

const plain = (value: unknown) => (value instanceof Digits ? value.double : value)
