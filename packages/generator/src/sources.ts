import { readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import {
  decoded,
  getOrMake,
  type Json,
  type JsonObject,
  mayNameSchemas,
  Node,
  References,
  resourceOf,
  type Source
} from '@contract-first/document'
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
  readonly #sources = new Map<string, Source | undefined>()
  readonly #references: References
  /** Of references within a file that names no schemas. */
  readonly #targets = new Map<string, Target | string>()
  /** The nodes of the objects in a file that names any schemas; others refer only to what is in the file itself. */
  readonly #nodes = new Map<string, ReadonlyMap<object, Node> | undefined>()

  constructor(entry: string, report: Report) {
    this.#report = report
    this.#folder = dirname(resolve(entry))
    this.#references = new References({ open: file => this.#open(file), all: () => this.#read })
  }

  root(file: string): Json | undefined {
    return this.#source(file)?.root.value
  }

  /** Replaces the value of a file. */
  replace(file: string, root: Json): void {
    this.#sources.set(file, new ReadFile(this.#nameOf(file), file, root))
  }

  #source(file: string): Source | undefined {
    if (!this.#sources.has(file)) {
      const root = readSource(file, this.#nameOf(file), this.#report)
      this.#sources.set(file, root === undefined ? undefined : new ReadFile(this.#nameOf(file), file, root))
    }
    return this.#sources.get(file)
  }

  get #read(): Source[] {
    return [...this.#sources.values()].filter(each => each !== undefined)
  }

  /** Empty for a file whose problems have been reported. */
  #open(file: string): Source | string {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return 'there is no such file'
    return this.#source(file) ?? ''
  }

  #nameOf(file: string): string {
    return join(this.#report.folder, relative(this.#folder, file))
  }

  /** The target of the reference under `key`; a missing one is reported. */
  find(reference: string, file: string, holder: JsonObject, key: string): Target | undefined {
    const target = this.seek(reference, file, holder)
    if (typeof target !== 'string') return target
    if (target !== '') this.#report.add(locate(holder, key), `${key} ${reference}: ${target}`)
    else
      this.#report.blame(
        this.#nameOf(resolve(dirname(file), decoded(reference.split('#')[0] ?? ''))),
        locate(holder, key)
      )
    return undefined
  }

  /** The target of a reference from a part of a file, or the reason why there is none, which is empty if it is reported already. */
  seek(reference: string, file: string, holder: JsonObject): Target | string {
    const from = this.#nodesIn(file)?.get(writtenAs(holder) ?? holder) ?? this.#source(file)?.root
    if (from === undefined) return ''
    const isOfFile = reference.startsWith('#') && from.parent === undefined
    return isOfFile
      ? getOrMake(this.#targets, file + reference, () => this.#target(reference, from))
      : this.#target(reference, from)
  }

  #target(reference: string, from: Node): Target | string {
    const target = this.#references.find(reference, from)
    if (typeof target !== 'string') return targetAt(target)
    return /^(?:after #|refer to|did you mean)/.test(target) ? `it points to nothing; ${target}` : target
  }

  /** The schemas by `$dynamicAnchor`, in the resource around a part of a file; several with the same anchor are a mistake. */
  dynamicAnchors(file: string, part: object): ReadonlyMap<string, readonly Target[]> {
    const node = this.#nodesIn(file)?.get(writtenAs(part) ?? part)
    const dynamic = node && this.#references.identifiersOf(node.source).dynamic.get(resourceOf(node))
    return new Map([...(dynamic ?? [])].map(([name, all]) => [name, all.map(targetAt)]))
  }

  /** All schemas with a `$dynamicAnchor`, in the files that have been read. */
  allDynamic(name: string): Target[] {
    return this.#read.flatMap(source => this.#references.identifiersOf(source).withDynamic(name).map(targetAt))
  }

  #nodesIn(file: string): ReadonlyMap<object, Node> | undefined {
    if (!this.#nodes.has(file)) this.#nodes.set(file, this.#newNodes(file))
    return this.#nodes.get(file)
  }

  #newNodes(file: string): ReadonlyMap<object, Node> | undefined {
    const source = this.#source(file)
    if (source?.mayNameSchemas !== true) return undefined
    const nodes = new Map<object, Node>()
    const visit = (node: Node) => {
      if (typeof node.value !== 'object' || node.value === null || nodes.has(node.value)) return
      nodes.set(node.value, node)
      for (const each of node.items()) visit(each)
      for (const [, each] of node.entries()) visit(each)
    }
    visit(source.root)
    return nodes
  }
}

class ReadFile implements Source {
  readonly name: string
  readonly path: string
  readonly root: Node
  readonly mayNameSchemas: boolean

  constructor(name: string, path: string, value: Json) {
    this.name = name
    this.path = path
    this.root = new Node(this, value)
    this.mayNameSchemas = mayNameSchemas(readFileSync(path))
  }

  placeOf({ value, parent, key }: Node) {
    return locate((parent?.value ?? value) as object, key)
  }
}

const targetAt = ({ source, path, value }: Node): Target => ({ file: source.path, keys: path.map(String), value })
