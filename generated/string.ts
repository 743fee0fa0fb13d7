// Generated from openapi/petstore.yaml by `npm run generate`: edit that, not this.

import type * as $types from './types.ts'

export type components = $types.components<string>

export type operations = $types.operations<string>

export type paths = $types.paths<string>

/** Whether an animal is for sale */
export type PetStatus = components['schemas']['PetStatus']

/**
 * What a client calls a request, so that it can be sent again
 *
 * @minLength 1
 * @maxLength 255
 * @pattern `^[\x21-\x7e]{1,255}$`
 */
export type IdempotencyKey = components['schemas']['IdempotencyKey']

/**
 * An opaque position in a list
 *
 * @minLength 11
 * @maxLength 11
 * @pattern `^[A-Za-z0-9_-]{11}$`
 */
export type Cursor = components['schemas']['Cursor']

/** The fields that new and stored animals share */
export type PetFields = components['schemas']['PetFields']

/** An animal to add */
export type NewPet = components['schemas']['NewPet']

/** An animal of the store */
export type Pet = components['schemas']['Pet']

/**
 * A page of animals, by ascending `id`
 *
 * @maxItems 100
 */
export type Pets = components['schemas']['Pets']

/** What went wrong */
export type Error = components['schemas']['Error']

/** The request violates this contract */
export type Error400 = components['schemas']['Error400']

/** The API key is missing or invalid */
export type Error401 = components['schemas']['Error401']

/** The requested resource does not exist */
export type Error404 = components['schemas']['Error404']

/** The request conflicts with another one */
export type Error409 = components['schemas']['Error409']

/** The operation has been removed */
export type Error410 = components['schemas']['Error410']

/** The body is too large */
export type Error413 = components['schemas']['Error413']

/** The body has the wrong media type */
export type Error415 = components['schemas']['Error415']

/** The request cannot be carried out as it is */
export type Error422 = components['schemas']['Error422']

/** Too many requests */
export type Error429 = components['schemas']['Error429']

/** The service has failed */
export type Error500 = components['schemas']['Error500']

/** The operation is not available yet */
export type Error501 = components['schemas']['Error501']

/** The service cannot process the request now */
export type Error503 = components['schemas']['Error503']
