// Generated from openapi/petstore.yaml by `npm run generate`: edit that, not this.

import * as core from './client-core.ts'
import type { operations as WithNumbers } from './types.ts'
import type { operations as WithBigints } from './types-bigint.ts'

export {
  type Answer,
  type CallOptions,
  ClientError,
  type ClientErrorKind,
  type Credential,
  type Deprecation,
  type Int64,
  type List
} from './client-core.ts'

interface Operations {
  number: WithNumbers
  bigint: WithBigints
}
export type OperationId = keyof WithNumbers

/** What an operation takes: its parameters by name, and its `body`. */
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
    /** Only animals of this availability status; without it, animals of any */
    status?: NonNullable<Operations[I]['listPets']['parameters']['query']>['status'] | undefined
    /**
     * Where the page begins: the `cursor` in the `Link` header of the page before, unchanged. Without it, the first page. What it is made of may change.
     *
     * @minLength 11
     * @maxLength 11
     * @pattern `^[A-Za-z0-9_-]{11}$`
     */
    cursor?: NonNullable<Operations[I]['listPets']['parameters']['query']>['cursor'] | undefined
  }
  createPet: {
    /** The animal to add, in at most 65536 bytes. It is `available` unless its `status` says otherwise. */
    body: NonNullable<Operations[I]['createPet']['requestBody']>['content']['application/json']
  }
  getPet: {
    /**
     * The identifier of the animal, in plain decimal digits. Any integer of 64 bits is well-formed; those that are given to animals go from 1 to 9007199254740991.
     *
     * @format int64
     * @minimum -9223372036854775808
     * @maximum 9223372036854775807
     */
    petId: NonNullable<Operations[I]['getPet']['parameters']['path']>['petId']
  }
  listOrders: Record<string, never>
}

/** What an operation may answer, by `status`. */
export type Result<Id extends OperationId, I extends core.Int64 = 'number'> = core.AnswersOf<
  Operations[I][Id]['responses']
>

/** One function for each operation; each gives a declared answer, or fails with a `ClientError`. */
export interface Client<I extends core.Int64 = 'number'> {
  /**
   * List all animals
   *
   * The animals by rising `id`, one page at a time, as a bare array.
   *
   * When there are more, the answer has a `Link` header with `rel="next"`, an address relative to that of the request:
   * follow it as it is, it carries the filter on. The last page has none. A walk along these links repeats no animal and
   * skips none, also while animals are added.
   *
   * @returns
   * - 200 A page of animals, empty when there are none. Mind that a `categoryId` may have more digits than JavaScript's `JSON.parse` keeps.
   * - 400 A parameter is unknown, occurs twice, or has an invalid value; the message names all that is wrong
   * - 401 The API key is missing or invalid. It is sent as `Authorization: Bearer <API key>`.
   * - 429 Too many requests; `Retry-After` says when to come back
   * - 500 A fault of the service
   * - 503 The service cannot answer now; `Retry-After` says when to come back
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
   * Adds an animal and gives it an `id`. When the answer is 201, the animal is on the disk. The same request sent again
   * adds another animal.
   *
   * @returns
   * - 201 The animal with its new `id`
   * - 400 The body is no JSON, misses required fields, or holds unknown fields or invalid values; the message names all that is wrong
   * - 401 The API key is missing or invalid. It is sent as `Authorization: Bearer <API key>`.
   * - 413 The body is larger than 65536 bytes
   * - 415 The body is not `application/json` in UTF-8
   * - 429 Too many requests; `Retry-After` says when to come back
   * - 500 A fault of the service
   * - 503 The service cannot answer now; `Retry-After` says when to come back
   */
  createPet(input: Inputs<I>['createPet'], options?: core.CallOptions): Promise<Result<'createPet', I>>
  /**
   * Get an animal
   *
   * The animal with this identifier. Deprecated since 20 November 2026, to be removed on 5 December 2030: use `GET /pets`
   * with its `status` filter instead.
   *
   * Up to the removal date the operation works as ever; from then on it may answer 410. Each of its answers, errors
   * included, has the dates in its headers, `Deprecation` and `Sunset`, and in `Link` what replaces it.
   *
   * @returns
   * - 200 The animal
   * - 400 The identifier is no integer of 64 bits, or there is a parameter that does not exist
   * - 401 The API key is missing or invalid. It is sent as `Authorization: Bearer <API key>`.
   * - 404 No animal has this identifier
   * - 410 The removal date has passed, and the operation has been switched off
   * - 429 Too many requests; `Retry-After` says when to come back
   * - 500 A fault of the service
   * - 503 The service cannot answer now; `Retry-After` says when to come back
   * @deprecated Since 2026-11-20; it may be removed from 2030-12-05 on. Use `listPets` instead.
   */
  getPet(input: Inputs<I>['getPet'], options?: core.CallOptions): Promise<Result<'getPet', I>>
  /**
   * List orders (not available yet)
   *
   * Announced by name only. It answers 501 until its shape is known.
   *
   * @returns
   * - 401 The API key is missing or invalid. It is sent as `Authorization: Bearer <API key>`.
   * - 429 Too many requests; `Retry-After` says when to come back
   * - 500 A fault of the service
   * - 501 The operation is announced, but not available yet
   * - 503 The service cannot answer now; `Retry-After` says when to come back
   * @experimental It may change or go in any version.
   */
  listOrders(input?: Inputs<I>['listOrders'], options?: core.CallOptions): Promise<Result<'listOrders', I>>
}

