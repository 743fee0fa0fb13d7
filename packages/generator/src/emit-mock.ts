import { entriesOf, isObject, type Json, type JsonObject } from '@contract-first/document'
import { receivedMedia, receivedSchema, sentMedia } from './client-media.ts'
import { Code, type Literal, literal, literalByStatus } from './code.ts'
import { Names } from './names.ts'
import type { Contract, Operation } from './normalise.ts'
import type { Parameter } from './parameters.ts'
import { flat } from './pointer.ts'
import type { Report } from './problems.ts'
import { resolverOf } from './rules.ts'
import { type SchemaModule, schemaModule } from './schema-module.ts'

/** The contract as a `fetch` for tests; its schemas are those that the client receives, and those of requests. */
export const emitMock = (
  contract: Contract,
  operations: readonly Operation[],
  received: SchemaModule,
  report: Report
): string => {
  const requests = schemaModule(contract, 'request', 'requests', report)
  const written = examplesIn(contract.document)
  const entries = operations.map(each => ({
    operationId: each.operationId,
    request: requestOf(each, contract, requests),
    responses: responsesOf(each, received, written)
  }))
  const shared = sharedResponses(entries.flatMap(({ responses }) => responses))
  const table = entries.map(({ operationId, request, responses }): [string, Literal] => {
    const all = responses.map(([status, response]): [string, Literal] => [status, shared.use(response)])
    return [operationId, { ...request, responses: literalByStatus(all) }]
  })
  const ofMock = (type: string) => (contract.hasDates ? `core.WithTexts<${type}>` : type)
  return `
import type { OperationId, Result } from './client.ts'
import * as core from './mock-core.ts'
${requests.imported('./request-schemas.ts')}${received.imported('./received-schemas.ts')}
export type { Http, MockFetch } from './mock-core.ts'

/** A response of an operation, with an int64 as a number, or as a bigint beyond 2^53. */
export type MockResponse<Id extends OperationId> = ${ofMock("core.ResponseFor<Result<Id> | Result<Id, 'bigint'>>")}

/**
 * By operation: a response instead of the contract's, or a function that returns one for a request, or undefined for the
 * contract's. It must not break the contract.
 */
export type MockResponses = { readonly [Id in OperationId]?: core.Responder<MockResponse<Id>> | undefined }

export interface MockOptions extends core.MockOptions {
  respond?: MockResponses | undefined
}

/**
 * A \`fetch\` for tests, which responds as the contract shows: with its examples, otherwise with random values that its
 * schemas allow. Requests that break the contract get a 400. A header \`Prefer\` chooses: \`code=503\`, \`example=NAME\`,
 * \`delay=2.5\` in seconds. A stream has three items, or those of the example; one of events stays open after them.
 */
export const createMock = ({ respond, ...options }: MockOptions = {}): core.MockFetch =>
  core.mockFetch(operations, ${literal(contract.basePath)}, options, respond)

/**
 * The same as handlers of MSW 2, whose \`http\` is needed: \`createHandlers(http)()\` makes one for each operation, and with
 * responses by operation, only those of these operations.
 */
export const createHandlers = <Handler>(
  http: core.Http<Handler>,
  options: core.MockOptions = {}
): ((respond?: MockResponses) => Handler[]) =>
  core.mockHandlers(http, operations, ${literal(contract.basePath)}, options)

${shared.text}

// The type keeps an operation called valueOf from being taken for the inherited method.
const operations: Readonly<Record<string, core.MockedOperation>> = ${literal(Object.fromEntries(table))} as const`
}

type Written = ReturnType<typeof examplesIn>

const requestOf = (
  { method, basePath, path, parameters, body }: Operation,
  contract: Contract,
  requests: SchemaModule
): { [key: string]: Literal } => ({
  method,
  basePath: basePath === contract.basePath ? undefined : basePath,
  path,
  // Values other than texts and lists of texts are not checked, so only names are needed.
  parameters: parameters
    .filter(each => !each.field?.whole)
    .map(each => ({
      name: each.name,
      in: each.in,
      required: each.required && each.field === undefined,
      schema: each.field === undefined ? requests.use(each.schema) : undefined,
      ...arrayOf(each, contract.schemas.lookup)
    })),
  isOpen: parameters.some(isSpread) || undefined,
  body: bodyOf(body, requests)
})

