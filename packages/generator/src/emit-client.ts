import { readdirSync, readFileSync } from 'node:fs'
import { isObject, type JsonObject, lineOf, listed, type Place } from '@contract-first/document'
import { acceptOf, bodyType, encoderOf, kindsOf, receivedSchema, sentMedia } from './client-media.ts'
import { Code, key, type Literal, literal, literalByStatus, typeIndex, typeKey } from './code.ts'
import { operationDoc, schemaDoc } from './doc-comment.ts'
import { emitMock } from './emit-mock.ts'
import { integerPlaces, isLargeInteger } from './integer-places.ts'
import { Names } from './names.ts'
import type { Contract, Operation } from './normalise.ts'
import type { Parameter } from './parameters.ts'
import { flat, type Lookup } from './pointer.ts'
import type { Report } from './problems.ts'
import { locate } from './read.ts'
import { schemaModule } from './schema-module.ts'
import { typesOf } from './schema-tree.ts'

/** What the clients of all contracts share, with a header of its own. */
export const fixedParts = (): Map<string, string> => {
  const folder = new URL('../src/package/', import.meta.url)
  const files = readdirSync(folder).filter(file => file.endsWith('.ts'))
  const copied = (from: string, file: string | URL) =>
    `// Copied from ${from} by \`npm run generate\`: do not edit it.\n\n${readFileSync(file, 'utf8')}`
  const formats = new URL(import.meta.resolve('@contract-first/formats/index.ts'))
  return new Map([
    ...files.map(file => [file, copied(`@contract-first/generator/package/${file}`, new URL(file, folder))] as const),
    ['mock-formats.ts', copied('@contract-first/formats', formats)]
  ])
}

/** The client of a contract, and the schemas that it loads only if asked to. */
export const emitClient = (contract: Contract, report: Report): Record<string, string> => {
  const received = schemaModule(contract, 'received', 'received', report)
  const schemas = Object.fromEntries(
    contract.operations.map(({ operationId, responses }) => [
      operationId,
      literalByStatus(
        responses.flatMap(response => {
          const schema = receivedSchema(response)
          return schema ? [[response.status, received.use(schema)]] : []
        })
      )
    ])
  )
  return {
    'client.ts': clientModule(contract, report),
    'client-schemas.ts': `
import * as received from './received-schemas.ts'

/** The responses of each operation, by status. */
export const responses: Readonly<Record<string, Readonly<Record<string, object>>>> = ${literal(schemas)}`,
    'mock.ts': emitMock(contract, contract.operations.filter(isCallable), received, report),
    // Last, as only now all received schemas are known.
    'received-schemas.ts': received.text() || 'export {}'
  }
}

type Response = Operation['responses'][number]

const preamble = (hasCarriers: boolean, hasBodies: boolean) => `
${hasBodies ? "import * as bodies from './client-bodies.ts'\n" : ''}import * as core from './client-core.ts'
${hasCarriers ? "import * as carriers from './client-credentials.ts'\n" : ''}import type { operations as OperationsOf } from './types.ts'

export {
  type Call,
  type CallOptions,
  ClientError,
  type ClientErrorKind,
  type ClientResponse,
  type Credential,
  type Deprecation,
  type Int64,
  type Link,
  type List,
  parseLinks,
  type Retries
} from './client-core.ts'

interface Operations {
  number: OperationsOf
  bigint: OperationsOf<bigint>
  string: OperationsOf<string>
}
export type OperationId = keyof OperationsOf`

