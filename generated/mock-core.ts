// Copied from @contract-first/generator/package/mock-core.ts by `npm run generate`: do not edit it.

import { violation } from './mock-check.ts'
import { exactText, parseExact } from './mock-json.ts'
import { readPreferences } from './mock-preferences.ts'
import { randomFor, validValue } from './mock-values.ts'
import type { Schema } from './schema-check.ts'

/** What the mock has to know about an operation. */
export interface MockedOperation {
  readonly method: string
  /** Only if it differs from the contract's. */
  readonly basePath?: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  /** Whether its query may have any names. */
  readonly isOpen?: true
  /** Absent if the operation has none, or none that is JSON. */
  readonly body?: { readonly required: boolean; readonly schema: Schema }
  /** By status, `4XX` or `default`. */
  readonly responses: Readonly<Record<string, MockedResponse>>
}
interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  /** Absent if the value is not checked. */
  readonly schema?: Schema
  readonly commas?: true
  readonly many?: true
}
export interface MockedResponse {
  /** The headers that it sends. */
  readonly headers?: Readonly<Record<string, MockedHeader>>
  /** Examples by name; one without a name comes first, as `''`. */
  readonly examples?: readonly (readonly [name: string, value: unknown])[]
  /** The schema of a JSON body. */
  readonly schema?: Schema
  /** The schema of the items of a body that is a stream of events, or of values in JSON. */
  readonly items?: Schema
  /** The media type of the body, if it is not `application/json`. */
  readonly type?: string
}

interface MockedHeader {
  readonly schema?: Schema
  readonly example?: unknown
  readonly json?: true
  readonly explode?: boolean
}

interface OwnResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: unknown
}

/** A test's own response, instead of an example; `Result` is what the client makes of it. */
export type ResponseFor<Result> = Result extends { readonly status: infer Status; readonly body: infer Body }
  ? {
      readonly status: Status
      readonly headers?: Readonly<Record<string, string>> | undefined
    } & (undefined extends Body ? { readonly body?: Body } : { readonly body: Body })
  : never

/** A response whose dates are the texts that the service sends. */
export type WithTexts<Own> = { [Key in keyof Own]: Key extends 'body' ? Texts<Own[Key]> : Own[Key] }
type Texts<Value> = Value extends Date
  ? string
  : Value extends Blob | ReadableStream | string | number
    ? Value
    : { [Key in keyof Value]: Texts<Value[Key]> }

/** A response, or a function that returns one for a request, or undefined for the contract's. */
export type Responder<Own> = Own | ((request: Request) => Own | undefined | Promise<Own | undefined>)

export interface MockOptions {
  /** The URL at which the mock responds; default: the contract's base path on any server. */
  baseUrl?: string | undefined
  /** Other seeds give other random values; the same one gives the same values for the same URL. Default: 1. */
  seed?: number | undefined
  /** Whether examples are preferred to random values; default: true. */
  examples?: boolean | undefined
}

type Responders = Readonly<Record<string, Responder<OwnResponse> | undefined>>

/** A `fetch` that sends nothing. It rejects only if the mock itself would break the contract, or the request is aborted. */
export type MockFetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>

type Operations = Readonly<Record<string, MockedOperation>>

/** The `fetch` of `createMock`, which the generated types describe. */
export const mockFetch = (
  operations: Operations,
  basePath: string,
  options: MockOptions,
  responders: Responders = {}
): MockFetch => {
  const routes = routesOf(operations, basePath, options)
  return async (input, init) => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    const { origin, pathname } = new URL(request.url)
    const matching = routes.filter(({ pattern }) => pattern.test(origin + pathname))
    const route = matching.find(({ operation }) => operation.method === request.method)
    if (route === undefined) {
      const message = `The mock knows no ${request.method} ${pathname}.`
      return Response.json({ message }, { status: matching.length > 0 ? 405 : 404 })
    }
    const values = route.pattern.exec(origin + pathname)?.slice(1) ?? []
    const { operationId, operation } = route
    const responder = Object.hasOwn(responders, operationId) ? responders[operationId] : undefined
    return new MockedRequest(operationId, operation, request, options, responder).send(values)
  }
}

