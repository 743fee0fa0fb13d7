import { type OpenApiDocument, readDocument } from '../../document/document.ts'
import { jsonText } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'

/** JSON Schema 2020-12, without references. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown }

/** A registered route, whatever the framework. */
export interface RegisteredRoute {
  /** In upper case. */
  method: string
  /** The complete path with parameters in braces: `/v1/pets/{petId}`. */
  path: string
  /** The contract that it was registered with; undefined if it is not an operation. */
  operation?: RegisteredOperation | undefined
  /** The status of a response, if it is not an operation: 404 and 405 prove that nothing is served. */
  status?: number | undefined
}

export interface RegisteredOperation {
  /** By location: an object schema with a property for each parameter. */
  parameters: Partial<Record<'path' | 'query' | 'header' | 'cookie', JsonSchema>>
  body?: { required: boolean; content: Record<string, JsonSchema> }
  /** By status, range or `default`. */
  responses: Record<string, RegisteredResponse>
  /** The names of the schemes: all within a list, of any of the lists. */
  security: readonly (readonly string[])[]
}

export interface RegisteredResponse {
  headers: Record<string, { required: boolean; schema: JsonSchema }>
  content: Record<string, JsonSchema>
}

/** The schemas of registered routes as nodes of a document, so that they can be compared like all others. */
export class RegisteredSchemas {
  readonly document: OpenApiDocument
  readonly #names: Map<JsonSchema, string>

  constructor(routes: readonly RegisteredRoute[]) {
    const all = routes.flatMap(({ operation }) => (operation === undefined ? [] : schemasOf(operation)))
    this.#names = new Map([...new Set(all)].map((schema, index) => [schema, `schema${index}`]))
    const schemas = Object.fromEntries([...this.#names].map(([schema, name]) => [name, schema]))
    const info = { title: 'registered routes', version: '0' }
    // Not in `components`, whose names would appear in reports.
    const text = jsonText({ openapi: '3.1.0', info, paths: {}, 'x-schemas': schemas })
    this.document = readDocument(text, 'registered routes')
  }

  node(schema: JsonSchema): Node {
    const node = this.document.root.get('x-schemas')?.get(this.#names.get(schema) ?? '')
    if (node === undefined) throw new Error('the schema does not belong to these routes')
    return node
  }
}

const schemasOf = ({ parameters, body, responses }: RegisteredOperation): JsonSchema[] => [
  ...Object.values(parameters),
  ...Object.values(body?.content ?? {}),
  ...Object.values(responses).flatMap(({ headers, content }) => [
    ...Object.values(headers).map(({ schema }) => schema),
    ...Object.values(content)
  ])
]