const clientModule = (contract: Contract, report: Report) => {
  const { securitySchemes, schemas, operations } = contract
  const { lookup } = schemas
  const places = integerPlaces(schemas)
  const credentials = credentialsOf([...securitySchemes], report)
  const optionOf = new Map(credentials.map(({ name, option }) => [name, option]))
  const all = credentials.map(({ option, scheme }) => [option, carrierOf(scheme)] as const)
  const carriers = all.filter(([, carrier]) => carrier !== undefined)
  const calls = operations.filter(isCallable).map((operation): Call => {
    const lists = operation.responses.filter(response => isList(operation, response, lookup))
    return { operation, inputs: inputsOf(operation), lists }
  })
  const table = calls.map(call => [call.operation.operationId, entryOf(contract, call, places, optionOf)])
  const entries = literal(Object.fromEntries(table))

  return `${preamble(carriers.length > 0, /: bodies\./.test(entries))}

/** The input of an operation: its parameters by name, and its \`body\`. */
export interface Inputs<I extends core.Int64 = 'number'> {
${calls.map(({ operation, inputs }) => `${typeKey(operation.operationId)}: ${inputType(operation, inputs, lookup)}`).join('\n')}
}

type ListId = ${calls.flatMap(({ operation, lists }) => (lists.length > 0 ? typeIndex(operation.operationId) : [])).join(' | ') || 'never'}

/** The responses of an operation, by \`status\`. */
export type Result<Id extends OperationId, I extends core.Int64 = 'number'> = core.ResultOf<
  Operations[I][Id]['responses'],
  Id extends ListId ? Inputs<I>[Id] : never
>

/** The error that is thrown for a response without success; its \`status\` tells the type of its \`body\`. */
export type ErrorOf<Id extends OperationId, I extends core.Int64 = 'number'> = core.ClientError & {
  readonly kind: 'error-status'
} & core.ErrorResult<Result<Id, I>>

/** Whether an error is a response that the contract declares for this operation. */
export const isErrorOf: <Id extends OperationId, I extends core.Int64 = 'number'>(
  operationId: Id,
  error: unknown
) => error is ErrorOf<Id, I> = core.isErrorOf as never

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
    options${carriers.length > 0 ? `,\n    carriers.authorize(${literal(Object.fromEntries(carriers))})` : ''}
  ) as unknown as Client<I>

${places.constants()}

const operations: Readonly<Record<string, core.Operation>> = ${entries} as const
`
}

interface Call {
  operation: Operation
  inputs: ReturnType<typeof inputsOf>
  lists: readonly Response[]
}

/** What the client knows of an operation when it runs. */
const entryOf = (
  contract: Contract,
  { operation, inputs, lists }: Call,
  places: ReturnType<typeof integerPlaces>,
  optionOf: ReadonlyMap<string, string>
): Literal => {
  const { method, body, security } = operation
  const responses = operation.responses.map(response => {
    const isList = lists.includes(response)
    const schema = receivedSchema(response)
    const kindOf = kindsOf(response)
    const inside = schema ? places.of(schema) : kindOf && {}
    const isPlain = !isList && kindOf === undefined && inside !== undefined && isEmpty(inside)
    return { status: response.status, isPlain, told: { body: inside, isList: isList || undefined, kindOf } }
  })
  const sent = body && sentMedia(body)
  const [plain, others] = [responses.filter(each => each.isPlain), responses.filter(each => !each.isPlain)]
  return {
    method,
    path: pathBelow(contract, operation),
    inputs: Object.fromEntries(
      inputs.map(input => [input.name, inputEntry(input, contract.schemas.lookup, places, lists.length > 0)])
    ),
    body: sent && (sent.schema ? places.of(sent.schema) : {}),
    encode: sent && encoderOf(sent),
    accept: acceptOf(operation),
    credentials: security.length > 0 ? alternativesOf(security, optionOf) : undefined,
    responses: literalByStatus(others.map(({ status, told }) => [status, told])),
    json: plain.length > 0 ? plain.map(({ status }) => (/^\d+$/.test(status) ? Number(status) : status)) : undefined,
    deprecated: deprecated(operation)
  }
}

/** The client option of each credential; a list if several are needed together. */
const alternativesOf = (security: Operation['security'], optionOf: ReadonlyMap<string, string>): Literal[] => {
  const all = security.map(each => Object.keys(each).map(name => optionOf.get(name) ?? name))
  const distinct = new Map(all.filter(each => each.length > 0).map(each => [each.join(' '), each]))
  return [...distinct.values()].map(each => (each.length === 1 ? (each[0] as string) : each))
}

/** How a credential travels, unless it is a bearer token. */
const carrierOf = ({ type, scheme, in: place, name }: JsonObject): Code | undefined => {
  if (type === 'apiKey') return new Code(`carriers.${place}(${JSON.stringify(name)})`)
  return type === 'http' && String(scheme).toLowerCase() === 'basic' ? new Code('carriers.basic') : undefined
}

/** The path to append to the client's base URL, which is the URL of the contract's first server. */
const pathBelow = ({ basePath: base }: Contract, { basePath, path }: Operation): string => {
  if (basePath.startsWith(`${base}/`) || basePath === base) return basePath.slice(base.length) + path
  return base.replace(/\/[^/]+/g, '/..') + basePath + path
}

