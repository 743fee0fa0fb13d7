import type { JsonObject } from './json.ts'
import { loadErrorAt } from './load-error.ts'
import { Node, type Place, type Source } from './node.ts'
import { inconvertible, toOpenApi3, writtenAt } from './swagger.ts'

/** A document in Swagger 2.0 as OpenAPI 3.0, with the locations of the former. */
export class ConvertedSource implements Source {
  readonly name: string
  readonly path: string
  readonly root: Node
  readonly mayNameSchemas: boolean
  readonly #written: Source
  readonly #document: JsonObject

  /** @throws LoadError */
  constructor(written: Source, document: JsonObject) {
    this.name = written.name
    this.path = written.path
    this.#written = written
    this.mayNameSchemas = written.mayNameSchemas
    this.#document = document
    const problems = inconvertible(document).map(({ keys, message }) => ({
      place: nodeAt(written, keys).place,
      message
    }))
    if (problems.length > 0) throw loadErrorAt(problems)
    this.root = new Node(this, this.#converted())
  }

  placeOf(node: Node): Place {
    return nodeAt(this.#written, writtenAt(this.#document, node.path)).place
  }

  #converted(): JsonObject {
    try {
      return toOpenApi3(this.#document)
    } catch (error) {
      const message = `the document cannot be converted to OpenAPI 3.0: ${(error as Error).message}`
      throw loadErrorAt([{ place: this.#written.root.place, message }])
    }
  }
}

const nodeAt = (source: Source, keys: readonly (string | number)[]): Node =>
  keys.reduce((node: Node, key) => node.get(key) ?? node, source.root)
