import { basename, extname } from 'node:path'
import { checkReferences } from './check.ts'
import { Files } from './files.ts'
import { withoutVariantsWhereExtended } from './inherited.ts'
import { loadErrorAt, naming, type Problem } from './load-error.ts'
import { Missing } from './missing.ts'
import type { Node } from './node.ts'
import { fileSystem, originOf } from './origin.ts'
import { References } from './references.ts'
import { refusal, type Version, versionOf } from './version.ts'

export { LoadError } from './load-error.ts'
export { atRevision } from './origin.ts'

/** How a document is loaded. */
export interface LoadOptions {
  /** The base of relative paths, and the folder for git; the current directory by default. */
  cwd?: string
  /** References to nothing, or only to each other, have no target; by default they are an error. */
  mayBeBroken?: boolean
  /** What other parsers read all the same, and references to nothing, are problems of the document; by default they are errors. */
  isLenient?: boolean
}

/**
 * Loads the OpenAPI document in an existing file or, from git, at `REF:PATH`. Other files that it refers to are read from
 * the same source.
 * @throws LoadError
 */
export const loadDocument = (where: string, options: LoadOptions = {}): OpenApiDocument =>
  naming(where, () => {
    const origin = originOf(where, options.cwd ?? process.cwd())
    return new OpenApiDocument(new Files(origin, origin.read(origin.entry), options.isLenient), options)
  })

/**
 * Parses an OpenAPI document as if it were in the file `name`.
 * @throws LoadError
 */
export const readDocument = (text: string, name: string, options: LoadOptions = {}): OpenApiDocument =>
  new OpenApiDocument(
    new Files(fileSystem(name, options.cwd ?? process.cwd()), Buffer.from(text), options.isLenient),
    options
  )

/** A document whose references have all been checked, unless they may be broken. */
export class OpenApiDocument {
  readonly root: Node
  readonly version: Version
  readonly #problems: Problem[]
  readonly #references: References
  readonly #unreadable = new Map<Node, string[]>()

  /** @throws LoadError */
  constructor(files: Files, { mayBeBroken = false, isLenient = false }: LoadOptions) {
    this.root = files.entry.root
    this.version = versionOf(this.root, isLenient)
    this.#references = new References(files, isLenient)
    const broken = checkReferences(this.root, this.#references)
    if (broken.length > 0 && !mayBeBroken && !isLenient) throw loadErrorAt(broken)
    const numbered = this.root.get('openapi')
    const ofVersion =
      typeof numbered?.value === 'number' ? [{ place: numbered.place, message: refusal(false, numbered.value) }] : []
    this.#problems = [...files.all().flatMap(({ flaws = [] }) => flaws), ...ofVersion, ...broken]
    withoutVariantsWhereExtended(this.root, this.#references)
  }

  /** The final target of a `$ref`; the node itself if it has none. Siblings of each `$ref` are ignored. */
  resolve(node: Node): Node {
    return this.#references.resolve(node)
  }

  /** The direct target of a `$ref`, for when siblings count; undefined if the node has none. */
  follow(node: Node): Node | undefined {
    return this.#references.follow(node)
  }

  /** What is wrong with it, although it can be used. */
  get problems(): readonly Problem[] {
    return this.#problems
  }

  /** What of a node cannot be read, in a form that can be compared; empty for most. */
  unreadableIn(node: Node): readonly string[] {
    return node instanceof Missing ? [String(node.value)] : (this.#unreadable.get(node) ?? [])
  }

  markUnreadable(node: Node, text: string): void {
    this.#unreadable.set(node, [...new Set([...this.unreadableIn(node), text])])
  }

  addProblem(problem: Problem): void {
    this.#problems.push(problem)
  }

  /** The target that a reference at this node would have; undefined if there is none. */
  find(reference: string, from: Node): Node | undefined {
    const target = this.#references.find(reference, from)
    return typeof target === 'string' ? undefined : target
  }

  /** What a `$dynamicRef` may refer to: it depends on how it is reached, where there are several. */
  dynamicTargets(node: Node): readonly Node[] {
    return this.#references.dynamicTargets(node)
  }

  /**
   * `Pet` for the schema `#/components/schemas/Pet` in any file, for a whole file `Pet.yaml`, and for `Pet` at the top
   * level of another file.
   */
  nameOf(node: Node): string | undefined {
    const { source, parent, key } = node
    if (node instanceof Missing) return node.name
    const elsewhere = source !== this.root.source
    if (parent === undefined) return elsewhere ? basename(source.path, extname(source.path)) : undefined
    const isComponent = /^#\/components\/schemas\/[^/]+$/.test(node.pointer)
    const isTopEntry = elsewhere && parent === source.root && this.#references.isTarget(node)
    return isComponent || isTopEntry ? String(key) : undefined
  }
}
