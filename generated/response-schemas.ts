// Generated from openapi/petstore.yaml by `npm run generate`: edit that, not this.

export const Pet = {
  type: 'object',
  properties: {
    id: { type: 'integer', format: 'int64', minimum: 1, maximum: 9007199254740991 },
    name: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]{1,255}$' },
    categoryId: { type: 'integer', format: 'int64' },
    status: { type: 'string', enum: ['available', 'pending', 'sold'], default: 'available' }
  },
  required: ['name', 'categoryId', 'id', 'status'],
  additionalProperties: false
} as const

export const Pets = { type: 'array', maxItems: 100, items: Pet } as const

export const Error400 = {
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[a-z][a-z0-9_]{0,63}$' },
    message: { type: 'string', minLength: 1, maxLength: 2000 },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, const: 400 }
  },
  additionalProperties: false
} as const

export const Error401 = {
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[a-z][a-z0-9_]{0,63}$' },
    message: { type: 'string', minLength: 1, maxLength: 2000 },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, const: 401 }
  },
  additionalProperties: false
} as const

export const Error429 = {
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[a-z][a-z0-9_]{0,63}$' },
    message: { type: 'string', minLength: 1, maxLength: 2000 },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, const: 429 }
  },
  additionalProperties: false
} as const

export const Error500 = {
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[a-z][a-z0-9_]{0,63}$' },
    message: { type: 'string', minLength: 1, maxLength: 2000 },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, const: 500 }
  },
  additionalProperties: false
} as const

export const Error503 = {
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[a-z][a-z0-9_]{0,63}$' },
    message: { type: 'string', minLength: 1, maxLength: 2000 },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, const: 503 }
  },
  additionalProperties: false
} as const

export const Error413 = {
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[a-z][a-z0-9_]{0,63}$' },
    message: { type: 'string', minLength: 1, maxLength: 2000 },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, const: 413 }
  },
  additionalProperties: false
} as const

export const Error415 = {
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[a-z][a-z0-9_]{0,63}$' },
    message: { type: 'string', minLength: 1, maxLength: 2000 },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, const: 415 }
  },
  additionalProperties: false
} as const

export const Error404 = {
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[a-z][a-z0-9_]{0,63}$' },
    message: { type: 'string', minLength: 1, maxLength: 2000 },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, const: 404 }
  },
  additionalProperties: false
} as const

export const Error410 = {
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[a-z][a-z0-9_]{0,63}$' },
    message: { type: 'string', minLength: 1, maxLength: 2000 },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, const: 410 }
  },
  additionalProperties: false
} as const

export const Error501 = {
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[a-z][a-z0-9_]{0,63}$' },
    message: { type: 'string', minLength: 1, maxLength: 2000 },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, const: 501 }
  },
  additionalProperties: false
} as const
