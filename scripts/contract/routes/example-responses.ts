import type { OpenApiDocument } from '../../document/document.ts'
import type { Json } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
import { Samples } from '../samples/samples.ts'
import { accepts } from '../schema/accepts.ts'
import { Lowerer } from '../schema/lower.ts'
import type { Schema } from '../schema/schema.ts'
import { Solver } from '../schema/solve.ts'
import { examplesOf } from './examples.ts'
import { essenceOf, isJsonType, type Operation, operationsOf } from './operations.ts'
import { simpleValues } from './simple-values.ts'

/** How an operation responds if it succeeds. */
export interface ExampleResponse {
  operationId: string
  status: number
  /** Those that are required. */
  headers: Record<string, Json>
  /** Absent if the response has no content. */
  body?: Json
  /** Of the body, if it is not `application/json`. */
  mediaType?: string
}

/**
 * A successful response for each operation that declares one with JSON, with text, or without content: the contract's first example
 * that its schema allows, otherwise a value made from the schema, the same each time.
 */
export const exampleResponsesOf = (document: OpenApiDocument): ExampleResponse[] => {
  const solver = new Solver()
  const simple = simpleValues(solver)
  const samples = new Samples(document, 1)
  const lowerer = new Lowerer(document, solver, 'response', 'sent')

  const valueFor = (owner: Node): Json | undefined => {
    const reference = owner.get('schema')
    const schema: Schema = reference === undefined ? solver.anything : lowerer.lower(reference)
    const example = examplesOf(document, owner).find(
      ({ value }) => accepts(schema, value) === true && samples.isValid(reference, 'response', value)
    )
    if (example !== undefined) return example.value
    const made = simple(schema)
    // It may have properties that only a variant which it does not match declares.
    const sendable = made === undefined ? undefined : samples.sendable(reference, made)
    return sendable === undefined ? samples.valid(owner, 'response')[0]?.value : sendable
  }

  const responseOf = (operation: Operation): ExampleResponse | undefined => {
    const [key = '', response] = successOf(operation) ?? []
    if (response === undefined) return undefined
    const headers: Record<string, Json> = {}
    for (const [name, each] of response.get('headers')?.entries() ?? []) {
      const header = document.resolve(each)
      if (header.get('required')?.value !== true || name.toLowerCase() === 'content-type') continue
      const value = valueFor(header)
      if (value === undefined) return undefined
      headers[name] = value
    }
    const operationId = String(operation.node.get('operationId')?.value)
    const base = { operationId, status: Number(key.replace('XX', '00').replace('default', '200')), headers }
    const contents = response.get('content')?.entries() ?? []
    if (contents.length === 0) return base
    const [type, content] =
      contents.find(([type]) => type === 'application/json') ??
      contents.find(([type]) => isJsonType(essenceOf(type))) ??
      contents.find(([type]) => type.startsWith('text/')) ??
      []
    const body = content && valueFor(content)
    if (type === undefined || body === undefined || (type.startsWith('text/') && typeof body !== 'string'))
      return undefined
    return { ...base, body, ...(type !== 'application/json' && { mediaType: type }) }
  }

  return operationsOf(document).flatMap(operation => responseOf(operation) ?? [])
}

/** The response with the lowest status from 200 to 399; otherwise the default one. */
const successOf = ({ responses }: Operation) =>
  [...responses].filter(([status]) => /^[23]/.test(status)).toSorted(([a], [b]) => (a < b ? -1 : 1))[0] ??
  [...responses].find(([status]) => status === 'default')