export interface ClientOptions<I extends core.Int64 = 'number'> extends core.CommonOptions<I> {
  /** An API key from whoever operates the service, usually `ast_live_` followed by 36 letters and digits. Paste the key alone, without the word Bearer. */
  apiKey?: core.Credential | undefined
}

/**
 * A client for the service at `baseUrl`.
 * @throws TypeError when `baseUrl` is no address that paths could be put behind
 */
export const createClient = <I extends core.Int64 = 'number'>(options: ClientOptions<I>): Client<I> =>
  core.connect(
    operations,
    { apiKey: options['apiKey'] },
    async () => (await import('./client-schemas.ts')).answers,
    options
  ) as unknown as Client<I>

const placesIn_Pet: core.Places = { properties: { id: 'int64', categoryId: 'int64' } } as const
const placesIn_Pets: core.Places = { items: placesIn_Pet } as const
const placesIn_NewPet: core.Places = { properties: { categoryId: 'int64' } } as const

const operations: Readonly<Record<string, core.Operation>> = {
  listPets: {
    method: 'GET',
    path: '/pets',
    inputs: { limit: { in: 'query' }, status: { in: 'query' }, cursor: { in: 'query' } },
    credentials: ['apiKey'],
    answers: {
      200: { body: placesIn_Pets, isList: true },
      400: { body: {} },
      401: { body: {} },
      429: { body: {} },
      500: { body: {} },
      503: { body: {} }
    }
  },
  createPet: {
    method: 'POST',
    path: '/pets',
    inputs: {},
    body: placesIn_NewPet,
    credentials: ['apiKey'],
    answers: {
      201: { body: placesIn_Pet },
      400: { body: {} },
      401: { body: {} },
      413: { body: {} },
      415: { body: {} },
      429: { body: {} },
      500: { body: {} },
      503: { body: {} }
    }
  },
  getPet: {
    method: 'GET',
    path: '/pets/{petId}',
    inputs: { petId: { in: 'path', int64: true } },
    credentials: ['apiKey'],
    answers: {
      200: { body: placesIn_Pet },
      400: { body: {} },
      401: { body: {} },
      404: { body: {} },
      410: { body: {} },
      429: { body: {} },
      500: { body: {} },
      503: { body: {} }
    },
    deprecated: { since: '2026-11-20', removalDate: '2030-12-05', replacedBy: 'listPets' }
  },
  listOrders: {
    method: 'GET',
    path: '/store/orders',
    inputs: {},
    credentials: ['apiKey'],
    answers: { 401: { body: {} }, 429: { body: {} }, 500: { body: {} }, 501: { body: {} }, 503: { body: {} } }
  }
} as const
