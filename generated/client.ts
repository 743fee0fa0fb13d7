// Generated from openapi/petstore.yaml by `npm run generate`: edit that, not this.

import { connect, withValidation } from './client-calls.ts'
import * as core from './client-core.ts'
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
export type OperationId = keyof OperationsOf

/** The input of an operation: its parameters by name, and its `body`. */
export interface Inputs<I extends core.Int64 = 'number'> {
  listPets: {
    /**
     * Maximum number of animals on the page
     *
     * @format int32
     * @default 20
     * @minimum 1
     * @maximum 100
     */
    limit?: NonNullable<Operations[I]['listPets']['parameters']['query']>['limit'] | undefined
    /** Only animals with this availability status; without it, all animals */
    status?: NonNullable<Operations[I]['listPets']['parameters']['query']>['status'] | undefined
    /**
     * Where the page begins: the `cursor` in the `Link` header of the previous page, unchanged. Without it, the first page. Its format may change.
     *
     * @minLength 11
     * @maxLength 11
     * @pattern `^[A-Za-z0-9_-]{11}$`
     */
    cursor?: NonNullable<Operations[I]['listPets']['parameters']['query']>['cursor'] | undefined
  }
  createPet: {
    /**
     * Makes the request safe to send again: for at least 24 hours, those with the same key and the same content add one animal. 1 to 255 visible ASCII characters, a random UUID for example; see Safe retries.
     *
     * @minLength 1
     * @maxLength 255
     * @pattern `^[\x21-\x7e]{1,255}$`
     */
    'Idempotency-Key'?: NonNullable<Operations[I]['createPet']['parameters']['header']>['Idempotency-Key'] | undefined
    /** The animal to add, in at most 65536 bytes. Without a `status` it is `available`. */
    body: NonNullable<Operations[I]['createPet']['requestBody']>['content']['application/json']
  }
  getPet: {
    /**
     * The identifier of the animal, in plain decimal digits. Any 64-bit integer is valid; animals have identifiers from 1 to 9007199254740991.
     *
     * @format int64
     * @minimum -9223372036854775808
     * @maximum 9223372036854775807
     */
    petId: NonNullable<Operations[I]['getPet']['parameters']['path']>['petId'] | number
  }
  listOrders: Record<string, never>
}

type ListId = 'listPets'

/** The responses of an operation, by `status`. */
export type Result<Id extends OperationId, I extends core.Int64 = 'number'> = core.ResultOf<
  Operations[I][Id]['responses'],
  Id extends ListId ? Inputs<I>[Id] : never
>

/** The error that is thrown for a response without success; its `status` tells the type of its `body`. */
export type ErrorOf<Id extends OperationId, I extends core.Int64 = 'number'> = core.ClientError & {
  readonly kind: 'error-status'
} & core.ErrorResult<Result<Id, I>>

/** Whether an error is a response that the contract declares for this operation. */
export const isErrorOf: <Id extends OperationId, I extends core.Int64 = 'number'>(
  operationId: Id,
  error: unknown
) => error is ErrorOf<Id, I> = core.isErrorOf as never

