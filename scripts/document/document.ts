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
  /** What paths are relative to, and where git is asked; the current directory unless given. */
  cwd?: string
}

/**
 * The OpenAPI document in an existing file or, as git has it, at `REF:PATH`. The other files that it refers to are read
 * from the same place.
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
 * The OpenAPI document that a text is, as if it stood in the file `name`.
 * @throws LoadError
 */
export const readDocument = (text: string, name: string, { cwd = process.cwd() }: LoadOptions = {}): OpenApiDocument =>
  new OpenApiDocument(new Files(fileSystem(name, cwd), Buffer.from(text)))

/** A document whose references lead somewhere, all of them. */
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

  /** What a `$ref` leads to in the end; the node itself if it has none. Siblings of `$ref` on the way are passed over. */
  resolve(node: Node): Node {
    return this.#references.resolve(node)
  }

  /** What a `$ref` leads to in one step, for where its siblings count; undefined if the node has none. */
  follow(node: Node): Node | undefined {
    return this.#references.follow(node)
  }

  /** What a reference would lead to if it stood at a node; undefined if nowhere. */
  find(reference: string, from: Node): Node | undefined {
    const target = this.#references.find(reference, from)
    return typeof target === 'string' ? undefined : target
  }

  /**
   * What a `$dynamicRef` leads to when it is reached by way of the schemas in `scope`, the outermost first; without a
   * scope undefined, if that would depend on it.
   */
  resolveDynamic(node: Node, scope?: readonly Node[]): Node | undefined {
    return this.#references.resolveDynamic(node, scope)
  }

  /**
   * `Pet`, of the schema `#/components/schemas/Pet` in any file, and of what another file `Pet.yaml` holds as a whole or
   * another file at its top as `Pet`.
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
