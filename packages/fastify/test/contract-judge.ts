import { isUtf8 } from 'node:buffer'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

/** A request and its response, as they were sent. */
export interface Exchange {
  /** `undefined` if the bytes received were not a valid request. */
  request?: { method: string; target: string; hasKey: boolean } | undefined
  status: number
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  /** `undefined` if only the headers are known, as for a HEAD over a socket. */
  body: Buffer | undefined
}

export interface Judgement {
  /** The operation that the request reached, if it reached one. */
  operationId: string | undefined
  /** The code of an error. */
  code: string | undefined
  violations: string[]
}

export interface Operation {
  operationId: string
  /** In upper case. */
  method: string
  /** As in the contract: `/pets/{petId}`. */
  path: string
  /** Where the operation is in the contract, as a JSON pointer. */
  pointer: string
  definition: Node
}

type Codes = readonly { status: number; code: string }[]

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape, whose parts are checked where they are read
type Node = any

/** JSON with every integer as a bigint, so that none is rounded. */
export const parseExact = (json: string): unknown =>
  JSON.parse(json, (_key, value, { source }: { source?: string }) =>
    typeof value === 'number' && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value
  )

/** Checks responses against a contract. Shares no code with the service and its generator. */
export class ContractJudge {
  /** The document: any contract whose description has the same form as the Animal Store's. */
  readonly contract: Node
  readonly operations: readonly Operation[]
  /** The URL of the first server, which is this service; the path of every operation begins with it. */
  readonly basePath: string
  /** The table of error codes in the contract's description. */
  readonly codeTable: Codes
  /** Errors that may occur before an operation is reached, and that no operation declares. */
  readonly beforeRouting: Codes
  /** The steps of the order of judgement, each with its statuses. */
  readonly order: readonly (readonly number[])[]

  readonly #exactContract: Node
  /** The step that checks whether the path has an operation for the method. */
  readonly #methodStep: number
  /** Errors found while a request is read, whatever its URL; with 404 and 405, there is no operation. */
  readonly #mayInterrupt: Codes
  /** Every header that the contract declares anywhere. None of them may occur where it is not declared. */
  readonly #known: ReadonlySet<string>
  readonly #ajv: Ajv2020
  readonly #compiled = new Map<string, ValidateFunction>()

