import type { OpenApiDocument } from '@contract-first/document'
import { getOrMake } from '@contract-first/document'
import { declaredAs, type Operation, operationsOf } from '../operations/operations.ts'
import { exampleResponder, successOf } from './example-responses.ts'
import { namedType, type Reply, repliesOf } from './replies.ts'
import { Samples } from './samples.ts'

/** What makes responses for the operations of a contract. */
export type MadeReplies = ReturnType<typeof madeRepliesOf>

/** Responses that fit a contract: its examples, and where it has none that fits, values made from its schemas; the same for a seed. */
export const madeRepliesOf = (document: OpenApiDocument, seed: number) => {
  const samples = new Samples(document, seed)
  const operations = new Map(operationsOf(document).map(each => [each.id, each]))
  const exampleOf = exampleResponder(document, samples)
  const examples = new Map<string, Reply | undefined>()
  const others = new Map<Operation, Reply[]>()

  /** The response of a handler that is not written yet. */
  const example = (operation: Operation, code: string | undefined, accepted?: readonly string[]): Reply | undefined => {
    const key = code === undefined ? successOf(operation) : declaredAs(operation.responses, Number(code))
    if (key === undefined || !/^[2-5]\d\d$/.test(code ?? '200')) return undefined
    const name = [operation.id, key, ...(accepted ?? [])].join(' ')
    if (!examples.has(name)) examples.set(name, exampleOf(operation, key, accepted))
    const reply = examples.get(name)
    // A range or `default` covers many statuses; the client asked for one.
    return reply && { ...reply, status: Number(code ?? reply.status) }
  }

  return {
    /**
     * A reply with this status, otherwise with the lowest 2xx, otherwise with the lowest of all; if `isNew`, a new random value each
     * time. `accepted` are the media types to choose from, named as in the contract.
     */
    reply(
      { method, path }: { method: string; path: string },
      code: string | undefined,
      isNew: boolean,
      accepted?: readonly string[]
    ): Reply | undefined {
      const operation = operations.get(`${method} ${path}`)
      if (operation === undefined) return undefined
      const shown = isNew ? undefined : example(operation, code, accepted)
      if (shown !== undefined) return shown
      const types = accepted?.map(namedType)
      // These include media types other than JSON and text.
      const all = isNew
        ? repliesOf(document, samples, operation, 'drawn')
        : getOrMake(others, operation, () => repliesOf(document, samples, operation))
      const replies = all
        .filter(({ type }) => type === undefined || (types?.includes(type) ?? true))
        .toSorted((one, other) => one.status - other.status)
      if (code !== undefined) return replies.find(({ status }) => String(status) === code)
      return replies.find(({ status }) => status >= 200 && status < 300) ?? replies[0]
    }
  }
}
