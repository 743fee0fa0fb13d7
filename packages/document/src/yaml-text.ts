import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  type Scalar,
  visit,
  type YAMLError,
  type Node as YamlNode
} from 'yaml'
import { maxAliased, tooManyAliased } from './bounds.ts'
import { isObject, type Json, type JsonObject, put } from './json.ts'
import { type Fault, type Parsed, repeatedKey, type Written } from './text.ts'
import { yamlDocument } from './yaml-document.ts'

/** Parses a YAML text; with `isLenient`, what other parsers read all the same is no fault but a flaw. */
export const parseYaml = (text: string, isLenient = false): Parsed | Fault[] => {
  const strict = yamlDocument(text, { merge: true, uniqueKeys: false })
  // The errors after a first syntax error are mostly consequences of it.
  const faults = [...strict.errors, ...strict.warnings].slice(0, 1).map(faultOf)
  const document = faults.length > 0 && isLenient ? readAllTheSame(text) : strict
  if (document === undefined || (faults.length > 0 && !isLenient)) return faults
  const { contents } = document
  const reading = new Reading(isLenient)
  const value = reading.toJson(contents as YamlNode | null)
  if (reading.isTooLarge || (reading.faults.length > 0 && !isLenient)) return reading.faults
  const start = contents?.range?.[0] ?? 0
  return {
    value,
    flaws: [...faults, ...reading.faults],
    offsetOf: ({ parent, key }) =>
      reading.written.get(parent?.value as object)?.entries.get(key as string | number) ?? start
  }
}

/** What js-yaml or PyYAML reads, too; undefined if the text is no YAML to them. */
const readAllTheSame = (text: string): Document.Parsed | undefined => {
  const document = yamlDocument(text, { merge: true, uniqueKeys: false, isLenient: true })
  const flows: [start: number, end: number][] = []
  visit(document, {
    Collection: (_key, { flow, range }) => {
      if (flow === true && range) flows.push([range[0], range[1]])
    }
  })
  const isHarmless = ({ code, message, pos: [at] }: YAMLError) =>
    harmless.has(code) ||
    (code === 'MISSING_CHAR' && message.startsWith('Comments must be separated')) ||
    // In braces and brackets, indentation means nothing.
    (ofIndentation.has(code) && flows.some(([start, end]) => start < at && at < end))
  return document.errors.every(isHarmless) ? document : undefined
}

const harmless: ReadonlySet<ErrorCode> = new Set(['KEY_OVER_1024_CHARS', 'NON_STRING_KEY'])
const ofIndentation: ReadonlySet<ErrorCode> = new Set(['BAD_INDENT', 'TAB_AS_INDENT'])

const faultOf = ({ pos, code, message }: YAMLError): Fault => ({
  offset: pos[0],
  message:
    code === 'RESOURCE_EXHAUSTION'
      ? message
      : (ownWords[code] ?? `this YAML cannot be read: ${unclosed(message) ?? message.replace(/\s+/g, ' ')}`)
})

const ownWords: Partial<Record<ErrorCode, string>> = {
  MULTIPLE_DOCS: 'a second document begins here; a file may have only one',
  NON_STRING_KEY: 'a key must be a string',
  TAG_RESOLVE_FAILED: 'this tag is unknown; a contract may contain only JSON values'
}

const unclosed = (message: string) =>
  /^Missing closing ['"]quote/.test(message)
    ? 'the quoted text that ends here is not closed, or goes on with too little indentation'
    : undefined

type Entries = Map<string | number, number>

interface Anchored {
  value: Json
  /** The number of its values, including those of aliases in it. */
  size: number
}

/** Converts a document from YAML nodes to JSON. All aliases of an object refer to the same object. */
export class Reading {
  readonly faults: Fault[] = []
  readonly written = new Map<object, Written>()
  readonly #anchors = new Map<string, Anchored | undefined>()
  /** The number of values. */
  #size = 0
  #aliased = 0
  readonly #isLenient: boolean

  /** With `isLenient`, what is no JSON value stays the text as which it is written. */
  constructor(isLenient = false) {
    this.#isLenient = isLenient
  }

  /** Whether aliases expand it beyond what can be processed. */
  get isTooLarge(): boolean {
    return this.#aliased > maxAliased
  }

  toJson(node: YamlNode | null): Json {
    if (node === null) return null
    if (isAlias(node)) return this.#alias(node.source, node.range?.[0] ?? 0)
    const before = this.#size++ + this.#aliased
    if (node.anchor === undefined) return this.#plain(node)
    this.#anchors.set(node.anchor, undefined)
    const value = this.#plain(node)
    this.#anchors.set(node.anchor, { value, size: this.#size + this.#aliased - before })
    return value
  }

  #plain(node: YamlNode): Json {
    const offset = node.range?.[0] ?? 0
    if (isMap(node)) return this.#object(node.items as Pair<Scalar, YamlNode | null>[], offset)
    if (isSeq(node)) return this.#array(node.items as (YamlNode | null)[], offset)
    return isScalar(node) ? this.#scalar(node) : null
  }

  #object(pairs: Pair<Scalar, YamlNode | null>[], at: number): JsonObject {
    const object: JsonObject = {}
    const entries: Entries = new Map()
    this.written.set(object, { offset: at, entries })
    const merged: JsonObject[] = []
    for (const { key, value } of pairs) {
      const offset = key.range?.[0] ?? 0
      const name = String(this.toJson(key))
      const first = entries.get(name)
      if (first !== undefined) this.faults.push(repeatedKey(object, name, offset, first))
      else entries.set(name, offset)
      if (name === '<<' && key.type === 'PLAIN') merged.push(...this.#mergeable(value, offset))
      else put(object, name, this.toJson(value))
    }
    for (const source of merged) this.#merge(source, object, entries)
    return object
  }

  #mergeable(node: YamlNode | null, offset: number): JsonObject[] {
    const value = this.toJson(node)
    const sources = Array.isArray(value) ? value : [value]
    if (sources.every(isObject)) return sources
    this.faults.push({ offset, message: '<< merges the entries of one mapping or of several, but none is given here' })
    return []
  }

  #merge(source: JsonObject, object: JsonObject, entries: Entries) {
    for (const [name, value] of Object.entries(source)) {
      if (Object.hasOwn(object, name)) continue
      entries.set(name, this.written.get(source)?.entries.get(name) ?? 0)
      put(object, name, value)
    }
  }

  #array(items: (YamlNode | null)[], offset: number): Json[] {
    const entries = new Map(items.map((item, index) => [index, item?.range?.[0] ?? 0]))
    const array = items.map(item => this.toJson(item))
    this.written.set(array, { offset, entries })
    return array
  }

  #scalar({ value, range }: Scalar): Json {
    if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) return Number(value)
    if (typeof value === 'number' && !Number.isFinite(value)) {
      this.faults.push({ offset: range?.[0] ?? 0, message: `${value} is not a JSON number` })
      if (this.#isLenient) return String(value)
    }
    return value as Json
  }

  #alias(name: string, offset: number): Json {
    const target = this.#anchors.get(name)
    if (target !== undefined) {
      const wasTooLarge = this.isTooLarge
      this.#aliased += target.size
      if (!wasTooLarge && this.isTooLarge) this.faults.push({ offset, message: tooManyAliased(name) })
      return target.value
    }
    const reason = this.#anchors.has(name)
      ? 'is inside the value that it refers to'
      : 'has no anchor; declare one with & before it'
    this.faults.push({ offset, message: `the alias *${name} ${reason}` })
    return this.#isLenient ? `*${name}` : null
  }
}
