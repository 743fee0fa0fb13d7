import { jsonText, type OpenApiDocument, readDocument } from '@contract-first/document'

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

/** An operation as in OpenAPI 3.1, without references. */
export interface RegisteredOperation {
  parameters?: readonly { name: string; in: string; required?: boolean; schema?: unknown }[]
  requestBody?: { required?: boolean; content: Content }
  /** By status, range or `default`. */
  responses?: Readonly<Record<string, { headers?: Readonly<Record<string, Header>>; content?: Content }>>
  security?: readonly Readonly<Record<string, readonly string[]>>[]
}
type Header = { required?: boolean; schema?: unknown }
type Content = Readonly<Record<string, { schema?: unknown }>>

/** The routes as a document, which is then read and compared like the contract. */
export const documentOf = (routes: readonly RegisteredRoute[]): OpenApiDocument => {
  const paths: Record<string, object> = {}
  for (const { method, path, operation } of routes) {
    if (operation === undefined) continue
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
  }
  const info = { title: 'registered routes', version: '0' }
  return readDocument(jsonText({ openapi: '3.1.0', info, paths }), 'routes')
}
