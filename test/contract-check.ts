import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

/** A request and what was answered to it, as they went over the wire. */
export interface Exchange {
  /** `undefined` when what came was no request. */
  request?: { method: string; target: string; hasKey: boolean } | undefined
  status: number
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  /** `undefined` when only the headers are known, as of a HEAD over a socket. */
  body: Buffer | undefined
}

export interface Judgement {
  /** The operation that answered; `undefined` when the request did not reach one. */
  operationId: string | undefined
  /** Of an error. */
  code: string | undefined
  violations: string[]
}

// The contract as it is written: read here by nothing that the service or its generator reads it with.
const text = readFileSync(new URL('../generated/openapi.json', import.meta.url), 'utf8')

/** JSON with every integer as a bigint, so that none is rounded. */
export const parseExact = (json: string): unknown =>
  JSON.parse(json, (_key, value, { source }: { source?: string }) =>
    typeof value === 'number' && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value
  )

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape, looked into place by place
type Node = any
export const contract: Node = JSON.parse(text)
const exactContract: Node = parseExact(text)

export interface Operation {
  operationId: string
  /** In capitals. */
  method: string
  /** As the contract has it: `/pets/{petId}`. */
  path: string
  /** Where the operation is in the contract, as a JSON pointer. */
  pointer: string
  definition: Node
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** The node itself where `{ $ref }` stands for it. */
export const resolved = (node: Node, document: Node = contract): Node => {
  if (typeof node?.$ref !== 'string') return node
  const [, ...path] = node.$ref.split('/').map((each: string) => each.replaceAll('~1', '/').replaceAll('~0', '~'))
  return resolved(
    path.reduce((at: Node, name: string) => at[name], document),
    document
  )
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

export const operations: Operation[] = Object.entries<Node>(contract.paths).flatMap(([path, item]) =>
  Object.keys(item)
    .filter(key => methods.includes(key))
    .map(method => ({
      operationId: item[method].operationId,
      method: method.toUpperCase(),
      path,
      pointer: `/paths/${escaped(path)}/${method}`,
      definition: item[method]
    }))
)

/** The first server is this service; every address of an operation begins with it. */
export const basePath = `/${contract.servers[0].url}`

/** The operation that a request is for, found by the contract alone. */
export const operationOf = (method: string, target: string): Operation | undefined => {
  const segments = segmentsOf(target)
  if (segments === undefined) return undefined
  return operations.find(each => {
    const wanted = `${basePath}${each.path}`.split('/')
    return (
      each.method === (method === 'HEAD' ? 'GET' : method) &&
      wanted.length === segments.length &&
      wanted.every((name, index) => (name.startsWith('{') ? segments[index] !== '' : segments[index] === name))
    )
  })
}

const segmentsOf = (target: string): string[] | undefined => {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/)
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    return undefined
  }
}

/** The table of error codes in the contract's description. */
export const codeTable: readonly { status: number; code: string }[] = [
  ...contract.info.description.matchAll(/^\| (\d{3}) \| `([a-z_]+)` \|/gm)
].map(([, status, code]) => ({ status: Number(status), code }))
if (codeTable.length === 0) throw new Error('the description of the contract has no table of error codes')

const wordsBetween = (start: string, end: string): string => {
  const [, after] = contract.info.description.split(start)
  if (after === undefined) throw new Error(`the description of the contract nowhere says '${start}'`)
  return after.split(end)[0]
}

/** What may be answered before an operation is reached, and is declared on none. */
export const beforeRouting: readonly { status: number; code: string }[] = wordsBetween(
  'before an operation is reached (',
  ')'
)
  .split(',')
  .flatMap(item => {
    const status = Number(/\d{3}/.exec(item)?.[0])
    const named = [...item.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code)
    return codeTable.filter(each => each.status === status && (named.length === 0 || named.includes(each.code)))
  })

/** The steps of judgement, each with its statuses. */
export const order: readonly (readonly number[])[] = [
  ...wordsBetween('They are judged in this order:', '.\n').matchAll(/\(([\d, ]+)\)/g)
].map(([, statuses = '']) => statuses.split(',').map(Number))
const methodStep = order.findIndex(statuses => statuses.includes(405))
if (methodStep === -1) throw new Error('the order of judgement in the description of the contract has no 405')

const includes = (list: readonly { status: number; code: string }[], status: number, code: string | undefined) =>
  list.some(each => each.status === status && each.code === code)

// Found while a request is read, whatever it is for; 404 and 405 say that it is for no operation.
const mayInterrupt = beforeRouting.filter(({ status, code }) => order[0]?.includes(status) && code !== 'malformed_path')

const int32 = { type: 'number', validate: (value: number) => value === (value | 0) } as const
const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { int32, int64: true } })
ajv.addSchema(contract, 'contract')
const compiled = new Map<string, ValidateFunction>()

