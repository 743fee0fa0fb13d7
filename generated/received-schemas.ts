// Generated from openapi/petstore.yaml by `npm run generate`: edit that, not this.

/** An animal of the store */
export const Pet = {
  type: 'object',
  required: ['id', 'name', 'categoryId', 'status'],
  properties: {
    id: {
      description:
        'Unique identifier, assigned by the service in ascending order and never reused. It never exceeds 9007199254740991, so that every language keeps it exact.',
      type: 'integer',
      format: 'int64',
      minimum: 1,
      maximum: 9007199254740991
    },
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
  description: 'An animal of the store'
} as const

/**
 * A page of animals, by ascending `id`
 *
 * @maxItems 100
 */
export const Pets = {
  description: 'A page of animals, by ascending `id`',
  type: 'array',
  maxItems: 100,
  items: Pet
} as const

/** The request violates this contract */
export const Error400 = {
  description: 'The request violates this contract',
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: {
      description: 'Error code for programs, one of those listed under Errors in the description of this interface',
      type: 'string',
      minLength: 1,
      maxLength: 64,
      pattern: '^[a-z][a-z0-9_]{0,63}$'
    },
    message: {
      description: 'Description for people; its wording may change',
      type: 'string',
      minLength: 1,
      maxLength: 2000
    },
    status: {
      description: 'The HTTP status code of the response',
      type: 'integer',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      const: 400
    }
  }
} as const

/** The API key is missing or invalid */
export const Error401 = {
  description: 'The API key is missing or invalid',
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: {
      description: 'Error code for programs, one of those listed under Errors in the description of this interface',
      type: 'string',
      minLength: 1,
      maxLength: 64,
      pattern: '^[a-z][a-z0-9_]{0,63}$'
    },
    message: {
      description: 'Description for people; its wording may change',
      type: 'string',
      minLength: 1,
      maxLength: 2000
    },
    status: {
      description: 'The HTTP status code of the response',
      type: 'integer',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      const: 401
    }
  }
} as const

/** Too many requests */
export const Error429 = {
  description: 'Too many requests',
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: {
      description: 'Error code for programs, one of those listed under Errors in the description of this interface',
      type: 'string',
      minLength: 1,
      maxLength: 64,
      pattern: '^[a-z][a-z0-9_]{0,63}$'
    },
    message: {
      description: 'Description for people; its wording may change',
      type: 'string',
      minLength: 1,
      maxLength: 2000
    },
    status: {
      description: 'The HTTP status code of the response',
      type: 'integer',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      const: 429
    }
  }
} as const

/** The service has failed */
export const Error500 = {
  description: 'The service has failed',
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: {
      description: 'Error code for programs, one of those listed under Errors in the description of this interface',
      type: 'string',
      minLength: 1,
      maxLength: 64,
      pattern: '^[a-z][a-z0-9_]{0,63}$'
    },
    message: {
      description: 'Description for people; its wording may change',
      type: 'string',
      minLength: 1,
      maxLength: 2000
    },
    status: {
      description: 'The HTTP status code of the response',
      type: 'integer',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      const: 500
    }
  }
} as const

/** The service cannot process the request now */
export const Error503 = {
  description: 'The service cannot process the request now',
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: {
      description: 'Error code for programs, one of those listed under Errors in the description of this interface',
      type: 'string',
      minLength: 1,
      maxLength: 64,
      pattern: '^[a-z][a-z0-9_]{0,63}$'
    },
    message: {
      description: 'Description for people; its wording may change',
      type: 'string',
      minLength: 1,
      maxLength: 2000
    },
    status: {
      description: 'The HTTP status code of the response',
      type: 'integer',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      const: 503
    }
  }
} as const

/** The request conflicts with another one */
export const Error409 = {
  description: 'The request conflicts with another one',
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: {
      description: 'Error code for programs, one of those listed under Errors in the description of this interface',
      type: 'string',
      minLength: 1,
      maxLength: 64,
      pattern: '^[a-z][a-z0-9_]{0,63}$'
    },
    message: {
      description: 'Description for people; its wording may change',
      type: 'string',
      minLength: 1,
      maxLength: 2000
    },
    status: {
      description: 'The HTTP status code of the response',
      type: 'integer',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      const: 409
    }
  }
} as const

/** The body is too large */
export const Error413 = {
  description: 'The body is too large',
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: {
      description: 'Error code for programs, one of those listed under Errors in the description of this interface',
      type: 'string',
      minLength: 1,
      maxLength: 64,
      pattern: '^[a-z][a-z0-9_]{0,63}$'
    },
    message: {
      description: 'Description for people; its wording may change',
      type: 'string',
      minLength: 1,
      maxLength: 2000
    },
    status: {
      description: 'The HTTP status code of the response',
      type: 'integer',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      const: 413
    }
  }
} as const

/** The body has the wrong media type */
export const Error415 = {
  description: 'The body has the wrong media type',
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: {
      description: 'Error code for programs, one of those listed under Errors in the description of this interface',
      type: 'string',
      minLength: 1,
      maxLength: 64,
      pattern: '^[a-z][a-z0-9_]{0,63}$'
    },
    message: {
      description: 'Description for people; its wording may change',
      type: 'string',
      minLength: 1,
      maxLength: 2000
    },
    status: {
      description: 'The HTTP status code of the response',
      type: 'integer',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      const: 415
    }
  }
} as const

/** The request cannot be carried out as it is */
export const Error422 = {
  description: 'The request cannot be carried out as it is',
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: {
      description: 'Error code for programs, one of those listed under Errors in the description of this interface',
      type: 'string',
      minLength: 1,
      maxLength: 64,
      pattern: '^[a-z][a-z0-9_]{0,63}$'
    },
    message: {
      description: 'Description for people; its wording may change',
      type: 'string',
      minLength: 1,
      maxLength: 2000
    },
    status: {
      description: 'The HTTP status code of the response',
      type: 'integer',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      const: 422
    }
  }
} as const

/** The requested resource does not exist */
export const Error404 = {
  description: 'The requested resource does not exist',
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: {
      description: 'Error code for programs, one of those listed under Errors in the description of this interface',
      type: 'string',
      minLength: 1,
      maxLength: 64,
      pattern: '^[a-z][a-z0-9_]{0,63}$'
    },
    message: {
      description: 'Description for people; its wording may change',
      type: 'string',
      minLength: 1,
      maxLength: 2000
    },
    status: {
      description: 'The HTTP status code of the response',
      type: 'integer',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      const: 404
    }
  }
} as const

/** The operation has been removed */
export const Error410 = {
  description: 'The operation has been removed',
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: {
      description: 'Error code for programs, one of those listed under Errors in the description of this interface',
      type: 'string',
      minLength: 1,
      maxLength: 64,
      pattern: '^[a-z][a-z0-9_]{0,63}$'
    },
    message: {
      description: 'Description for people; its wording may change',
      type: 'string',
      minLength: 1,
      maxLength: 2000
    },
    status: {
      description: 'The HTTP status code of the response',
      type: 'integer',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      const: 410
    }
  }
} as const

/** The operation is not available yet */
export const Error501 = {
  description: 'The operation is not available yet',
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: {
      description: 'Error code for programs, one of those listed under Errors in the description of this interface',
      type: 'string',
      minLength: 1,
      maxLength: 64,
      pattern: '^[a-z][a-z0-9_]{0,63}$'
    },
    message: {
      description: 'Description for people; its wording may change',
      type: 'string',
      minLength: 1,
      maxLength: 2000
    },
    status: {
      description: 'The HTTP status code of the response',
      type: 'integer',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      const: 501
    }
  }
} as const
