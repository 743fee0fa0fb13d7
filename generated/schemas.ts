// Generated from openapi/petstore.yaml by `npm run generate`: edit that, not this.

export {
  PetStatus as PetStatusRequest,
  Cursor as CursorRequest,
  IdempotencyKey as IdempotencyKeyRequest,
  NewPet as NewPetRequest
} from './request-schemas.ts'

export {
  Pet as PetResponse,
  Pets as PetsResponse,
  Error400 as Error400Response,
  Error401 as Error401Response,
  Error429 as Error429Response,
  Error500 as Error500Response,
  Error503 as Error503Response,
  Error409 as Error409Response,
  Error413 as Error413Response,
  Error415 as Error415Response,
  Error422 as Error422Response,
  Error404 as Error404Response,
  Error410 as Error410Response,
  Error501 as Error501Response
} from './received-schemas.ts'

/**
 * The format `int64` for Ajv, `new Ajv2020({ formats: { int64 } })`: that of ajv-formats accepts any integer.
 * JavaScript does not write numbers beyond 2^53 exactly.
 */
export const int64 = {
  type: 'number',
  validate: (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 2 ** 63
} as const
