import {
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLError,
  type Node as YamlNode
} from 'yaml'
import { isObject, type Json, type JsonObject } from './json.ts'
import type { Fault, Parsed } from './text.ts'

/** The value of a YAML text, or what is wrong with it. */
export const parseYaml = (text: string): Parsed | Fault[] => {
  const options = { intAsBigInt: true, merge: true, prettyErrors: false, stringKeys: true } as const
  const { contents, errors, warnings } = parseDocument(text, options)
  const faults = faultsOf([...errors, ...warnings])
  if (faults.length > 0) return faults
  const reading = new Reading()
  const value = reading.toJson(contents as YamlNode | null)
  if (reading.faults.length > 0) return reading.faults
  const start = contents?.range[0] ?? 0
  return {
    value,
    offsetOf: ({ parent, key }) => reading.offsets.get(parent?.value as object)?.get(key as string | number) ?? start
  }
}

// What follows the first fault of the syntax is mostly its consequence.
const faultsOf = (errors: YAMLError[]): Fault[] => {
  const first = errors.find(({ code }) => code !== 'DUPLICATE_KEY')
  return (first === undefined ? errors : [first]).map(({ pos, code, message }) => ({
    offset: pos[0],
    message: ownWords[code] ?? `this YAML cannot be read: ${message.replace(/\s+/g, ' ')}`
  }))
}

const ownWords: Partial<Record<ErrorCode, string>> = {
  DUPLICATE_KEY: 'this key stands twice in one mapping; each may stand once',
  MULTIPLE_DOCS: 'a second document begins here; a file has one',
  TAG_RESOLVE_FAILED: 'this tag is unknown; a contract has only what JSON has'
}

type Offsets = Map<string | number, number>

/** One document on its way from the nodes of YAML to JSON. An object that has aliases is one object. */
class Reading {
  readonly faults: Fault[] = []
  readonly offsets = new Map<object, Offsets>()
  readonly #anchors = new Map<string, Json | undefined>()

  toJson(node: YamlNode | null): Json {
    if (node === null) return null
    if (isAlias(node)) return this.#aliased(node.source, node.range?.[0] ?? 0)
    if (node.anchor === undefined) return this.#plain(node)
    this.#anchors.set(node.anchor, undefined)
    const value = this.#plain(node)
    this.#anchors.set(node.anchor, value)
    return value
  }

  #plain(node: YamlNode): Json {
    if (isMap(node)) return this.#object(node.items as Pair<Scalar, YamlNode | null>[])
    if (isSeq(node)) return this.#array(node.items as (YamlNode | null)[])
    return isScalar(node) ? this.#scalar(node) : null
  }

  #object(pairs: Pair<Scalar, YamlNode | null>[]): JsonObject {
    const object: JsonObject = {}
    const offsets: Offsets = new Map()
    this.offsets.set(object, offsets)
    const merged: JsonObject[] = []
    for (const { key, value } of pairs) {
      const offset = key.range?.[0] ?? 0
      if (key.value === '<<' && key.type === 'PLAIN') {
        merged.push(...this.#mergeable(value, offset))
        continue
      }
      const name = String(this.toJson(key))
      offsets.set(name, offset)
      put(object, name, this.toJson(value))
    }
    for (const source of merged) this.#merge(source, object, offsets)
    return object
  }

  #mergeable(node: YamlNode | null, offset: number): JsonObject[] {
    const value = this.toJson(node)
    const sources = Array.isArray(value) ? value : [value]
    if (sources.every(isObject)) return sources
    this.faults.push({ offset, message: '<< takes over the entries of a mapping or of several, but here is none' })
    return []
  }

  #merge(source: JsonObject, object: JsonObject, offsets: Offsets) {
    for (const [name, value] of Object.entries(source)) {
      if (Object.hasOwn(object, name)) continue
      offsets.set(name, this.offsets.get(source)?.get(name) ?? 0)
      put(object, name, value)
    }
  }

  #array(items: (YamlNode | null)[]): Json[] {
    const offsets: Offsets = new Map(items.map((item, index) => [index, item?.range?.[0] ?? 0]))
    const array = items.map(item => this.toJson(item))
    this.offsets.set(array, offsets)
    return array
  }

  #scalar({ value, range }: Scalar): Json {
    if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) return Number(value)
    if (typeof value === 'number' && !Number.isFinite(value)) {
      this.faults.push({ offset: range?.[0] ?? 0, message: `${value} is no number of JSON` })
    }
    return value as Json
  }

  #aliased(name: string, offset: number): Json {
    const value = this.#anchors.get(name)
    if (value !== undefined) return value
    const reason = this.#anchors.has(name)
      ? 'stands inside of what it names'
      : 'names nothing; its anchor has to stand before it'
    this.faults.push({ offset, message: `the alias *${name} ${reason}` })
    return null
  }
}

/** Sets an own property: an assignment to `__proto__` would not. */
const put = (object: JsonObject, key: string, value: Json) =>
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
