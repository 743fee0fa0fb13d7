import { statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { decoded, isObject, type Json, type JsonObject, notFetched, resolved } from '@contract-first/document'
import { Identifiers, keysIn, type Resource } from './identifiers.ts'
import { parsePointer, pointed } from './pointer.ts'
import type { Report } from './problems.ts'
import { locate, readSource, writtenAs } from './read.ts'

/** A value in one of the contract's files. */
export interface Target {
  file: string
  keys: string[]
  value: Json
}

/** The files of a contract, each read once. */
export class Sources {
  readonly #report: Report
  readonly #folder: string
  readonly #roots = new Map<string, Json | undefined>()
  readonly #identifiers = new Map<string, Identifiers>()

  constructor(entry: string, report: Report) {
    this.#report = report
    this.#folder = dirname(resolve(entry))
  }

  root(file: string): Json | undefined {
    if (!this.#roots.has(file)) this.#roots.set(file, readSource(file, this.#nameOf(file), this.#report))
    return this.#roots.get(file)
  }

  #nameOf(file: string): string {
    return join(this.#report.folder, relative(this.#folder, file))
  }

  /** Reads another value in place of a file's. */
  replace(file: string, root: Json): void {
    this.#roots.set(file, root)
  }

  /** The target of the reference under `key`; a missing one is reported. */
  find(reference: string, file: string, holder: JsonObject, key: string): Target | undefined {
    const target = this.seek(reference, file, holder)
    if (typeof target !== 'string') return target
    if (target !== '') this.#report.add(locate(holder, key), `${key} ${reference}: ${target}`)
    else this.#report.blame(this.#nameOf(fileOf(reference, file)), locate(holder, key))
    return undefined
  }

  /**
   * The target of a reference from a part of a file; if there is none, the reason, which is empty if it has been reported.
   * What an `$id` stands for comes before files, and those before URLs, from which nothing is fetched.
   */
  seek(reference: string, file: string, holder?: JsonObject): Target | string {
    const [path = '', fragment = ''] = reference.split('#')
    const pointer = parsePointer(fragment)
    const own = this.identified(reference, file, holder)
    if (own !== undefined) {
      const keys = keysIn(own, this.root(own.file) as Json, decoded(fragment), pointer)
      if (keys !== undefined) return this.#target(own.file, keys)
    }
    if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(path)) return notFetched(path)
    const target = path === '' ? file : fileOf(reference, file)
    if (statSync(target, { throwIfNoEntry: false })?.isFile() !== true) return 'there is no such file'
    const root = this.root(target)
    if (root === undefined) return ''
    const keys = keysIn(this.#identifiersOf(target, root).resources[0] as Resource, root, decoded(fragment), pointer)
    if (keys !== undefined) return this.#target(target, keys)
    return pointer === undefined
      ? 'it points to nothing; after # a JSON pointer or an $anchor is expected, like #/components/schemas/Pet'
      : 'it points to nothing; refer to something that exists'
  }

  /** The schema with an `$id`, in this file, that a reference leads to, or into. */
  identified(reference: string, file: string, holder?: JsonObject): Resource | undefined {
    const root = this.root(file)
    if (root === undefined) return undefined
    const identifiers = this.#identifiersOf(file, root)
    const isNamed = isObject(root) && root.$self !== undefined
    if (identifiers.resources.length === 1 && !isNamed) return undefined
    const around = identifiers.around((holder && writtenAs(holder)) ?? holder ?? {})
    const [base = ''] = resolved(reference, around.base).split('#')
    return identifiers.resources.find(each => each.base === base) ?? (isNamed ? this.#itself(base) : undefined)
  }

  /** The file whose `$self` is a URI. */
  #itself(base: string): Resource | undefined {
    for (const [file, root] of this.#roots) {
      const [whole] = root === undefined ? [] : this.#identifiersOf(file, root).resources
      if (whole?.base === base) return whole
    }
    return undefined
  }

  /** The schemas with a `$dynamicAnchor` in the resource around a part of a file, by that; several share one by mistake. */
  dynamicAnchors(file: string, part: object): ReadonlyMap<string, readonly Target[]> {
    const root = this.root(file)
    if (root === undefined) return nothing
    const { dynamic } = this.#identifiersOf(file, root).around(writtenAs(part) ?? part)
    if (dynamic.size === 0) return nothing
    return new Map([...dynamic].map(([name, all]) => [name, all.map(keys => this.#target(file, keys))]))
  }

  /** All schemas with a `$dynamicAnchor`, in the files that have been read. */
  allDynamic(name: string): Target[] {
    return [...this.#roots].flatMap(([file, root]) =>
      root === undefined
        ? []
        : this.#identifiersOf(file, root).resources.flatMap(({ dynamic }) =>
            (dynamic.get(name) ?? []).map(keys => this.#target(file, keys))
          )
    )
  }

  #identifiersOf(file: string, root: Json): Identifiers {
    return this.#identifiers.getOrInsertComputed(file, () => new Identifiers(file, root))
  }

  #target(file: string, keys: string[]): Target {
    return { file, keys, value: pointed(this.root(file), keys) as Json }
  }
}

const fileOf = (reference: string, file: string): string =>
  resolve(dirname(file), decoded(reference.split('#')[0] ?? ''))

const nothing: ReadonlyMap<string, readonly Target[]> = new Map()
