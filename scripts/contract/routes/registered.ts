import { type OpenApiDocument, readDocument } from '../../document/document.ts'
import { jsonText } from '../../document/json.ts'

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

/** The routes as a document, which is read and compared like the contract; without their schemas, if these do not matter. */
export const documentOf = (routes: readonly RegisteredRoute[], hasSchemas: boolean): OpenApiDocument => {
  const described = (schema: JsonSchema | undefined) => (hasSchemas ? { schema } : {})
  const contentOf = (content: Record<string, JsonSchema>) => mapped(content, described)
  const parametersIn = (where: string, all: JsonSchema | undefined) => {
    const { properties = {}, required = [] } = Object(all) as ObjectSchema
    return Object.entries(properties).map(([name, schema]) => ({
      name,
      in: where,
      required: required.includes(name),
      ...described(schema)
    }))
  }
  const paths: Record<string, object> = {}
  for (const { method, path, operation } of routes) {
    if (operation === undefined) continue
    const { parameters, body, responses, security } = operation
    const written = {
      parameters: Object.entries(parameters).flatMap(([where, all]) => parametersIn(where, all)),
      ...(body && { requestBody: { required: body.required, content: contentOf(body.content) } }),
      responses: mapped(responses, ({ headers, content }) => ({
        headers: mapped(headers, ({ required, schema }) => ({ required, ...described(schema) })),
        content: contentOf(content)
      })),
      security: security.map(names => Object.fromEntries(names.map(name => [name, []])))
    }
    paths[path] = { ...paths[path], [method.toLowerCase()]: written }
  }
  return readDocument(
    jsonText({ openapi: '3.1.0', info: { title: 'registered routes', version: '0' }, paths }),
    'routes'
  )
}

interface ObjectSchema {
  properties?: Record<string, JsonSchema>
  required?: readonly string[]
}

const mapped = <From, To>(object: Record<string, From>, map: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))
