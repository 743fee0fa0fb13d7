import { maxLevels, TooDeep } from './bounds.ts'
import type { Json } from './json.ts'
import type { Node } from './node.ts'
import { type Fault, type Parsed, repeatedKey } from './text.ts'

/** Parses a JSON text. Positions are determined only on demand. */
export const parseJson = (text: string): Parsed | Fault[] => {
  try {
    const value = jsonValue(text)
    const layout = new Layout(text)
    layout.pass(0)
    return layout.repeated.length > 0 ? layout.repeated : { value, offsetOf: node => layout.entry(node).offset }
  } catch (error) {
    if (error instanceof TooDeep) return [error]
    if (!(error instanceof SyntaxError)) throw error
    return [{ offset: offsetOf(error, text), message: `this JSON cannot be read: ${reasonOf(error)}` }]
  }
}

/**
 * The value of a JSON text; of repeated keys, the last one counts.
 * @throws SyntaxError
 */
export const jsonValue = (text: string): Json => {
  refuseTooDeep(text)
  // At a syntax error within many open values, JSON.parse with a reviver (Node.js 26.10) crashes the process; within some
  // 8,000, even without a reviver.
  JSON.parse(text)
  // TypeScript 5.9 does not declare the reviver's third parameter.
  return JSON.parse(text, exactNumber as (key: string, value: unknown) => unknown) as Json
}

const refuseTooDeep = (text: string) => {
  let level = 0
  for (let at = 0, isString = false; at < text.length; at++) {
    const character = text[at]
    if (character === '"') isString = !isString
    else if (isString) at += Number(character === '\\')
    else if (character === '{' || character === '[') level++
    else if (character === '}' || character === ']') level--
    if (level > maxLevels) throw new TooDeep(at)
  }
}

const exactNumber = (_key: string, value: unknown, { source }: { source?: string }) => {
  if (typeof value !== 'number' || source === undefined || Number.isSafeInteger(value)) return value
  if (!Number.isFinite(value)) throw new SyntaxError(`the number ${source} is too large`)
  return /^-?\d+$/.test(source) ? BigInt(source) : value
}

// V8 reports the position of most errors in this form.
const position = /(?: in JSON)? at position (\d+).*$/s

const reasonOf = ({ message }: SyntaxError) => message.replace(position, '').replace(/, .* is not valid JSON$/s, '')

const offsetOf = (error: SyntaxError, text: string) => {
  const reported = position.exec(error.message)?.[1]
  if (reported !== undefined) return Number(reported)
  const number = /^the number (\S+)/.exec(error.message)?.[1]
  if (number !== undefined) return text.indexOf(number)
  try {
    new Layout(text).pass(0)
  } catch (unexpected) {
    if (unexpected instanceof Unexpected) return unexpected.offset
  }
  return text.length
}

class Unexpected extends Error {
  readonly offset: number

  constructor(offset: number) {
    super(`unexpected at ${offset}`)
    this.offset = offset
  }
}

interface Entry {
  /** Of the key, or of the value if there is none. */
  offset: number
  value: number
}

const space = /[ \t\n\r]*/y
const string = /"[^"\\]*(?:\\.[^"\\]*)*"/sy
const literal = /-?\d[\d.eE+-]*|true|false|null/y

/** The positions of values in a JSON text. An object or array is scanned when one of its entries is looked up. */
class Layout {
  /** In everything scanned so far. */
  readonly repeated: Fault[] = []
  readonly #text: string
  readonly #entries = new Map<Node, Map<string | number, Entry>>()

  constructor(text: string) {
    this.#text = text
  }

  entry(node: Node): Entry {
    if (node.parent === undefined) {
      const offset = this.#match(space, 0)
      return { offset, value: offset }
    }
    const entry = this.#entriesOf(node.parent).get(node.key as string | number)
    if (entry === undefined) throw new Error(`${node.pointer} is not of this text`)
    return entry
  }

  #entriesOf(node: Node) {
    let entries = this.#entries.get(node)
    if (entries === undefined) {
      entries = new Map()
      this.pass(this.entry(node).value, entries)
      this.#entries.set(node, entries)
    }
    return entries
  }

  /**
   * Returns the offset after the value at an offset, and collects its entries.
   * @throws Unexpected if it is not JSON
   */
  pass(start: number, entries?: Map<string | number, Entry>): number {
    const begin = this.#match(space, start)
    if (this.#text[begin] === '{') return this.#passObject(begin, entries)
    if (this.#text[begin] === '[') return this.#passArray(begin, entries)
    return this.#match(this.#text[begin] === '"' ? string : literal, begin)
  }

  #passObject(begin: number, entries = new Map<string | number, Entry>()) {
    return this.#passList(begin, '}', offset => {
      const end = this.#match(string, offset)
      const value = this.#match(space, this.#expect(':', end))
      const key: string = JSON.parse(this.#text.slice(offset, end))
      const first = entries.get(key)
      if (first !== undefined) this.repeated.push(repeatedKey(offset, first.offset))
      else entries.set(key, { offset, value })
      return this.pass(value)
    })
  }

  #passArray(begin: number, entries: Map<string | number, Entry> | undefined) {
    return this.#passList(begin, ']', (offset, index) => {
      entries?.set(index, { offset, value: offset })
      return this.pass(offset)
    })
  }

  #passList(begin: number, closing: string, passItem: (offset: number, index: number) => number) {
    let offset = this.#match(space, begin + 1)
    for (let index = 0; this.#text[offset] !== closing; index++) {
      if (index > 0) offset = this.#match(space, this.#expect(',', offset))
      offset = this.#match(space, passItem(offset, index))
    }
    return offset + 1
  }

  #expect(character: string, offset: number) {
    const found = this.#match(space, offset)
    if (this.#text[found] !== character) throw new Unexpected(found)
    return found + 1
  }

  #match(token: RegExp, offset: number) {
    token.lastIndex = offset
    if (!token.test(this.#text)) throw new Unexpected(offset)
    return token.lastIndex
  }
}
