import { componentsOf, isObject, type JsonObject } from '@contract-first/document'
import { isReference, type Lookup, nameOf } from './pointer.ts'
import { referencesIn } from './recursion.ts'
import { subschemasOf } from './schema-tree.ts'

type Test = (schema: JsonObject) => boolean

/** A contract's component schemas, and what can be told only from all of them. */
export class Schemas {
  /** By name, in the contract's order. */
  readonly all: ReadonlyMap<string, JsonObject>
  readonly #references: ReadonlyMap<string, readonly string[]>
  readonly #referrers = new Map<string, string[]>()
  #recursive: ReadonlySet<string> | undefined
  #hasClosed: Test | undefined
  #hasDefault: Test | undefined
  readonly #hasFlag = new Map<string, Test>()

  constructor(all: ReadonlyMap<string, JsonObject>) {
    this.all = all
    this.#references = new Map([...all].map(([name, schema]) => [name, referencesIn(schema)]))
    for (const [name, references] of this.#references)
      for (const each of references) this.#referrers.getOrInsertComputed(each, () => []).push(name)
  }

  readonly lookup: Lookup = name => this.all.get(name) ?? {}

  /** These, and those that they refer to, at any depth. */
  reachableFrom(names: Iterable<string>): Schemas {
    const reachable = new Set(names)
    for (const each of reachable) for (const name of this.#references.get(each) ?? []) reachable.add(name)
    return new Schemas(new Map([...this.all].filter(([name]) => reachable.has(name))))
  }

  /** Components that contain themselves. */
  isRecursive(name: string): boolean {
    this.#recursive ??= recursiveIn(this.#references)
    return this.#recursive.has(name)
  }

  /** Whether a schema contains an object whose undeclared properties are rejected in responses. */
  hasClosed(schema: JsonObject): boolean {
    this.#hasClosed ??= this.containing(
      ({ properties, patternProperties, additionalProperties }) =>
        (properties ?? patternProperties) !== undefined && additionalProperties === undefined
    )
    return this.#hasClosed(schema)
  }

  hasDefault(schema: JsonObject): boolean {
    this.#hasDefault ??= this.containing(each => each.default !== undefined)
    return this.#hasDefault(schema)
  }

  hasFlag(schema: JsonObject, flag: 'readOnly' | 'writeOnly'): boolean {
    const test = this.#hasFlag.get(flag) ?? this.containing(each => each[flag] === true)
    this.#hasFlag.set(flag, test)
    return test(schema)
  }

  /** Tests whether a schema contains, at any depth and also by reference, one that passes the test. */
  containing(test: Test): Test {
    const names = new Set<string>()
    const has = (schema: JsonObject): boolean => test(schema) || subschemasOf(schema).some(has)
    const next = [...this.all].filter(([, schema]) => has(schema)).map(([name]) => name)
    for (const name of next) {
      if (names.has(name)) continue
      names.add(name)
      next.push(...(this.#referrers.get(name) ?? []))
    }
    const contains = (schema: JsonObject): boolean =>
      (isReference(schema) && names.has(nameOf(schema.$ref))) ||
      test(schema) ||
      subschemasOf(schema).some(each => isObject(each) && contains(each))
    return contains
  }
}

/** The nodes of a graph that lie on a cycle. */
export const recursiveIn = (edges: ReadonlyMap<string, readonly string[]>): Set<string> => {
  const recursive = new Set<string>()
  const visited = new Set<string>()
  const nextOf = (name: string) => (edges.get(name) ?? []).filter(each => !visited.has(each))
  for (const name of edges.keys()) {
    if (visited.has(name)) continue
    for (const members of componentsOf(name, nextOf))
      for (const each of members) {
        visited.add(each)
        if (members.length > 1 || edges.get(each)?.includes(each)) recursive.add(each)
      }
  }
  return recursive
}