/** What is needed of `http` of MSW. */
export type Http<Handler> = {
  readonly [Method in 'all' | 'delete' | 'get' | 'head' | 'options' | 'patch' | 'post' | 'put']: (
    url: RegExp,
    resolver: (of: { request: Request }) => Promise<Response>
  ) => Handler
}

/** A handler for each operation; only those with a response of their own, if there are any. */
export const mockHandlers =
  <Handler>(http: Http<Handler>, operations: Operations, basePath: string, options: MockOptions) =>
  (responders?: Responders): Handler[] =>
    routesOf(operations, basePath, options)
      .filter(({ operationId }) => responders === undefined || Object.hasOwn(responders, operationId))
      .map(({ operationId, operation, pattern }) => {
        const fetch = mockFetch({ [operationId]: operation }, basePath, options, responders)
        const method = operation.method.toLowerCase() as keyof typeof http
        return (http[method] ?? http.all)(pattern, ({ request }) => fetch(request))
      })

/** The operations with the URLs at which they are; paths with fewer parameters come first. */
const routesOf = (operations: Operations, basePath: string, options: MockOptions) =>
  Object.entries(operations)
    .map(([operationId, operation]) => ({ operationId, operation, pattern: patternOf(operation, basePath, options) }))
    .sort((a, b) => a.operation.path.split('{').length - b.operation.path.split('{').length)

/** Matches URLs without their query; the groups are the path parameters. */
const patternOf = ({ basePath, path }: MockedOperation, usual: string, { baseUrl }: MockOptions): RegExp => {
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const root = baseUrl?.replace(/\/+$/, '')
  // The operation's own base path replaces the contract's at the end of `baseUrl`.
  const own = root !== undefined && basePath !== undefined ? root.slice(0, -usual.length || undefined) + basePath : root
  const base = own === undefined ? `[a-z]+://[^/]+(?:/.*)?${literal(basePath ?? usual)}` : literal(own)
  const parts = path.split(/\{[^}]*\}/).map(literal)
  return new RegExp(`^${base}${parts.join('([^/]+)')}$`)
}

class MockedRequest {
  readonly #id: string
  readonly #operation: MockedOperation
  readonly #request: Request
  readonly #options: MockOptions
  readonly #responder: Responder<OwnResponse> | undefined

  constructor(
    operationId: string,
    operation: MockedOperation,
    request: Request,
    options: MockOptions,
    responder: Responder<OwnResponse> | undefined
  ) {
    this.#id = operationId
    this.#operation = operation
    this.#request = request
    this.#options = options
    this.#responder = responder
  }

