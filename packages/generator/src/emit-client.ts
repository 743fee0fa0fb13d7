import { readdirSync, readFileSync } from 'node:fs'
import { essenceOf, isObject, type Json, type JsonObject, lineOf, listed } from '@contract-first/document'
import { acceptOf, bodyType, encoderOf, kindsOf, receivedMedia, receivedSchema, sentMedia } from './client-media.ts'
import { Code, key, type Literal, literal, literalByStatus, pureCall, typeIndex, typeKey } from './code.ts'
import { operationDoc, schemaDoc } from './doc-comment.ts'
import { emitMock } from './emit-mock.ts'
import { emitValidators } from './emit-validators.ts'
import type { Field } from './form-fields.ts'
import { datePlaces, integerPlaces, isLargeInteger, kindOf, type PlacesOf } from './integer-places.ts'
import { Identifiers, Names } from './names.ts'
import type { Contract, Operation } from './normalise.ts'
import type { Parameter } from './parameters.ts'
import { flat, flatObject, type Lookup } from './pointer.ts'
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
    ...clientModules(contract, report),
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

const preamble = (hasBodies: boolean) => `
import { connect, withValidation } from './client-calls.ts'
${hasBodies ? "import type * as bodies from './client-bodies.ts'\n" : ''}import * as core from './client-core.ts'
import * as operations from './client-operations.ts'
import type { operations as OperationsOf } from './types.ts'

export {
  type Call,
  type CallOptions,
  ClientError,
  type ClientErrorKind,
  type ClientResponse,
  type Connection,
  type Credential,
  type Deprecation,
  type Int64,
  type List,
  type Retries
} from './client-core.ts'
export { type Link, parseLinks } from './client-links.ts'

/** What the contract says about each operation, by the type of int64. */
export interface Operations {
  number: OperationsOf
  bigint: OperationsOf<bigint>
  string: OperationsOf<string>
}
export type OperationId = keyof OperationsOf`

const clientModules = (contract: Contract, report: Report) => {
  const { securitySchemes, schemas, operations } = contract
  const { lookup } = schemas
  const [places, dates] = [integerPlaces(schemas), datePlaces(schemas)]
  const credentials = credentialsOf([...securitySchemes], report)
  const optionOf = new Map(credentials.map(({ name, option }) => [name, option]))
  const all = credentials.map(({ option, scheme }) => [option, carrierOf(scheme)] as const)
  const carriers = all.filter(([, carrier]) => carrier !== undefined)
  const calls = operations.filter(isCallable).map((operation): Call => {
    const lists = operation.responses.filter(response => isList(operation, response, lookup))
    return { operation, inputs: inputsOf(operation), lists }
  })
  const datesOf = (schema: JsonObject) => (contract.hasDates ? dates.of(schema) : {})
  const entries = calls.map(call => entryOf(contract, call, places, datesOf, optionOf))
  const identifiers = new Identifiers([...namesOfCalls, ...places.names(), ...dates.names()])
  const names = calls.map(({ operation: { operationId } }) => identifiers.of(operationId, inCamelCase(operationId)))
  const inputs = calls.map(
    ({ operation, inputs }) => `${typeKey(operation.operationId)}: ${inputType(operation, inputs, lookup)}`
  )
  const descriptions = entries.map(
    (entry, at) => `export const ${names[at]}: core.Operation = ${literal(entry)} as const`
  )
  const constants = [places.constants(), dates.constants(), ...descriptions].join('\n\n')
  const moduleOf = {
    ...{ bodies: 'client-bodies', dates: 'client-dates', json: 'client-json' },
    ...{ lists: 'client-lists', retries: 'client-retries' }
  }
  const imports = Object.entries(moduleOf).filter(([name]) => new RegExp(`[ (]${name}\\.`).test(constants))

  const client = `${preamble(inputs.some(each => each.includes('bodies.')))}

/** The input of an operation: its parameters by name, and its \`body\`. */
export interface Inputs<I extends core.Int64 = 'number'> {
${inputs.join('\n')}
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
${calls.map(signature).join('\n')}
}

export interface ConnectionOptions<I extends core.Int64 = 'number'> extends core.CommonOptions<I> {
${credentials.map(({ option, scheme }) => `${schemaDoc({}, lookup, scheme)}\n${key(option)}?: core.Credential | undefined`).join('\n')}
}

export interface ClientOptions<I extends core.Int64 = 'number'> extends ConnectionOptions<I> {
  /**
   * Checks each received body against its JSON Schema, and returns what is wrong with it, or undefined. The schemas are
   * loaded only with this option, and allow what may be added to responses without breaking a client.
   */
  validate?: core.Validate | undefined
}

/**
 * A client for the service at \`baseUrl\`.
 * @throws TypeError if paths cannot be appended to \`baseUrl\`
 */
export const createClient = <I extends core.Int64 = 'number'>(options: ClientOptions<I>): Client<I> =>
  core.callsOf(
    options.validate === undefined ? connect(options) : withValidation(connect(options), options.validate),
    operations
  ) as unknown as Client<I>
`
  return {
    'client.ts': client,
    'client-operations.ts': `
import type * as core from './client-core.ts'
${imports.map(([name, file]) => `import * as ${name} from './${file}.ts'`).join('\n')}

// A constant for each operation, so that a bundler keeps only those that are used.

${constants}
`,
    'client-calls.ts': `
import type * as client from './client.ts'
import * as core from './client-core.ts'
${carriers.length > 0 ? "import * as carriers from './client-credentials.ts'\n" : ''}import * as operations from './client-operations.ts'

export { ClientError } from './client-core.ts'

/** The same as in \`client\`. */
export const isErrorOf: typeof client.isErrorOf = core.isErrorOf as never

/**
 * The connection to the service at \`baseUrl\`, for the functions of this module.
 * @throws TypeError if paths cannot be appended to \`baseUrl\`
 */
export const connect = <I extends core.Int64 = 'number'>(options: client.ConnectionOptions<I>): core.Connection<I> =>
  core.connect(options${carriers.length > 0 ? `, carriers.authorize(${literal(Object.fromEntries(carriers))})` : ''})

/** The same connection, on which \`validate\` checks each received body, as \`createClient\` does. */
export const withValidation = <I extends core.Int64>(
  connection: core.Connection<I>,
  validate: core.Validate
): core.Connection<I> => core.checked(connection, validate, async () => (await import('./client-schemas.ts')).responses)

${calls.map((call, at) => callFunction(call, names[at] as string)).join('\n')}
`,
    ...emitValidators(
      contract,
      calls.map(call => ({ ...call, words: inCamelCase(call.operation.operationId) })),
      report
    )
  }
}

