import { maxLevels, tooDeep } from './bounds.ts'
import { type Json, type JsonObject, put } from './json.ts'
import { type Fault, repeatedKey, type Written } from './text.ts'

/** Where a text is not JSON. */
export class Unexpected extends SyntaxError {
  readonly offset: number

  constructor(offset: number) {
    super(`unexpected at ${offset}`)
    this.offset = offset
  }
}

const space = /[ \t\n\r]*/y
// Most strings are like this, and need no decoding.
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON does not allow them
const plainString = /"[^"\\\x00-\x1f]*"/y
const string = /"[^"\\]*(?:\\.[^"\\]*)*"/sy
const number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y
const word = /true|false|null/y

/**
 * Reads a JSON text in one pass, and keeps where its objects and arrays are written.
 *
 * (With `visit` of the package `jsonc-parser` 3.3, GitHub's document of 13 MB takes 0.76 s of CPU and 206 MB instead of 0.51 s
 * and 173 MB. It would save some 60 lines only: exact numbers, repeated keys, the depth limit and the offsets below would still
 * be ours.)
 */
export class JsonReading {
  readonly repeated: Fault[] = []
  readonly written = new Map<object, Written>()
  readonly #text: string
  #at = 0
  #level = 0

  constructor(text: string) {
    this.#text = text
  }

  /**
   * The value of the whole text. Integers beyond 2^53 are bigints; of repeated keys, the last one counts.
   * @throws SyntaxError: Unexpected, OutOfBounds, or for a number that is too large
   */
  toJson(): Json {
    const value = this.#value()
    this.#match(space)
    if (this.#at < this.#text.length) throw new Unexpected(this.#at)
    return value
  }

  #value(): Json {
    this.#match(space)
    const first = this.#text[this.#at]
    if (first === '"') return this.#string()
    if (first === '{' || first === '[') {
      if (++this.#level > maxLevels) throw tooDeep(this.#at)
      const value = first === '{' ? this.#object() : this.#array()
      this.#level--
      return value
    }
    if (first === 't' || first === 'f' || first === 'n') return JSON.parse(this.#match(word))
    return exactNumber(this.#match(number))
  }

  #object(): JsonObject {
    const object: JsonObject = {}
    const written = new WrittenObject(this.#text, this.#at)
    this.written.set(object, written)
    this.#list('}', () => {
      const offset = this.#at
      const key = this.#string()
      this.#expect(':')
      const value = this.#value()
      if (Object.hasOwn(object, key)) this.repeated.push(repeatedKey(object, key, offset, written.find(key)))
      put(object, key, value)
      written.offsets.push(offset)
    })
    written.offsets = fitted(written.offsets)
    return object
  }

  #array(): Json[] {
    const array: Json[] = []
    const written = new WrittenArray(this.#at)
    this.written.set(array, written)
    this.#list(']', () => {
      written.offsets.push(this.#at)
      array.push(this.#value())
    })
    written.offsets = fitted(written.offsets)
    return array
  }

  #list(closing: string, readEntry: () => void) {
    this.#at++
    this.#match(space)
    for (let isFirst = true; this.#text[this.#at] !== closing; isFirst = false) {
      if (!isFirst) this.#expect(',')
      this.#match(space)
      readEntry()
      this.#match(space)
    }
    this.#at++
  }

  #string(): string {
    plainString.lastIndex = this.#at
    if (!plainString.test(this.#text)) return decoded(this.#match(string), this.#at)
    const text = this.#text.slice(this.#at + 1, plainString.lastIndex - 1)
    this.#at = plainString.lastIndex
    return text
  }

  #expect(character: string) {
    this.#match(space)
    if (this.#text[this.#at] !== character) throw new Unexpected(this.#at)
    this.#at++
  }

  #match(token: RegExp): string {
    const begin = this.#at
    token.lastIndex = begin
    if (!token.test(this.#text)) throw new Unexpected(begin)
    this.#at = token.lastIndex
    return token === space ? '' : this.#text.slice(begin, this.#at)
  }
}

/** A copy without the room for 16 more entries that V8 makes at the first. */
const fitted = (offsets: readonly number[]): number[] => offsets.slice()

class WrittenArray implements Written {
  readonly offset: number
  offsets: number[] = []

  constructor(offset: number) {
    this.offset = offset
  }

  get entries(): Written['entries'] {
    return new Map(this.offsets.entries())
  }
}

/** Only offsets are kept: few entries are ever looked up, and their keys can be read again. */
class WrittenObject implements Written {
  readonly offset: number
  offsets: number[] = []
  readonly #text: string
  #entries: Written['entries'] | undefined

  constructor(text: string, offset: number) {
    this.#text = text
    this.offset = offset
  }

  get entries(): Written['entries'] {
    this.#entries ??= new Map(this.offsets.map(offset => [this.#keyAt(offset), offset]))
    return this.#entries
  }

  find(key: string): number {
    return this.offsets.find(offset => this.#keyAt(offset) === key) ?? this.offset
  }

  #keyAt(offset: number): string {
    string.lastIndex = offset
    return JSON.parse(string.exec(this.#text)?.[0] ?? '""')
  }
}

const decoded = (text: string, end: number): string => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Unexpected(end - text.length)
  }
}

/** @throws SyntaxError if it is too large */
const exactNumber = (source: string): number | bigint => {
  const value = Number(source)
  if (Number.isSafeInteger(value)) return value
  if (!Number.isFinite(value)) throw new SyntaxError(`the number ${source} is too large`)
  return /^-?\d+$/.test(source) ? BigInt(source) : value
}
