import { basename, extname } from 'node:path'
import { checkReferences } from './check.ts'
import { Files } from './files.ts'
import { Unreadable } from './git.ts'
import { LoadError, loadErrorAt } from './load-error.ts'
import type { Node } from './node.ts'
import { fileSystem, originOf } from './origin.ts'
import { References } from './references.ts'
import { type Version, versionOf } from './version.ts'

export { LoadError } from './load-error.ts'
export { atRevision } from './origin.ts'

export interface LoadOptions {
  /** The base of relative paths, and the folder for git; the current directory by default. */
  cwd?: string
}

/**
 * Loads the OpenAPI document in an existing file or, from git, at `REF:PATH`. Other files that it refers to are read from
 * the same source.
 * @throws LoadError
 */
export const loadDocument = (where: string, { cwd = process.cwd() }: LoadOptions = {}): OpenApiDocument => {
  try {
    const origin = originOf(where, cwd)
    return new OpenApiDocument(new Files(origin, origin.read(origin.entry)))
  } catch (error) {
    if (error instanceof Unreadable) throw new LoadError([`${where}: ${error.message}`])
    throw error
  }
}

/**
 * Parses an OpenAPI document as if it were in the file `name`.
 * @throws LoadError
 */
export const readDocument = (text: string, name: string, { cwd = process.cwd() }: LoadOptions = {}): OpenApiDocument =>
  new OpenApiDocument(new Files(fileSystem(name, cwd), Buffer.from(text)))

/** A document whose references have all been checked. */
export class OpenApiDocument {
  readonly root: Node
  readonly version: Version
  readonly #references: References

  /** @throws LoadError */
  constructor(files: Files) {
    this.root = files.entry.root
    this.version = versionOf(this.root)
    this.#references = new References(files)
    const problems = checkReferences(this.root, this.#references)
    if (problems.length > 0) throw loadErrorAt(problems)
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

  /**
   * The target of a `$dynamicRef` when reached through the schemas in `scope`, the outermost first; without a scope,
   * undefined if that would make a difference.
   */
  resolveDynamic(node: Node, scope?: readonly Node[]): Node | undefined {
    return this.#references.resolveDynamic(node, scope)
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