/** What else has a name in the modules with a function, or a constant, for each operation. */
const namesOfCalls = [
  ...['bodies', 'carriers', 'client', 'core', 'dates', 'json', 'lists', 'operations', 'retries'],
  ...['ClientError', 'connect', 'isErrorOf', 'withValidation'],
  // As a CommonJS module declares or uses them, or as \`import()\` and objects give them another meaning.
  ...['exports', 'module', 'require', 'Object', 'then', '__esModule', '__proto__']
]

/** \`repos/get-content\` as \`reposGetContent\`. */
const inCamelCase = (operationId: string) =>
  operationId
    .split(/[^A-Za-z0-9_$]+/)
    .filter(each => each !== '')
    .map((each, at) => (at === 0 ? each : each[0]?.toUpperCase() + each.slice(1)))
    .join('')

interface Call {
  operation: Operation
  inputs: ReturnType<typeof inputsOf>
  lists: readonly Response[]
}

/** What the client knows of an operation when it runs. */
const entryOf = (
  contract: Contract,
  { operation, inputs, lists }: Call,
  places: PlacesOf,
  datesOf: PlacesOf['of'],
  optionOf: ReadonlyMap<string, string>
): Literal => {
  const { operationId, method, body, security } = operation
  const responses = operation.responses.map(response => {
    const schema = receivedSchema(response)
    const kindOf = kindsOf(response)
    const inside = schema ? places.of(schema) : kindOf && {}
    const read = schema && readingOf(datesOf(schema))
    const isPlain = kindOf === undefined && inside !== undefined && isEmpty(inside) && read === undefined
    const items = itemsOf(response, places, datesOf, contract.schemas.lookup)
    return { status: response.status, isPlain, told: { body: inside, kindOf, read, items } }
  })
  const sent = body && sentMedia(body)
  const [plain, others] = [responses.filter(each => each.isPlain), responses.filter(each => !each.isPlain)]
  const keyName = inputs.find(
    ({ parameter: { in: place, name } }) => place === 'header' && /^idempotency-key$/i.test(name)
  )?.parameter.name
  const isResult = operation.responses.some(({ status }) => /^3/.test(status) && status !== '304')
  return {
    id: operationId,
    method,
    path: pathBelow(contract, operation),
    inputs: Object.fromEntries(
      inputs.map(input => [input.name, inputEntry(input, contract.schemas.lookup, places, datesOf, lists.length > 0)])
    ),
    body: sent && (sent.schema ? places.of(sent.schema) : {}),
    encode: sent && withDates('encoding', encoderOf(sent) ?? new Code('json.writeBody'), datesOf(sent.schema ?? {})),
    credentials: security.length > 0 ? alternativesOf(security, optionOf) : undefined,
    once: (keyName === undefined && !repeatable.has(method)) || undefined,
    headers: headersOf(keyName, acceptOf(operation)),
    redirect: method === 'GET' && isResult ? 'manual' : undefined,
    list: lists.length > 0 ? new Code('lists.list') : undefined,
    responses: literalByStatus(others.map(({ status, told }) => [status, told])),
    json: plain.length > 0 ? plain.map(({ status }) => (/^\d+$/.test(status) ? Number(status) : status)) : undefined,
    deprecated: deprecated(operation)
  }
}

