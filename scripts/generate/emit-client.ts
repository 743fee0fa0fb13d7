import { readFileSync } from 'node:fs'
import { entriesOf, isObject, type JsonObject } from '../document/json.ts'
import { key, type Literal, literal, literalByStatus } from './code.ts'
import { operationDoc, schemaDoc } from './doc-comment.ts'
import { schemaModule } from './emit-operations.ts'
import { integerPlaces } from './integer-places.ts'
import type { Contract, Operation } from './normalise.ts'
import type { Parameter } from './parameters.ts'
import { flat, type Lookup } from './pointer.ts'
import type { Report } from './problems.ts'
import { locate } from './read.ts'

/** What the clients of all contracts share, with a header of its own. */
export const fixedParts = (): Map<string, string> =>
  new Map(
    ['client-core.ts', 'client-integers.ts', 'client-links.ts', 'client-responses.ts', 'client-retries.ts'].map(
      file => [
        file,
        `// Copied from scripts/generate/package/${file} by \`npm run generate\`: edit that, not this.\n\n` +
          readFileSync(new URL(`package/${file}`, import.meta.url), 'utf8')
      ]
    )
  )

/** The client of a contract, and the schemas that it loads only if asked to. */
export const emitClient = (contract: Contract, report: Report): Record<string, string> => {
  const received = schemaModule(contract, 'received', 'received', report)
  const schemas = Object.fromEntries(
    contract.operations.map(({ operationId, responses }) => [
      operationId,
      literalByStatus(responses.flatMap(({ status, schema }) => (schema ? [[status, received.use(schema)]] : [])))
    ])
  )
  return {
    'client.ts': clientModule(contract, report),
    'client-schemas.ts': `
import * as received from './received-schemas.ts'

/** The responses of each operation, by status. */
export const responses: Readonly<Record<string, Readonly<Record<string, object>>>> = ${literal(schemas)}`,
    'received-schemas.ts': received.text() || 'export {}'
  }
}

type Response = Operation['responses'][number]

const preamble = `
import * as core from './client-core.ts'
import type { operations as WithNumbers } from './types.ts'
import type { operations as WithBigints } from './types-bigint.ts'

export {
  type CallOptions,
  ClientError,
  type ClientErrorKind,
  type ClientResponse,
  type Credential,
  type Deprecation,
  type Int64,
  type List,
  type Retries
} from './client-core.ts'

interface Operations {
  number: WithNumbers
  bigint: WithBigints
}
export type OperationId = keyof WithNumbers`

const clientModule = ({ document, schemas, operations }: Contract, report: Report) => {
  const lookup: Lookup = name => schemas.get(name) ?? {}
  const places = integerPlaces(lookup)
  const schemes = entriesOf(isObject(document.components) ? document.components.securitySchemes : undefined)
  const credentials = credentialsOf(schemes as [string, JsonObject][], report)
  const optionOf = new Map(credentials.map(({ name, option }) => [name, option]))
  const calls = operations.map(operation => ({
    operation,
    inputs: inputsOf(operation),
    lists: operation.responses.filter(response => isList(operation, response, lookup))
  }))
  const table = calls.map(call => [call.operation.operationId, entryOf(call, lookup, places, optionOf)])

  return `${preamble}

/** The input of an operation: its parameters by name, and its \`body\`. */
export interface Inputs<I extends core.Int64 = 'number'> {
${calls.map(({ operation, inputs }) => `${key(operation.operationId)}: ${inputType(operation, inputs, lookup)}`).join('\n')}
}

/** The responses of an operation, by \`status\`. */
export type Result<Id extends OperationId, I extends core.Int64 = 'number'> = core.ResultOf<Operations[I][Id]['responses']>

/** One function for each operation; each returns a declared response, or throws a \`ClientError\`. */
export interface Client<I extends core.Int64 = 'number'> {
${calls.map(({ operation, lists }) => signature(operation, lists)).join('\n')}
}

export interface ClientOptions<I extends core.Int64 = 'number'> extends core.CommonOptions<I> {
${credentials.map(({ option, scheme }) => `${schemaDoc({}, lookup, scheme)}\n${key(option)}?: core.Credential | undefined`).join('\n')}
}

/**
 * A client for the service at \`baseUrl\`.
 * @throws TypeError if paths cannot be appended to \`baseUrl\`
 */
export const createClient = <I extends core.Int64 = 'number'>(options: ClientOptions<I>): Client<I> =>
  core.connect(
    operations,
    { ${credentials.map(({ option }) => `${key(option)}: options[${JSON.stringify(option)}]`).join(', ')} },
    async () => (await import('./client-schemas.ts')).responses,
    options
  ) as unknown as Client<I>

${places.constants()}

const operations: Readonly<Record<string, core.Operation>> = ${literal(Object.fromEntries(table))} as const
`
}

interface Call {
  operation: Operation
  inputs: ReturnType<typeof inputsOf>
  lists: readonly Response[]
}

