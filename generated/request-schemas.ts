// Generated from openapi/petstore.yaml by `npm run generate`: edit that, not this.

/** Whether an animal is for sale */
export const PetStatus = {
  description: 'Whether an animal is for sale',
  type: 'string',
  enum: ['available', 'pending', 'sold']
} as const

/**
 * An opaque position in a list
 *
 * @minLength 11
 * @maxLength 11
 * @pattern `^[A-Za-z0-9_-]{11}$`
 */
export const Cursor = {
  description: 'An opaque position in a list',
  type: 'string',
  minLength: 11,
  maxLength: 11,
  pattern: '^[A-Za-z0-9_-]{11}$'
} as const

/**
 * What a client calls a request, so that it can be sent again
 *
 * @minLength 1
 * @maxLength 255
 * @pattern `^[\x21-\x7e]{1,255}$`
 */
export const IdempotencyKey = {
  description: 'What a client calls a request, so that it can be sent again',
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: '^[\\x21-\\x7e]{1,255}$'
} as const

/** An animal to add */
export const NewPet = {
  description: 'An animal to add',
  type: 'object',
  required: ['name', 'categoryId'],
  properties: {
    name: {
      description: "The animal's name, without control characters, stored exactly as sent",
      type: 'string',
      minLength: 1,
      maxLength: 255,
      pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]{1,255}$'
    },
    categoryId: {
      description:
        "The identifier of the animal's category: any 64-bit integer. JavaScript's `JSON.parse` rounds values beyond ±9007199254740991.",
      type: 'integer',
      format: 'int64'
    },
    status: {
      description: 'Whether an animal is for sale',
      type: 'string',
      enum: ['available', 'pending', 'sold'],
      default: 'available'
    }
  },
  additionalProperties: false
} as const
