import { posix } from 'node:path'
import { decoded, entriesOf, isJsonType, isObject, type Json, type JsonObject } from '@contract-first/document'
import type { Contract } from '../normalise.ts'
import { isReference, nameOf, referenceTo } from '../pointer.ts'
import { positionOf, writtenAs } from '../read.ts'
import { resolverOf } from '../rules.ts'
import type { Insertion } from './insertions.ts'

/** The usual name of a status, others that contracts have for it, and what the service means by it. */
const statuses: Readonly<Record<number, readonly [name: string, others: readonly string[], description: string]>> = {
  400: ['BadRequest', ['InvalidRequest', 'ValidationError'], 'The request violates this contract'],
  401: ['Unauthorized', ['Unauthenticated'], 'Credentials are missing or invalid'],
  403: ['Forbidden', [], 'The credentials lack a scope that the operation requires'],
  406: ['NotAcceptable', [], 'The client accepts none of the media types'],
  409: ['Conflict', ['RequestInProgress'], 'A request with the same `Idempotency-Key` is in progress'],
  410: ['Gone', ['OperationRemoved'], 'The operation has been removed'],
  413: ['ContentTooLarge', ['PayloadTooLarge', 'RequestEntityTooLarge', 'BodyTooLarge'], 'The body is too large'],
  415: ['UnsupportedMediaType', [], 'The body has a media type that is not declared'],
  422: ['UnprocessableContent', ['UnprocessableEntity'], 'The `Idempotency-Key` was used for another request'],
  429: ['TooManyRequests', ['RateLimited', 'RateLimitExceeded'], 'Too many requests'],
  500: ['InternalServerError', ['InternalError', 'ServerError'], 'The service has failed'],
  503: ['ServiceUnavailable', ['Unavailable'], 'The service cannot process the request now']
}

const headers: Readonly<Record<string, { of: readonly number[]; header: JsonObject }>> = {
  'WWW-Authenticate': {
    of: [401],
    header: { description: 'The authentication schemes that are accepted', schema: { type: 'string' } }
  },
  'Retry-After': {
    of: [409, 429, 503],
    header: { description: 'The number of seconds after which to try again', schema: { type: 'integer', minimum: 1 } }
  }
}

/** The body of the engine's errors, unless the contract declares another one. */
const errorSchema: JsonObject = {
  description: 'What went wrong',
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: { description: 'For programs', type: 'string' },
    message: { description: 'For people; its wording may change', type: 'string' },
    status: { description: 'The HTTP status code of the response', type: 'integer' }
  }
}

const plain = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '')

/**
 * The responses with which a contract declares the errors of the service: those that it has, or new components. Targets are
 * absolute: `openapi.yaml#/components/responses/Unauthorized`.
 */
export class ErrorResponses {
  readonly #contract: Contract
  readonly #resolve: ReturnType<typeof resolverOf>
  /** The main file's content as it is written. */
  readonly #root: JsonObject
  /** The main file. */
  readonly file: string
  readonly #targets = new Map<number, string>()
  readonly #new: { responses: JsonObject; schemas: JsonObject } = { schemas: {}, responses: {} }

  constructor(contract: Contract) {
    this.#contract = contract
    this.#resolve = resolverOf(contract.document)
    this.#root = writtenAs(contract.document) as JsonObject
    this.file = positionOf(contract.document)?.file ?? ''
  }

  /** A reference to the response for a status, from a file. */
  referenceFor(status: number, from: string): string {
    const target =
      this.#targets.get(status) ??
      this.#inUse(String(status)) ??
      this.#named(status) ??
      this.#inUse(`${Math.floor(status / 100)}XX`) ??
      this.#inUse('default') ??
      this.#added(status)
    this.#targets.set(status, target)
    return referenceFrom(from, target)
  }

