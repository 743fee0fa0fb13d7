// Generated from openapi/petstore.yaml by `npm run generate`: edit that, not this.

import * as received from './received-schemas.ts'

/** The responses of each operation, by status. */
export const responses: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  listPets: {
    200: received.Pets,
    400: received.Error400,
    401: received.Error401,
    429: received.Error429,
    500: received.Error500,
    503: received.Error503
  },
  createPet: {
    201: received.Pet,
    400: received.Error400,
    401: received.Error401,
    409: received.Error409,
    413: received.Error413,
    415: received.Error415,
    422: received.Error422,
    429: received.Error429,
    500: received.Error500,
    503: received.Error503
  },
  getPet: {
    200: received.Pet,
    400: received.Error400,
    401: received.Error401,
    404: received.Error404,
    410: received.Error410,
    429: received.Error429,
    500: received.Error500,
    503: received.Error503
  },
  listOrders: {
    401: received.Error401,
    429: received.Error429,
    500: received.Error500,
    501: received.Error501,
    503: received.Error503
  }
}
