import type { JsonObject } from './json.ts'
import { loadErrorAt, type Problem } from './load-error.ts'
import { Node, type Place, type Source } from './node.ts'
import { convertible, inconvertible, toOpenApi3, writtenAt } from './swagger.ts'

/** A document in Swagger 2.0 as OpenAPI 3.0, with the locations of the former. */
export class ConvertedSource implements Source {
  readonly name: string
  readonly path: string
  readonly root: Node
  readonly mayNameSchemas: boolean
  readonly flaws: readonly Problem[]
  readonly #written: Source
  readonly #document: JsonObject

  /** @throws LoadError; with `isLenient`, what cannot be converted is a text, and a flaw */
  constructor(written: Source, document: JsonObject, isLenient = false) {
    this.name = written.name
    this.path = written.path
    this.#written = written
    this.mayNameSchemas = written.mayNameSchemas
    this.#document = document
    const problemOf = ({ keys, message }: { keys: readonly (string | number)[]; message: string }) => ({
      place: nodeAt(written, keys).place,
      message
    })
    const problems = inconvertible(document).map(problemOf)
    if (problems.length > 0 && !isLenient) throw loadErrorAt(problems)
    const { converted, faults } = isLenient ? convertible(document) : { converted: undefined, faults: [] }
    this.root = new Node(this, converted ?? this.#converted())
    this.flaws = [...(written.flaws ?? []), ...problems, ...faults.map(problemOf)]
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
