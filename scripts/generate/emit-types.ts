import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import type { Contract, Operation } from './normalise.ts'
import { isObject, type Json, type JsonObject } from './read.ts'

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

const normalisedDocument = (contract: Contract): JsonObject => {
  const paths: { [path: string]: JsonObject } = {}
  for (const operation of contract.operations) {
    paths[operation.path] ??= {}
    ;(paths[operation.path] as JsonObject)[operation.method.toLowerCase()] = normalisedOperation(operation)
  }
  const { openapi, info } = contract.document
  return {
    openapi: openapi as Json,
    info: info as Json,
    paths,
    components: { schemas: Object.fromEntries(contract.schemas) }
  }
}

const normalisedOperation = ({ written, ...operation }: Operation): JsonObject => {
  const texts = ['operationId', 'summary', 'description', 'deprecated'].filter(key => key in written)
  return {
    ...Object.fromEntries(texts.map(key => [key, written[key] as Json])),
    parameters: operation.parameters as unknown as Json,
    ...(operation.body && {
      requestBody: {
        required: operation.body.required,
        content: { 'application/json': { schema: operation.body.schema } }
      }
    }),
    responses: Object.fromEntries(
      operation.responses.map(({ status, description, headers, schema, mediaType }) => [
        status,
        {
          description,
          headers: Object.fromEntries(headers.map(({ name, ...header }) => [name, header])),
          ...(schema && { content: { [mediaType ?? 'application/json']: { schema } } })
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
