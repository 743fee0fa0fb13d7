import type { OpenApiDocument } from '../../document/document.ts'
import type { Node } from '../../document/node.ts'
import type { SchemaComparer } from '../schema/comparer.ts'
import { contentsOf } from './contents.ts'
import { covers, type MediaType, textOf } from './media-types.ts'
import { isSuccessIn, responsesOf } from './responses.ts'

/** Without a schema, any value. */
interface Body {
  media: MediaType
  schema: Node | undefined
}

/** The errors that clients of the old contract can read. */
export class ErrorBodies {
  readonly #before: OpenApiDocument
  readonly #after: OpenApiDocument
  readonly #schemas: SchemaComparer
  /** The operations of the old contract. */
  readonly #operations: readonly Node[]
  #known: readonly Body[] | undefined
  readonly #verdicts = new Map<Node, boolean>()

  constructor(
    { before, after }: { before: OpenApiDocument; after: OpenApiDocument },
    schemas: SchemaComparer,
    operations: readonly Node[]
  ) {
    this.#before = before
    this.#after = after
    this.#schemas = schemas
    this.#operations = operations
  }

  /** Whether every body of a new response is that of a known error, or of one that known errors extend. */
  areKnown(response: Node): boolean {
    this.#known ??= this.#find()
    const bodies = bodiesOf(this.#after, response)
    return this.#known.length === 0 || bodies.every(body => this.#isKnown(body))
  }

  #isKnown({ media, schema }: Body): boolean {
    const candidates = (this.#known ?? []).filter(each => covers(each.media, media)).map(each => each.schema)
    if (candidates.includes(undefined) || schema === undefined) return candidates.includes(undefined)
    const verdict =
      this.#verdicts.get(schema) ?? candidates.some(each => each !== undefined && this.#holdsAll(each, schema))
    this.#verdicts.set(schema, verdict)
    return verdict
  }

  #holdsAll(known: Node, schema: Node): boolean {
    return this.#schemas.compare(known, schema, 'response').every(({ level }) => level === 'compatible')
  }

  #find(): Body[] {
    const found = new Map<string, Body>()
    for (const operation of this.#operations) {
      const responses = responsesOf(this.#before, operation)
      for (const [status, { node }] of responses) {
        if (isSuccessIn(responses, status)) continue
        for (const { media, schema } of bodiesOf(this.#before, node)) {
          for (const each of this.#withBases(schema))
            found.set(`${textOf(media)} ${idOf(each)}`, { media, schema: each })
        }
      }
    }
    return [...found.values()]
  }

  /** The schema and the named ones that it extends: `Error404` may be an `Error` with its own status. */
  #withBases(schema: Node | undefined): Set<Node | undefined> {
    const found = new Set([schema])
    for (const each of found) {
      for (const part of each?.get('allOf')?.items() ?? []) {
        if (this.#before.follow(part) !== undefined) found.add(this.#before.resolve(part))
      }
    }
    return found
  }
}

const idOf = (schema: Node | undefined) => schema && schema.source.path + schema.pointer

const bodiesOf = (document: OpenApiDocument, response: Node): Body[] => {
  const content = response.get('content')
  return (content === undefined ? [] : contentsOf(content)).map(({ media, node }) => {
    const schema = node.get('schema')
    return { media, schema: schema && document.resolve(schema) }
  })
}
