import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import { withoutKeys } from '../api-keys/hidden-keys.ts'
import type { CompiledSchemas } from '../contract/compiled-schemas.ts'
import {
  type AnyMedia,
  type AnyOperation,
  type Contract,
  ContractNotServed,
  isPlain,
  isRepeatable,
  responseKey,
  type Schema
} from '../contract/contract.ts'
import { targetOf } from '../contract/schema.ts'
import { getOrMake } from '../node/get-or-make.ts'
import {
  type ApiError,
  bodyTooLarge,
  credentialsInvalid,
  idempotencyKeyReused,
  insufficientScope,
  internalError,
  invalidRequest,
  malformedJson,
  malformedRequest,
  notImplemented,
  operationRemoved,
  rateLimited,
  requestInProgress,
  type ServiceError,
  serviceUnavailable,
  unsupportedMediaType
} from './api-error.ts'

/** How the errors of a service look, those of the engine included. */
export interface ServiceErrors {
  /** Default: what the contract declares, or `application/json`. */
  mediaType?: string
  /**
   * The body, made for each response. At the start, every error that the engine may send is checked against the contract, then
   * without a request; nor is there one where the request is not valid HTTP.
   */
  body(error: ServiceError, request?: FastifyRequest): unknown
}

/** How errors are sent. */
export interface ErrorFormat {
  /** The body, without any key that the client sent in the wrong place. */
  of(error: ApiError, operation?: AnyOperation, request?: FastifyRequest): ErrorBody
  /** Whether it depends on the operation. */
  readonly isByOperation: boolean
}
interface ErrorBody {
  readonly mediaType: string
  readonly text: string
}

const json = 'application/json'
const plainError = (error: ApiError): ErrorBody => ({ mediaType: json, text: error.text() })
/** The body is `{ code, message, status }`. */
export const plainErrors: ErrorFormat = { of: plainError, isByOperation: false }

/**
 * The format that the service's owner defines.
 * @throws ContractNotServed naming each operation and status with a body that would break the contract
 */
export const ownErrors = (
  { mediaType, body }: ServiceErrors,
  contract: Contract,
  compiled: CompiledSchemas,
  report: (error: unknown) => void
): ErrorFormat => {
  const unfit = unfitErrors(contract, compiled, error => body(asGiven(error)), mediaType)
  if (unfit.length > 0) throw new ContractNotServed(`the bodies of errors do not fit it: ${listed(unfit)}`)
  // Made anew for each response, which may have a time or an id of its own; some errors are sent again and again.
  const textOf = (error: ApiError, request: FastifyRequest | undefined): string =>
    withoutKeys(JSON.stringify(body(asGiven(error), request)) ?? 'null')
  const isByOperation = mediaType === undefined && Object.values(contract.operations).some(each => !isPlain(each))
  const shapesFor = shapesOf(contract)
  const of = (error: ApiError, operation?: AnyOperation, request?: FastifyRequest): ErrorBody => {
    try {
      const own = operation && declaredError(operation, error.status)
      const declared = mediaType ?? own?.mediaType ?? shapesFor(error.status, operation)[0]?.mediaType ?? json
      return { mediaType: declared, text: textOf(error, request) }
    } catch (thrown) {
      report(thrown)
      return plainError(error)
    }
  }
  return { of, isByOperation }
}

const asGiven = ({ status, code, message, details }: ApiError): ServiceError => ({ status, code, message, details })

/**
 * The format if the service defines none: where `{ code, message, status }` does not fit the contract, the body is made from
 * the schema. `warn` gets the errors for which that fails.
 */
