import type { OpenApiDocument } from '../../document/document.ts'
import { operationsOf } from '../routes/operations.ts'
import { type Reply, repliesOf } from './replies.ts'
import { Samples } from './samples.ts'

/** Responses that fit a contract: its examples, and where it has none that fits, values made from its schemas. */
export class MadeReplies {
  readonly #made: (method: string, path: string, isNew: boolean) => Reply[]

  /** The same seed makes the same values, in the same order. */
  constructor(document: OpenApiDocument, seed: number) {
    const samples = new Samples(document, seed)
    const operations = new Map(operationsOf(document).map(each => [each.id, each]))
    const known = new Map<string, Reply[]>()
    this.#made = (method, path, isNew) => {
      const operation = operations.get(`${method} ${path}`)
      if (operation === undefined) return []
      if (isNew) return repliesOf(document, samples, operation, 'drawn')
      const replies = known.get(operation.id) ?? repliesOf(document, samples, operation)
      known.set(operation.id, replies)
      return replies
    }
  }

  /** With this status, or else the lowest of success, or of all; a new random value each time, if that is wanted. */
  reply(
    { method, path }: { method: string; path: string },
    code: string | undefined,
    isNew: boolean
  ): Reply | undefined {
    const replies = this.#made(method, path, isNew).toSorted((one, other) => one.status - other.status)
    if (code !== undefined) return replies.find(({ status }) => String(status) === code)
    return replies.find(({ status }) => status >= 200 && status < 300) ?? replies[0]
  }
}
