import type { OpenApiDocument } from '../../document/document.ts'
import { declaredAs, type Operation, operationsOf } from '../routes/operations.ts'
import { kept } from '../schema/memo.ts'
import { exampleResponder, successOf } from './example-responses.ts'
import { namedType, type Reply, repliesOf } from './replies.ts'
import { Samples } from './samples.ts'

/** Responses that fit a contract: its examples, and where it has none that fits, values made from its schemas. */
export class MadeReplies {
  readonly #document: OpenApiDocument
  readonly #samples: Samples
  readonly #operations: ReadonlyMap<string, Operation>
  readonly #exampleOf: ReturnType<typeof exampleResponder>
  readonly #examples = new Map<string, Reply | undefined>()
  readonly #others = new Map<Operation, Reply[]>()

  /** The same seed makes the same random values, in the same order. */
  constructor(document: OpenApiDocument, seed: number) {
    this.#document = document
    this.#samples = new Samples(document, seed)
    this.#operations = new Map(operationsOf(document).map(each => [each.id, each]))
    this.#exampleOf = exampleResponder(document, this.#samples)
  }

  /**
   * With this status, or else the lowest of success, or of all; a new random value each time, if that is wanted; in one of the
   * media types that are accepted, by their names in the contract.
   */
  reply(
    { method, path }: { method: string; path: string },
    code: string | undefined,
    isNew: boolean,
    accepted?: readonly string[]
  ): Reply | undefined {
    const operation = this.#operations.get(`${method} ${path}`)
    if (operation === undefined) return undefined
    const example = isNew ? undefined : this.#example(operation, code, accepted)
    if (example !== undefined) return example
    const types = accepted?.map(namedType)
    const replies = this.#repliesOf(operation, isNew)
      .filter(({ type }) => type === undefined || (types?.includes(type) ?? true))
      .toSorted((one, other) => one.status - other.status)
    if (code !== undefined) return replies.find(({ status }) => String(status) === code)
    return replies.find(({ status }) => status >= 200 && status < 300) ?? replies[0]
  }

  /** What a handler responds that is not written yet. */
  #example(operation: Operation, code: string | undefined, accepted: readonly string[] | undefined): Reply | undefined {
    const key = code === undefined ? successOf(operation) : declaredAs(operation.responses, Number(code))
    if (key === undefined || !/^[2-5]\d\d$/.test(code ?? '200')) return undefined
    const name = [operation.id, key, ...(accepted ?? [])].join(' ')
    if (!this.#examples.has(name)) this.#examples.set(name, this.#exampleOf(operation, key, accepted))
    const example = this.#examples.get(name)
    // A range and `default` stand for many.
    return example && { ...example, status: Number(code ?? example.status) }
  }

  /** Also of other media types than JSON and texts. */
  #repliesOf(operation: Operation, isNew: boolean): Reply[] {
    if (isNew) return repliesOf(this.#document, this.#samples, operation, 'drawn')
    return kept(this.#others, operation, () => repliesOf(this.#document, this.#samples, operation))
  }
}