/** What is wrong with a value by the schema at a JSON pointer into the contract. */
export const faultsOf = (value: unknown, pointer: string, what: string): string[] => {
  let validate = compiled.get(pointer)
  if (validate === undefined) {
    const fragment = pointer.split('/').map(encodeURIComponent).join('/')
    validate = ajv.compile({ $ref: `contract#${fragment}` })
    compiled.set(pointer, validate)
  }
  if (validate(value)) return []
  return (validate.errors ?? []).map(error => `${what}${error.instancePath} ${error.message}`)
}

/** What Ajv cannot see: integers that a double does not hold, and fields that the contract does not have. */
const exactFaultsOf = (value: unknown, schema: Node, what: string): string[] => {
  const parts = partsOf(schema)
  if (Array.isArray(value)) {
    const items = parts.map(part => part.items).filter(each => each !== undefined)
    return value.flatMap((each, index) => items.flatMap(item => exactFaultsOf(each, item, `${what}/${index}`)))
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, each]) => {
      const declared = parts.filter(part => Object.hasOwn(part.properties ?? {}, name))
      if (declared.length === 0) return [`${what}/${name} is no field of the contract`]
      return declared.flatMap(part => exactFaultsOf(each, part.properties[name], `${what}/${name}`))
    })
  }
  return parts
    .filter(part => part.format === 'int64' && value !== null)
    .flatMap(({ minimum = -(2n ** 63n), maximum = 2n ** 63n - 1n }) =>
      typeof value === 'bigint' && value >= minimum && value <= maximum
        ? []
        : [`${what} is ${value}, no integer from ${minimum} to ${maximum}`]
    )
}

const partsOf = (schema: Node): Node[] => {
  const own = resolved(schema, exactContract)
  const siblings = own === schema ? [] : [schema]
  return [...siblings, own, ...(own.allOf ?? []).flatMap(partsOf)]
}

/** Whether an answer is what the contract promises. */
export const judge = ({ request, status, headers, body }: Exchange): Judgement => {
  const violations: string[] = []
  const operation = request && operationOf(request.method, request.target)
  const isError = status >= 400
  violations.push(...framingFaults(request?.method, status, headers, body))
  // What has no body is checked above; from here on there is one, or it is not known.
  const content = request?.method === 'HEAD' ? undefined : body
  const error = isError && content !== undefined ? readJson(content, violations)?.plain : undefined
  const code = (error as { code?: string } | undefined)?.code
  if (isError) violations.push(...errorFaults(status, headers, error, content !== undefined))

  // Only the body says which code it is: for a HEAD, the status has to do.
  const interrupted =
    request?.method === 'HEAD'
      ? mayInterrupt.some(each => each.status === status)
      : includes(mayInterrupt, status, code)
  if (operation === undefined) {
    violations.push(...outsideFaults(request, status, code, headers))
    return { operationId: undefined, code, violations }
  }
  if (interrupted) return { operationId: undefined, code, violations }

  const response = operation.definition.responses[status]
  if (response === undefined) {
    violations.push(`${operation.operationId} does not declare ${status}${code === undefined ? '' : ` (${code})`}`)
    return { operationId: operation.operationId, code, violations }
  }
  if (code !== undefined && includes(beforeRouting, status, code))
    violations.push(`${operation.operationId} has been reached, yet the code is ${code}`)
  if (status < 300 && isSecured(operation) && !request?.hasKey)
    violations.push(`${operation.operationId} answered ${status} without a key`)
  const pointer = response.$ref?.slice(1) ?? `${operation.pointer}/responses/${status}`
  violations.push(...headerFaults(resolved(response), pointer, headers))
  violations.push(...bodyFaults(resolved(response), pointer, headers, content))
  return { operationId: operation.operationId, code, violations }
}

const isSecured = ({ definition }: Operation) => (definition.security ?? contract.security ?? []).length > 0

const readJson = (body: Buffer, violations: string[]): { plain: unknown; exact: unknown } | undefined => {
  try {
    if (!isUtf8(body)) throw new Error('it is not UTF-8')
    const text = body.toString()
    const plain = JSON.parse(text, (_key, value) => {
      if (typeof value === 'string' && !value.isWellFormed()) throw new Error('a string is not well-formed')
      return value
    })
    return { plain, exact: parseExact(text) }
  } catch (error) {
    violations.push(`the body is no JSON: ${(error as Error).message}`)
    return undefined
  }
}

const framingFaults = (
  method: string | undefined,
  status: number,
  headers: Exchange['headers'],
  body: Buffer | undefined
): string[] => {
  if (body === undefined) return []
  const mustBeEmpty = method === 'HEAD' || status === 204 || status === 304
  if (mustBeEmpty) return body.length === 0 ? [] : [`${method} ${status} has a body`]
  const length = headers['content-length']
  return length === undefined || Number(length) === body.length
    ? []
    : [`content-length is ${length}, the body has ${body.length} bytes`]
}

