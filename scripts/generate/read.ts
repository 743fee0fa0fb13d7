import { readFileSync } from 'node:fs'
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { ContractError, type Location, type Problem } from './problems.ts'

export type Json = null | boolean | number | bigint | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A file of the contract, and where each of its values stands in it. */
export interface Source {
  file: string
  root: Json
}

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
 * Reads one YAML or JSON file. Integers beyond 2^53 come as bigint.
 * @throws ContractError with all syntax errors and duplicate keys of the file
 */
export const readSource = (file: string, name = file): Source => {
  const lines = new LineCounter()
  const document = parseDocument(readFileSync(file, 'utf8'), {
    lineCounter: lines,
    intAsBigInt: true,
    stringKeys: true
  })
  const problems: Problem[] = document.errors.map(error => {
    const { line, col } = lines.linePos(error.pos[0])
    const message = error.code === 'DUPLICATE_KEY' ? duplicateKey : firstLine(error.message)
    return { at: { file: name, line, column: col }, message }
  })
  if (problems.length > 0) throw new ContractError(problems)

  const place = (value: object, offset: number) => {
    const entries = new Map<string | number, number>()
    origins.set(value, { file: name, lines, offset, entries })
    return entries
  }
  const toJson = (node: Node | null): Json => {
    if (node === null) return null
    if (isAlias(node)) return toJson(node.resolve(document) ?? null)
    const offset = node.range?.[0] ?? 0
    if (isMap(node)) {
      const object: JsonObject = {}
      const entries = place(object, offset)
      for (const { key, value } of node.items) {
        const keyNode = key as Node
        const keyText = String(isScalar(keyNode) ? keyNode.value : keyNode)
        entries.set(keyText, keyNode.range?.[0] ?? offset)
        // Not an assignment: the key may be `__proto__`.
        Object.defineProperty(object, keyText, {
          value: toJson(value as Node | null),
          enumerable: true,
          writable: true,
          configurable: true
        })
      }
      return object
    }
    if (isSeq(node)) {
      const array: Json[] = []
      const entries = place(array, offset)
      node.items.forEach((item, index) => {
        entries.set(index, (item as Node).range?.[0] ?? offset)
        array.push(toJson(item as Node))
      })
      return array
    }
    const value = isScalar(node) ? node.value : undefined
    return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : (value as Json)
  }
  return { file: name, root: toJson(document.contents) }
}

const duplicateKey =
  'this key stands twice in one mapping; each may stand once (two operations cannot share a method and a path)'
const firstLine = (message: string) => message.split('\n')[0]?.replace(/ at line \d+.*$/, '') ?? message
