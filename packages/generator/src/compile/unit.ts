import { getOrMake, isObject, type Json, type JsonObject, jsonText } from '@contract-first/document'
import { Names } from '../names.ts'
import { isReference, nameOf } from '../pointer.ts'

/**
 * `check` collects violations, `fill` fills in defaults, `judge` does both. `is` tells whether a value is valid. `write` throws
 * if it is not, and returns its JSON text; `row` returns a copy for JSON.stringify. `undeclaredIn` finds undeclared properties.
 */
type Kind = 'check' | 'fill' | 'judge' | 'is' | 'write' | 'row' | 'undeclaredIn'

export type CompiledDirection = 'request' | 'response'

/** The functions for one direction and their constants, each emitted once. */
export class Unit {
  readonly direction: CompiledDirection
  readonly #componentOf: (name: string) => JsonObject
  readonly #module: ModuleText
  readonly #components = new Map<string, JsonObject>()
  readonly #functions = new Map<string, string>()
  readonly #leadingBack = new Map<string, boolean>()

  /** `component`: its JSON Schema in this direction. */
  constructor(direction: CompiledDirection, component: (name: string) => JsonObject, module: ModuleText) {
    this.direction = direction
    this.#componentOf = component
    this.#module = module
  }

  /** The target of references; `name` is the component's, if it was reached by one. */
  resolve(schema: Json): { schema: Json; name: string | undefined } {
    let name: string | undefined
    let target = schema
    while (isReference(target)) {
      name = nameOf(target.$ref)
      target = this.#component(name)
    }
    return { schema: target, name }
  }

  /** Whether a schema refers, at any depth, to one that contains itself. */
  leadsBack(schema: Json): boolean {
    if (isReference(schema)) return this.#componentLeadsBack(nameOf(schema.$ref))
    return typeof schema === 'object' && schema !== null && Object.values(schema).some(each => this.leadsBack(each))
  }

  #componentLeadsBack(name: string): boolean {
    const known = this.#leadingBack.get(name)
    if (known !== undefined) return known
    // A preliminary result: while it is visited, a reference to it leads back.
    this.#leadingBack.set(name, true)
    const result = this.leadsBack(this.#component(name))
    this.#leadingBack.set(name, result)
    return result
  }

  /**
   * The name of a function for a schema; there is only one for a component, and for equal schemas. `hint` says for readers what
   * the schema describes. `names` gives out names of variables in the function.
   */
  function(
    kind: Kind,
    schema: Json,
    hint: string,
    make: (schema: Json, hint: string, names: Names) => string[]
  ): string {
    const { schema: target, name } = this.resolve(schema)
    const id = `${this.direction} ${kind} ${name === undefined ? jsonText(target) : `#${name}`}`
    const known = this.#functions.get(id)
    if (known !== undefined) return known
    const about = name ?? hint
    const made = this.#module.name(kind, about)
    this.#functions.set(id, made)
    this.#module.add(made, make(target, about, new Names()))
    return made
  }

  constant(prefix: string, text: string): string {
    return this.#module.constant(prefix, text)
  }

  #component(name: string): JsonObject {
    return getOrMake(this.#components, name, this.#componentOf)
  }
}

/** What both directions have in common: names, constants, and the text. */
export class ModuleText {
  readonly #names: Names
  readonly #constants = new Map<string, string>()
  readonly #functions: string[] = []

  /** `unusable`: the names that are taken already. */
  constructor(unusable: Iterable<string>) {
    this.#names = new Names(unusable)
  }

  name(kind: Kind, about: string): string {
    // Different texts, such as `type of body` and `type-of-body`, may give the same words, and then get numbers.
    const words = about.replace(/[^A-Za-z0-9_$]+(.?)/g, (_all, next: string) => next.toUpperCase())
    return this.#names.give(kind + words.charAt(0).toUpperCase() + words.slice(1))
  }

  constant(prefix: string, text: string): string {
    const known = this.#constants.get(text)
    if (known !== undefined) return known
    const name = this.#names.give(`${prefix}${this.#constants.size + 1}`)
    this.#constants.set(text, name)
    return name
  }

  add(name: string, lines: string[]): void {
    this.#functions.push([`const ${name} = ${lines[0]}`, ...lines.slice(1)].join('\n'))
  }

  text(): string {
    const constants = [...this.#constants].map(([text, name]) => `const ${name} = ${text}`)
    return [constants.join('\n'), ...this.#functions].filter(each => each !== '').join('\n\n')
  }
}

/** JavaScript for a JSON value, in ASCII only, since V8 then needs half the memory for the source. */
export const js = (value: unknown): string => {
  if (typeof value === 'string') return asciiText(value)
  if (Array.isArray(value)) return `[${value.map(js).join(', ')}]`
  if (typeof value === 'bigint') return `${value}n`
  if (!isObject(value)) return String(value)
  const members = Object.entries(value).map(([name, each]) => `${memberName(name)}: ${js(each)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

const asciiText = (text: string) => {
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replace(/[^\x20-\x7e]/g, each => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `'${escaped}'`
}

// Unquoted, `__proto__` would set the prototype.
export const memberName = (name: string) =>
  name === '__proto__' ? "['__proto__']" : isIdentifier.test(name) ? name : js(name)

const isIdentifier = /^[A-Za-z_$][\w$]*$/

export const property = (object: string, name: string): string =>
  isIdentifier.test(name) ? `${object}.${name}` : `${object}[${js(name)}]`

/** A variable for a property's value. No other emitted name begins with `$`. */
export const variable = (name: string, index: number, names: Names): string =>
  names.give(isIdentifier.test(name) && name.length <= 40 ? `$${name}` : `$${index}`)

/** Whether an object has a property; inherited ones do not count. */
export const isAbsent = (object: string, name: string, value = property(object, name)): string =>
  name in Object.prototype
    ? `(${value} === undefined || !Object.hasOwn(${object}, ${js(name)}))`
    : `${value} === undefined`

export const isPresent = (object: string, name: string, value = property(object, name)): string =>
  name in Object.prototype
    ? `${value} !== undefined && Object.hasOwn(${object}, ${js(name)})`
    : `${value} !== undefined`

export const indented = (lines: readonly string[]): string[] => lines.map(line => (line === '' ? line : `  ${line}`))

export const block = (head: string, lines: readonly string[], tail = '}'): string[] => [
  `${head} {`,
  ...indented(lines),
  tail
]

/** A function, in lines. */
export const arrow = (parameters: string, lines: readonly string[]): string[] => block(`(${parameters}) =>`, lines)

/** A function that is passed to another one. */
export const wrapped = (name: string, lines: readonly string[]): string[] => [
  `${name}(${lines[0]}`,
  ...lines.slice(1, -1),
  `${lines.at(-1)})`
]
