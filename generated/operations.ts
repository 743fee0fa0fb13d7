// Generated from openapi/petstore.yaml by `npm run generate`: edit that, not this.

import * as requests from './request-schemas.ts'
import * as responses from './response-schemas.ts'

/** The path that all operations' paths are relative to. */
export const basePath = '/v1'

/** Limits on requests, in bytes. */
export const limits = { uriBytes: 8000, headerBytes: 16384, bodyBytes: 65536 } as const

export const securitySchemes = {
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    'x-client-option': 'apiKey',
    description:
      'An API key from whoever operates the service, usually `ast_live_` followed by 36 letters and digits. Paste only the key, without the word Bearer.'
  }
} as const

const entries = {
  listPets: {
    operationId: 'listPets',
    method: 'GET',
    path: '/pets',
    url: '/pets',
    tags: ['animals'],
    input: {
      query: {
        type: 'object',
        properties: {
          limit: { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: 20 },
          status: requests.PetStatus,
          cursor: requests.Cursor
        },
        additionalProperties: false
      }
    },
    bodyRequired: false,
    commaSeparated: [],
    responses: {
      200: {
        headers: {
          Link: {
            required: false,
            schema: { type: 'string', maxLength: 200, pattern: '^<\\?[A-Za-z0-9_=&-]{1,150}>; rel="next"$' }
          },
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Pets
      },
      400: {
        headers: {
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error400
      },
      401: {
        headers: {
          'WWW-Authenticate': {
            required: true,
            schema: {
              type: 'string',
              maxLength: 200,
              pattern: '^Bearer realm="[a-z-]{1,50}"(, error="invalid_token")?$'
            }
          }
        },
        body: responses.Error401
      },
      429: {
        headers: {
          'Retry-After': { required: true, schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86400 } },
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error429
      },
      500: {
        headers: {
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error500
      },
      503: {
        headers: {
          'Retry-After': { required: true, schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86400 } },
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error503
      }
    },
    security: [{ bearerAuth: [] }],
    lifecycle: {}
  },
  createPet: {
    operationId: 'createPet',
    method: 'POST',
    path: '/pets',
    url: '/pets',
    tags: ['animals'],
    input: {
      query: { type: 'object', properties: {}, additionalProperties: false },
      headers: {
        type: 'object',
        properties: { 'Idempotency-Key': requests.IdempotencyKey },
        additionalProperties: true
      },
      body: requests.NewPet
    },
    bodyRequired: true,
    commaSeparated: [],
    responses: {
      201: {
        headers: {
          Location: { required: false, schema: { type: 'string', maxLength: 30, pattern: '^pets/[0-9]{1,16}$' } },
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Pet
      },
      400: {
        headers: {
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error400
      },
      401: {
        headers: {
          'WWW-Authenticate': {
            required: true,
            schema: {
              type: 'string',
              maxLength: 200,
              pattern: '^Bearer realm="[a-z-]{1,50}"(, error="invalid_token")?$'
            }
          }
        },
        body: responses.Error401
      },
      409: {
        headers: {
          'Retry-After': { required: true, schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86400 } },
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error409
      },
      413: {
        headers: {
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error413
      },
      415: {
        headers: {
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error415
      },
      422: {
        headers: {
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error422
      },
      429: {
        headers: {
          'Retry-After': { required: true, schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86400 } },
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error429
      },
      500: {
        headers: {
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error500
      },
      503: {
        headers: {
          'Retry-After': { required: true, schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86400 } },
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error503
      }
    },
    security: [{ bearerAuth: [] }],
    lifecycle: {}
  },
  getPet: {
    operationId: 'getPet',
    method: 'GET',
    path: '/pets/{petId}',
    url: '/pets/:petId',
    tags: ['animals'],
    input: {
      params: {
        type: 'object',
        properties: { petId: { type: 'integer', format: 'int64' } },
        required: ['petId'],
        additionalProperties: false
      },
      query: { type: 'object', properties: {}, additionalProperties: false }
    },
    bodyRequired: false,
    commaSeparated: [],
    responses: {
      200: {
        headers: {
          Deprecation: { required: true, schema: { type: 'string', maxLength: 20, pattern: '^@[0-9]{1,12}$' } },
          Sunset: {
            required: true,
            schema: {
              type: 'string',
              maxLength: 29,
              pattern: '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$'
            }
          },
          Link: { required: true, schema: { type: 'string', maxLength: 500 } },
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Pet
      },
      400: {
        headers: {
          Deprecation: { required: true, schema: { type: 'string', maxLength: 20, pattern: '^@[0-9]{1,12}$' } },
          Sunset: {
            required: true,
            schema: {
              type: 'string',
              maxLength: 29,
              pattern: '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$'
            }
          },
          Link: { required: true, schema: { type: 'string', maxLength: 500 } },
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error400
      },
      401: {
        headers: {
          'WWW-Authenticate': {
            required: true,
            schema: {
              type: 'string',
              maxLength: 200,
              pattern: '^Bearer realm="[a-z-]{1,50}"(, error="invalid_token")?$'
            }
          },
          Deprecation: { required: true, schema: { type: 'string', maxLength: 20, pattern: '^@[0-9]{1,12}$' } },
          Sunset: {
            required: true,
            schema: {
              type: 'string',
              maxLength: 29,
              pattern: '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$'
            }
          },
          Link: { required: true, schema: { type: 'string', maxLength: 500 } }
        },
        body: responses.Error401
      },
      404: {
        headers: {
          Deprecation: { required: true, schema: { type: 'string', maxLength: 20, pattern: '^@[0-9]{1,12}$' } },
          Sunset: {
            required: true,
            schema: {
              type: 'string',
              maxLength: 29,
              pattern: '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$'
            }
          },
          Link: { required: true, schema: { type: 'string', maxLength: 500 } },
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error404
      },
      410: {
        headers: {
          Deprecation: { required: true, schema: { type: 'string', maxLength: 20, pattern: '^@[0-9]{1,12}$' } },
          Sunset: {
            required: true,
            schema: {
              type: 'string',
              maxLength: 29,
              pattern: '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$'
            }
          },
          Link: { required: true, schema: { type: 'string', maxLength: 500 } },
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error410
      },
      429: {
        headers: {
          'Retry-After': { required: true, schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86400 } },
          Deprecation: { required: true, schema: { type: 'string', maxLength: 20, pattern: '^@[0-9]{1,12}$' } },
          Sunset: {
            required: true,
            schema: {
              type: 'string',
              maxLength: 29,
              pattern: '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$'
            }
          },
          Link: { required: true, schema: { type: 'string', maxLength: 500 } },
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error429
      },
      500: {
        headers: {
          Deprecation: { required: true, schema: { type: 'string', maxLength: 20, pattern: '^@[0-9]{1,12}$' } },
          Sunset: {
            required: true,
            schema: {
              type: 'string',
              maxLength: 29,
              pattern: '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$'
            }
          },
          Link: { required: true, schema: { type: 'string', maxLength: 500 } },
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error500
      },
      503: {
        headers: {
          'Retry-After': { required: true, schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86400 } },
          Deprecation: { required: true, schema: { type: 'string', maxLength: 20, pattern: '^@[0-9]{1,12}$' } },
          Sunset: {
            required: true,
            schema: {
              type: 'string',
              maxLength: 29,
              pattern: '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$'
            }
          },
          Link: { required: true, schema: { type: 'string', maxLength: 500 } },
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error503
      }
    },
    security: [{ bearerAuth: [] }],
    lifecycle: {
      deprecation: {
        since: 1795132800,
        removalDate: '2030-12-05',
        replacedBy: 'listPets',
        headers: {
          Deprecation: '@1795132800',
          Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
          Link: '<../pets>; rel="successor-version", <../../docs/#/animals/getPet>; rel="deprecation"; type="text/html", <../../docs/#/animals/getPet>; rel="sunset"; type="text/html"'
        }
      }
    }
  },
  listOrders: {
    operationId: 'listOrders',
    method: 'GET',
    path: '/store/orders',
    url: '/store/orders',
    tags: ['store'],
    input: { query: { type: 'object', properties: {}, additionalProperties: false } },
    bodyRequired: false,
    commaSeparated: [],
    responses: {
      401: {
        headers: {
          'WWW-Authenticate': {
            required: true,
            schema: {
              type: 'string',
              maxLength: 200,
              pattern: '^Bearer realm="[a-z-]{1,50}"(, error="invalid_token")?$'
            }
          }
        },
        body: responses.Error401
      },
      429: {
        headers: {
          'Retry-After': { required: true, schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86400 } },
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error429
      },
      500: {
        headers: {
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error500
      },
      501: {
        headers: {
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error501
      },
      503: {
        headers: {
          'Retry-After': { required: true, schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86400 } },
          'RateLimit-Policy': {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' }
          },
          RateLimit: {
            required: false,
            schema: { type: 'string', maxLength: 40, pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' }
          }
        },
        body: responses.Error503
      }
    },
    security: [{ bearerAuth: [] }],
    lifecycle: { stability: 'experimental' }
  }
} as const

// Interfaces, since the compiler's messages give their names instead of all that they contain.
type Entry<Id extends keyof typeof entries> = (typeof entries)[Id]
interface listPets extends Entry<'listPets'> {}
interface createPet extends Entry<'createPet'> {}
interface getPet extends Entry<'getPet'> {}
interface listOrders extends Entry<'listOrders'> {}

export const operations: {
  readonly listPets: listPets
  readonly createPet: createPet
  readonly getPet: getPet
  readonly listOrders: listOrders
} = entries
