import {
  canonical,
  contentsOf,
  jsonOf,
  type Operation,
  type Parameter,
  type Reply,
  responseOf,
  textOf
} from '@contract-first/check/internals'
import {
  holds,
  isJsonType,
  isObject,
  type Json,
  jsonText,
  type OpenApiDocument,
  withOther
} from '@contract-first/document'
import type { LightMyRequestResponse } from 'fastify'
import type { JudgedSamples } from './judged-samples.ts'
import { type Call, isOfHttp, type WrongCall } from './requests.ts'

/** What a handler got. */
export interface Received {
  operationId: string
  input: Record<string, unknown>
}

/** Compares what was sent with what arrived. Each verdict is what is wrong, or undefined. */
export class Verdicts {
  readonly #document: OpenApiDocument
  readonly #samples: JudgedSamples
  readonly #defaults: ReadonlySet<string>

  /** @param defaults the contract's defaults as canonical text: values that handlers get beyond what was sent */
  constructor(document: OpenApiDocument, samples: JudgedSamples, defaults: ReadonlySet<string>) {
    this.#document = document
    this.#samples = samples
    this.#defaults = defaults
  }

  /** The verdict on the handler's input. */
  ofInput(operation: Operation, operationId: string, call: Call, received: readonly Received[]): string | undefined {
    const [got, ...more] = received
    if (got === undefined) return 'reaches no handler'
    if (got.operationId !== operationId) return `reaches the handler of ${got.operationId}`
    if (more.length > 0) return 'reaches its handler more than once'
    for (const parameter of operation.parameters) {
      if (isOfHttp(parameter)) continue
      const [sent, value] = [call.parameters.get(parameter), parameterIn(got.input, parameter)]
      if (!this.#isSame(parameter, value, sent))
        return `gives its handler ${shown(value)} as ${parameter.in} parameter ${parameter.name}, not ${shown(sent)}`
    }
    const { body } = got.input
    return this.#holds(body, call.body, call.isForm)
      ? undefined
      : `gives its handler the body ${shown(body)}, not ${shown(call.body)}`
  }

  /** The verdict on the client's response. `reasons` is what the service logged. */
  ofReply(reply: Reply, response: LightMyRequestResponse, reasons: string): string | undefined {
    const { status, headers, type, body } = reply
    const returned = `its handler returns ${status}${body === undefined ? '' : ` ${shown(body)}`}, but the client gets`
    if (response.statusCode !== status)
      return `${returned} ${response.statusCode}: ${reasons || shown(response.payload)}`
    const lost = Object.entries(headers).find(([name, value]) => response.headers[name.toLowerCase()] !== String(value))
    if (lost !== undefined) return `${returned} no header ${lost.join(': ')}`
    const { payload } = response
    const isEmpty = body === undefined
    const got = !isEmpty && type !== undefined && isJsonType(type) ? jsonOf(payload) : payload
    const isSame = isEmpty ? payload === '' : got !== undefined && canonical(got) === canonical(body)
    return isSame ? undefined : `${returned} ${shown(payload)}`
  }

  /** The verdict on the response to an invalid request. */
  ofRejection(
    operation: Operation,
    call: WrongCall,
    { statusCode, payload }: LightMyRequestResponse,
    isReached: boolean,
    reasons: string
  ): string | undefined {
    const isRefused = call.statuses?.includes(statusCode) ?? (statusCode >= 400 && statusCode < 500)
    if (isReached || !isRefused) return `gets ${statusCode}: ${reasons || shown(payload)}`
    const isNamed = statusCode === 404 || call.names.some(each => names(payload, each))
    if (call.names.length === 0 || isNamed || !this.#canName(operation, statusCode, payload)) return undefined
    return `gets a message that does not name ${call.names.join(' or ')}: ${shown(payload)}`
  }

  /** Whether the contract allows any text in an error, so that it can name the cause. */
  #canName(operation: Operation, status: number, payload: string): boolean {
    const error = jsonOf(payload)
    if (error === undefined) return true
    const response = responseOf(operation, status)
    const contents = response === undefined ? [] : contentsOf(this.#document, response)
    const schemas = contents.filter(([type]) => isJsonType(type)).map(([, media]) => media.get('schema'))
    if (schemas.length === 0) return hasText(error)
    return withOtherTexts(error).some(each => schemas.some(schema => this.#samples.isValid(schema, 'response', each)))
  }

  #isSame({ schema }: Parameter, got: unknown, sent: Json | undefined): boolean {
    if (this.#holds(got, sent)) return true
    // The text of a parameter does not tell which of several types it has, nor a text from a list with only that text.
    const isAmbiguous = sent !== undefined && this.#holds(got, sent, true)
    return isAmbiguous && this.#samples.isReceivable(schema, got as Json)
  }

  /** Whether the input is what was sent, except for added defaults. */
  #holds(got: unknown, sent: Json | undefined, isForm = false): boolean {
    if (sent === undefined) return got === undefined || this.#isDefault(got)
    if (isForm && isObject(got) && got.bytes instanceof Uint8Array)
      return isScalar(sent) && Buffer.from(got.bytes).toString() === textOf(sent)
    if (isForm && Array.isArray(got) !== Array.isArray(sent)) return this.#holds([got].flat(), [sent].flat(), isForm)
    if (isScalar(sent)) return isScalar(got) && (isForm ? textOf(got) === textOf(sent) : isSame(got, sent))
    if (Array.isArray(sent))
      return (
        Array.isArray(got) && got.length === sent.length && sent.every((each, at) => this.#holds(got[at], each, isForm))
      )
    if (!isObject(got)) return false
    const all = new Set([...Object.keys(sent), ...Object.keys(got)])
    return [...all].every(name => this.#holds(own(got, name), own(sent as Record<string, Json>, name), isForm))
  }

  /** Whether a value is a default, or an object that contains only defaults. */
  #isDefault(value: unknown): boolean {
    if (this.#defaults.has(canonical(value as Json))) return true
    return isObject(value) && Object.values(value).every(each => this.#isDefault(each))
  }
}

const isSame = (one: Json, other: Json) => canonical(one) === canonical(other)

const own = <T>(object: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

const isScalar = (value: unknown): value is string | number | bigint | boolean | null =>
  value === null || ['string', 'number', 'bigint', 'boolean'].includes(typeof value)

const partOf = { path: 'params', query: 'query', querystring: 'query', header: 'headers', cookie: 'cookies' } as const

/** Names that are not identifiers may be spelled differently for the router. */
const parameterIn = (input: Record<string, unknown>, { in: place, name }: Parameter): unknown => {
  const part = input[partOf[place]]
  if (!isObject(part)) return undefined
  // Compares without special characters, which the router's names lack.
  const plain = (text: string) => text.replace(/\W|_/g, '').toLowerCase()
  const isNamed = (key: string) => key === name || (place === 'path' && plain(key) === plain(name))
  const key = Object.keys(part).find(isNamed)
  return key === undefined ? undefined : part[key]
}

/** The value with each text in it, in turn, replaced by another one. */
const withOtherTexts = (value: Json): Json[] =>
  withOther(value, each => (typeof each === 'string' ? 'any text that names something' : undefined))

const hasText = (value: Json): boolean => holds(value, each => typeof each === 'string')

/** Whether a message names a property or parameter; if no variant fits, it may name only the whole. */
const names = (payload: string, name: string): boolean =>
  payload.includes(name) ||
  payload.includes(JSON.stringify(JSON.stringify(name).slice(1, -1)).slice(1, -1)) ||
  /must (?:match|not match) .*schema/.test(payload)

/** For messages. */
export const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (jsonText(value) ?? 'nothing')
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
