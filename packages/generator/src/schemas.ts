import { getOrMake, isObject, type JsonObject } from '@contract-first/document'
import { isReference, type Lookup, nameOf } from './pointer.ts'
import { recursiveIn, referencesIn } from './recursion.ts'
import { subschemasOf } from './schema-tree.ts'

type Test = (schema: JsonObject) => boolean

/** A contract's component schemas, and what can be told only from all of them. */
export class Schemas {
  /** By name, in the contract's order. */
  readonly all: ReadonlyMap<string, JsonObject>
  readonly #references: ReadonlyMap<string, readonly string[]>
  readonly #referrers = new Map<string, string[]>()
  #recursive: ReadonlySet<string> | undefined
  readonly #tests = new Map<string, Test>()

  constructor(all: ReadonlyMap<string, JsonObject>) {
    this.all = all
    this.#references = new Map([...all].map(([name, schema]) => [name, referencesIn(schema)]))
    for (const [name, references] of this.#references)
      for (const each of references) getOrMake(this.#referrers, each, () => []).push(name)
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
    return this.#contains('closed', isClosed, schema)
  }

  hasDefault(schema: JsonObject): boolean {
    return this.#contains('default', each => each.default !== undefined, schema)
  }

  hasFlag(schema: JsonObject, flag: 'readOnly' | 'writeOnly'): boolean {
    return this.#contains(flag, each => each[flag] === true, schema)
  }

  #contains(what: string, test: Test, schema: JsonObject): boolean {
    return getOrMake(this.#tests, what, () => this.containing(test))(schema)
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

const isClosed: Test = ({ properties, patternProperties, additionalProperties }) =>
  (properties ?? patternProperties) !== undefined && additionalProperties === undefined
