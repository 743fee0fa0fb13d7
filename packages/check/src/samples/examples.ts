import type { Json, Node, OpenApiDocument } from '@contract-first/document'
import { contentsOf } from '../operations/operations.ts'

export interface Example {
  /** Empty if it has none. */
  name: string
  value: Json
  node: Node
}

/** The examples of a parameter, header or media type, otherwise those of its schema. */
export const examplesOf = (document: OpenApiDocument, owner: Node): Example[] => {
  const own = owner.get('example')
  if (own !== undefined) return [{ name: '', value: own.value, node: own }]
  const named = (owner.get('examples')?.entries() ?? []).flatMap(([name, reference]) => {
    const example = document.resolve(reference)
    const value = example.get('value') ?? example.get('dataValue')
    return value === undefined ? [] : [{ name, value: value.value, node: value }]
  })
  if (named.length > 0) return named
  const reference = owner.get('schema')
  const schema = reference && document.resolve(reference)
  const said = schema === undefined ? [] : [...examplesIn(schema), schema.get('default')]
  return said.filter(each => each !== undefined).map(node => ({ name: '', value: node.value, node }))
}

export const examplesIn = (schema: Node): Node[] =>
  [schema.get('example'), ...(schema.get('examples')?.items() ?? [])].filter(each => each !== undefined)

/** Names of the examples of 4xx and 5xx responses: a request example of the same name provokes that response. */
export const errorExamples = (document: OpenApiDocument, responses: ReadonlyMap<string, Node>): Set<string> => {
  const names = [...responses]
    .filter(([status]) => /^[45]/.test(status))
    .flatMap(([, response]) => contentsOf(document, response))
    .flatMap(([, mediaType]) => examplesOf(document, mediaType))
    .map(({ name }) => name)
  return new Set(names.filter(each => each !== ''))
}
