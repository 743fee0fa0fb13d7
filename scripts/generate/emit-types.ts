import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import type { Contract, Operation } from './normalise.ts'
import { isObject, type Json, type JsonObject } from './read.ts'
import { mapSubschemas } from './schema-tree.ts'

/** TypeScript types of the whole contract; `int64` as `number`, or as `bigint`. */
export const emitTypes = async (contract: Contract, int64: 'number' | 'bigint'): Promise<string> => {
  const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword)
  const ast = await openapiTS(plainNumbers(normalisedDocument(contract)) as never, {
    // A default is what the server assumes, not something that a client has to send.
    defaultNonNullable: false,
    emptyObjectsUnknown: true,
    ...(int64 === 'bigint' && {
      transform: schema => (schema.type === 'integer' && schema.format === 'int64' ? bigint : undefined)
    })
  })
  return astToString(ast)
}

const normalisedDocument = ({ document, operations, schemas }: Contract): JsonObject => {
  const paths: { [path: string]: JsonObject } = {}
  for (const operation of operations) {
    paths[operation.path] ??= {}
    ;(paths[operation.path] as JsonObject)[operation.method.toLowerCase()] = normalisedOperation(operation)
  }
  // Whatever it was written in, its schemas are said as 3.1 says them.
  const components = { schemas: Object.fromEntries([...schemas].map(([name, each]) => [name, withoutExamples(each)])) }
  return { openapi: '3.1.0', info: document.info as Json, paths, components }
}

const json = (schema: JsonObject) => ({ content: { 'application/json': { schema: withoutExamples(schema) } } })

// Data, in which the type generator would look for references.
const withoutExamples = (schema: Json): Json => {
  if (!isObject(schema)) return schema
  const { example: _example, examples: _examples, externalDocs: _externalDocs, ...rest } = schema
  const kept = Object.entries(rest).filter(([keyword]) => !keyword.startsWith('x-'))
  return mapSubschemas(Object.fromEntries(kept), withoutExamples)
}

const normalisedOperation = ({ written, ...operation }: Operation): JsonObject => {
  const texts = ['operationId', 'summary', 'description', 'deprecated'].filter(key => key in written)
  return {
    ...Object.fromEntries(texts.map(key => [key, written[key] as Json])),
    parameters: operation.parameters.map(({ name, in: place, required, schema }) => ({
      name,
      in: place,
      required,
      schema: withoutExamples(schema)
    })),
    ...(operation.body && { requestBody: { required: operation.body.required, ...json(operation.body.schema) } }),
    responses: Object.fromEntries(
      operation.responses.map(({ status, description, headers, schema }) => [
        status,
        {
          description,
          headers: Object.fromEntries(headers.map(({ name, ...header }) => [name, header])),
          ...(schema && json(schema))
        }
      ])
    )
  }
}

/** Bounds beyond 2^53 do not concern the types, and the type generator knows no bigint. */
const plainNumbers = (value: Json): Json => {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(plainNumbers)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plainNumbers(each)]))
}