/** One function for each operation; each returns a declared response, or throws a `ClientError`. */
export interface Client<I extends core.Int64 = 'number'> {
  /**
   * List all animals
   *
   * Returns the animals by ascending `id`, one page at a time, as a bare array.
   *
   * If there are more, the response has a `Link` header with `rel="next"`, a URL relative to that of the request. Follow
   * it as it is; it keeps the filter. The last page has none. Following these links neither repeats nor skips an animal,
   * even while animals are added.
   *
   * @returns
   * - 200 A page of animals, empty if there are none. Note that a `categoryId` may have more digits than JavaScript's `JSON.parse` keeps.
   * - 400 A parameter is unknown, is sent twice, or has an invalid value; the message lists the violations
   * - 401 The API key is missing or invalid. Send it as `Authorization: Bearer <API key>`.
   * - 429 Too many requests; `Retry-After` says when to try again
   * - 500 The service has failed
   * - 503 The service cannot process the request now; `Retry-After` says when to try again
   */
  listPets(
    input?: Inputs<I>['listPets'],
    options?: core.CallOptions
  ): core.List<
    Result<'listPets', I>,
    Operations[I]['listPets']['responses'][200]['content']['application/json'][number]
  >
  /**
   * Add an animal
   *
   * Adds an animal and assigns its `id`. A 201 means that the animal is on the disk. Sending the same request again adds
   * another animal, unless both have the same `Idempotency-Key`.
   *
   * @returns
   * - 201 The animal with its new `id`
   * - 400 The body is not JSON, lacks required fields, or has unknown fields or invalid values, or the `Idempotency-Key` is invalid; the message lists the violations
   * - 401 The API key is missing or invalid. Send it as `Authorization: Bearer <API key>`.
   * - 409 A request with the same `Idempotency-Key` is in progress; `Retry-After` says when to try again
   * - 413 The body is larger than 65536 bytes
   * - 415 The body is not `application/json` in UTF-8
   * - 422 The `Idempotency-Key` was used for another request
   * - 429 Too many requests; `Retry-After` says when to try again
   * - 500 The service has failed
   * - 503 The service cannot process the request now; `Retry-After` says when to try again
   */
  createPet(input: Inputs<I>['createPet'], options?: core.CallOptions): core.Call<Result<'createPet', I>>
  /**
   * Get an animal
   *
   * Returns the animal with this identifier. Deprecated since 20 November 2026, to be removed on 5 December 2030: use
   * `GET /pets` with its `status` filter instead.
   *
   * Until the removal date the operation works as before; from then on it may be a 410. Every response, errors included,
   * has the dates in its `Deprecation` and `Sunset` headers, and its replacement in `Link`.
   *
   * @returns
   * - 200 The animal
   * - 400 The identifier is not a 64-bit integer, or a parameter is unknown
   * - 401 The API key is missing or invalid. Send it as `Authorization: Bearer <API key>`.
   * - 404 No animal has this identifier
   * - 410 The removal date has passed, and the operation has been switched off
   * - 429 Too many requests; `Retry-After` says when to try again
   * - 500 The service has failed
   * - 503 The service cannot process the request now; `Retry-After` says when to try again
   * @deprecated Since 2026-11-20; it may be removed from 2030-12-05 on. Use `listPets` instead.
   */
  getPet(input: Inputs<I>['getPet'], options?: core.CallOptions): core.Call<Result<'getPet', I>>
  /**
   * List orders (not available yet)
   *
   * Announced, but not available yet. Every request with a valid key gets a 501.
   *
   * @returns
   * - 401 The API key is missing or invalid. Send it as `Authorization: Bearer <API key>`.
   * - 429 Too many requests; `Retry-After` says when to try again
   * - 500 The service has failed
   * - 501 The operation is announced, but not available yet
   * - 503 The service cannot process the request now; `Retry-After` says when to try again
   * @experimental It may change or be removed in any version.
   */
  listOrders(input?: Inputs<I>['listOrders'], options?: core.CallOptions): core.Call<Result<'listOrders', I>>
}

export interface ConnectionOptions<I extends core.Int64 = 'number'> extends core.CommonOptions<I> {
  /** An API key from whoever operates the service, usually `ast_live_` followed by 36 letters and digits. Paste only the key, without the word Bearer. */
  apiKey?: core.Credential | undefined
}

export interface ClientOptions<I extends core.Int64 = 'number'> extends ConnectionOptions<I> {
  /**
   * Checks each received body against its JSON Schema, and returns what is wrong with it, or undefined. The schemas are
   * loaded only with this option, and allow what may be added to responses without breaking a client.
   */
  validate?: core.Validate | undefined
}

/**
 * A client for the service at `baseUrl`.
 * @throws TypeError if paths cannot be appended to `baseUrl`
 */
export const createClient = <I extends core.Int64 = 'number'>(options: ClientOptions<I>): Client<I> =>
  core.callsOf(
    options.validate === undefined ? connect(options) : withValidation(connect(options), options.validate),
    operations
  ) as unknown as Client<I>
