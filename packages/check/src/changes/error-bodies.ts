import { getOrMake, type Node, type OpenApiDocument } from '@contract-first/document'
import type { SchemaComparer } from '../schema/comparer.ts'
import { contentsOf } from './contents.ts'
import type { Documents } from './findings.ts'
import { covers, type MediaType, textOf } from './media-types.ts'
import { isSuccessIn, responsesOf } from './responses.ts'

type Body = { media: MediaType; schema: Node | undefined }

/** Whether clients can read a new error: each body is valid as a known one, or as a schema that one extends. */
export const errorReader = ({ before, after }: Documents, schemas: SchemaComparer, operations: readonly Node[]) => {
  let known: readonly Body[] | undefined
  const verdicts = new Map<Node, boolean>()
  const holdsAll = (one: Node, schema: Node) =>
    schemas.compare(one, schema, 'response').every(({ level }) => level === 'compatible')
  const isKnown = ({ media, schema }: Body, errors: readonly Body[]): boolean => {
    const candidates = errors.filter(each => covers(each.media, media)).map(each => each.schema)
    if (candidates.includes(undefined) || schema === undefined) return candidates.includes(undefined)
    return getOrMake(verdicts, schema, () => candidates.some(each => each !== undefined && holdsAll(each, schema)))
  }
  return (response: Node): boolean => {
    known ??= errorsOf(before, operations)
    const errors = known
    return errors.length === 0 || bodiesOf(after, response).every(body => isKnown(body, errors))
  }
}

const errorsOf = (document: OpenApiDocument, operations: readonly Node[]): Body[] => {
  const bodies = new Map<string, Body>()
  for (const operation of operations) {
    const responses = responsesOf(document, operation)
    for (const [status, { node }] of responses) {
      if (isSuccessIn(responses, status)) continue
      for (const { media, schema } of bodiesOf(document, node))
        for (const each of withBases(document, schema))
          bodies.set(`${textOf(media)} ${each?.source.path}${each?.pointer}`, { media, schema: each })
    }
  }
  return [...bodies.values()]
}

/** The schema and the named schemas that it extends: `Error404` may be an `Error` with a fixed status. */
const withBases = (document: OpenApiDocument, schema: Node | undefined): Set<Node | undefined> => {
  const schemas = new Set([schema])
  for (const each of schemas)
    for (const part of each?.get('allOf')?.items() ?? [])
      if (document.follow(part) !== undefined) schemas.add(document.resolve(part))
  return schemas
}

const bodiesOf = (document: OpenApiDocument, response: Node): Body[] => {
  const content = response.get('content')
  return (content === undefined ? [] : contentsOf(content)).map(({ media, node }) => {
    const schema = node.get('schema')
    return { media, schema: schema && document.resolve(schema) }
  })
}