export const derivedErrors = async (
  contract: Contract,
  compiled: CompiledSchemas,
  warn: (text: string) => void
): Promise<ErrorFormat> => {
  const shapesFor = shapesOf(contract)
  const remaining = unfitErrors(contract, compiled, plainBody, json)
  const isPlainFor = (declared: Declared) => declared.mediaType === json && fits(compiled, declared, plainBody(invalid))
  if (remaining.length === 0 && shapesFor(400).every(isPlainFor)) return plainErrors
  const { derivedError } = await import('./derived-body.ts')
  const fitsDerived = remembering((declared, error) => fits(compiled, declared, derivedError(declared.schema, error)))
  const unfit = remaining.filter(({ declared, error }) => !fitsDerived(declared, error))
  if (unfit.length > 0)
    warn(`error bodies do not fit the contract, and none can be derived from it: ${listed(unfit)}; define errors`)
  const common = new Map<number, Declared | undefined>()
  const of = (error: ApiError, operation?: AnyOperation): ErrorBody => {
    const { status } = error
    const declared = operation
      ? declaredError(operation, status)
      : getOrMake(common, status, () => commonError(contract, status))
    for (const each of declared ? [declared] : shapesFor(status, operation))
      for (const make of [plainBody, () => derivedError(each.schema, error)]) {
        const text = written(compiled, each, make(error))
        if (typeof text === 'string') return { mediaType: each.mediaType, text: withoutKeys(text) }
      }
    return declared && operation ? { mediaType: declared.mediaType, text: error.text() } : plainError(error)
  }
  return { of, isByOperation: true }
}

const plainBody = ({ status, code, message }: ApiError) => ({ code, message, status })

/** What a contract declares as the body of an error. */
interface Declared {
  readonly mediaType: string
  readonly schema: Schema
  /** The key under which the compiled schemas have its writer. */
  readonly written: Schema | AnyMedia
}

/** Only JSON: errors are written in nothing else. */
const declaredError = ({ responses }: AnyOperation, status: number, preferred?: string): Declared | undefined => {
  const { body, contents = {} } = responses[responseKey(responses, status) ?? ''] ?? {}
  if (body !== undefined) return { mediaType: json, schema: body, written: body }
  const found = Object.entries(contents).flatMap(([mediaType, media]): Declared[] =>
    media.kind === 'json' && media.schema !== undefined && !mediaType.includes('*')
      ? [{ mediaType, schema: media.schema, written: media }]
      : []
  )
  return found.find(each => each.mediaType === preferred) ?? found[0]
}

/** For requests that reach no operation: the body of this status, if all operations that declare one agree. */
const commonError = ({ operations }: Contract, status: number): Declared | undefined => {
  const all = Object.values(operations).flatMap(each => declaredError(each, status) ?? [])
  const [first] = all
  const isCommon = all.every(
    ({ mediaType, schema }) => mediaType === first?.mediaType && isDeepStrictEqual(schema, first.schema)
  )
  return isCommon ? first : undefined
}

/**
 * For an error that the contract does not declare, the schemas of its other errors: first the operation's, then the most
 * frequent ones. Those for one particular error are left out.
 */
const shapesOf = (contract: Contract) => {
  const errorsIn = (operation: AnyOperation) =>
    Object.keys(operation.responses)
      .filter(key => /^[45]|^default$/.test(key))
      .flatMap(key => declaredError(operation, key === 'default' ? 500 : Number(key.replace('XX', '99'))) ?? [])
  let common: Declared[] | undefined
  const byFrequency = (): Declared[] => {
    const all = Object.values(contract.operations).flatMap(errorsIn)
    const counted = Map.groupBy(all, each => each.schema)
    return [...counted.values()].toSorted((one, other) => other.length - one.length).map(each => each[0] as Declared)
  }
  const known = new Map<AnyOperation | undefined, Map<number, Declared[]>>()
  return (status: number, operation?: AnyOperation): readonly Declared[] => {
    const byStatus = getOrMake(known, operation, () => new Map<number, Declared[]>())
    return getOrMake(byStatus, status, () => {
      common ??= byFrequency()
      const all = new Set([...(operation === undefined ? [] : errorsIn(operation)), ...common])
      return [...all].filter(({ schema }) => !isOfAnother(schema, status)).slice(0, mostShapes)
    })
  }
}

const mostShapes = 3

/** Whether a schema is for another status or for one particular error: it has a constant for that. */
const isOfAnother = (given: Schema, status: number, depth = 0): boolean => {
  const { const: value, enum: values, properties = {} } = (targetOf(given) ?? {}) as Schema & { const?: unknown }
  const only = values?.length === 1 ? values[0] : value
  if (typeof only === 'number' || typeof only === 'string')
    return Number(only) !== status && !/^(?:error|fail(?:ure|ed)?)$/i.test(String(only))
  return depth < 3 && Object.values(properties).some(each => each !== false && isOfAnother(each, status, depth + 1))
}