const errorFaults = (status: number, headers: Exchange['headers'], error: unknown, hasBody: boolean): string[] => {
  const type = headers['content-type']
  const faults = type === 'application/json' ? [] : [`an error has the content-type ${type}`]
  if (status === 401) faults.push(...componentHeaderFaults('WWW-Authenticate', headers))
  if (status === 429 || status === 503) faults.push(...componentHeaderFaults('Retry-After', headers))
  if (status === 405 && headers.allow === undefined) faults.push('a 405 has no Allow')
  if (!hasBody) return faults
  const { code, status: said } = (error ?? {}) as { code?: string; status?: unknown }
  faults.push(...faultsOf(error, '/components/schemas/Error', 'body'))
  const fields = Object.keys(resolved(contract.components.schemas.Error).properties).toSorted()
  const found = Object.keys(error ?? {}).toSorted()
  if (found.join() !== fields.join()) faults.push(`an error has the fields ${found}, not ${fields}`)
  if (said !== status) faults.push(`the status in the body is ${said}, not ${status}`)
  if (!includes(codeTable, status, code)) faults.push(`the description of the contract has no ${status} ${code}`)
  return faults
}

const componentHeaderFaults = (name: string, headers: Exchange['headers']) =>
  headerFaults({ headers: { [name]: contract.components.headers[name] } }, '/components', headers, false)

/** What belongs to no operation: the list in the description, and what is judged before the method is known. */
const outsideFaults = (
  request: Exchange['request'],
  status: number,
  code: string | undefined,
  headers: Exchange['headers']
): string[] => {
  const faults = ['deprecation', 'sunset', 'location']
    .filter(name => headers[name] !== undefined && !(name === 'location' && status >= 300 && status < 400))
    .map(name => `what belongs to no operation has the header ${name}`)
  const [first = ''] = request === undefined ? [''] : (segmentsOf(request.target)?.slice(1) ?? [])
  const isInside = `/${first}` === basePath || request?.target.startsWith(`${basePath}/`)
  if (status < 400) {
    const isOptions = request?.method === 'OPTIONS' && status === 204
    const isPreflight = headers['access-control-allow-methods'] !== undefined
    if (isOptions && !isPreflight && headers.allow === undefined) faults.push('OPTIONS has no Allow')
    if (isInside && !isOptions) faults.push(`${status} for what is no operation`)
    return faults
  }
  if (request === undefined) {
    if (!includes(mayInterrupt, status, code)) faults.push(`${status} ${code} to what is no request`)
    return faults
  }
  const isListed =
    code === undefined ? beforeRouting.some(each => each.status === status) : includes(beforeRouting, status, code)
  const isEarlier =
    order.slice(0, methodStep).flat().includes(status) && !beforeRouting.some(each => each.status === status)
  // Overload is judged before the address is looked at, and with a fault of ours anything may be.
  if (!isListed && !(isEarlier && isInside) && status !== 503 && status !== 500)
    faults.push(`${status} ${code} for what is no operation, yet it is not described as found before one is reached`)
  return faults
}

// Every header that the contract speaks of anywhere means something to clients, and comes only where it is declared.
const known = new Set(
  operations.flatMap(({ definition }) =>
    Object.values<Node>(definition.responses).flatMap(response =>
      Object.keys(resolved(response).headers ?? {}).map(name => name.toLowerCase())
    )
  )
)

const headerFaults = (response: Node, pointer: string, headers: Exchange['headers'], alone = true): string[] => {
  const faults: string[] = []
  const declared = Object.entries<Node>(response.headers ?? {})
  for (const [name, reference] of declared) {
    const { required = false, schema } = resolved(reference)
    const value = headers[name.toLowerCase()]
    if (value === undefined) {
      if (required) faults.push(`the header ${name} is missing`)
      continue
    }
    const at = reference.$ref?.slice(1) ?? `${pointer}/headers/${escaped(name)}`
    const { type } = resolved(schema)
    const typed = (type === 'integer' || type === 'number') && /^-?\d+$/.test(value) ? Number(value) : value
    faults.push(...faultsOf(typed, `${at}/schema`, `header ${name}`))
  }
  if (alone) {
    const names = declared.map(([name]) => name.toLowerCase())
    for (const name of Object.keys(headers))
      if (known.has(name) && !names.includes(name)) faults.push(`the header ${name} is not declared here`)
  }
  return faults
}

const bodyFaults = (
  response: Node,
  pointer: string,
  headers: Exchange['headers'],
  body: Buffer | undefined
): string[] => {
  const types = Object.keys(response.content ?? {})
  const type = headers['content-type']
  if (types.length === 0) return body === undefined || body.length === 0 ? [] : ['a body where the contract has none']
  if (type === undefined || !types.includes(type)) return [`the content-type is ${type}, not one of ${types}`]
  if (body === undefined) return []
  const faults: string[] = []
  const value = readJson(body, faults)
  if (value === undefined) return faults
  const at = `${pointer}/content/${escaped(type)}/schema`
  faults.push(...faultsOf(value.plain, at, 'body'))
  faults.push(...exactFaultsOf(value.exact, resolved({ $ref: `#${at}` }, exactContract), 'body'))
  return faults
}
