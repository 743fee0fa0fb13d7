import { isUtf8 } from 'node:buffer'
import { integerOf } from '../generated/client-integers.ts'

// A number of fewer characters, and without an exponent, is exact as a double.
const mayBeInexact = /[\d.eE+-]{16}|\d[eE]/
const escapedSurrogate = /\\u[dD][89a-fA-F]/

// No integer type goes beyond 64 bits.
const beyondInt64 = 2 ** 64

/**
 * The value of a JSON text (RFC 8259). An integer that a double cannot hold for certain comes as bigint, up to 2^64;
 * all other numbers as number. `1.0` and `1e2` are integers.
 * @throws SyntaxError when it is no JSON, no UTF-8, nested too deeply, or holds a lone surrogate or a number of more
 * digits than can be kept
 */
export const parseJson = (bytes: Buffer): unknown => {
  if (!isUtf8(bytes)) throw new SyntaxError('the text is not UTF-8')
  if (isTooDeep(bytes)) throw new SyntaxError('the value is nested too deeply')
  const text = bytes.toString()
  const rounded = parse(text)
  // With a reviver only what is known to be JSON: where it finds a fault amid many open values, JSON.parse (Node.js
  // 26.10) damages its heap, and the process crashes.
  const value = mayBeInexact.test(text) ? JSON.parse(text, exactNumber) : rounded
  if (escapedSurrogate.test(text)) refuseLoneSurrogates(value)
  return value
}

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
  let [sound, faulty] = [0, text.length]
  while (faulty - sound > 1) {
    const middle = (sound + faulty) >> 1
    try {
      JSON.parse(text.slice(0, middle))
      sound = middle
    } catch (error) {
      if (isUnexpected(error)) faulty = middle
      else sound = middle
    }
  }
  const lines = text.slice(0, sound).split(/\r\n|[\r\n]/)
  const character = String.fromCodePoint(text.codePointAt(sound) ?? 0)
  const place = `position ${sound} (line ${lines.length} column ${(lines.at(-1) ?? '').length + 1})`
  return new SyntaxError(`Unexpected token '${character}' in JSON at ${place}`)
}

// The reviver, our own walk and the validators need the stack. And beyond what the stack holds, some 8,000 levels,
// JSON.parse has the same fault without a reviver.
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

const exactNumber = (_key: string, value: unknown, { source }: { source?: string }) => {
  if (typeof value !== 'number' || source === undefined) return value
  if (Number.isSafeInteger(value) && /^-?\d+$/.test(source)) return value
  const exact = integerOf(source)
  if (exact !== undefined) return Number.isSafeInteger(value) || Math.abs(value) > beyondInt64 ? value : exact
  // As a double the fraction would be gone, and 1.00000000000000000001 pass as an integer.
  if (Number.isInteger(value)) throw new SyntaxError(`the number ${shortened(source)} has more digits than can be kept`)
  return value
}

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