const isEmpty = (places: Literal) =>
  typeof places === 'object' && places !== null && !(places instanceof Code) && Object.keys(places).length === 0

const isCallable = (operation: Operation) => obstacle(operation) === undefined

/** Where and why a client cannot call an operation, if it cannot. */
const obstacle = ({ parameters, body, written }: Operation): [Place, string] | undefined => {
  const parameter = parameters.find(each => each.required && !isSent(each))
  if (parameter !== undefined) return [locate(parameter.written), `cannot send its parameter ${parameter.name}`]
  if (body !== undefined && sentMedia(body) === undefined)
    return [locate(written, 'requestBody'), 'do not know the media type of its body']
  return undefined
}

/** Whether the client can send a parameter: texts, lists of them, and anything in a query. */
const isSent = ({ field, in: place, commaSeparated }: Parameter) =>
  field === undefined || place === 'query' || (commaSeparated && field.style === 'simple')

export const warnOfOmittedOperations = ({ operations }: Contract, report: Report): void => {
  const omitted = operations.flatMap(operation => {
    const [place, why] = obstacle(operation) ?? []
    return place === undefined
      ? []
      : [{ place, message: `left out of the client and the mock, which ${why}`, operation }]
  })
  for (const [, [first, ...others]] of Map.groupBy(omitted, lineOf)) {
    if (first === undefined) continue
    const ids = [first, ...others].map(({ operation }) => operation.operationId)
    report.warn(first.place, `${listed(ids, 3)} ${others.length > 0 ? 'are' : 'is'} ${first.message}`)
  }
}

/** The options of every client, and the names that every object has. */
const otherOptions = new Set([
  ...['baseUrl', 'fetch', 'timeoutMs', 'retries', 'int64', 'onDeprecated', 'validate'],
  ...Object.getOwnPropertyNames(Object.prototype)
])

/** The credential of a security scheme has the name in `x-client-option`, otherwise the scheme's own. */
const credentialsOf = (schemes: [string, JsonObject][], report: Report) => {
  const names = new Names(otherOptions)
  return schemes.map(([name, scheme]) => {
    const wish = scheme['x-client-option']
    if (wish !== undefined && (names.has(String(wish)) || !/^[A-Za-z]\w*$/.test(String(wish))))
      report.add(
        locate(scheme, 'x-client-option'),
        `${wish} cannot be the name of a client option; use an identifier that no other option has`
      )
    const option = names.give(String(wish ?? (otherOptions.has(name) ? `${name}Credential` : name)))
    return { name, option, scheme }
  })
}

interface Input {
  /** The parameter's name; preceded by its location if several have this name, or if it is \`body\`. */
  name: string
  parameter: Parameter
}
const inputsOf = ({ parameters }: Operation): Input[] => {
  const taken = new Set(['body'])
  const order = ['path', 'query', 'header']
  return parameters
    .filter(isSent)
    .toSorted((a, b) => order.indexOf(a.in) - order.indexOf(b.in))
    .map(parameter => {
      let name = parameter.name
      while (taken.has(name)) name = `${parameter.in}_${name}`
      taken.add(name)
      return { name, parameter }
    })
}

/** `isList`: parameters are also read, from the link to the next page. */
const inputEntry = (
  { name, parameter }: Input,
  lookup: Lookup,
  places: ReturnType<typeof integerPlaces>,
  isList: boolean
): Literal => {
  const own = name === parameter.name ? undefined : parameter.name
  if (parameter.field !== undefined && parameter.in === 'query') {
    const { json, style, explode, whole, fields } = parameter.field
    if (whole) {
      const type = 'application/x-www-form-urlencoded'
      const form = explode && encoderOf({ type, kind: 'form', ...(fields && { fields }) })
      const encode = json ? undefined : form || new Code('bodies.plain()')
      const given = [literal(places.of(parameter.schema)), ...(encode ? [literal(encode)] : [])]
      return { in: parameter.in, name: own, pairs: new Code(`bodies.whole(${given.join(', ')})`) }
    }
    const written = [literal({ json, style, explode }), literal(places.of(parameter.schema))]
    return { in: parameter.in, name: own, pairs: new Code(`bodies.pairs(${written.join(', ')})`) }
  }
  const { many, as } = textIn(parameter.schema, lookup)
  const isRead = isList && parameter.in === 'query'
  return {
    in: parameter.in,
    name: own,
    commas: parameter.commaSeparated || undefined,
    as: isRead || as === 'int64' ? as : undefined,
    many: (isRead && many) || undefined
  }
}

