// Generated from openapi/petstore.yaml by `npm run generate`: edit that, not this.

import type * as client from './client.ts'
import * as requests from './validator-schemas.ts'
import * as core from './validator-core.ts'

export type { Broken, Entered, Issue, Validator, ValidatorOptions } from './validator-core.ts'

/** The input of `listPets`. */
export const listPetsInput = <I extends client.Int64 = 'number'>(
  options?: core.ValidatorOptions<I>
): core.Validator<client.Inputs<I>['listPets']> =>
  core.validator(
    {
      type: 'object',
      properties: {
        limit: { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: 20 },
        status: requests.PetStatus,
        cursor: requests.Cursor
      },
      additionalProperties: false
    },
    options
  ) as never

/** The body of `createPet`. */
export const createPetBody = <I extends client.Int64 = 'number'>(
  options?: core.ValidatorOptions<I>
): core.Validator<NonNullable<client.Inputs<I>['createPet']['body']>> =>
  core.validator(requests.NewPet, options) as never

/** The input of `createPet`. */
export const createPetInput = <I extends client.Int64 = 'number'>(
  options?: core.ValidatorOptions<I>
): core.Validator<client.Inputs<I>['createPet']> =>
  core.validator(
    {
      type: 'object',
      properties: { 'Idempotency-Key': requests.IdempotencyKey, body: requests.NewPet },
      required: ['body'],
      additionalProperties: false
    },
    options
  ) as never

/** The input of `getPet`. */
export const getPetInput = <I extends client.Int64 = 'number'>(
  options?: core.ValidatorOptions<I>
): core.Validator<client.Inputs<I>['getPet']> =>
  core.validator(
    {
      type: 'object',
      properties: { petId: { type: 'integer', format: 'int64' } },
      required: ['petId'],
      additionalProperties: false
    },
    options
  ) as never