/** The body, if it is JSON. */
const bodyOf = (body: Operation['body'], requests: SchemaModule): Literal => {
  const sent = body && sentMedia(body)
  return sent?.kind === 'json' && sent.schema
    ? { required: body?.required ?? false, schema: requests.use(sent.schema) }
    : undefined
}

/** Whether the names in the query are those of an object's properties. */
const isSpread = ({ in: place, field }: Parameter) =>
  place === 'query' && (field?.whole === true || (field?.style === 'form' && field.explode === true))

/** By status. */
const responsesOf = (
  { responses, written: operation }: Operation,
  received: SchemaModule,
  written: Written
): [string, Literal][] =>
  responses.map(response => {
    const { status, headers } = response
    const [{ type = undefined, items = undefined } = {}] = receivedMedia(response)
    const schema = receivedSchema(response)
    const shown = written(operation, status, type)
    // An example is sent as it is; without one, the header is sent only if it is required.
    const own = headers.flatMap(({ name, required, schema, field }): [string, Literal][] => {
      const example = shown.headers.get(name)
      if (example === undefined && !required) return []
      const value = example === undefined ? { schema: received.use(schema) } : { example }
      return [[name, { ...value, json: field?.json, explode: field?.explode || undefined }]]
    })
    return [
      status,
      {
        headers: own.length > 0 ? Object.fromEntries(own) : undefined,
        examples: shown.bodies.length > 0 ? shown.bodies : undefined,
        schema: schema && received.use(schema),
        items: items && received.use(items),
        type: type === 'application/json' ? undefined : type
      }
    ]
  })

/** Constants for the responses that several operations have, and what to write for each response. */
const sharedResponses = (all: [status: string, Literal][]) => {
  const constants: string[] = []
  const names = new Names()
  const known = new Map<Literal, Code>()
  for (const [text, same] of Map.groupBy(all, ([, response]) => literal(response))) {
    const status = same[0]?.[0] ?? ''
    const name = same.length === 1 ? undefined : names.give(`response${status}`)
    for (const [, response] of same) known.set(response, new Code(name ?? text))
    if (name !== undefined) constants.push(`const ${name}: core.MockedResponse = ${text} as const`)
  }
  const use = (response: Literal): Literal => known.get(response)
  return { text: constants.join('\n\n'), use }
}

const arrayOf = (parameter: Parameter, lookup: Contract['schemas']['lookup']): { [key: string]: Literal } => ({
  commas: parameter.commaSeparated || undefined,
  many: flat(parameter.schema, lookup).type === 'array' || undefined
})

/** The examples of each response, as written in the document. */
const examplesIn = (document: JsonObject) => {
  const resolve = resolverOf(document)
  const examplesOf = ({ example, examples }: JsonObject): [string, Json][] => {
    const named = entriesOf(examples).flatMap(([name, each]): [string, Json][] => {
      const { dataValue, value = dataValue } = resolve(each) ?? {}
      return value === undefined ? [] : [[name, value]]
    })
    return example === undefined ? named : [['', example], ...named]
  }
  return ({ responses }: JsonObject, status: string, type = 'application/json') => {
    const response = resolve(isObject(responses) ? responses[status] : undefined) ?? {}
    const content = resolve(response.content) ?? {}
    const media = resolve(content[type]) ?? {}
    const headers = entriesOf(response.headers).flatMap(([name, each]): [string, Json][] => {
      const [first] = examplesOf(resolve(each) ?? {})
      return first === undefined ? [] : [[name, first[1]]]
    })
    return { bodies: examplesOf(media), headers: new Map(headers) }
  }
}