interface UnfitError {
  operation: AnyOperation
  error: ApiError
  declared: Declared
  reason: string
}

/** The errors that the engine may send for operations with a body that would break the contract. */
const unfitErrors = (
  contract: Contract,
  compiled: CompiledSchemas,
  bodyOf: (error: ApiError) => unknown,
  mediaType?: string
): UnfitError[] => {
  const reasonFor = remembering((declared, error) => {
    const text = written(compiled, declared, bodyOf(error))
    if (typeof text !== 'string') return text.message.replace(/^the handler's body breaks the contract: /, '')
    const isOther = mediaType !== undefined && declared.mediaType !== mediaType
    return isOther ? `${declared.mediaType} is declared` : undefined
  })
  return Object.values(contract.operations).flatMap(operation =>
    errorsOf(operation).flatMap(error => {
      const declared = declaredError(operation, error.status, mediaType)
      if (declared === undefined) return []
      const reason = reasonFor(declared, error)
      return reason === undefined ? [] : [{ operation, error, declared, reason }]
    })
  )
}

/** What is judged of an error in a declared body, once for all operations that share the schema. */
const remembering = <Result>(judge: (declared: Declared, error: ApiError) => Result) => {
  const known = new Map<Declared['written'], Map<ApiError, Result>>()
  return (declared: Declared, error: ApiError): Result => {
    const ofBody = getOrMake(known, declared.written, () => new Map<ApiError, Result>())
    return getOrMake(ofBody, error, () => judge(declared, error))
  }
}

const fits = (compiled: CompiledSchemas, declared: Declared, body: unknown) =>
  typeof written(compiled, declared, body) === 'string'
const written = (compiled: CompiledSchemas, declared: Declared, body: unknown): string | Error => {
  const write = compiled.write(declared.written)
  try {
    return write(body, root)
  } catch (error) {
    return error as Error
  }
}
const root = { up: undefined, at: 'body' }

const mostListed = 10
const listed = (unfit: readonly UnfitError[]) => {
  const texts = unfit.map(({ operation, error, reason }) => `${operation.operationId} ${error.status}: ${reason}`)
  const all = [...new Set(texts)]
  const more = all.length - mostListed
  return all.slice(0, mostListed).join('; ') + (more > 0 ? `; and ${more} more` : '')
}

/** Whether the engine itself may send this status in response to a request for the operation. */
export const mayBeSent = (operation: AnyOperation, status: number): boolean =>
  errorsOf(operation).some(each => each.status === status)

/** Samples of the errors that the engine itself may send in response to a request for an operation. */
const errorsOf = (operation: AnyOperation): ApiError[] => {
  const { operationId, input, bodies, security, lifecycle } = operation
  const demands = security.flatMap(each => Object.values(each))
  const scopes = demands.flat()
  const removal = lifecycle.deprecation?.removalDate
  return [
    invalid,
    ...(input.body === undefined && bodies === undefined ? [] : ofBodies),
    ...(demands.length === 0 ? [] : ofCredentials),
    ...(scopes.length === 0 ? [] : [insufficientScope(scopes)]),
    ...(isRepeatable(operation) ? ofKeys : []),
    ...(removal === undefined ? [] : [operationRemoved(operationId, removal, undefined)]),
    ...('501' in operation.responses ? [notImplemented(operationId)] : []),
    ...ofService
  ]
}

const invalid = invalidRequest('query parameter page must be an integer, not "x".')
const ofBodies = [malformedJson('it ends too early'), bodyTooLarge(1), unsupportedMediaType()]
const ofCredentials = [
  credentialsInvalid(''),
  rateLimited('requests', 1),
  malformedRequest('The Authorization header may occur only once.')
]
const ofKeys = [requestInProgress(), idempotencyKeyReused()]
const ofService = [internalError(), serviceUnavailable()]
