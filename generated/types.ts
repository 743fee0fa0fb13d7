// Generated from openapi/petstore.yaml by `npm run generate`: edit that, not this.

export interface paths {
  '/pets': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List all animals
     * @description The animals by rising `id`, one page at a time. A `Link` header leads to the next page.
     */
    get: operations['listPets']
    put?: never
    /**
     * Add an animal
     * @description Adds an animal and gives it an `id`. When the answer is 201, the animal is on the disk.
     */
    post: operations['createPet']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/pets/{petId}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Get an animal
     * @deprecated
     * @description The animal with this identifier. Deprecated since 20 November 2026, to be removed on 5 December 2030: use `GET /pets` with the `status` filter instead.
     */
    get: operations['getPet']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/store/orders': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List orders (not available yet)
     * @description Announced by name only. It answers 501 until its shape is known, and may still change in any way.
     */
    get: operations['listOrders']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
}
export type webhooks = Record<string, never>
export interface components {
  schemas: {
    /**
     * @description Whether an animal can be bought
     * @enum {string}
     */
    PetStatus: 'available' | 'pending' | 'sold'
    /** @description An opaque position in a list */
    Cursor: string
    /** @description What a new animal and a stored one have in common */
    PetFields: {
      /** @description The animal's name, without control characters */
      name: string
      /**
       * Format: int64
       * @description Identifier of the category the animal belongs to
       */
      categoryId: number
      /**
       * @default available
       * @enum {string}
       */
      status?: 'available' | 'pending' | 'sold'
    }
    /** @description An animal to add */
    NewPet: {
      /** @description The animal's name, without control characters */
      name: string
      /**
       * Format: int64
       * @description Identifier of the category the animal belongs to
       */
      categoryId: number
      /**
       * @default available
       * @enum {string}
       */
      status?: 'available' | 'pending' | 'sold'
    }
    /** @description An animal of the store */
    Pet: {
      /**
       * Format: int64
       * @description Unique identifier, assigned by the service. It only grows and is never used twice.
       */
      id: number
      /** @description The animal's name, without control characters */
      name: string
      /**
       * Format: int64
       * @description Identifier of the category the animal belongs to
       */
      categoryId: number
      /**
       * @default available
       * @enum {string}
       */
      status: 'available' | 'pending' | 'sold'
    }
    /** @description A page of animals, by rising `id` */
    Pets: components['schemas']['Pet'][]
    /** @description What went wrong */
    Error: {
      /** @description Machine-readable error code, one of those listed in the description of this interface */
      code: string
      /** @description Human-readable description */
      message: string
      /**
       * Format: int32
       * @description The HTTP status code of the response
       */
      status: number
    }
    /** @description The request is not what the contract says */
    Error400: {
      /** @description Machine-readable error code, one of those listed in the description of this interface */
      code: string
      /** @description Human-readable description */
      message: string
      /**
       * Format: int32
       * @description The HTTP status code of the response
       * @constant
       */
      status: 400
    }
    /** @description The API key is missing or invalid */
    Error401: {
      /** @description Machine-readable error code, one of those listed in the description of this interface */
      code: string
      /** @description Human-readable description */
      message: string
      /**
       * Format: int32
       * @description The HTTP status code of the response
       * @constant
       */
      status: 401
    }
    /** @description What was asked for does not exist */
    Error404: {
      /** @description Machine-readable error code, one of those listed in the description of this interface */
      code: string
      /** @description Human-readable description */
      message: string
      /**
       * Format: int32
       * @description The HTTP status code of the response
       * @constant
       */
      status: 404
    }
    /** @description The operation has been removed */
    Error410: {
      /** @description Machine-readable error code, one of those listed in the description of this interface */
      code: string
      /** @description Human-readable description */
      message: string
      /**
       * Format: int32
       * @description The HTTP status code of the response
       * @constant
       */
      status: 410
    }
    /** @description The body is too large */
    Error413: {
      /** @description Machine-readable error code, one of those listed in the description of this interface */
      code: string
      /** @description Human-readable description */
      message: string
      /**
       * Format: int32
       * @description The HTTP status code of the response
       * @constant
       */
      status: 413
    }
    /** @description The body has the wrong media type */
    Error415: {
      /** @description Machine-readable error code, one of those listed in the description of this interface */
      code: string
      /** @description Human-readable description */
      message: string
      /**
       * Format: int32
       * @description The HTTP status code of the response
       * @constant
       */
      status: 415
    }
    /** @description Too many requests */
    Error429: {
      /** @description Machine-readable error code, one of those listed in the description of this interface */
      code: string
      /** @description Human-readable description */
      message: string
      /**
       * Format: int32
       * @description The HTTP status code of the response
       * @constant
       */
      status: 429
    }
    /** @description A fault of the service */
    Error500: {
      /** @description Machine-readable error code, one of those listed in the description of this interface */
      code: string
      /** @description Human-readable description */
      message: string
      /**
       * Format: int32
       * @description The HTTP status code of the response
       * @constant
       */
      status: 500
    }
    /** @description The operation is not available yet */
    Error501: {
      /** @description Machine-readable error code, one of those listed in the description of this interface */
      code: string
      /** @description Human-readable description */
      message: string
      /**
       * Format: int32
       * @description The HTTP status code of the response
       * @constant
       */
      status: 501
    }
    /** @description The service cannot answer now */
    Error503: {
      /** @description Machine-readable error code, one of those listed in the description of this interface */
      code: string
      /** @description Human-readable description */
      message: string
      /**
       * Format: int32
       * @description The HTTP status code of the response
       * @constant
       */
      status: 503
    }
  }
  responses: never
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}
export type $defs = Record<string, never>
export interface operations {
  listPets: {
    parameters: {
      query?: {
        limit?: number
        status?: components['schemas']['PetStatus']
        cursor?: components['schemas']['Cursor']
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of animals */
      200: {
        headers: {
          Link?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Pets']
        }
      }
      /** @description A parameter is unknown, occurs twice, or has an invalid value */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error400']
        }
      }
      /** @description The API key is missing or invalid */
      401: {
        headers: {
          'WWW-Authenticate': string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error401']
        }
      }
      /** @description Too many requests */
      429: {
        headers: {
          'Retry-After': number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error429']
        }
      }
      /** @description A fault of the service */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error500']
        }
      }
      /** @description The service cannot answer now */
      503: {
        headers: {
          'Retry-After': number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error503']
        }
      }
    }
  }
  createPet: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['NewPet']
      }
    }
    responses: {
      /** @description The animal with its new `id` */
      201: {
        headers: {
          Location?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Pet']
        }
      }
      /** @description The body is no JSON, misses required fields, or holds unknown fields or invalid values */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error400']
        }
      }
      /** @description The API key is missing or invalid */
      401: {
        headers: {
          'WWW-Authenticate': string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error401']
        }
      }
      /** @description The body is too large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error413']
        }
      }
      /** @description The body is not `application/json` in UTF-8 */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error415']
        }
      }
      /** @description Too many requests */
      429: {
        headers: {
          'Retry-After': number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error429']
        }
      }
      /** @description A fault of the service */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error500']
        }
      }
      /** @description The service cannot answer now */
      503: {
        headers: {
          'Retry-After': number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error503']
        }
      }
    }
  }
  getPet: {
    parameters: {
      query?: never
      header?: never
      path: {
        petId: number
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The animal */
      200: {
        headers: {
          Deprecation: string
          Sunset: string
          Link: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Pet']
        }
      }
      /** @description The identifier is no integer of 64 bits, or there is a parameter that does not exist */
      400: {
        headers: {
          Deprecation: string
          Sunset: string
          Link: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error400']
        }
      }
      /** @description The API key is missing or invalid */
      401: {
        headers: {
          'WWW-Authenticate': string
          Deprecation: string
          Sunset: string
          Link: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error401']
        }
      }
      /** @description No animal has this identifier */
      404: {
        headers: {
          Deprecation: string
          Sunset: string
          Link: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error404']
        }
      }
      /** @description The removal date has passed, and the operation has been switched off */
      410: {
        headers: {
          Deprecation: string
          Sunset: string
          Link: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error410']
        }
      }
      /** @description Too many requests */
      429: {
        headers: {
          'Retry-After': number
          Deprecation: string
          Sunset: string
          Link: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error429']
        }
      }
      /** @description A fault of the service */
      500: {
        headers: {
          Deprecation: string
          Sunset: string
          Link: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error500']
        }
      }
      /** @description The service cannot answer now */
      503: {
        headers: {
          'Retry-After': number
          Deprecation: string
          Sunset: string
          Link: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error503']
        }
      }
    }
  }
  listOrders: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The API key is missing or invalid */
      401: {
        headers: {
          'WWW-Authenticate': string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error401']
        }
      }
      /** @description Too many requests */
      429: {
        headers: {
          'Retry-After': number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error429']
        }
      }
      /** @description A fault of the service */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error500']
        }
      }
      /** @description The operation is announced, but not available yet */
      501: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error501']
        }
      }
      /** @description The service cannot answer now */
      503: {
        headers: {
          'Retry-After': number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error503']
        }
      }
    }
  }
}
