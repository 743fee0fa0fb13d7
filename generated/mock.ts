// Generated from openapi/petstore.yaml by `npm run generate`: edit that, not this.

import type { OperationId, Result } from './client.ts'
import * as core from './mock-core.ts'
import * as requests from './request-schemas.ts'
import * as received from './received-schemas.ts'

export type { Http, MockFetch } from './mock-core.ts'

/** A response of an operation, with an int64 as a number, or as a bigint beyond 2^53. */
export type MockResponse<Id extends OperationId> = core.ResponseFor<Result<Id> | Result<Id, 'bigint'>>

/**
 * By operation: a response instead of the contract's, or a function that returns one for a request, or undefined for the
 * contract's. It must not break the contract.
 */
export type MockResponses = { readonly [Id in OperationId]?: core.Responder<MockResponse<Id>> | undefined }

export interface MockOptions extends core.MockOptions {
  respond?: MockResponses | undefined
}

/**
 * A `fetch` for tests, which responds as the contract shows: with its examples, otherwise with random values that its
 * schemas allow. Requests that break the contract get a 400. A header `Prefer` chooses: `code=503`, `example=NAME`,
 * `delay=2.5` in seconds. A stream has three items, or those of the example; one of events stays open after them.
 */
export const createMock = ({ respond, ...options }: MockOptions = {}): core.MockFetch =>
  core.mockFetch(operations, '/v1', options, respond)

/**
 * The same as handlers of MSW 2, whose `http` is needed: `createHandlers(http)()` makes one for each operation, and with
 * responses by operation, only those of these operations.
 */
export const createHandlers = <Handler>(
  http: core.Http<Handler>,
  options: core.MockOptions = {}
): ((respond?: MockResponses) => Handler[]) => core.mockHandlers(http, operations, '/v1', options)

const response401: core.MockedResponse = {
  headers: { 'WWW-Authenticate': { example: 'Bearer realm="animal-store"' } },
  examples: [
    [
      'keyMissing',
      {
        code: 'api_key_missing',
        message: 'An API key is required: send it in the header Authorization: Bearer <API key>.',
        status: 401
      }
    ],
    ['keyInvalid', { code: 'api_key_invalid', message: 'The API key is not valid.', status: 401 }]
  ],
  schema: received.Error401
} as const

const response429: core.MockedResponse = {
  headers: {
    'Retry-After': { example: 1 },
    'RateLimit-Policy': { example: '"default";q=100;w=60' },
    RateLimit: { example: '"default";r=42;t=17' }
  },
  examples: [['limited', { code: 'rate_limited', message: 'Too many requests; try again in 1 second.', status: 429 }]],
  schema: received.Error429
} as const

const response500: core.MockedResponse = {
  headers: { 'RateLimit-Policy': { example: '"default";q=100;w=60' }, RateLimit: { example: '"default";r=42;t=17' } },
  examples: [['fault', { code: 'internal_error', message: 'Internal error.', status: 500 }]],
  schema: received.Error500
} as const

const response503: core.MockedResponse = {
  headers: {
    'Retry-After': { example: 1 },
    'RateLimit-Policy': { example: '"default";q=100;w=60' },
    RateLimit: { example: '"default";r=42;t=17' }
  },
  examples: [
    [
      'unavailable',
      { code: 'service_unavailable', message: 'The store is temporarily unavailable; try again.', status: 503 }
    ]
  ],
  schema: received.Error503
} as const

