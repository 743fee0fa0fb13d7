// Generated from openapi/petstore.yaml by `npm run generate`: edit that, not this.

/** Whether an animal is for sale */
export const PetStatus = { type: 'string', enum: ['available', 'pending', 'sold'] } as const

/**
 * An opaque position in a list
 *
 * @minLength 11
 * @maxLength 11
 * @pattern `^[A-Za-z0-9_-]{11}$`
 */
export const Cursor = { type: 'string', minLength: 11, maxLength: 11, pattern: '^[A-Za-z0-9_-]{11}$' } as const

/** An animal to add */
export const NewPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]{1,255}$' },
    categoryId: { type: 'integer', format: 'int64' },
    status: { type: 'string', enum: ['available', 'pending', 'sold'], default: 'available' }
  },
  additionalProperties: false
} as const

/**
 * What a client calls a request, so that it can be sent again
 *
 * @minLength 1
 * @maxLength 255
 * @pattern `^[\x21-\x7e]{1,255}$`
 */
export const IdempotencyKey = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: '^[\\x21-\\x7e]{1,255}$'
} as const