/** What the client knows of an operation when it runs. */
const entryOf = (
  { operation, inputs, lists }: Call,
  lookup: Lookup,
  places: ReturnType<typeof integerPlaces>,
  optionOf: ReadonlyMap<string, string>
): Literal => ({
  method: operation.method,
  path: operation.path,
  inputs: Object.fromEntries(inputs.map(input => [input.name, inputEntry(input, lookup)])),
  body: operation.body && places.of(operation.body.schema),
  credentials:
    operation.security.length > 0
      ? [...new Set(operation.security.flat().map(name => optionOf.get(name) ?? name))]
      : undefined,
  responses: literalByStatus(
    operation.responses.map(response => [
      response.status,
      { body: response.schema && places.of(response.schema), isList: lists.includes(response) || undefined }
    ])
  ),
  deprecated: deprecated(operation)
})

const commonOptions = ['baseUrl', 'fetch', 'timeoutMs', 'retries', 'int64', 'onDeprecated', 'validate']

/** The credential of a security scheme has the name in `x-client-option`, otherwise the scheme's own. */
const credentialsOf = (schemes: [string, JsonObject][], report: Report) => {
  const taken = new Set(commonOptions)
  return schemes.map(([name, scheme]) => {
    const wish = scheme['x-client-option']
    const option = String(wish ?? (commonOptions.includes(name) ? `${name}Credential` : name))
    if (taken.has(option) || (!/^[A-Za-z]\w*$/.test(option) && wish !== undefined))
      report.add(
        locate(scheme, wish === undefined ? undefined : 'x-client-option'),
        `${option} cannot be the name of a client option; use an identifier that no other option has`
      )
    taken.add(option)
    return { name, option, scheme }
  })
}

interface Input {
  /** The parameter's name, and where several are called alike, or \`body\`, with its place before it. */
  name: string
  parameter: Parameter
}
const inputsOf = ({ parameters }: Operation): Input[] => {
  const taken = new Set(['body'])
  const order = ['path', 'query', 'header']
  return parameters
    .toSorted((a, b) => order.indexOf(a.in) - order.indexOf(b.in))
    .map(parameter => {
      let name = parameter.name
      while (taken.has(name)) name = `${parameter.in}_${name}`
      taken.add(name)
      return { name, parameter }
    })
}

const inputEntry = ({ name, parameter }: Input, lookup: Lookup): Literal => ({
  in: parameter.in,
  name: name === parameter.name ? undefined : parameter.name,
  commas: parameter.commaSeparated || undefined,
  int64: isInt64(parameter.schema, lookup) || undefined
})

const inputType = ({ operationId, body }: Operation, inputs: Input[], lookup: Lookup): string => {
  if (inputs.length === 0 && body === undefined) return 'Record<string, never>'
  const operation = `Operations[I][${JSON.stringify(operationId)}]`
  const member = (name: string, required: boolean, type: string, doc: string) =>
    `${doc}\n${key(name)}${required ? '' : '?'}: ${type}${required ? '' : ' | undefined'}`
  const members = inputs.map(({ name, parameter }) => {
    const { in: place, required, schema, written } = parameter
    const { description = '' } = written
    const own =
      name === parameter.name
        ? written
        : { ...written, description: `${description}\n\n\`${parameter.name}\` in the ${place}` }
    const type = `NonNullable<${operation}['parameters']['${place}']>[${JSON.stringify(parameter.name)}]`
    return member(name, required, type, schemaDoc(schema, lookup, own))
  })
  if (body !== undefined) {
    const { required, description, schema } = body
    const type = `NonNullable<${operation}['requestBody']>['content']['application/json']`
    members.push(member('body', required, type, schemaDoc(schema, lookup, description === '' ? {} : { description })))
  }
  return `{\n${members.join('\n')}\n}`
}

const signature = (operation: Operation, lists: Response[]): string => {
  const { operationId, parameters, body, responses } = operation
  const id = JSON.stringify(operationId)
  const isRequired = body?.required || parameters.some(each => each.required)
  const items = lists.map(({ status }) => {
    const index = /^\d+$/.test(status) ? status : JSON.stringify(status)
    return `Operations[I][${id}]['responses'][${index}]['content']['application/json'][number]`
  })
  const result = `Result<${id}, I>`
  return [
    operationDoc(operation, returnsDoc(responses)),
    `${key(operationId)}(input${isRequired ? '' : '?'}: Inputs<I>[${id}], options?: core.CallOptions): ` +
      (items.length > 0 ? `core.List<${result}, ${items.join(' | ')}>` : `Promise<${result}>`)
  ].join('\n')
}

const returnsDoc = (responses: Response[]): string[] => [
  ['@returns', ...responses.map(({ status, description }) => `- ${status} ${description.replace(/\s+/g, ' ')}`)].join(
    '\n'
  )
]

const deprecated = ({ written, lifecycle }: Operation): Literal => {
  if (written.deprecated !== true) return undefined
  const { since, removalDate, replacedBy } = lifecycle.deprecation ?? {}
  return {
    since: since === undefined ? undefined : new Date(since * 1000).toISOString().slice(0, 10),
    removalDate,
    replacedBy
  }
}

const isInt64 = (schema: JsonObject, lookup: Lookup): boolean => {
  const { format, items } = flat(schema, lookup)
  return format === 'int64' || (isObject(items) && isInt64(items, lookup))
}

/** An array with links beside it: pages, of which one leads to the next. */
const isList = ({ method }: Operation, { status, headers, schema }: Response, lookup: Lookup) =>
  method === 'GET' &&
  /^2/.test(status) &&
  headers.some(({ name }) => name.toLowerCase() === 'link') &&
  schema !== undefined &&
  flat(schema, lookup).type === 'array'