  /** The names of new components: `responses/TooManyRequests`. */
  get added(): string[] {
    return Object.entries(this.#new).flatMap(([section, all]) => Object.keys(all).map(name => `${section}/${name}`))
  }

  /** What adds the new components. */
  additions(): (Insertion & { file: string })[] {
    const { components } = this.#root
    const sections = Object.entries(this.#new).filter(([, all]) => Object.keys(all).length > 0)
    const into = (holder: JsonObject, key: string, value: Json) => ({
      file: this.file,
      mapping: positionOf(holder)?.offset ?? -1,
      key,
      value
    })
    if (components === undefined && sections.length > 0)
      return [into(this.#root, 'components', Object.fromEntries(sections))]
    return sections.flatMap(([section, all]) => {
      const there = (components as JsonObject)[section]
      return isObject(there)
        ? Object.entries(all).map(([name, value]) => into(there, name, value))
        : [into(components as JsonObject, section, all)]
    })
  }

  /** The one that most operations refer to for a status, a range or by default. */
  #inUse(key: string): string | undefined {
    return mostFrequent(
      this.#contract.operations.flatMap(({ written: { responses } }) => {
        const response = isObject(responses) ? responses[key] : undefined
        return isReference(response) ? (targetOf(response) ?? []) : []
      })
    )
  }

  /** The component of the main file that is named after the status. */
  #named(status: number): string | undefined {
    const [name, others] = namesOf(status)
    const known = [name, ...others, String(status)].flatMap(each => [
      each,
      `${each}Error`,
      `${each}Response`,
      `Error${each}`
    ])
    const components = Object.keys(this.#written('responses'))
    const found = known.flatMap(each => components.find(other => plain(other) === plain(each)) ?? [])[0]
    return found && `${this.file}${referenceTo('responses', found)}`
  }

  #added(status: number): string {
    const [name, , description] = namesOf(status)
    const own = Object.entries(headers).filter(([, { of }]) => of.includes(status))
    const response: JsonObject = {
      description,
      ...(own.length > 0 && {
        headers: Object.fromEntries(own.map(([each, { header }]) => [each, this.#header(each, header)]))
      }),
      content: { [this.#mediaType()]: { schema: { $ref: referenceFrom(this.file, this.#schemaFor(status)) } } }
    }
    return this.#add('responses', name, response)
  }

  #header(name: string, header: JsonObject): JsonObject {
    return Object.hasOwn(this.#written('headers'), name) ? { $ref: referenceTo('headers', name) } : header
  }

  #add(section: 'responses' | 'schemas', name: string, value: JsonObject): string {
    const isTaken = (each: string) =>
      Object.hasOwn(this.#written(section), each) || Object.hasOwn(this.#new[section], each)
    let free = name
    for (let count = 2; isTaken(free); count++) free = `${name}${count}`
    this.#new[section][free] = value
    return `${this.file}${referenceTo(section, free)}`
  }

  /** A section of the main file's components. */
  #written(section: string): JsonObject {
    const { components } = this.#root
    const all = isObject(components) ? components[section] : undefined
    return isObject(all) ? all : {}
  }

  /** The schema of errors with this status, or else of most errors. */
  #schemaFor(status: number): string {
    const used = this.#errorContents().flatMap(({ schema }) => this.#withBases(schema))
    const targets = new Map(
      Object.keys(this.#written('schemas')).map(name => [name, `${this.file}${referenceTo('schemas', name)}`])
    )
    for (const each of used) targets.set(nameOf(each.$ref), targetOf(each) ?? '')
    const own = [...targets].find(([name]) => this.#pinned(name) === status)?.[1]
    const general = used.filter(({ $ref }) => this.#pinned(nameOf($ref)) === undefined)
    const known = own ?? mostFrequent(general.flatMap(each => targetOf(each) ?? []))
    if (known !== undefined) return known
    const added = Object.keys(this.#new.schemas)[0]
    return added === undefined
      ? this.#add('schemas', 'Error', errorSchema)
      : `${this.file}${referenceTo('schemas', added)}`
  }

  #mediaType(): string {
    return mostFrequent(this.#errorContents().map(({ type }) => type)) ?? 'application/json'
  }

  #errorContents(): { type: string; schema: Json | undefined }[] {
    return this.#contract.operations.flatMap(({ written: { responses } }) =>
      entriesOf(responses).flatMap(([status, response]) => {
        if (!/^(?:[45]|default$)/.test(status)) return []
        return entriesOf(this.#resolve(response)?.content).flatMap(([type, media]) =>
          isJsonType(type) ? [{ type, schema: this.#resolve(media)?.schema }] : []
        )
      })
    )
  }

  /** A reference, and those in the `allOf` of its target. */
  #withBases(schema: Json | undefined): { $ref: string }[] {
    if (!isReference(schema)) return []
    const { allOf } = this.#resolve(schema) ?? {}
    return [schema, ...(Array.isArray(allOf) ? allOf.filter(isReference) : [])]
  }

  /** The only status that a schema allows. */
  #pinned(name: string): number | undefined {
    const { all } = this.#contract.schemas
    const properties = all.get(name)?.properties
    const status = isObject(properties) ? properties.status : undefined
    if (!isObject(status)) return undefined
    const value = Array.isArray(status.enum) && status.enum.length === 1 ? status.enum[0] : status.const
    return typeof value === 'number' ? value : undefined
  }
}

const namesOf = (status: number) => statuses[status] ?? [`Error${status}`, [], 'An error']

/** The target of a reference as it is written, with its file: `parts.yaml#/Error`. */
const targetOf = (reference: { $ref: string }): string | undefined => {
  const written = writtenAs(reference) as Json | undefined
  const file = positionOf(reference)?.file
  if (file === undefined || !isReference(written)) return undefined
  const [path = '', fragment = ''] = written.$ref.split('#')
  return `${path === '' ? file : posix.join(posix.dirname(file), decoded(path))}#${fragment}`
}

const referenceFrom = (file: string, target: string): string => {
  const [path = '', fragment = ''] = target.split('#')
  const relative = path === file ? '' : encodeURI(posix.relative(posix.dirname(file), path))
  return fragment === '' ? relative : `${relative}#${fragment}`
}

const mostFrequent = (all: readonly string[]): string | undefined =>
  [...Map.groupBy(all, each => each).values()].toSorted((one, other) => other.length - one.length)[0]?.[0]
