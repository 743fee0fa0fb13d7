import { dirname, resolve } from 'node:path'
import { closest } from './closest.ts'
import { getOrMake } from './get-or-make.ts'
import { Identifiers, resolved, resourceOf, uriOf } from './identifiers.ts'
import { isObject } from './json.ts'
import { Missing } from './missing.ts'
import { Node, type Source } from './node.ts'
import { decoded, isUrl, notFetched } from './origin.ts'

/** The files that references lead to. */
export interface SourceFiles {
  /** The files that were read so far. */
  all(): readonly Source[]
  /** The file at a path, or why it cannot be read. */
  open(path: string): Source | string
}

/** Resolves the references in a set of files. */
export class References {
  readonly #files: SourceFiles
  readonly #identifiers = new Map<Source, Identifiers>()
  readonly #targets = new Map<Node, Node>()
  readonly #reached = new Set<Node>()
  readonly #underway = new Set<Node>()
  readonly #byUri = new Map<string, Node>()
  /** The number of files whose resources are known by URI. */
  #indexed = 0
  readonly #isLenient: boolean
  readonly #missing = new Map<string, Missing>()

  /** With `isLenient`, a reference to nothing leads to a `Missing`. */
  constructor(files: SourceFiles, isLenient = false) {
    this.#files = files
    this.#isLenient = isLenient
  }

  /** The direct target of a node's `$ref`; undefined if it has none, or the target does not exist, unless `isLenient`. */
  follow(node: Node): Node | undefined {
    const known = this.#targets.get(node)
    if (known !== undefined) return known
    const reference = textAt(node, '$ref')
    // A reference that is needed to resolve itself has no target.
    if (reference === undefined || this.#underway.has(node)) return undefined
    this.#underway.add(node)
    const found = this.find(reference, node)
    this.#underway.delete(node)
    const target = typeof found === 'string' ? this.#standIn(reference, node) : found
    if (target === undefined) return undefined
    this.#targets.set(node, target)
    this.#reached.add(target)
    return target
  }

  /** With `isLenient`, lets references that lead only to each other lead to a `Missing`. */
  cut(circle: readonly Node[]): void {
    const [first] = circle
    if (!this.#isLenient || first?.parent === undefined) return
    const text = `$ref '${circle.map(({ pointer }) => pointer).toSorted()[0]}'`
    const target = new Missing(first, text, first.parent, String(first.key))
    for (const each of circle) this.redirect(each, target)
  }

  #standIn(reference: string, from: Node): Missing | undefined {
    if (!this.#isLenient) return undefined
    const text = `$ref '${reference}'`
    const [url = '', fragment = ''] = reference.split('#')
    if (url !== '' || !fragment.startsWith('/'))
      return getOrMake(this.#missing, text, () => new Missing(from, text, from, '$ref'))
    const { root } = from.source
    return getOrMake(this.#missing, `${root.source.path} ${text}`, () => {
      const keys = keysOf(fragment)
      const parent = keys
        .slice(0, -1)
        .reduce((node, key) => node.get(key) ?? new Node(node.source, null, node, key), root)
      return new Missing(from, text, parent, keys.at(-1) ?? '')
    })
  }

  /** Gives a reference another target. */
  redirect(node: Node, target: Node): void {
    this.#targets.set(node, target)
  }

  isTarget(node: Node): boolean {
    return this.#reached.has(node)
  }

  /** The final target of a node's `$ref`; for a cycle, its last reference. */
  resolve(node: Node): Node {
    const passed = [node]
    let end = node
    for (let next = this.follow(node); next !== undefined && !passed.includes(next); next = this.follow(next)) {
      passed.push(next)
      end = next
    }
    return end
  }

  /** The target of a reference at a node, or why there is none. */
  find(reference: string, from: Node): Node | string {
    const [url = '', ...fragments] = reference.split('#')
    const fragment = fragments.join('#')
    const base = url === '' ? resourceOf(from) : this.#base(url, from)
    if (typeof base === 'string') return base
    const target = this.#within(base, fragment) ?? this.#within(base.source.root, fragment)
    return target ?? advice(url, base.source.root, fragment)
  }

  /** What a `$dynamicRef` may refer to: it depends on how it is reached, where there are several. */
  dynamicTargets(node: Node): readonly Node[] {
    const reference = textAt(node, '$dynamicRef')
    const target = reference === undefined ? undefined : this.find(reference, node)
    if (reference === undefined || target === undefined || typeof target === 'string') return []
    const name = reference.slice(reference.indexOf('#') + 1)
    return textAt(target, '$dynamicAnchor') === name ? this.identifiersOf(target.source).withDynamic(name) : [target]
  }

  /** The schema with this `$id`, or the root of the file at this URL; or why there is none. */
  #base(url: string, from: Node): Node | string {
    const uri = resolved(url, uriOf(resourceOf(from)))
    const known = this.identifiersOf(from.source).resources.get(uri) ?? this.#resources().get(uri)
    if (known !== undefined) return known
    if (isUrl(url)) return notFetched(url)
    const source = this.#files.open(resolve(dirname(from.source.path), decoded(url)))
    return typeof source === 'string' ? source : source.root
  }

  /** Those of all files that were read so far. */
  #resources(): ReadonlyMap<string, Node> {
    for (const source of this.#files.all().slice(this.#indexed)) {
      this.#indexed++
      for (const [uri, node] of this.identifiersOf(source).resources)
        if (!this.#byUri.has(uri)) this.#byUri.set(uri, node)
    }
    return this.#byUri
  }

  #within(base: Node, fragment: string): Node | undefined {
    if (fragment === '') return base
    if (fragment.startsWith('/')) return this.#descend(base, keysOf(fragment))
    const anchors = this.identifiersOf(base.source).anchors(fragment)
    return anchors.find(anchor => resourceOf(anchor) === base) ?? anchors[0]
  }

  // Strictly, a pointer cannot pass through a reference; but some documents do this, and tools allow it.
  #descend(base: Node, keys: string[]): Node | undefined {
    return keys.reduce<Node | undefined>((node, key) => node && (node.get(key) ?? this.resolve(node).get(key)), base)
  }

  /** The schemas of a file that have names. */
  identifiersOf(source: Source): Identifiers {
    const identifiers = this.#identifiers.get(source) ?? new Identifiers(source)
    this.#identifiers.set(source, identifiers)
    return identifiers
  }
}

const textAt = ({ value }: Node, key: string): string | undefined => {
  const text = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return typeof text === 'string' ? text : undefined
}

const keysOf = (pointer: string) =>
  pointer
    .slice(1)
    .split('/')
    .map(key => decoded(key).replaceAll('~1', '/').replaceAll('~0', '~'))

/** Suggests a valid reference. */
const advice = (url: string, root: Node, fragment: string) => {
  if (!fragment.startsWith('/'))
    return 'after # a JSON pointer or an $anchor is expected, like #/components/schemas/Pet'
  const near = nearest(root, keysOf(fragment))
  return near === undefined ? 'refer to something that exists' : `did you mean '${url}${near.pointer}'?`
}

const nearest = (root: Node, keys: string[]): Node | undefined =>
  keys.reduce<Node | undefined>((node, key) => {
    const child = node?.get(key)
    if (node === undefined || child !== undefined) return child
    const names = node.entries().map(([name]) => name)
    return node.get(closest(key, names) ?? '')
  }, root)
