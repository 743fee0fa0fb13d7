import { isUtf8 } from 'node:buffer'
import { maxMegabytes } from './bounds.ts'
import { mayNameSchemas } from './identifiers.ts'
import { parseJson } from './json-text.ts'
import { LoadError, loadErrorAt, type Problem } from './load-error.ts'
import { Node, type Place, type Source } from './node.ts'
import type { Fault, Parsed } from './text.ts'
import { parseYaml } from './yaml-text.ts'

/** A file that has been read, as YAML or JSON, depending on its content. */
export class SourceFile implements Source {
  readonly name: string
  readonly path: string
  readonly root: Node
  readonly mayNameSchemas: boolean
  readonly flaws: readonly Problem[]
  readonly #text: string
  readonly #parsed: Parsed
  #lineStarts: number[] | undefined

  /** @throws LoadError; with `isLenient`, only if other parsers cannot read it either */
  constructor(name: string, path: string, bytes: Uint8Array, isLenient = false) {
    this.name = name
    this.path = path
    this.#text = textOf(bytes, name, isLenient)
    const parsed = parse(this.#text, name, isLenient)
    if (Array.isArray(parsed)) {
      throw loadErrorAt(parsed.map(fault => this.#problemOf(fault)))
    }
    this.#parsed = parsed
    const unreadable = isUtf8(bytes) ? [] : [{ offset: Math.max(0, this.#text.indexOf('\ufffd')), message: notUtf8 }]
    this.flaws = [...unreadable, ...parsed.flaws].map(fault => {
      const { place, message } = this.#problemOf(fault)
      return { place, message: message.replace(/^this (YAML|JSON) cannot be read/, 'not every parser reads this $1') }
    })
    this.root = new Node(this, parsed.value)
    this.mayNameSchemas = mayNameSchemas(this.#text)
  }

  placeOf(node: Node): Place {
    return this.#placeAt(this.#parsed.offsetOf(node))
  }

  #problemOf({ offset, message, other }: Fault): Problem {
    const place = this.#placeAt(offset)
    if (other === undefined) return { place, message }
    const { file, line, column } = this.#placeAt(other)
    return { place, message: `${message} ${file}:${line}:${column}` }
  }

  #placeAt(offset: number): Place {
    this.#lineStarts ??= lineStartsOf(this.#text)
    const starts = this.#lineStarts
    let line = 0
    for (let end = starts.length; end - line > 1; ) {
      const middle = (line + end) >> 1
      if ((starts[middle] ?? 0) <= offset) line = middle
      else end = middle
    }
    return { file: this.name, line: line + 1, column: offset - (starts[line] ?? 0) + 1 }
  }
}

const notUtf8 = 'the file is not UTF-8'

const textOf = (bytes: Uint8Array, name: string, isLenient: boolean) => {
  const megabytes = Math.ceil(bytes.length / 1e6)
  if (megabytes > maxMegabytes) {
    const limit = `at most ${maxMegabytes} are supported; split it into several, with $ref`
    throw new LoadError([`${name}: the file has ${megabytes} MB, but ${limit}`])
  }
  if (!isUtf8(bytes) && !isLenient) throw new LoadError([`${name}: ${notUtf8}`])
  const [first = 0, second = 0] = bytes
  const encoding = { 65534: 'utf-16le', 65279: 'utf-16be' }[first * 256 + second] ?? 'utf-8'
  // A single carriage return ends a line, too (YAML 1.2, section 5.4); the parser of YAML lacks it.
  const text = new TextDecoder(encoding).decode(bytes).replace(/\r(?!\n)/g, '\n')
  if (text.trim() === '') throw new LoadError([`${name}: the file is empty`])
  return text
}

const lineStartsOf = (text: string) => {
  const starts = [0]
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1)
  return starts
}

// YAML may also begin with a brace; but if it does not parse and a quoted key follows, JSON was meant.
const parse = (text: string, name: string, isLenient: boolean): Parsed | Fault[] => {
  if (!text.trimStart().startsWith('{')) return parseYaml(text, isLenient)
  const json = parseJson(text, isLenient)
  if (!Array.isArray(json) || (name.endsWith('.json') && !isLenient)) return json
  const yaml = parseYaml(text, isLenient)
  if (!Array.isArray(yaml) && name.endsWith('.json')) return { ...yaml, flaws: [...json, ...yaml.flaws] }
  return Array.isArray(yaml) && /^\{\s*["}]/.test(text.trimStart()) ? json : yaml
}
