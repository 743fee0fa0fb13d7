import { getOrMake, type JsonObject } from '@contract-first/document'
import { isReference, type Lookup, nameOf } from './pointer.ts'
import { recursiveIn, referencesIn } from './recursion.ts'
import { schemasIn, subschemasOf } from './schema-tree.ts'

type Test = (schema: JsonObject) => boolean

/** A contract's component schemas, and what can be told only from all of them. */
export class Schemas {
  /** By name, in the contract's order. */
  readonly all: ReadonlyMap<string, JsonObject>
  /** Each with all schemas in it. */
  readonly #parts: ReadonlyMap<string, readonly JsonObject[]>
  readonly #references: ReadonlyMap<string, readonly string[]>
  readonly #referrers = new Map<string, string[]>()
  #recursive: ReadonlySet<string> | undefined
  readonly #tests = new Map<string, Test>()

  constructor(all: ReadonlyMap<string, JsonObject>) {
    this.all = all
    this.#parts = new Map([...all].map(([name, schema]) => [name, schemasIn(schema)]))
    this.#references = new Map([...this.#parts].map(([name, parts]) => [name, referencesIn(parts)]))
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

  /** Whether a schema contains a reference to a component that contains itself. */
  leadsBack(schema: JsonObject): boolean {
    return this.#contains('recursive', each => isReference(each) && this.isRecursive(nameOf(each.$ref)), schema)
  }

  #contains(what: string, test: Test, schema: JsonObject): boolean {
    return getOrMake(this.#tests, what, () => this.containing(test))(schema)
  }

  /** Tests whether a schema contains, at any depth and also by reference, one that passes the test. */
  containing(test: Test): Test {
    let names: ReadonlySet<string> | undefined
    const contains = (schema: JsonObject): boolean => {
      names ??= this.#namesOf(test)
      return (
        (isReference(schema) && names.has(nameOf(schema.$ref))) || test(schema) || subschemasOf(schema).some(contains)
      )
    }
    return contains
  }

  /** The components that contain a schema that passes the test. */
  #namesOf(test: Test): Set<string> {
    const names = new Set([...this.#parts].filter(([, parts]) => parts.some(test)).map(([name]) => name))
    for (const name of names) for (const each of this.#referrers.get(name) ?? []) names.add(each)
    return names
  }
}

const isClosed: Test = ({ properties, patternProperties, additionalProperties }) =>
  (properties ?? patternProperties) !== undefined && additionalProperties === undefined