/** What the texts of a parameter stand for. */
const textIn = (written: JsonObject, lookup: Lookup): { as?: 'int64' | 'number' | 'boolean'; many: boolean } => {
  const schema = flat(written, lookup)
  const types = typesOf(schema)
  if (types.includes('array')) return { ...textIn(isObject(schema.items) ? schema.items : {}, lookup), many: true }
  if (isLargeInteger(schema)) return { as: 'int64', many: false }
  if (types.includes('number') || types.includes('integer')) return { as: 'number', many: false }
  return types.includes('boolean') ? { as: 'boolean', many: false } : { many: false }
}

const inputType = ({ operationId, body }: Operation, inputs: Input[], lookup: Lookup): string => {
  if (inputs.length === 0 && body === undefined) return 'Record<string, never>'
  const operation = `Operations[I][${typeIndex(operationId)}]`
  const member = (name: string, required: boolean, type: string, doc: string) =>
    `${doc}\n${key(name)}${required ? '' : '?'}: ${type}${required ? '' : ' | undefined'}`
  const members = inputs.map(({ name, parameter }) => {
    const { in: place, required, schema, written } = parameter
    const { description = '' } = written
    const own =
      name === parameter.name
        ? written
        : { ...written, description: `${description}\n\n\`${parameter.name}\` in the ${place}` }
    const exact = `NonNullable<${operation}['parameters']['${place}']>[${typeIndex(parameter.name)}]`
    const { as, many } = textIn(schema, lookup)
    // Besides the type that stands for int64, a number is always accepted, such as an id that is small elsewhere in the contract.
    const type = as === 'int64' ? `${exact} | number${many ? '[]' : ''}` : exact
    return member(name, required, type, schemaDoc(schema, lookup, own))
  })
  const sent = body && sentMedia(body)
  if (body !== undefined && sent !== undefined) {
    const { required, description } = body
    const { schema = {} } = sent
    const type = bodyType(sent, `NonNullable<${operation}['requestBody']>['content']`)
    members.push(member('body', required, type, schemaDoc(schema, lookup, description === '' ? {} : { description })))
  }
  return `{\n${members.join('\n')}\n}`
}

const signature = (operation: Operation, lists: readonly Response[]): string => {
  const { operationId, parameters, body, responses } = operation
  const id = typeIndex(operationId)
  const isRequired = body?.required || parameters.some(each => each.required)
  const responsesOfId = `Operations[I][${id}]['responses']`
  const items = lists.map(
    ({ status }) => `${responsesOfId}[${typeIndex(status)}]['content']['application/json'][number]`
  )
  const result = `Result<${id}, I>`
  return [
    operationDoc(operation, returnsDoc(responses)),
    `${typeKey(operationId)}(input${isRequired ? '' : '?'}: Inputs<I>[${id}], options?: core.CallOptions): ` +
      (items.length > 0 ? `core.List<${result}, ${items.join(' | ')}>` : `core.Call<${result}>`)
  ].join('\n')
}

const returnsDoc = (responses: Response[]): string[] => {
  const lines = responses.map(({ status, description }) => `- ${status} ${description.replace(/\s+/g, ' ')}`)
  return [['@returns', ...lines].join('\n')]
}

const deprecated = ({ written, lifecycle }: Operation): Literal => {
  if (written.deprecated !== true) return undefined
  const { since, removalDate, replacedBy } = lifecycle.deprecation ?? {}
  return {
    since: since === undefined ? undefined : new Date(since * 1000).toISOString().slice(0, 10),
    removalDate,
    replacedBy
  }
}

/** An array with links beside it: pages, of which one leads to the next. */
const isList = ({ method }: Operation, { status, headers, schema }: Response, lookup: Lookup) =>
  method === 'GET' &&
  /^2/.test(status) &&
  headers.some(({ name }) => name.toLowerCase() === 'link') &&
  schema !== undefined &&
  flat(schema, lookup).type === 'array'
