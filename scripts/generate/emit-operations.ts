import { Code, identifier, type Literal, literal } from './code.ts'
import { type Direction, eachSchema, jsonSchema } from './json-schema.ts'
import type { Contract, Operation, Parameter } from './normalise.ts'
import { isObject, type Json, type JsonObject } from './read.ts'

/** JSON Schemas as constants, one per component that goes in this direction, and what turns a schema into code. */
const schemaModule = (contract: Contract, direction: Direction) => {
  const taken = new Map<string, string>()
  const emitted = new Map<string, string>()
  const nameOf = (reference: string) =>
    decodeURIComponent(reference.split('/').at(-1) ?? '')
      .replaceAll('~1', '/')
      .replaceAll('~0', '~')

  const asLiteral = (value: Json): Literal => {
    if (Array.isArray(value)) return value.map(asLiteral)
    if (!isObject(value)) return value
    if (typeof value.$ref === 'string') return reference(nameOf(value.$ref))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, asLiteral(each)]))
  }
  const reference = (name: string): Code => {
    const constant = identifier(name, taken)
    if (!emitted.has(constant)) {
      emitted.set(constant, '')
      const schema = contract.schemas.get(name) ?? {}
      const text = literal(asLiteral(jsonSchema(schema, direction)))
      // Only now: what a constant refers to has to stand before it.
      emitted.delete(constant)
      emitted.set(constant, text)
    }
    return new Code(constant)
  }
  return {
    use: (schema: JsonObject, prefix: string): Literal => {
      const value = asLiteral(jsonSchema(schema, direction))
      return value instanceof Code ? new Code(`${prefix}.${value.text}`) : prefixed(value, prefix)
    },
    text: () => [...emitted].map(([constant, text]) => `export const ${constant} = ${text} as const`).join('\n\n')
  }
}

const prefixed = (value: Literal, prefix: string): Literal => {
  if (value instanceof Code) return new Code(`${prefix}.${value.text}`)
  if (Array.isArray(value)) return value.map(each => prefixed(each, prefix))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, prefixed(each as Literal, prefix)]))
}

/** `operations.ts` and the two modules of schemas that it refers to. */
export const emitOperations = (contract: Contract) => {
  const requests = schemaModule(contract, 'request')
  const responses = schemaModule(contract, 'response')

  const parametersIn = (operation: Operation, place: Parameter['in']): Literal => {
    const parameters = operation.parameters.filter(each => each.in === place)
    if (parameters.length === 0 && place !== 'query') return undefined
    const required = parameters.filter(each => each.required).map(each => each.name)
    return {
      type: 'object',
      properties: Object.fromEntries(parameters.map(each => [each.name, requests.use(each.schema, 'requests')])),
      ...(required.length > 0 && { required }),
      // A client may send header fields that the contract does not know, but no other parameters.
      additionalProperties: place === 'header'
    }
  }
  const entry = (operation: Operation): Literal => {
    const { body, lifecycle } = operation
    const commaSeparated = operation.parameters.filter(each => each.schema.type === 'array' && !each.explode)
    return {
      operationId: operation.operationId,
      method: operation.method,
      path: operation.path,
      url: operation.path.replace(/\{([^}]+)\}/g, ':$1'),
      tags: operation.tags,
      input: {
        params: parametersIn(operation, 'path'),
        query: parametersIn(operation, 'query'),
        headers: parametersIn(operation, 'header'),
        body: body && requests.use(body.schema, 'requests')
      },
      bodyRequired: body?.required ?? false,
      commaSeparated: commaSeparated.map(each => each.name),
      responses: Object.fromEntries(
        operation.responses.map(each => [
          each.status,
          {
            headers: Object.fromEntries(
              each.headers.map(({ name, required, schema }) => [
                name,
                { required, schema: responses.use(schema, 'responses') }
              ])
            ),
            body: each.schema && responses.use(each.schema, 'responses')
          }
        ])
      ),
      security: operation.security,
      lifecycle: lifecycle as Literal
    }
  }

  const { document } = contract
  const entries = Object.fromEntries(contract.operations.map(each => [each.operationId, entry(each)]))
  const server = ((document.servers as JsonObject[] | undefined)?.[0]?.url ?? '') as string
  const schemes = (isObject(document.components) ? document.components.securitySchemes : undefined) ?? {}
  return {
    'operations.ts': `
import * as requests from './request-schemas.ts'
import * as responses from './response-schemas.ts'

/** Where the operations' paths begin. */
export const basePath = ${literal(`/${server}`)}

/** The most that a request may have, in bytes. */
export const limits = ${literal((document['x-limits'] ?? {}) as Literal)} as const

export const securitySchemes = ${literal(schemes as Literal)} as const

export const operations = ${literal(entries)} as const
`,
    'request-schemas.ts': requests.text(),
    'response-schemas.ts': responses.text()
  }
}

void eachSchema
