import { isUtf8 } from 'node:buffer'

/**
 * A value that was read from a long text, where some numbers are known only as the doubles next to them. An integer may
 * be another integer, or a number with a fraction.
 */
export class Rounded {
  readonly value: unknown
  /** The value as `parseJson` gives it, as a copy; throws what it throws. */
  readonly exact: () => unknown

  constructor(value: unknown, exact: () => unknown) {
    this.value = value
    this.exact = exact
  }
}

/**
 * The value of a JSON text (RFC 8259). An integer that a double cannot hold for certain comes as bigint, up to 2^64;
 * all other numbers as number. `1.0` and `1e2` are integers.
 * @throws SyntaxError when it is no JSON, no UTF-8, nested too deeply, or holds a lone surrogate or a number of more
 * digits than can be kept
 */
export const parseJson = (bytes: Buffer): unknown => {
  const value = readJson(bytes)
  return value instanceof Rounded ? value.exact() : value
}

/**
 * The same, but `Rounded` where exact numbers would take much longer than all else: what that shows already need not be
 * found out exactly.
 */
export const readJson = (bytes: Buffer): unknown => {
  if (!isUtf8(bytes)) throw new SyntaxError('the text is not UTF-8')
  if (isTooDeep(bytes)) throw new SyntaxError('the value is nested too deeply')
  const text = bytes.toString()
  const rounded = parse(text)
  if (escapedSurrogate.test(text)) refuseLoneSurrogates(rounded)
  if (!mayBeInexact.test(text)) return rounded
  const exact = () => exactly(text)
  return text.length <= longestAtOnce ? exact() : new Rounded(rounded, exact)
}

// Up to here an exact reading takes 0.3 ms at most.
const longestAtOnce = 4096

// Any other number has at most 15 digits, is below 10^15, and not so small that a double would hold it as 0.
const mayBeInexact = /[\d.]{16}|[\d.]{7}[eE]|[eE][+-]?\d\d/
const stringOrInexact =
  /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:[\d.]{16,}(?:[eE][+-]?\d+)?|[\d.]{7,15}[eE][+-]?\d+|[\d.]{1,6}[eE][+-]?\d\d+)/g

// No string that was read begins like this, since lone surrogates are refused.
const mark = 0xdc00

/**
 * The value with exact numbers. They are put into strings, which JSON.parse keeps: its reviver takes 3 µs for each value
 * of the text, whatever it is. And where it finds a fault amid many open values, JSON.parse with a reviver (Node.js
 * 26.10) damages its heap, and the process crashes.
 */
const exactly = (text: string): unknown => {
  const marked = text.replace(stringOrInexact, found =>
    found.startsWith('"') ? found : `"${String.fromCharCode(mark)}${found}"`
  )
  return withExactNumbers(JSON.parse(marked), new Map())
}

/** The same value, with numbers for the strings that stand for them; each is computed once, however often it occurs. */
const withExactNumbers = (value: unknown, known: Map<string, number | bigint>): unknown => {
  if (typeof value === 'string') return value.charCodeAt(0) === mark ? numberFor(value, known) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = withExactNumbers(value[i], known)
    return value
  }
  const object = value as Record<string, unknown>
  for (const name of Object.keys(object)) {
    const exact = withExactNumbers(object[name], known)
    // An own property, also where it is called __proto__: it is there already.
    if (exact !== object[name]) object[name] = exact
  }
  return value
}

const numberFor = (marked: string, known: Map<string, number | bigint>): number | bigint => {
  let number = known.get(marked)
  if (number === undefined) {
    number = exactNumber(marked.slice(1))
    known.set(marked, number)
  }
  return number
}

const exactNumber = (source: string): number | bigint => {
  const value = Number(source)
  if (!Number.isInteger(value)) return value
  const exact = plainInteger.test(source) ? BigInt(source) : integerOf(source)
  if (exact !== undefined) return Number.isSafeInteger(value) || Math.abs(value) > beyondInt64 ? value : exact
  // As a double the fraction would be gone, and 1.00000000000000000001 pass as an integer.
  throw new SyntaxError(`the number ${shortened(source)} has more digits than can be kept`)
}

const plainInteger = /^-?\d{1,25}$/

// More than any number up to 2^64 has, so that large exponents need no digits written out.
const mostDigits = 40

/** The value of a JSON number if it is an integer, as the generated client reads it, which stands for itself. */
const integerOf = (source: string): bigint | undefined => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  // From the left, where it begins once: /0+$/ begins at every zero, which in a long number takes seconds.
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

// Of an unexpected character V8 does not say where it is, but shows what is around it: there may be a secret.
const isUnexpected = (error: unknown) => (error as SyntaxError).message.endsWith('is not valid JSON')

/** What V8 says of other faults, for an unexpected character: the first with which the text cannot go on. */
const unexpected = (text: string): SyntaxError => {
  let at = soundPart.exec(text)?.[0].length ?? 0
  at += (at === 0 ? /^\[?[ \t\n\r]*/ : /^[[,:]?[ \t\n\r]*/).exec(text.slice(at))?.[0].length ?? 0
  at += soundBeginning.exec(text.slice(at))?.[0].length ?? 0
  const lines = text.slice(0, at).split(/\r\n|[\r\n]/)
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
  const place = `position ${at} (line ${lines.length} column ${(lines.at(-1) ?? '').length + 1})`
  return new SyntaxError(`Unexpected token '${character}' in JSON at ${place}`)
}

// Up to where a value has to begin and does not, or a string has a wrong escape: of all other faults V8 says where they
// are, also of an escape in Latin-1.
const soundPart =
  /^(?:[ \t\n\r]*(?=["\-\d[{]|true|false|null)(?:"[^"\\]*(?:\\[^\u0100-\uffff][^"\\]*)*"|[-\d.eE+ \t\n\r{}\]]+|[[,:][ \t\n\r]*(?=["\-\d[{]|true|false|null)|\[[ \t\n\r]*(?=\])|true|false|null)*)?/
const soundBeginning =
  /^(?:"[^"\\]*(?:\\[^\u0100-\uffff][^"\\]*)*\\|t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?)?/

// Our own walks and the validators need the stack. And beyond what the stack holds, some 8,000 levels, JSON.parse
// damages its heap, and the process crashes (Node.js 26.10).
const mostLevels = 500

/** Whether values are nested more deeply than that, as far as the text is JSON. */
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