const readingOf = (dates: Literal) => (isEmpty(dates) ? undefined : pureCall(`dates.reading(${literal(dates)})`))

/** What writes a value, after its dates have become texts. */
const withDates = (how: 'encoding' | 'writing', write: Code, dates: Literal): Code =>
  isEmpty(dates) ? write : pureCall(`dates.${how}(${write.text}, ${literal(dates)})`)

/** Of a stream of events or lines: where there are large integers in its items, and whether the data of events are JSON. */
const itemsOf = (response: Response, places: PlacesOf, datesOf: PlacesOf['of'], lookup: Lookup): Literal => {
  const media = receivedMedia(response).find(({ items }) => items !== undefined)
  if (media?.items === undefined) return undefined
  const dataTypes = (written: Json): string[] => {
    const { properties, oneOf = [], anyOf = [] } = flatObject(written, lookup)
    const data = isObject(properties) ? properties.data : undefined
    const own = data === undefined ? [] : typesOf(flatObject(data, lookup))
    return [...(data !== undefined && own.length === 0 ? ['any'] : own), ...[oneOf, anyOf].flat().flatMap(dataTypes)]
  }
  const types = essenceOf(media.type) === 'text/event-stream' ? dataTypes(media.items) : ['any']
  const inside = places.of(media.items)
  return {
    places: isEmpty(inside) ? undefined : inside,
    read: readingOf(datesOf(media.items)),
    data: types.every(each => each === 'string')
      ? 'text'
      : types.some(each => /any|string/.test(each))
        ? undefined
        : 'json'
  }
}

/** The headers that requests have unless the input has them. */
const headersOf = (keyName: string | undefined, accept: string | undefined): Code | undefined => {
  const headers: Literal = {
    ...(keyName !== undefined && { [keyName]: new Code('retries.randomUuid()') }),
    ...(accept !== undefined && { accept })
  }
  return Object.keys(headers).length > 0 ? new Code(`() => (${literal(headers)})`) : undefined
}

/** Methods whose requests may be sent twice: the idempotent ones (RFC 9110, section 9.2.2), and those that only read. */
const repeatable = new Set('GET PUT DELETE HEAD OPTIONS QUERY PROPFIND REPORT SEARCH'.split(' '))

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

const isCallable = ({ body }: Operation) => body === undefined || sentMedia(body) !== undefined

export const warnOfOmittedOperations = ({ operations }: Contract, report: Report): void => {
  const message = 'left out of the client and the mock, which do not know the media type of its body'
  const omitted = operations
    .filter(each => !isCallable(each))
    .map(operation => ({ place: locate(operation.written, 'requestBody'), message, operation }))
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
  /** Browsers send cookies of their own. */
  required: boolean
  parameter: Parameter
}
const inputsOf = ({ parameters }: Operation): Input[] => {
  const taken = new Set(['body'])
  const order = ['path', 'query', 'header', 'cookie']
  return parameters
    .toSorted((a, b) => order.indexOf(a.in) - order.indexOf(b.in))
    .map(parameter => {
      let name = parameter.name
      while (taken.has(name)) name = `${parameter.in}_${name}`
      taken.add(name)
      return { name, required: parameter.required && parameter.in !== 'cookie', parameter }
    })
}

