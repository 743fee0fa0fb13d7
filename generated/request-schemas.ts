// Generated from openapi/petstore.yaml by `npm run generate`: edit that, not this.

export const PetStatus = { type: 'string', enum: ['available', 'pending', 'sold'] } as const

export const Cursor = { type: 'string', minLength: 11, maxLength: 11, pattern: '^[A-Za-z0-9_-]{11}$' } as const

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
