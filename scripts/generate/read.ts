import { readFileSync } from 'node:fs'
import { type ErrorCode, isAlias, isMap, isScalar, isSeq, LineCounter, type Node } from 'yaml'
import { mostAliased, tooManyAliased } from '../document/bounds.ts'
import { yamlDocument } from '../document/yaml-document.ts'
import type { Location, Report } from './problems.ts'

export type Json = null | boolean | number | bigint | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The entries of an object, none of anything else. */
export const entriesOf = (value: Json | undefined): [string, Json][] => (isObject(value) ? Object.entries(value) : [])

/** Sets a property as an own one: an assignment to `__proto__` would not. */
export const put = (object: object, key: string, value: unknown) =>
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })

interface Origin {
  file: string
  lines: LineCounter
  offset: number
  entries: Map<string | number, number>
}

const origins = new WeakMap<object, Origin>()

/** Where an object or array was written, or one of its entries. Objects that were derived have their origin's place. */
export const locate = (value: object, key?: string | number): Location => {
  const origin = origins.get(value)
  if (origin === undefined) throw new Error('this value does not come from a contract')
  const offset = (key === undefined ? undefined : origin.entries.get(key)) ?? origin.offset
  const { line, col } = origin.lines.linePos(offset)
  return { file: origin.file, line, column: col }
}

/** Gives a new object the place of the one that it was made from, so that a later complaint can name it. */
export const derive = <T extends object>(made: T, from: object): T => {
  const origin = origins.get(from)
  if (origin !== undefined && !origins.has(made)) origins.set(made, origin)
  return made
}

/**
 * The value of a YAML or JSON file, or undefined if it cannot be read as one; `name` stands for it in messages.
 * Integers beyond 2^53 come as bigint.
 */
export const readSource = (file: string, name: string, report: Report): Json | undefined => {
  const lines = new LineCounter()
  const text = readFileSync(file, 'utf8')
  const document = yamlDocument(text, { lineCounter: lines })
  const complain = (offset: number, message: string) => {
    const { line, col } = lines.linePos(offset)
    report.add({ file: name, line, column: col }, message)
  }
  for (const { pos, code, message } of [...document.errors, ...document.warnings]) {
    complain(pos[0], ownWords[code] ?? message)
  }
  if (document.errors.length > 0) return undefined

  const place = (value: object, offset: number) => {
    const entries = new Map<string | number, number>()
    origins.set(value, { file: name, lines, offset, entries })
    return entries
  }
  const toObject = (items: { key: unknown; value: unknown }[], offset: number) => {
    const object: JsonObject = {}
    const entries = place(object, offset)
    for (const { key, value } of items) {
      const keyNode = key as Node
      const name = String(toJson(keyNode))
      const at = keyNode.range?.[0] ?? offset
      if (name === '<<') {
        complain(at, 'the merge key << is not supported; write the entries out, or use $ref')
        continue
      }
      entries.set(name, at)
      put(object, name, toJson(value as Node | null))
    }
    return object
  }
  const toArray = (items: unknown[], offset: number) => {
    const array: Json[] = []
    const entries = place(array, offset)
    for (const [index, item] of items.entries()) {
      entries.set(index, (item as Node).range?.[0] ?? offset)
      array.push(toJson(item as Node))
    }
    return array
  }
  // What an alias may name, and of how many values that consists, with those that aliases in it stand for.
  const anchored = new Map<Node, { value: Json; size: number }>()
  let written = 0
  let aliased = 0
  const toJson = (node: Node | null): Json => {
    if (node === null) return null
    const offset = node.range?.[0] ?? 0
    if (isAlias(node)) {
      const target = node.resolve(document)
      const known = target && anchored.get(target)
      if (known !== undefined) {
        const wasWithin = aliased <= mostAliased
        aliased += known.size
        if (wasWithin && aliased > mostAliased) complain(offset, tooManyAliased(node.source))
        return known.value
      }
      const reason =
        target === undefined ? 'names nothing; an anchor &… has to stand before it' : 'stands inside of what it names'
      complain(offset, `the alias *${node.source} ${reason}`)
      return null
    }
    const before = written++ + aliased
    const plain = isMap(node)
      ? toObject(node.items, offset)
      : isSeq(node)
        ? toArray(node.items, offset)
        : isScalar(node)
          ? node.value
          : null
    if (typeof plain === 'number' && !Number.isFinite(plain)) complain(offset, `${plain} is no number of JSON`)
    const isSmall = typeof plain === 'bigint' && Number.isSafeInteger(Number(plain))
    const value = isSmall ? Number(plain) : (plain as Json)
    if (node.anchor !== undefined) anchored.set(node, { value, size: written + aliased - before })
    return value
  }
  const root = toJson(document.contents)
  return aliased > mostAliased ? undefined : root
}

const ownWords: Partial<Record<ErrorCode, string>> = {
  DUPLICATE_KEY:
    'this key stands twice in one mapping; each may stand once (two operations cannot share a method and a path)',
  MULTIPLE_DOCS: 'a second document begins here; a file has one'
}
