import type { OpenApiDocument } from '../../document/document.ts'
import { isObject, type Json } from '../../document/json.ts'
import { isJsonType } from '../../document/media-type.ts'
import type { Node } from '../../document/node.ts'
import { examplesIn, examplesOf } from '../routes/examples.ts'
import { contentsOf, type Operation, operationsOf } from '../routes/operations.ts'
import { accepts } from '../schema/accepts.ts'
import { type Reply, requiredHeaders } from './replies.ts'
import { Samples } from './samples.ts'

/** How an operation responds if it succeeds. */
export interface ExampleResponse extends Omit<Reply, 'type' | 'example'> {
  operationId: string
  /** Of the body, if it is not `application/json`. */
  mediaType?: string
}

/**
 * Shows what an operation responds under a key of its `responses`: the contract's first example that its schema allows, otherwise a
 * value made from the schema, the same each time; of media types that are accepted, JSON first. Undefined for what is neither JSON nor
 * a text, and if there is no such value.
 */
export const exampleResponder = (document: OpenApiDocument, samples: Samples) => {
  const valueFor = (owner: Node): Json | undefined => {
    const reference = owner.get('schema')
    const schema = samples.schemas.sent(reference)
    const example = examplesOf(document, owner).find(
      ({ value }) => accepts(schema, value) === true && samples.isValid(reference, 'response', value)
    )
    if (example !== undefined) return example.value
    const made = samples.values.simple(schema)
    if (made === undefined || !samples.isValid(reference, 'response', made))
      return samples.valid(owner, 'response')[0]?.value
    const shown = reference === undefined ? made : withExamples(reference, made)
    return samples.isValid(reference, 'response', shown) ? shown : made
  }

  /** Parts that have an example of their own become that. */
  const withExamples = (reference: Node, made: Json): Json => {
    const schema = document.resolve(reference)
    const example = [...examplesIn(reference), ...examplesIn(schema)].find(({ value }) =>
      samples.isValid(schema, 'response', value)
    )
    if (example !== undefined) return example.value
    const inPlace = [
      ...(schema.get('allOf')?.items() ?? []),
      ...['oneOf', 'anyOf'].flatMap(keyword =>
        (schema.get(keyword)?.items() ?? []).filter(each => samples.isValid(each, 'response', made)).slice(0, 1)
      )
    ]
    let value = inPlace.reduce((value, each) => withExamples(each, value), made)
    const items = schema.get('items')
    if (Array.isArray(value) && items !== undefined) value = value.map(each => withExamples(items, each))
    if (!isObject(value)) return value
    for (const [name, each] of schema.get('properties')?.entries() ?? []) {
      const inner: Json | undefined = value[name]
      if (inner !== undefined) value = { ...value, [name]: withExamples(each, inner) }
    }
    return value
  }

  return ({ responses }: Operation, key: string, accepted?: readonly string[]): Reply | undefined => {
    const response = responses.get(key)
    const headers = response && requiredHeaders(document, response, ({ node }) => valueFor(node))
    if (response === undefined || headers === undefined) return undefined
    const base = { status: Number(key.replace('XX', '00').replace('default', '200')), headers }
    const all = contentsOf(document, response)
    if (all.length === 0) return base
    const contents = all.filter(([type]) => accepted?.includes(type) ?? true)
    const [type, content] =
      contents.find(([type]) => type === 'application/json') ??
      contents.find(([type]) => isJsonType(type)) ??
      contents.find(([type]) => type.startsWith('text/')) ??
      []
    const body = content && valueFor(content)
    if (type === undefined || body === undefined || (type.startsWith('text/') && typeof body !== 'string'))
      return undefined
    return { ...base, type, body }
  }
}

/** A successful response for each operation that declares one which can be shown. */
export const exampleResponsesOf = (document: OpenApiDocument): ExampleResponse[] => {
  const example = exampleResponder(document, new Samples(document, 1))
  return operationsOf(document).flatMap(operation => {
    const reply = example(operation, successOf(operation) ?? '')
    if (reply === undefined) return []
    const { type = 'application/json', ...rest } = reply
    const operationId = String(operation.node.get('operationId')?.value)
    return [{ operationId, ...rest, ...(type !== 'application/json' && { mediaType: type }) }]
  })
}

/** The lowest status from 200 to 399; otherwise the default. */
export const successOf = ({ responses }: Operation): string | undefined =>
  [...responses.keys()].filter(status => /^[23]/.test(status)).toSorted()[0] ??
  (responses.has('default') ? 'default' : undefined)
