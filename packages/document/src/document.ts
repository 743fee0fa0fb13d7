import { basename, extname } from 'node:path'
import { checkReferences } from './check.ts'
import { Files } from './files.ts'
import { withoutVariantsWhereExtended } from './inherited.ts'
import { loadErrorAt, naming, type Problem } from './load-error.ts'
import type { Node } from './node.ts'
import { fileSystem, originOf } from './origin.ts'
import { References } from './references.ts'
import { type Version, versionOf } from './version.ts'

export { LoadError } from './load-error.ts'
export { atRevision } from './origin.ts'

/** How a document is loaded. */
export interface LoadOptions {
  /** The base of relative paths, and the folder for git; the current directory by default. */
  cwd?: string
  /** References to nothing, or only to each other, have no target; by default they are an error. */
  mayBeBroken?: boolean
}

/**
 * Loads the OpenAPI document in an existing file or, from git, at `REF:PATH`. Other files that it refers to are read from
 * the same source.
 * @throws LoadError
 */
export const loadDocument = (where: string, options: LoadOptions = {}): OpenApiDocument =>
  naming(where, () => {
    const origin = originOf(where, options.cwd ?? process.cwd())
    return new OpenApiDocument(new Files(origin, origin.read(origin.entry)), options)
  })

/**
 * Parses an OpenAPI document as if it were in the file `name`.
 * @throws LoadError
 */
export const readDocument = (text: string, name: string, options: LoadOptions = {}): OpenApiDocument =>
  new OpenApiDocument(new Files(fileSystem(name, options.cwd ?? process.cwd()), Buffer.from(text)), options)

/** A document whose references have all been checked, unless they may be broken. */
export class OpenApiDocument {
  readonly root: Node
  readonly version: Version
  /** What is wrong with its references. */
  readonly problems: readonly Problem[]
  readonly #references: References

  /** @throws LoadError */
  constructor(files: Files, { mayBeBroken = false }: LoadOptions) {
    this.root = files.entry.root
    this.version = versionOf(this.root)
    this.#references = new References(files)
    this.problems = checkReferences(this.root, this.#references)
    if (this.problems.length > 0 && !mayBeBroken) throw loadErrorAt(this.problems)
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
    const elsewhere = source !== this.root.source
    if (parent === undefined) return elsewhere ? basename(source.path, extname(source.path)) : undefined
    const isComponent = /^#\/components\/schemas\/[^/]+$/.test(node.pointer)
    const isTopEntry = elsewhere && parent === source.root && this.#references.isTarget(node)
    return isComponent || isTopEntry ? String(key) : undefined
  }
}
