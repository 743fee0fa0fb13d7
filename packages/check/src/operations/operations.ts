import {
  basePathOf as basePathIn,
  essenceOf,
  isJsonType,
  type Node,
  type OpenApiDocument
} from '@contract-first/document'
import { entriesAt, isReserved, isSet, operationsIn, type Serialization, serializationOf } from '../attributes.ts'

/** An operation as clients see it: merged with its path item, and with every `$ref` resolved. */
export interface Operation {
  /** `GET /pets/{petId}` */
  id: string
  /** In upper case. */
  method: string
  /** As in the contract, without the server's path. */
  path: string
  node: Node
  parameters: Parameter[]
  body: { required: boolean; content: [mediaType: string, node: Node][] } | undefined
  /** By status, range (`4XX`) or `default`. */
  responses: Map<string, Node>
  /** Alternatives, any of which is sufficient. An empty list requires none; an empty alternative means "no credentials". */
  security: string[][]
}

/** A value that is written as text: a parameter, or a header of a response. */
export interface Field extends Serialization {
  name: string
  required: boolean
  /** Whether its value is JSON text, whatever the style. */
  isJson: boolean
  node: Node
  schema: Node | undefined
}

export interface Parameter extends Field {
  in: 'path' | 'query' | 'querystring' | 'header' | 'cookie'
  /** The media type of `in: querystring`. */
  type: string | undefined
}

/** In the contract's order. */
export const operationsOf = (document: OpenApiDocument): Operation[] =>
  entriesAt(document.root, 'paths')
    .filter(([path]) => path.startsWith('/'))
    .flatMap(([path, reference]) => {
      const item = document.resolve(reference)
      // OpenAPI has no references to operations, but some documents do.
      return operationsIn(item).map(([method, node]) =>
        operationOf(document, path, item, method, document.resolve(node))
      )
    })

const operationOf = (document: OpenApiDocument, path: string, item: Node, method: string, node: Node): Operation => {
  const reference = node.get('requestBody')
  const body = reference && document.resolve(reference)
  return {
    id: `${method} ${path}`,
    method,
    path,
    node,
    parameters: parametersOf(document, item, node),
    body: body && { required: isSet(body, 'required'), content: contentOf(document, body) },
    responses: new Map(
      entriesAt(node, 'responses').map(([status, response]) => [
        status.toUpperCase().replace('DEFAULT', 'default'),
        document.resolve(response)
      ])
    ),
    security: ((node.get('security') ?? document.root.get('security'))?.items() ?? []).map(requirement =>
      requirement.entries().map(([scheme]) => scheme)
    )
  }
}

/** The media types of a body, in lower case and without parameters. */
export const contentOf = (document: OpenApiDocument, body: Node): [string, Node][] =>
  contentsOf(document, body).map(([type, node]) => [essenceOf(type), node])

/** The media types as written. OpenAPI has no references to a whole `content`, but some documents do. */
export const contentsOf = (document: OpenApiDocument, owner: Node): [string, Node][] => {
  const content = owner.get('content')
  const entries = content === undefined ? [] : document.resolve(content).entries()
  return entries.filter(([type]) => type.includes('/'))
}

const parametersOf = (document: OpenApiDocument, item: Node, operation: Node): Parameter[] => {
  const byName = new Map<string, Parameter>()
  for (const reference of [item, operation].flatMap(each => each.get('parameters')?.items() ?? [])) {
    const node = document.resolve(reference)
    const where = String(node.get('in')?.value) as Parameter['in']
    const field = fieldOf(document, String(node.get('name')?.value), node, where)
    const [[type] = []] = contentOf(document, node)
    const parameter = { ...field, in: where, type, required: where === 'path' || field.required }
    if (!isReserved(where, field.name)) byName.set(`${where} ${field.name}`, parameter)
  }
  return [...byName.values()]
}

/** Headers of a response, without the `Content-Type`, which OpenAPI ignores here (3.1.1, 4.8.17). */
export const headersIn = (document: OpenApiDocument, headers: readonly [name: string, reference: Node][]): Field[] =>
  headers
    .filter(([name]) => name.toLowerCase() !== 'content-type')
    .map(([name, reference]) => fieldOf(document, name, document.resolve(reference), 'header'))

const fieldOf = (document: OpenApiDocument, name: string, node: Node, where: string): Field => {
  const [[type, media] = ['', node]] = contentOf(document, node)
  const [required, isJson] = [isSet(node, 'required'), isJsonType(type)]
  return { name, required, ...serializationOf(node, where), isJson, node, schema: media.get('schema') }
}

export const parameterName = (parameter: Parameter): string => `${parameter.in} parameter ${parameter.name}`

export const namesIn = (path: string): string[] => [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)

/** The response that the contract declares for this status, possibly as a range or default. */
export const responseOf = ({ responses }: Operation, status: number): Node | undefined =>
  responses.get(declaredAs(responses, status) ?? '')

/** The key under which a status is declared. */
export const declaredAs = (responses: ReadonlyMap<string, Node>, status: number): string | undefined =>
  [String(status), `${Math.floor(status / 100)}XX`, 'default'].find(key => responses.has(key))

/** The path of the nearest `servers`: `/v1`, or empty. */
export const basePathOf = ({ root }: OpenApiDocument, operation?: Operation): string =>
  basePathIn(
    ...[operation?.node, operation?.node.parent, operation?.node.parent?.parent, root].map(holder =>
      Object(holder?.value)
    )
  )
