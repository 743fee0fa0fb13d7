import { isUtf8 } from 'node:buffer'
import { getOrMake } from './get-or-make.ts'

/** A value as read, which may be rounded or have reserved names. */
export class Read {
  readonly value: unknown
  /**
   * In a long text, numbers may be rounded to doubles, so that an integer may really be another integer or have a
   * fraction.
   */
  readonly isRounded: boolean
  /** Whether it may have names that no request may have (`reservedName`). */
  readonly mayHaveReservedNames: boolean
  readonly #exact: (() => unknown) | undefined

  constructor(value: unknown, exact?: () => unknown, mayHaveReservedNames = false) {
    this.value = value
    this.isRounded = exact !== undefined
    this.mayHaveReservedNames = mayHaveReservedNames
    this.#exact = exact
  }

  /** The value as `parseJson` returns it, read anew if this one is rounded; throws what that throws. */
  exact(): unknown {
    return this.#exact === undefined ? this.value : this.#exact()
  }
}

/**
 * The value of a JSON text (RFC 8259). Integers that a double may not hold exactly are bigint, up to 2^64; all other
 * numbers are number. `1.0` and `1e2` are integers.
 * @throws SyntaxError if the text is not JSON or not UTF-8, is nested too deeply, or has a lone surrogate or a number
 * with more digits than can be kept
 */
export const parseJson = (bytes: Buffer): unknown => {
  const value = readJson(bytes)
  return value instanceof Read ? value.exact() : value
}

/**
 * The same, but `Read` if there may be reserved names, or if exact numbers would take long: most violations show without
 * them.
 */
export const readJson = (bytes: Buffer): unknown => {
  if (!isUtf8(bytes)) throw new SyntaxError('the text is not UTF-8')
  if (isTooDeep(bytes)) throw new SyntaxError('the value is nested too deeply')
  const text = bytes.toString()
  const rounded = parse(text)
  if (escapedSurrogate.test(text)) refuseLoneSurrogates(rounded)
  const mayHaveReservedNames = reservedNames.test(text)
  const isExact = !mayBeInexact.test(text)
  if (!isExact && text.length > longestAtOnce) return new Read(rounded, () => exactly(text), mayHaveReservedNames)
  const value = isExact ? rounded : exactly(text)
  return mayHaveReservedNames ? new Read(value, undefined, true) : value
}

// May also match texts; letters may be escaped.
const reservedNames = /(?:__proto__|constructor)"|\\u00[5-7]/

// Up to this length exact numbers take at most 0.3 ms.
const longestAtOnce = 4096

// Any other number has at most 15 digits, is below 10^15, and does not round to 0.
const mayBeInexact = /[\d.]{16}|[\d.]{7}[eE]|[eE][+-]?\d\d/
const stringOrInexact =
  /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:[\d.]{16,}(?:[eE][+-]?\d+)?|[\d.]{7,15}[eE][+-]?\d+|[\d.]{1,6}[eE][+-]?\d\d+)/g

// No string begins like this: lone surrogates are rejected.
const mark = 0xdc00

/**
 * The value with exact numbers, which pass through JSON.parse as marked strings. A reviver would take 3 µs for every value of the
 * text; and with one, JSON.parse (Node.js 26.10) corrupts its heap at a syntax error within many open values, and the
 * process crashes.
 */
const exactly = (text: string): unknown => {
  const marked = text.replace(stringOrInexact, found =>
    found.startsWith('"') ? found : `"${String.fromCharCode(mark)}${found}"`
  )
  return withExactNumbers(JSON.parse(marked), new Map())
}

/** Replaces marked strings by their numbers, each computed only once. */
const withExactNumbers = (value: unknown, known: Map<string, number | bigint>): unknown => {
  if (typeof value === 'string') return value.charCodeAt(0) === mark ? getOrMake(known, value, exactNumber) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = withExactNumbers(value[i], known)
    return value
  }
  const object = value as Record<string, unknown>
  for (const name of Object.keys(object)) {
    const exact = withExactNumbers(object[name], known)
    // Safe even for __proto__, which is already an own property here.
    if (exact !== object[name]) object[name] = exact
  }
  return value
}

