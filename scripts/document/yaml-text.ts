import {
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  type Scalar,
  type YAMLError,
  type Node as YamlNode
} from 'yaml'
import { mostAliased, tooManyAliased } from './bounds.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import { type Fault, type Parsed, repeatedKey } from './text.ts'
import { yamlDocument } from './yaml-document.ts'

/** The value of a YAML text, or what is wrong with it. */
export const parseYaml = (text: string): Parsed | Fault[] => {
  const { contents, errors, warnings } = yamlDocument(text, { merge: true, uniqueKeys: false })
  // What follows the first fault of the syntax is mostly its consequence.
  const [error] = [...errors, ...warnings]
  if (error !== undefined) return [faultOf(error)]
  const reading = new Reading()
  const value = reading.toJson(contents as YamlNode | null)
  if (reading.faults.length > 0) return reading.faults
  const start = contents?.range[0] ?? 0
  return {
    value,
    offsetOf: ({ parent, key }) => reading.offsets.get(parent?.value as object)?.get(key as string | number) ?? start
  }
}

const faultOf = ({ pos, code, message }: YAMLError): Fault => ({
  offset: pos[0],
  message:
    code === 'RESOURCE_EXHAUSTION'
      ? message
      : (ownWords[code] ?? `this YAML cannot be read: ${message.replace(/\s+/g, ' ')}`)
})

const ownWords: Partial<Record<ErrorCode, string>> = {
  MULTIPLE_DOCS: 'a second document begins here; a file has one',
  TAG_RESOLVE_FAILED: 'this tag is unknown; a contract has only what JSON has'
}

type Offsets = Map<string | number, number>

interface Anchored {
  value: Json
  /** How many values it consists of, those included that aliases in it stand for. */
  size: number
}

/** One document on its way from the nodes of YAML to JSON. An object that has aliases is one object. */
class Reading {
  readonly faults: Fault[] = []
  readonly offsets = new Map<object, Offsets>()
  readonly #anchors = new Map<string, Anchored | undefined>()
  #written = 0
  #aliased = 0

  toJson(node: YamlNode | null): Json {
    if (node === null) return null
    if (isAlias(node)) return this.#alias(node.source, node.range?.[0] ?? 0)
    const before = this.#written + this.#aliased
    this.#written++
    if (node.anchor === undefined) return this.#plain(node)
    this.#anchors.set(node.anchor, undefined)
    const value = this.#plain(node)
    this.#anchors.set(node.anchor, { value, size: this.#written + this.#aliased - before })
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
      const name = String(this.toJson(key))
      const first = offsets.get(name)
      if (first !== undefined) this.faults.push(repeatedKey(offset, first))
      else offsets.set(name, offset)
      if (name === '<<' && key.type === 'PLAIN') merged.push(...this.#mergeable(value, offset))
      else put(object, name, this.toJson(value))
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

  #alias(name: string, offset: number): Json {
    const target = this.#anchors.get(name)
    if (target !== undefined) {
      const wasWithin = this.#aliased <= mostAliased
      this.#aliased += target.size
      if (wasWithin && this.#aliased > mostAliased) this.faults.push({ offset, message: tooManyAliased(name) })
      return target.value
    }
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