/** `isList`: parameters are also read, from the link to the next page. */
const inputEntry = (
  { name, parameter }: Input,
  lookup: Lookup,
  places: PlacesOf,
  datesOf: PlacesOf['of'],
  isList: boolean
): Literal => {
  const own = name === parameter.name ? undefined : parameter.name
  const { field, in: place, commaSeparated, schema } = parameter
  const dates = datesOf(schema)
  if (!isEmpty(dates) || (field !== undefined && !(commaSeparated && field.style === 'simple'))) {
    const usual: Field = place === 'query' ? { style: 'form', explode: !commaSeparated } : { style: 'simple' }
    const { json, style, explode, whole, fields } = field ?? usual
    const inside = literal(places.of(schema))
    const form =
      explode && encoderOf({ type: 'application/x-www-form-urlencoded', kind: 'form', ...(fields && { fields }) })
    const encode = json ? '' : `, ${literal(form || pureCall('bodies.plain()'))}`
    const write = whole
      ? `bodies.whole(${inside}${encode})`
      : `bodies.in${place[0]?.toUpperCase()}${place.slice(1)}(${literal({ json, style, explode })}, ${inside})`
    return { in: place, name: own, write: withDates('writing', pureCall(write), dates) }
  }
  const { many, as } = textIn(parameter.schema, lookup)
  const isRead = isList && parameter.in === 'query'
  return {
    in: parameter.in,
    name: own,
    commas: parameter.commaSeparated || undefined,
    as: isRead || as === 'int64' || as === 'integer' ? as : undefined,
    many: (isRead && many) || undefined
  }
}

/** What the texts of a parameter stand for. */
const textIn = (
  written: JsonObject,
  lookup: Lookup
): { as?: 'int64' | 'integer' | 'number' | 'boolean'; many: boolean } => {
  const schema = flat(written, lookup)
  const types = typesOf(schema)
  if (types.includes('array')) return { ...textIn(isObject(schema.items) ? schema.items : {}, lookup), many: true }
  if (isLargeInteger(schema)) return { as: 'int64', many: false }
  if (kindOf(schema) === 'integer') return { as: 'integer', many: false }
  if (types.includes('number') || types.includes('integer')) return { as: 'number', many: false }
  return types.includes('boolean') ? { as: 'boolean', many: false } : { many: false }
}

const inputType = ({ operationId, body }: Operation, inputs: Input[], lookup: Lookup): string => {
  if (inputs.length === 0 && body === undefined) return 'Record<string, never>'
  const operation = `Operations[I][${typeIndex(operationId)}]`
  const member = (name: string, required: boolean, type: string, doc: string) =>
    `${doc}\n${key(name)}${required ? '' : '?'}: ${type}${required ? '' : ' | undefined'}`
  const members = inputs.map(({ name, required, parameter }) => {
    const { in: place, schema, written } = parameter
    const words = [
      ...(typeof written.description === 'string' ? [written.description] : []),
      ...(name === parameter.name ? [] : [`\`${parameter.name}\` in the ${place}`]),
      ...(place === 'cookie' ? ['A cookie, which a browser does not send: it has its own.'] : [])
    ]
    const own = { ...written, ...(words.length > 0 && { description: words.join('\n\n') }) }
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

const signature = ({ operation, lists }: Call): string => {
  const { operationId, responses } = operation
  return `${operationDoc(operation, returnsDoc(responses))}
${typeKey(operationId)}(${inputOf(operation)}, options?: core.CallOptions): ${resultOf(operation, lists)}`
}

const callFunction = ({ operation, lists }: Call, name: string): string => `
${operationDoc(operation, returnsDoc(operation.responses))}
export const ${name}: <I extends core.Int64 = 'number'>(
  connection: core.Connection<I>,
  ${inputOf(operation, 'client.')},
  options?: core.CallOptions
) => ${resultOf(operation, lists, 'client.')} = ${pureCall(`core.callOf(operations.${name})`).text} as never`

const inputOf = ({ operationId, body, parameters }: Operation, client = '') => {
  const isRequired = body?.required || parameters.some(each => each.required && each.in !== 'cookie')
  return `input${isRequired ? '' : '?'}: ${client}Inputs<I>[${typeIndex(operationId)}]`
}

const resultOf = ({ operationId }: Operation, lists: readonly Response[], client = ''): string => {
  const id = typeIndex(operationId)
  const result = `${client}Result<${id}, I>`
  if (lists.length === 0) return `core.Call<${result}>`
  const items = lists.map(
    ({ status }) =>
      `${client}Operations[I][${id}]['responses'][${typeIndex(status)}]['content']['application/json'][number]`
  )
  return `core.List<${result}, ${items.join(' | ')}>`
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