const exactNumber = (marked: string): number | bigint => {
  const source = marked.slice(1)
  const value = Number(source)
  if (!Number.isInteger(value)) return value
  const exact = plainInteger.test(source) ? BigInt(source) : integerOf(source)
  if (exact !== undefined) return Number.isSafeInteger(value) || Math.abs(value) > beyondInt64 ? value : exact
  // A double would lose the fraction, so that 1.00000000000000000001 would pass as an integer.
  throw new SyntaxError(`the number ${shortened(source)} has more digits than can be kept`)
}

const plainInteger = /^-?\d{1,25}$/

// More digits than any number up to 2^64 has, so that large exponents are not written out in full.
const mostDigits = 40

/** The value of a JSON number if it is an integer. (The generated client, which imports nothing, has a copy of this.) */
const integerOf = (source: string): bigint | undefined => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  // Matched from the left: /0+$/ would start at every zero, which takes seconds for a long number.
  const [significant] = /^\d*[1-9]/.exec(digits) ?? []
  if (significant === undefined) return 0n
  const scale = Number(exponent) - fraction.length + (digits.length - significant.length)
  if (scale < 0) return undefined
  return BigInt(sign + significant.slice(0, mostDigits) + '0'.repeat(Math.min(scale, mostDigits)))
}

// No integer type goes beyond 64 bits.
const beyondInt64 = 2 ** 64

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw isUnexpected(error) ? unexpected(text) : error
  }
}

// For an unexpected character, V8 gives no position but quotes the surrounding text, which may be secret.
const isUnexpected = (error: unknown) => (error as SyntaxError).message.endsWith('is not valid JSON')

/** An error with the position of the first unexpected character, in the wording of V8's other syntax errors. */
const unexpected = (text: string): SyntaxError => {
  let at = soundPart.exec(text)?.[0].length ?? 0
  at += (at === 0 ? /^\[?[ \t\n\r]*/ : /^[[,:]?[ \t\n\r]*/).exec(text.slice(at))?.[0].length ?? 0
  at += soundBeginning.exec(text.slice(at))?.[0].length ?? 0
  const lines = text.slice(0, at).split(/\r\n|[\r\n]/)
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
  const place = `position ${at} (line ${lines.length} column ${(lines.at(-1) ?? '').length + 1})`
  return new SyntaxError(`Unexpected token '${character}' in JSON at ${place}`)
}

// The part before a missing value or an invalid escape in a string. V8 gives the position of all other errors, also of
// an escape in Latin-1.
const soundPart =
  /^(?:[ \t\n\r]*(?=["\-\d[{]|true|false|null)(?:"[^"\\]*(?:\\[^\u0100-\uffff][^"\\]*)*"|[-\d.eE+ \t\n\r{}\]]+|[[,:][ \t\n\r]*(?=["\-\d[{]|true|false|null)|\[[ \t\n\r]*(?=\])|true|false|null)*)?/
const soundBeginning =
  /^(?:"[^"\\]*(?:\\[^\u0100-\uffff][^"\\]*)*\\|t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?)?/

// Our own recursion and the validators need the stack. Beyond some 8,000 levels, which it holds, JSON.parse corrupts its
// heap, and the process crashes (Node.js 26.10).
const mostLevels = 500

/** Whether values are nested more deeply, as far as the text is JSON. */
const isTooDeep = (bytes: Buffer): boolean => {
  if (bytes.length <= mostLevels) return false
  let level = 0
  let isString = false
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case 0x22: // "
        isString = !isString
        break
      case 0x5c: // \
        if (isString) at++
        break
      case 0x5b: // [
      case 0x7b: // {
        if (!isString && ++level > mostLevels) return true
        break
      case 0x5d: // ]
      case 0x7d: // }
        if (!isString) level--
    }
  }
  return false
}

const escapedSurrogate = /\\u[dD][89a-fA-F]/

const refuseLoneSurrogates = (value: unknown): void => {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new SyntaxError('a string holds half of a surrogate pair')
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) {
      refuseLoneSurrogates(key)
      refuseLoneSurrogates(child)
    }
  }
}

const shortened = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text)

/** `JSON.stringify`, with bigints as integers. */
export const exactJson = (value: unknown): string =>
  JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each)) ?? 'null'