// The type keeps an operation called valueOf from being taken for the inherited method.
const operations: Readonly<Record<string, core.MockedOperation>> = {
  listPets: {
    method: 'GET',
    path: '/pets',
    parameters: [
      {
        name: 'limit',
        in: 'query',
        required: false,
        schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: 20 }
      },
      { name: 'status', in: 'query', required: false, schema: requests.PetStatus },
      { name: 'cursor', in: 'query', required: false, schema: requests.Cursor }
    ],
    responses: {
      200: {
        headers: {
          Link: { example: '<?cursor=AAAAAAAAABQ&limit=20>; rel="next"' },
          'RateLimit-Policy': { example: '"default";q=100;w=60' },
          RateLimit: { example: '"default";r=42;t=17' }
        },
        examples: [
          [
            'page',
            [
              { id: 1, name: 'Rex', categoryId: 7, status: 'available' },
              { id: 2, name: 'Mia', categoryId: 8, status: 'sold' }
            ]
          ]
        ],
        schema: received.Pets
      },
      400: {
        headers: {
          'RateLimit-Policy': { example: '"default";q=100;w=60' },
          RateLimit: { example: '"default";r=42;t=17' }
        },
        examples: [
          [
            'limit',
            { code: 'invalid_request', message: 'query parameter limit must be at most 100, not 101.', status: 400 }
          ]
        ],
        schema: received.Error400
      },
      401: response401,
      429: response429,
      500: response500,
      503: response503
    }
  },
  createPet: {
    method: 'POST',
    path: '/pets',
    parameters: [{ name: 'Idempotency-Key', in: 'header', required: false, schema: requests.IdempotencyKey }],
    body: { required: true, schema: requests.NewPet },
    responses: {
      201: {
        headers: {
          Location: { example: 'pets/1' },
          'RateLimit-Policy': { example: '"default";q=100;w=60' },
          RateLimit: { example: '"default";r=42;t=17' }
        },
        examples: [['rex', { id: 1, name: 'Rex', categoryId: 7, status: 'available' }]],
        schema: received.Pet
      },
      400: {
        headers: {
          'RateLimit-Policy': { example: '"default";q=100;w=60' },
          RateLimit: { example: '"default";r=42;t=17' }
        },
        examples: [['nameless', { code: 'invalid_request', message: 'body.name is required.', status: 400 }]],
        schema: received.Error400
      },
      401: response401,
      409: {
        headers: {
          'Retry-After': { example: 1 },
          'RateLimit-Policy': { example: '"default";q=100;w=60' },
          RateLimit: { example: '"default";r=42;t=17' }
        },
        examples: [
          [
            'inProgress',
            {
              code: 'request_in_progress',
              message: 'A request with this Idempotency-Key is in progress; try again.',
              status: 409
            }
          ]
        ],
        schema: received.Error409
      },
      413: {
        headers: {
          'RateLimit-Policy': { example: '"default";q=100;w=60' },
          RateLimit: { example: '"default";r=42;t=17' }
        },
        examples: [
          ['tooLarge', { code: 'body_too_large', message: 'The body is larger than 65536 bytes.', status: 413 }]
        ],
        schema: received.Error413
      },
      415: {
        headers: {
          'RateLimit-Policy': { example: '"default";q=100;w=60' },
          RateLimit: { example: '"default";r=42;t=17' }
        },
        examples: [
          [
            'text',
            {
              code: 'unsupported_media_type',
              message: 'The body must be application/json in UTF-8, not text/plain.',
              status: 415
            }
          ]
        ],
        schema: received.Error415
      },
      422: {
        headers: {
          'RateLimit-Policy': { example: '"default";q=100;w=60' },
          RateLimit: { example: '"default";r=42;t=17' }
        },
        examples: [
          [
            'reused',
            {
              code: 'idempotency_key_reused',
              message: 'This Idempotency-Key was used for another request; send a new one.',
              status: 422
            }
          ]
        ],
        schema: received.Error422
      },
      429: response429,
      500: response500,
      503: response503
    }
  },
  getPet: {
    method: 'GET',
    path: '/pets/{petId}',
    parameters: [{ name: 'petId', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } }],
    responses: {
      200: {
        headers: {
          Deprecation: { example: '@1795132800' },
          Sunset: { example: 'Thu, 05 Dec 2030 00:00:00 GMT' },
          Link: {
            example:
              '<../pets>; rel="successor-version", <../../docs/#/animals/getPet>; rel="deprecation"; type="text/html", <../../docs/#/animals/getPet>; rel="sunset"; type="text/html"'
          },
          'RateLimit-Policy': { example: '"default";q=100;w=60' },
          RateLimit: { example: '"default";r=42;t=17' }
        },
        examples: [['rex', { id: 1, name: 'Rex', categoryId: 7, status: 'available' }]],
        schema: received.Pet
      },
      400: {
        headers: {
          Deprecation: { example: '@1795132800' },
          Sunset: { example: 'Thu, 05 Dec 2030 00:00:00 GMT' },
          Link: {
            example:
              '<../pets>; rel="successor-version", <../../docs/#/animals/getPet>; rel="deprecation"; type="text/html", <../../docs/#/animals/getPet>; rel="sunset"; type="text/html"'
          },
          'RateLimit-Policy': { example: '"default";q=100;w=60' },
          RateLimit: { example: '"default";r=42;t=17' }
        },
        examples: [
          [
            'petId',
            {
              code: 'invalid_request',
              message: 'path parameter petId must be an integer in plain decimal digits, not "rex".',
              status: 400
            }
          ]
        ],
        schema: received.Error400
      },
      401: {
        headers: {
          'WWW-Authenticate': { example: 'Bearer realm="animal-store"' },
          Deprecation: { example: '@1795132800' },
          Sunset: { example: 'Thu, 05 Dec 2030 00:00:00 GMT' },
          Link: {
            example:
              '<../pets>; rel="successor-version", <../../docs/#/animals/getPet>; rel="deprecation"; type="text/html", <../../docs/#/animals/getPet>; rel="sunset"; type="text/html"'
          }
        },
        examples: [
          [
            'keyMissing',
            {
              code: 'api_key_missing',
              message: 'An API key is required: send it in the header Authorization: Bearer <API key>.',
              status: 401
            }
          ],
          ['keyInvalid', { code: 'api_key_invalid', message: 'The API key is not valid.', status: 401 }]
        ],
        schema: received.Error401
      },
      404: {
        headers: {
          Deprecation: { example: '@1795132800' },
          Sunset: { example: 'Thu, 05 Dec 2030 00:00:00 GMT' },
          Link: {
            example:
              '<../pets>; rel="successor-version", <../../docs/#/animals/getPet>; rel="deprecation"; type="text/html", <../../docs/#/animals/getPet>; rel="sunset"; type="text/html"'
          },
          'RateLimit-Policy': { example: '"default";q=100;w=60' },
          RateLimit: { example: '"default";r=42;t=17' }
        },
        examples: [['missing', { code: 'pet_not_found', message: 'No pet has id 404.', status: 404 }]],
        schema: received.Error404
      },
      410: {
        headers: {
          Deprecation: { example: '@1795132800' },
          Sunset: { example: 'Thu, 05 Dec 2030 00:00:00 GMT' },
          Link: {
            example:
              '<../pets>; rel="successor-version", <../../docs/#/animals/getPet>; rel="deprecation"; type="text/html", <../../docs/#/animals/getPet>; rel="sunset"; type="text/html"'
          },
          'RateLimit-Policy': { example: '"default";q=100;w=60' },
          RateLimit: { example: '"default";r=42;t=17' }
        },
        examples: [
          [
            'removed',
            {
              code: 'operation_removed',
              message: 'getPet was removed on 2030-12-05; use listPets instead.',
              status: 410
            }
          ]
        ],
        schema: received.Error410
      },
      429: {
        headers: {
          'Retry-After': { example: 1 },
          Deprecation: { example: '@1795132800' },
          Sunset: { example: 'Thu, 05 Dec 2030 00:00:00 GMT' },
          Link: {
            example:
              '<../pets>; rel="successor-version", <../../docs/#/animals/getPet>; rel="deprecation"; type="text/html", <../../docs/#/animals/getPet>; rel="sunset"; type="text/html"'
          },
          'RateLimit-Policy': { example: '"default";q=100;w=60' },
          RateLimit: { example: '"default";r=42;t=17' }
        },
        examples: [
          ['limited', { code: 'rate_limited', message: 'Too many requests; try again in 1 second.', status: 429 }]
        ],
        schema: received.Error429
      },
      500: {
        headers: {
          Deprecation: { example: '@1795132800' },
          Sunset: { example: 'Thu, 05 Dec 2030 00:00:00 GMT' },
          Link: {
            example:
              '<../pets>; rel="successor-version", <../../docs/#/animals/getPet>; rel="deprecation"; type="text/html", <../../docs/#/animals/getPet>; rel="sunset"; type="text/html"'
          },
          'RateLimit-Policy': { example: '"default";q=100;w=60' },
          RateLimit: { example: '"default";r=42;t=17' }
        },
        examples: [['fault', { code: 'internal_error', message: 'Internal error.', status: 500 }]],
        schema: received.Error500
      },
      503: {
        headers: {
          'Retry-After': { example: 1 },
          Deprecation: { example: '@1795132800' },
          Sunset: { example: 'Thu, 05 Dec 2030 00:00:00 GMT' },
          Link: {
            example:
              '<../pets>; rel="successor-version", <../../docs/#/animals/getPet>; rel="deprecation"; type="text/html", <../../docs/#/animals/getPet>; rel="sunset"; type="text/html"'
          },
          'RateLimit-Policy': { example: '"default";q=100;w=60' },
          RateLimit: { example: '"default";r=42;t=17' }
        },
        examples: [
          [
            'unavailable',
            { code: 'service_unavailable', message: 'The store is temporarily unavailable; try again.', status: 503 }
          ]
        ],
        schema: received.Error503
      }
    }
  },
  listOrders: {
    method: 'GET',
    path: '/store/orders',
    parameters: [],
    responses: {
      401: response401,
      429: response429,
      500: response500,
      501: {
        headers: {
          'RateLimit-Policy': { example: '"default";q=100;w=60' },
          RateLimit: { example: '"default";r=42;t=17' }
        },
        examples: [
          ['announced', { code: 'not_implemented', message: 'listOrders is not available yet.', status: 501 }]
        ],
        schema: received.Error501
      },
      503: response503
    }
  }
} as const