  async send(inPath: readonly string[]): Promise<Response> {
    let preferences: Map<string, string>
    try {
      preferences = readPreferences(this.#request.headers.get('prefer') ?? '')
    } catch (error) {
      return this.#refused(`Prefer cannot be read from ${(error as Error).message} on`)
    }
    const [code, example, delay = '0'] = ['code', 'example', 'delay'].map(name => preferences.get(name))
    if (!/^\d+(?:\.\d+)?$/.test(delay)) return this.#refused(`Prefer: delay must be a number of seconds, not ${delay}`)
    if (Number(delay) > 0) await pause(Number(delay) * 1000, this.#request.signal)
    if (code !== undefined || example !== undefined) return this.#preferred(code, example)
    const wrong = await this.#violation(inPath)
    if (wrong !== undefined) return this.#refused(wrong)
    const responder = this.#responder
    const own = typeof responder === 'function' ? await responder(this.#request.clone()) : responder
    if (own !== undefined) return this.#own(own)
    return this.#example(this.#keys.find(key => key.startsWith('2')) ?? this.#keys[0] ?? 'default')
  }

  get #keys(): string[] {
    return Object.keys(this.#operation.responses).sort()
  }

  #preferred(code: string | undefined, example: string | undefined): Response {
    const namesOf = (key: string) => this.#declared(key).examples?.map(([name]) => name) ?? []
    if (code !== undefined && !(/^\d{3}$/.test(code) && this.#keyFor(code) !== undefined))
      return this.#refused(
        `Prefer: code=${code} is not a response of ${this.#id}; it declares ${this.#keys.join(', ')}`
      )
    const keys = code === undefined ? this.#keys : [code]
    const key = keys.find(each => example === undefined || namesOf(each).includes(example))
    if (key !== undefined) return this.#example(key, example)
    const names = [...new Set(keys.flatMap(namesOf))].filter(name => name !== '').join(', ') || 'none'
    const where = code === undefined ? this.#id : `${this.#id} ${code}`
    return this.#refused(`Prefer: example=${example} is not an example of ${where}; it has ${names}`)
  }

  #example(key: string, name?: string): Response {
    const declared = this.#declared(key)
    const status = Number(key.replace('XX', '00').replace('default', '500'))
    const random = randomFor(`${this.#options.seed ?? 1} ${this.#request.method} ${this.#request.url} ${status}`)
    const { schema, items, type, examples = [] } = declared
    const [first] = name === undefined ? examples : examples.filter(each => each[0] === name)
    const isShown = first !== undefined && (name !== undefined || this.#options.examples !== false)
    const single = isShown ? first[1] : schema && validValue(schema, random)
    const several = isShown ? [first[1]].flat() : [1, 2, 3].map(() => items && validItem(items, random))
    const isStream = items !== undefined && typeof single !== 'string'
    const body = isStream ? streamOf(several, type ?? '', this.#request.signal) : single
    const headers: Record<string, string> = {}
    for (const [header, each] of Object.entries(declared.headers ?? {}))
      headers[header] = headerText(each, each.example ?? validValue(each.schema ?? {}, random))
    return this.#checked({ status, headers: this.#withoutEndless(headers), body }, declared)
  }

  /** Removes links from a page that an example links to, so that it is the last one. */
  #withoutEndless(headers: Record<string, string>) {
    const url = new URL(this.#request.url)
    const isNext = ([name, value]: [string, string]) => {
      const [, target = ''] = /^<([^>]*)>;.*\brel="?next\b/.exec(value) ?? []
      const next = new URL(target, url).searchParams
      return name.toLowerCase() === 'link' && target !== '' && namesIn(next).every(each => url.searchParams.has(each))
    }
    return Object.fromEntries(Object.entries(headers).filter(each => !isNext(each)))
  }

  #own(own: OwnResponse): Response {
    const key = this.#keyFor(`${own.status}`)
    if (key !== undefined) return this.#checked(own, this.#declared(key))
    throw new Error(
      `the mock's response to ${this.#id} has the status ${own.status}, which the contract does not declare`
    )
  }

  /** The key that declares a status. */
  #keyFor(status: string): string | undefined {
    return [status, `${status[0]}XX`, 'default'].find(each => Object.hasOwn(this.#operation.responses, each))
  }

  #declared(status: string): MockedResponse {
    return this.#operation.responses[this.#keyFor(status) ?? status] ?? {}
  }

  #checked({ status, headers, body }: OwnResponse, { schema, type }: MockedResponse): Response {
    const isEmpty = (schema ?? type) === undefined || [204, 205, 304].includes(status)
    const wrong = isEmpty || schema === undefined ? undefined : violation(schema, body, 'body')
    if (wrong !== undefined)
      throw new Error(`the mock's response to ${this.#id} breaks the contract: ${status} with a body in which ${wrong}`)
    const all = new Headers(headers)
    if (!isEmpty && !all.has('content-type')) all.set('content-type', type ?? 'application/json')
    // Anything other than JSON is sent as it is.
    const sent = schema === undefined ? ((body ?? '') as string) : exactText(body)
    return new Response(isEmpty ? null : sent, { status, headers: all })
  }

  /** What is wrong with the request. */
  async #violation(inPath: readonly string[]): Promise<string | undefined> {
    const { searchParams } = new URL(this.#request.url)
    const names = [...this.#operation.path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name)
    const textsOf = ({ name, in: place, commas }: Parameter): string[] => {
      if (place === 'path') return [decodeURIComponent(inPath[names.indexOf(name)] ?? '')]
      const texts = place === 'query' ? searchParams.getAll(name) : [this.#request.headers.get(name) ?? []].flat()
      return commas ? texts.flatMap(each => each.split(',')) : texts
    }
    const { parameters, body, isOpen } = this.#operation
    const known = parameters.filter(each => each.in === 'query').map(({ name }) => name.replace(/\[.*/, ''))
    for (const name of namesIn(searchParams))
      if (!isOpen && !known.includes(name.replace(/\[.*/, ''))) return `query parameter ${name} is unknown`
    for (const { schema, ...each } of parameters) {
      if (schema === undefined) continue
      const texts = textsOf(each)
      const what = `${each.in} parameter ${each.name}`
      if (texts.length === 0 && each.required) return `${what} is required`
      const wrong = texts.length === 0 ? undefined : violationOf(schema, each.many, texts, what)
      if (wrong !== undefined) return wrong
    }
    return body && this.#bodyViolation(body, await this.#request.clone().text())
  }

  #bodyViolation({ required, schema }: NonNullable<MockedOperation['body']>, text: string): string | undefined {
    if (text === '') return required ? 'a body is required' : undefined
    try {
      return violation(schema, parseExact(text), 'body')
    } catch {
      return 'the body is not JSON'
    }
  }

  /** The contract's example of a 400, with the actual message. */
  #refused(wrong: string): Response {
    const key = this.#keyFor('400')
    if (key === undefined) throw new Error(`the mock cannot respond to ${this.#id}, which declares no 400: ${wrong}`)
    const declared = this.#declared(key)
    const [, example] = declared.examples?.[0] ?? []
    const shown = declared.schema && (example ?? validValue(declared.schema, randomFor('400')))
    const body =
      typeof shown === 'object' && shown !== null && 'message' in shown ? { ...shown, message: `${wrong}.` } : shown
    return this.#checked({ status: 400, body }, declared)
  }
}

/** Without the fields that only events of other kinds need: a random `retry` would have clients wait for that long. */
const validItem = (schema: Schema, random: () => number): unknown =>
  ['event', 'id', 'retry'].reduce(
    (item, name) => {
      const { [name]: _, ...rest } = Object(item)
      return 'data' in rest && violation(schema, rest, 'item') === undefined ? rest : item
    },
    validValue(schema, random)
  )

/** A stream of items; one of events stays open after them, as if nothing more happened. */
const streamOf = (items: readonly unknown[], type: string, signal: AbortSignal): ReadableStream =>
  new ReadableStream({
    start: controller => {
      const texts = items.map(each => itemText(each, type))
      controller.enqueue(new TextEncoder().encode(texts.join('')))
      if (!isOfEvents(type)) return controller.close()
      signal.addEventListener('abort', () => controller.error(signal.reason))
    }
  })

const isOfEvents = (type: string) => /^text\/event-stream\b/i.test(type)

const itemText = (item: unknown, type: string): string => {
  if (!isOfEvents(type)) return `${/json-seq\b/i.test(type) ? '\x1e' : ''}${exactText(item)}\n`
  const isEvent = typeof item === 'object' && item !== null && 'data' in item
  const lines = Object.entries(isEvent ? item : { data: item }).flatMap(([name, value]) =>
    (typeof value === 'string' ? value : exactText(value)).split('\n').map(each => `${name}: ${each}\n`)
  )
  return `${lines.join('')}\n`
}

const namesIn = (parameters: URLSearchParams): string[] => {
  const names: string[] = []
  parameters.forEach((_value, name) => void names.push(name))
  return names
}

/** The violation of a text, which may stand for any type that the schema allows. */
const violationOf = (schema: Schema, many: true | undefined, texts: string[], what: string): string | undefined => {
  const meanings = (text: string): unknown[] => {
    const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)
    return [...(isNumber ? [parseExact(text)] : []), ...(/^(?:true|false)$/.test(text) ? [text === 'true'] : []), text]
  }
  const values = many ? [texts.map(each => meanings(each)[0]), texts] : meanings(texts[0] ?? '')
  if (!many && texts.length > 1) return `${what} is sent twice`
  const wrong = values.map(each => violation(schema, each, what))
  return wrong.includes(undefined) ? undefined : wrong[0]
}

const headerText = ({ json, explode = false }: MockedHeader, value: unknown): string => {
  if (json) return exactText(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const parts = Array.isArray(value) ? value : Object.entries(value).map(pair => pair.join(explode ? '=' : ','))
  return parts.join(',')
}

/** @throws the signal's `reason` once it aborts */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(resolve, ms)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
  })
