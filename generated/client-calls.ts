// Generated from openapi/petstore.yaml by `npm run generate`: edit that, not this.

import type * as client from './client.ts'
import * as core from './client-core.ts'
import * as operations from './client-operations.ts'

export { ClientError } from './client-core.ts'

/** The same as in `client`. */
export const isErrorOf: typeof client.isErrorOf = core.isErrorOf as never

/**
 * The connection to the service at `baseUrl`, for the functions of this module.
 * @throws TypeError if paths cannot be appended to `baseUrl`
 */
export const connect = <I extends core.Int64 = 'number'>(options: client.ConnectionOptions<I>): core.Connection<I> =>
  core.connect(options)

/** The same connection, on which `validate` checks each received body, as `createClient` does. */
export const withValidation = <I extends core.Int64>(
  connection: core.Connection<I>,
  validate: core.Validate
): core.Connection<I> => core.checked(connection, validate, async () => (await import('./client-schemas.ts')).responses)

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
export const listPets: <I extends core.Int64 = 'number'>(
  connection: core.Connection<I>,
  input?: client.Inputs<I>['listPets'],
  options?: core.CallOptions
) => core.List<
  client.Result<'listPets', I>,
  client.Operations[I]['listPets']['responses'][200]['content']['application/json'][number]
> = /* @__PURE__ */ core.callOf(operations.listPets) as never

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
export const createPet: <I extends core.Int64 = 'number'>(
  connection: core.Connection<I>,
  input: client.Inputs<I>['createPet'],
  options?: core.CallOptions
) => core.Call<client.Result<'createPet', I>> = /* @__PURE__ */ core.callOf(operations.createPet) as never

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
export const getPet: <I extends core.Int64 = 'number'>(
  connection: core.Connection<I>,
  input: client.Inputs<I>['getPet'],
  options?: core.CallOptions
) => core.Call<client.Result<'getPet', I>> = /* @__PURE__ */ core.callOf(operations.getPet) as never

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
export const listOrders: <I extends core.Int64 = 'number'>(
  connection: core.Connection<I>,
  input?: client.Inputs<I>['listOrders'],
  options?: core.CallOptions
) => core.Call<client.Result<'listOrders', I>> = /* @__PURE__ */ core.callOf(operations.listOrders) as never
