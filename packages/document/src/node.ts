import { isObject, type Json } from './json.ts'

/** A location; line and column start at 1. */
export interface Place {
  file: string
  line: number
  column: number
}

/** A file that has been read. */
export interface Source {
  /** Its name in messages. */
  readonly name: string
  /** The path by which references from other files find it. */
  readonly path: string
  readonly root: Node
  /** Whether schemas may have names; saves searching large files, as few have any. */
  readonly mayNameSchemas: boolean
  /** What is wrong with it, although it could be read. */
  readonly flaws?: readonly { place: Place; message: string }[]
  placeOf(node: Node): Place
}

/** A value with its location. There is one Node per location, so it can be a key of a Map. */
export class Node {
  readonly source: Source
  readonly value: Json
  /** Its container; undefined at the root of a file. */
  readonly parent: Node | undefined
  readonly key: string | number | undefined
  #children: Map<string | number, Node> | undefined
  #pointer: string | undefined

  constructor(source: Source, value: Json, parent?: Node, key?: string | number) {
    this.source = source
    this.value = value
    this.parent = parent
    this.key = key
  }

  /** The entry of an object, or the item of an array (whose index may be a string, as in a JSON pointer). */
  get(key: string | number): Node | undefined {
    const { value } = this
    if (Array.isArray(value)) return isIndex(key) && Number(key) < value.length ? this.#child(Number(key)) : undefined
    return isObject(value) && Object.hasOwn(value, key) ? this.#child(String(key)) : undefined
  }

  /** The entries of an object; empty for other values. */
  entries(): [string, Node][] {
    return isObject(this.value) ? Object.keys(this.value).map(key => [key, this.#child(key)]) : []
  }

  /** The items of an array; empty for other values. */
  items(): Node[] {
    return Array.isArray(this.value) ? this.value.map((_item, index) => this.#child(index)) : []
  }

  /** Puts another node, such as the target of a reference, in the place of an entry or item. */
  replace(key: string | number, node: Node): void {
    this.#children ??= new Map()
    this.#children.set(key, node)
  }

  /** Another value in the same place; each call makes another node. */
  withValue(value: Json): Node {
    return new Node(this.source, value, this.parent, this.key)
  }

  /** The keys from the root of the file to the node. */
  get path(): (string | number)[] {
    return this.parent === undefined ? [] : [...this.parent.path, this.key ?? '']
  }

  /** `#/paths/~1pets/get` */
  get pointer(): string {
    // Cached, as comparisons identify schemas by it.
    this.#pointer ??=
      this.parent === undefined
        ? '#'
        : `${this.parent.pointer}/${String(this.key).replaceAll('~', '~0').replaceAll('/', '~1')}`
    return this.#pointer
  }

  /** The location of its key, of the array item, or of the root. */
  get place(): Place {
    return this.source.placeOf(this)
  }

  #child(key: string | number): Node {
    this.#children ??= new Map()
    const known = this.#children.get(key)
    if (known !== undefined) return known
    const child = new Node(this.source, (this.value as Record<string | number, Json>)[key] as Json, this, key)
    this.#children.set(key, child)
    return child
  }
}

const isIndex = (key: string | number) => /^(?:0|[1-9]\d*)$/.test(String(key))