  /** `json` is an OpenAPI document that refers only to itself. */
  constructor(json: string) {
    this.contract = JSON.parse(json)
    this.#exactContract = parseExact(json)
    this.operations = operationsOf(this.contract)
    this.basePath = `/${this.contract.servers[0].url}`

    const { description } = this.contract.info
    this.codeTable = codesIn(description)
    this.beforeRouting = codesBeforeRouting(description, this.codeTable)
    this.order = orderIn(description)
    this.#methodStep = this.order.findIndex(statuses => statuses.includes(405))
    if (this.#methodStep === -1) throw new Error('the order of judgement in the contract’s description has no 405')
    this.#mayInterrupt = this.beforeRouting.filter(
      ({ status, code }) => this.order[0]?.includes(status) && code !== 'malformed_path'
    )

    this.#known = new Set(
      this.operations.flatMap(({ definition }) =>
        Object.values<Node>(definition.responses).flatMap(response =>
          Object.keys(this.resolved(response).headers ?? {}).map(name => name.toLowerCase())
        )
      )
    )
    const int32 = { type: 'number', validate: (value: number) => value === (value | 0) } as const
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, formats: { int32, int64: true } })
    this.#ajv.addSchema(this.contract, 'contract')
  }

  /** The node that `{ $ref }` refers to, or the node itself. */
  resolved(node: Node): Node {
    return resolvedIn(node, this.contract)
  }

  /** The parameters of an operation, including those declared for its whole path. */
  parametersOf({ path, definition }: Operation): Node[] {
    const all = [...(this.contract.paths[path].parameters ?? []), ...(definition.parameters ?? [])]
    return all.map(each => this.resolved(each))
  }

  /** The operation of a request, determined by the contract alone. */
  operationOf(method: string, target: string): Operation | undefined {
    const segments = segmentsOf(target)
    if (segments === undefined) return undefined
    return this.operations.find(each => {
      const wanted = `${this.basePath}${each.path}`.split('/')
      return (
        each.method === (method === 'HEAD' ? 'GET' : method) &&
        wanted.length === segments.length &&
        wanted.every((name, index) => (name.startsWith('{') ? segments[index] !== '' : segments[index] === name))
      )
    })
  }

  /** What is wrong with a value according to the schema at a JSON pointer into the contract. */
  faultsOf(value: unknown, pointer: string, what: string): string[] {
    let validate = this.#compiled.get(pointer)
    if (validate === undefined) {
      const fragment = pointer.split('/').map(encodeURIComponent).join('/')
      validate = this.#ajv.compile({ $ref: `contract#${fragment}` })
      this.#compiled.set(pointer, validate)
    }
    if (validate(value)) return []
    return (validate.errors ?? []).map(error => `${what}${error.instancePath} ${error.message}`)
  }

  /** Checks whether a response is what the contract promises. */
  judge({ request, status, headers, body }: Exchange): Judgement {
    const violations: string[] = []
    const operation = request && this.operationOf(request.method, request.target)
    const isError = status >= 400
    violations.push(...framingFaults(request?.method, status, headers, body))
    // Responses that must not have a body have been checked; from here on there is one, or it is unknown.
    const content = request?.method === 'HEAD' ? undefined : body
    const error = isError && content !== undefined ? readJson(content, violations)?.plain : undefined
    const code = (error as { code?: string } | undefined)?.code
    if (isError) violations.push(...this.#errorFaults(status, headers, error, content !== undefined))

    // The code is only in the body, so for a HEAD the status must do.
    const interrupted =
      request?.method === 'HEAD'
        ? this.#mayInterrupt.some(each => each.status === status)
        : includes(this.#mayInterrupt, status, code)
    if (operation === undefined) {
      violations.push(...this.#outsideFaults(request, status, code, headers))
      return { operationId: undefined, code, violations }
    }
    if (interrupted) return { operationId: undefined, code, violations }

    const { responses } = operation.definition
    const declared = [`${status}`, `${`${status}`[0]}XX`, 'default'].find(each => each in responses)
    if (declared === undefined) {
      violations.push(`${operation.operationId} does not declare ${status}${code === undefined ? '' : ` (${code})`}`)
      return { operationId: operation.operationId, code, violations }
    }
    if (code !== undefined && includes(this.beforeRouting, status, code))
      violations.push(`${operation.operationId} has been reached, yet the code is ${code}`)
    if (status < 300 && this.#isSecured(operation) && !request?.hasKey)
      violations.push(`${operation.operationId} sent ${status} without a key`)
    const response = responses[declared]
    const pointer = response.$ref?.slice(1) ?? `${operation.pointer}/responses/${declared}`
    violations.push(...this.#headerFaults(this.resolved(response), pointer, headers))
    violations.push(...this.#bodyFaults(this.resolved(response), pointer, headers, content))
    return { operationId: operation.operationId, code, violations }
  }

  #isSecured({ definition }: Operation): boolean {
    return (definition.security ?? this.contract.security ?? []).length > 0
  }

  #errorFaults(status: number, headers: Exchange['headers'], error: unknown, hasBody: boolean): string[] {
    const type = headers['content-type']
    const faults = type === 'application/json' ? [] : [`an error has the content-type ${type}`]
    if (status === 401) faults.push(...this.#componentHeaderFaults('WWW-Authenticate', headers))
    if (status === 429 || status === 503) faults.push(...this.#componentHeaderFaults('Retry-After', headers))
    if (status === 405 && headers.allow === undefined) faults.push('a 405 has no Allow')
    if (!hasBody) return faults
    const { code, status: said } = (error ?? {}) as { code?: string; status?: unknown }
    faults.push(...this.faultsOf(error, '/components/schemas/Error', 'body'))
    const fields = Object.keys(this.resolved(this.contract.components.schemas.Error).properties).toSorted()
    const found = Object.keys(error ?? {}).toSorted()
    if (found.join() !== fields.join()) faults.push(`an error has the fields ${found}, not ${fields}`)
    if (said !== status) faults.push(`the status in the body is ${said}, not ${status}`)
    if (!includes(this.codeTable, status, code)) faults.push(`the description of the contract has no ${status} ${code}`)
    return faults
  }

  #componentHeaderFaults(name: string, headers: Exchange['headers']): string[] {
    const response = { headers: { [name]: this.contract.components.headers[name] } }
    return this.#declaredHeaderFaults(response, '/components', headers)
  }

  /** Checks a response that no operation sent: the description must list its error, or name it in a step before the method. */
  #outsideFaults(
    request: Exchange['request'],
    status: number,
    code: string | undefined,
    headers: Exchange['headers']
  ): string[] {
    const faults = ['deprecation', 'sunset', 'location']
      .filter(name => headers[name] !== undefined && !(name === 'location' && status >= 300 && status < 400))
      .map(name => `a response of no operation has the header ${name}`)
    const [first = ''] = request === undefined ? [''] : (segmentsOf(request.target)?.slice(1) ?? [])
    const isInside = `/${first}` === this.basePath || request?.target.startsWith(`${this.basePath}/`)
    if (status < 400) {
      const isOptions = request?.method === 'OPTIONS' && status === 204
      const isPreflight = headers['access-control-allow-methods'] !== undefined
      if (isOptions && !isPreflight && headers.allow === undefined) faults.push('OPTIONS has no Allow')
      if (isInside && !isOptions) faults.push(`${status} for no operation`)
      return faults
    }
    if (request === undefined) {
      if (!includes(this.#mayInterrupt, status, code)) faults.push(`${status} ${code} to an invalid request`)
      return faults
    }
    const isBeforeRouting = this.beforeRouting.some(each => each.status === status)
    const isListed = code === undefined ? isBeforeRouting : includes(this.beforeRouting, status, code)
    const isEarlier = this.order.slice(0, this.#methodStep).flat().includes(status) && !isBeforeRouting
    // Overload is checked before the path, and an internal error may occur anywhere.
    if (!isListed && !(isEarlier && isInside) && status !== 503 && status !== 500)
      faults.push(`${status} ${code} for no operation, but it is not described as found before an operation is reached`)
    return faults
  }

  #headerFaults(response: Node, pointer: string, headers: Exchange['headers']): string[] {
    const names = Object.keys(response.headers ?? {}).map(name => name.toLowerCase())
    const undeclared = Object.keys(headers).filter(name => this.#known.has(name) && !names.includes(name))
    return [
      ...this.#declaredHeaderFaults(response, pointer, headers),
      ...undeclared.map(name => `the header ${name} is not declared here`)
    ]
  }

  #declaredHeaderFaults(response: Node, pointer: string, headers: Exchange['headers']): string[] {
    return Object.entries<Node>(response.headers ?? {}).flatMap(([name, reference]) => {
      const { required = false, schema } = this.resolved(reference)
      const value = headers[name.toLowerCase()]
      if (value === undefined) return required ? [`the header ${name} is missing`] : []
      const at = reference.$ref?.slice(1) ?? `${pointer}/headers/${escaped(name)}`
      const { type } = this.resolved(schema)
      const typed = (type === 'integer' || type === 'number') && /^-?\d+$/.test(value) ? Number(value) : value
      return this.faultsOf(typed, `${at}/schema`, `header ${name}`)
    })
  }

  #bodyFaults(response: Node, pointer: string, headers: Exchange['headers'], body: Buffer | undefined): string[] {
    const types = Object.keys(response.content ?? {})
    const type = headers['content-type']
    if (types.length === 0)
      return body === undefined || body.length === 0 ? [] : ['a body that the contract does not declare']
    if (type === undefined || !types.includes(type)) return [`the content-type is ${type}, not one of ${types}`]
    if (body === undefined) return []
    const faults: string[] = []
    const value = readJson(body, faults)
    if (value === undefined) return faults
    const at = `${pointer}/content/${escaped(type)}/schema`
    faults.push(...this.faultsOf(value.plain, at, 'body'))
    const schema = resolvedIn({ $ref: `#${at}` }, this.#exactContract)
    faults.push(...this.#exactFaultsOf(value.exact, schema, 'body'))
    return faults
  }

  /** Checks what Ajv cannot: integers beyond the precision of a double, and undeclared fields. */
  #exactFaultsOf(value: unknown, schema: Node, what: string): string[] {
    const parts = this.#partsOf(schema)
    if (Array.isArray(value)) {
      const items = parts.map(part => part.items).filter(each => each !== undefined)
      return value.flatMap((each, index) => items.flatMap(item => this.#exactFaultsOf(each, item, `${what}/${index}`)))
    }
    if (typeof value === 'object' && value !== null) {
      return Object.entries(value).flatMap(([name, each]) => {
        const declared = parts.filter(part => Object.hasOwn(part.properties ?? {}, name))
        if (declared.length === 0) return [`${what}/${name} is not a field of the contract`]
        return declared.flatMap(part => this.#exactFaultsOf(each, part.properties[name], `${what}/${name}`))
      })
    }
    return parts
      .filter(part => part.format === 'int64' && value !== null)
      .flatMap(({ minimum = -(2n ** 63n), maximum = 2n ** 63n - 1n }) =>
        typeof value === 'bigint' && value >= minimum && value <= maximum
          ? []
          : [`${what} is ${value}, not an integer from ${minimum} to ${maximum}`]
      )
  }

  #partsOf(schema: Node): Node[] {
    const own = resolvedIn(schema, this.#exactContract)
    const siblings = own === schema ? [] : [schema]
    return [...siblings, own, ...(own.allOf ?? []).flatMap((part: Node) => this.#partsOf(part))]
  }
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** The node that `{ $ref }` refers to in a document, or the node itself. */
export const resolvedIn = (node: Node, document: Node): Node => {
  if (typeof node?.$ref !== 'string') return node
  const [, ...path] = node.$ref.split('/').map((each: string) => each.replaceAll('~1', '/').replaceAll('~0', '~'))
  return resolvedIn(
    path.reduce((at: Node, name: string) => at[name], document),
    document
  )
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

const operationsOf = (contract: Node): Operation[] =>
  Object.entries<Node>(contract.paths).flatMap(([path, item]) =>
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

const codesIn = (description: string): Codes => {
  const codes = [...description.matchAll(/^\| (\d{3}) \| `([a-z_]+)` \|/gm)].map(([, status, code = '']) => ({
    status: Number(status),
    code
  }))
  if (codes.length === 0) throw new Error('the contract’s description has no table of error codes')
  return codes
}

const codesBeforeRouting = (description: string, codeTable: Codes): Codes =>
  wordsBetween(description, 'before an operation is reached (', ')')
    .split(',')
    .flatMap(item => {
      const status = Number(/\d{3}/.exec(item)?.[0])
      const named = [...item.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code)
      return codeTable.filter(each => each.status === status && (named.length === 0 || named.includes(each.code)))
    })

const orderIn = (description: string): number[][] =>
  [...wordsBetween(description, 'in this order:', '.\n').matchAll(/\(([\d, ]+)\)/g)].map(([, statuses = '']) =>
    statuses.split(',').map(Number)
  )

const wordsBetween = (description: string, start: string, end: string): string => {
  const [, after] = description.split(start)
  if (after === undefined) throw new Error(`the contract’s description does not contain '${start}'`)
  return after.split(end, 1)[0] ?? ''
}

const includes = (list: Codes, status: number, code: string | undefined) =>
  list.some(each => each.status === status && each.code === code)

const segmentsOf = (target: string): string[] | undefined => {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/)
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    return undefined
  }
}

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
    violations.push(`the body is not JSON: ${(error as Error).message}`)
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
