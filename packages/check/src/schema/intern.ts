import { hash } from 'node:crypto'
import { componentsOf, getOrMake, isObject, type Json } from '@contract-first/document'
import { assertionsOf } from './assertions.ts'
import { canonical, isSchema, type Keywords, partsIn, type Schema } from './schema.ts'

/**
 * Gives equal ids to schemas with the same structure, whatever their names and locations, even recursive ones. Equal ids
 * prove equal sets of values, but not vice versa.
 */
export class Interner {
  readonly #ids = new Map<string, number>()

  make(keywords: Keywords): Schema {
    return this.intern({ id: 0, keywords })
  }

  /** Gives ids to a schema and all its parts. */
  intern(root: Schema): Schema {
    if (root.id !== 0) return root
    const components = componentsOf(root, each => partsOf(each).filter(({ id }) => id === 0))
    for (const component of components) this.#identify(component)
    // The parts of an `allOf` were not visited above, but may be looked up separately.
    for (const { keywords } of components.flat()) for (const part of partsIn(keywords)) this.intern(part)
    return root
  }

  /** Identifies schemas that contain each other, or a single one; all their other parts have ids. */
  #identify(component: Schema[]) {
    const [only] = component
    if (component.length === 1 && only !== undefined && !partsOf(only).includes(only)) {
      only.id = this.#idOf(keyOf(only, finalText))
      return
    }
    // Distinguishes them by what is visible in one step, in two, …, until another step distinguishes no more.
    let names = new Map(component.map(each => [each, '?']))
    const tell = (schema: Schema, seen: Map<Schema, string>) =>
      digestOf(keyOf(schema, each => keywordsText(each, part => seen.get(part) ?? idOf(part))))
    for (let classes = 0; ; ) {
      const seen = names
      names = new Map(component.map(each => [each, tell(each, seen)]))
      const count = new Set(names.values()).size
      if (count === classes) break
      classes = count
    }
    // A name covers a limited depth only; the equations between all names make it complete.
    const equations = component.map(each => `${names.get(each)}=${tell(each, names)}`)
    const whole = digestOf([...new Set(equations)].sort().join())
    for (const [schema, name] of names) schema.id = this.#idOf(`recursive ${name} ${whole}`)
    // An expanded copy with the same parts is the same schema.
    for (const schema of component) getOrMake(this.#ids, digestOf(keyOf(schema, finalText)), () => schema.id)
  }

  #idOf(text: string): number {
    return getOrMake(this.#ids, digestOf(text), () => this.#ids.size + 1)
  }
}

const digestOf = (text: string) => hash('sha1', text, 'base64')

const idOf = ({ id }: Schema): string => String(id)

/** The schemas in the assertions of a schema. */
const partsOf = (schema: Schema): Schema[] => [
  ...new Set(assertionsOf(schema).flatMap(({ keywords }) => partsIn(keywords)))
]

type Name = (part: Schema) => string

const keyOf = (schema: Schema, text: (keywords: Keywords) => string): string =>
  [...new Set(assertionsOf(schema).map(({ keywords }) => text(keywords)))].sort().join('\n')

const finalTexts = new WeakMap<Keywords, string>()

/** Equal for equal keywords, whose parts have ids. Schemas share them. */
export const finalText = (keywords: Keywords): string =>
  getOrMake(finalTexts, keywords, () => keywordsText(keywords, idOf))

const keywordsText = (keywords: Keywords, name: Name): string =>
  Object.entries(keywords)
    .filter(([, value]) => value !== undefined)
    .map(([keyword, value]) => `${keyword} ${textOf(keyword, value, name)}`)
    .sort()
    .join()

/** Of the value of a keyword, or of a part of it. */
const textOf = (keyword: string, value: unknown, name: Name): string => {
  // Listed values are data, whatever they resemble.
  const inner = (each: unknown) => (keyword === 'values' ? canonical(each as Json) : textOf(keyword, each, name))
  if (value instanceof Map)
    return [...value]
      .map(([key, each]) => `${JSON.stringify(key)}:${inner(each)}`)
      .sort()
      .join()
  if (Array.isArray(value)) return (keyword === 'prefixItems' ? value.map(inner) : value.map(inner).sort()).join()
  if (!isObject(value)) return canonical(value as Json)
  if (isSchema(value)) return name(value)
  if (keyword === 'contains') return `${value.min} ${value.max} ${inner(value.schema)}`
  return 'exclusive' in value ? `${value.exclusive ? 'beyond' : 'at'} ${inner(value.value)}` : `${value.n}/${value.d}`
}
