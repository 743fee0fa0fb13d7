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
     *
     * The animals by rising `id`, one page at a time, as a bare array.
     *
     * When there are more, the answer has a `Link` header with `rel="next"`, an address relative to that of the request:
     * follow it as it is, it carries the filter on. The last page has none. A walk along these links repeats no animal and
     * skips none, also while animals are added.
     */
    get: operations['listPets']
    put?: never
    /**
     * Add an animal
     *
     * Adds an animal and gives it an `id`. When the answer is 201, the animal is on the disk. The same request sent again
     * adds another animal.
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
     *
     * The animal with this identifier. Deprecated since 20 November 2026, to be removed on 5 December 2030: use `GET /pets`
     * with its `status` filter instead.
     *
     * Up to the removal date the operation works as ever; from then on it may answer 410. Each of its answers, errors
     * included, has the dates in its headers, `Deprecation` and `Sunset`, and in `Link` what replaces it.
     *
     * @deprecated Since 2026-11-20; it may be removed from 2030-12-05 on. Use `listPets` instead.
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
     *
     * Announced by name only. It answers 501 until its shape is known.
     *
     * @experimental It may change or go in any version.
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
    /** Whether an animal can be bought */
    PetStatus: 'available' | 'pending' | 'sold'
    /**
     * An opaque position in a list
     *
     * @minLength 11
     * @maxLength 11
     * @pattern `^[A-Za-z0-9_-]{11}$`
     */
    Cursor: string
    /** What a new animal and a stored one have in common */
    PetFields: {
      /**
       * The animal's name, without control characters, kept as it was sent
       *
       * @minLength 1
       * @maxLength 255
       * @pattern `^[^\x00-\x1f\x7f-\x9f]{1,255}$`
       */
      name: string
      /**
       * Identifier of the category the animal belongs to: any integer of 64 bits. Beyond ±9007199254740991 JavaScript's `JSON.parse` rounds it.
       *
       * @format int64
       * @minimum -9223372036854775808
       * @maximum 9223372036854775807
       */
      categoryId: bigint
      /**
       * Whether an animal can be bought
       *
       * @default "available"
       */
      status?: 'available' | 'pending' | 'sold'
    }
    /** An animal to add */
    NewPet: {
      /**
       * The animal's name, without control characters, kept as it was sent
       *
       * @minLength 1
       * @maxLength 255
       * @pattern `^[^\x00-\x1f\x7f-\x9f]{1,255}$`
       */
      name: string
      /**
       * Identifier of the category the animal belongs to: any integer of 64 bits. Beyond ±9007199254740991 JavaScript's `JSON.parse` rounds it.
       *
       * @format int64
       * @minimum -9223372036854775808
       * @maximum 9223372036854775807
       */
      categoryId: bigint
      /**
       * Whether an animal can be bought
       *
       * @default "available"
       */
      status?: 'available' | 'pending' | 'sold'
    }
    /** An animal of the store */
    Pet: {
      /**
       * Unique identifier, assigned by the service. It only grows, is never used twice, and is exact in every language: it never exceeds 9007199254740991.
       *
       * @format int64
       * @minimum 1
       * @maximum 9007199254740991
       */
      id: bigint
      /**
       * The animal's name, without control characters, kept as it was sent
       *
       * @minLength 1
       * @maxLength 255
       * @pattern `^[^\x00-\x1f\x7f-\x9f]{1,255}$`
       */
      name: string
      /**
       * Identifier of the category the animal belongs to: any integer of 64 bits. Beyond ±9007199254740991 JavaScript's `JSON.parse` rounds it.
       *
       * @format int64
       * @minimum -9223372036854775808
       * @maximum 9223372036854775807
       */
      categoryId: bigint
      /**
       * Whether an animal can be bought
       *
       * @default "available"
       */
      status: 'available' | 'pending' | 'sold'
    }
    /**
     * A page of animals, by rising `id`
     *
     * @maxItems 100
     */
    Pets: components['schemas']['Pet'][]
    /** What went wrong */
    Error: {
      /**
       * Machine-readable error code, one of those listed in the description of this interface under Errors
       *
       * @minLength 1
       * @maxLength 64
       * @pattern `^[a-z][a-z0-9_]{0,63}$`
       */
      code: string
      /**
       * Human-readable description; its wording may change
       *
       * @minLength 1
       * @maxLength 2000
       */
      message: string
      /**
       * The HTTP status code of the response
       *
       * @format int32
       * @minimum 400
       * @maximum 599
       */
      status: number
    }
    /** The request is not what the contract says */
    Error400: {
      /**
       * Machine-readable error code, one of those listed in the description of this interface under Errors
       *
       * @minLength 1
       * @maxLength 64
       * @pattern `^[a-z][a-z0-9_]{0,63}$`
       */
      code: string
      /**
       * Human-readable description; its wording may change
       *
       * @minLength 1
       * @maxLength 2000
       */
      message: string
      /** The HTTP status code of the response */
      status: 400
    }
    /** The API key is missing or invalid */
    Error401: {
      /**
       * Machine-readable error code, one of those listed in the description of this interface under Errors
       *
       * @minLength 1
       * @maxLength 64
       * @pattern `^[a-z][a-z0-9_]{0,63}$`
       */
      code: string
      /**
       * Human-readable description; its wording may change
       *
       * @minLength 1
       * @maxLength 2000
       */
      message: string
      /** The HTTP status code of the response */
      status: 401
    }
    /** What was asked for does not exist */
    Error404: {
      /**
       * Machine-readable error code, one of those listed in the description of this interface under Errors
       *
       * @minLength 1
       * @maxLength 64
       * @pattern `^[a-z][a-z0-9_]{0,63}$`
       */
      code: string
      /**
       * Human-readable description; its wording may change
       *
       * @minLength 1
       * @maxLength 2000
       */
      message: string
      /** The HTTP status code of the response */
      status: 404
    }
    /** The operation has been removed */
    Error410: {
      /**
       * Machine-readable error code, one of those listed in the description of this interface under Errors
       *
       * @minLength 1
       * @maxLength 64
       * @pattern `^[a-z][a-z0-9_]{0,63}$`
       */
      code: string
      /**
       * Human-readable description; its wording may change
       *
       * @minLength 1
       * @maxLength 2000
       */
      message: string
      /** The HTTP status code of the response */
      status: 410
    }
    /** The body is too large */
    Error413: {
      /**
       * Machine-readable error code, one of those listed in the description of this interface under Errors
       *
       * @minLength 1
       * @maxLength 64
       * @pattern `^[a-z][a-z0-9_]{0,63}$`
       */
      code: string
      /**
       * Human-readable description; its wording may change
       *
       * @minLength 1
       * @maxLength 2000
       */
      message: string
      /** The HTTP status code of the response */
      status: 413
    }
    /** The body has the wrong media type */
    Error415: {
      /**
       * Machine-readable error code, one of those listed in the description of this interface under Errors
       *
       * @minLength 1
       * @maxLength 64
       * @pattern `^[a-z][a-z0-9_]{0,63}$`
       */
      code: string
      /**
       * Human-readable description; its wording may change
       *
       * @minLength 1
       * @maxLength 2000
       */
      message: string
      /** The HTTP status code of the response */
      status: 415
    }
    /** Too many requests */
    Error429: {
      /**
       * Machine-readable error code, one of those listed in the description of this interface under Errors
       *
       * @minLength 1
       * @maxLength 64
       * @pattern `^[a-z][a-z0-9_]{0,63}$`
       */
      code: string
      /**
       * Human-readable description; its wording may change
       *
       * @minLength 1
       * @maxLength 2000
       */
      message: string
      /** The HTTP status code of the response */
      status: 429
    }
    /** A fault of the service */
    Error500: {
      /**
       * Machine-readable error code, one of those listed in the description of this interface under Errors
       *
       * @minLength 1
       * @maxLength 64
       * @pattern `^[a-z][a-z0-9_]{0,63}$`
       */
      code: string
      /**
       * Human-readable description; its wording may change
       *
       * @minLength 1
       * @maxLength 2000
       */
      message: string
      /** The HTTP status code of the response */
      status: 500
    }
    /** The operation is not available yet */
    Error501: {
      /**
       * Machine-readable error code, one of those listed in the description of this interface under Errors
       *
       * @minLength 1
       * @maxLength 64
       * @pattern `^[a-z][a-z0-9_]{0,63}$`
       */
      code: string
      /**
       * Human-readable description; its wording may change
       *
       * @minLength 1
       * @maxLength 2000
       */
      message: string
      /** The HTTP status code of the response */
      status: 501
    }
    /** The service cannot answer now */
    Error503: {
      /**
       * Machine-readable error code, one of those listed in the description of this interface under Errors
       *
       * @minLength 1
       * @maxLength 64
       * @pattern `^[a-z][a-z0-9_]{0,63}$`
       */
      code: string
      /**
       * Human-readable description; its wording may change
       *
       * @minLength 1
       * @maxLength 2000
       */
      message: string
      /** The HTTP status code of the response */
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
  /**
   * List all animals
   *
   * The animals by rising `id`, one page at a time, as a bare array.
   *
   * When there are more, the answer has a `Link` header with `rel="next"`, an address relative to that of the request:
   * follow it as it is, it carries the filter on. The last page has none. A walk along these links repeats no animal and
   * skips none, also while animals are added.
   */
  listPets: {
    parameters: {
      query?: {
        /**
         * Maximum number of animals on the page
         *
         * @format int32
         * @default 20
         * @minimum 1
         * @maximum 100
         */
        limit?: number
        /** Only animals of this availability status; without it, animals of any */
        status?: components['schemas']['PetStatus']
        /**
         * Where the page begins: the `cursor` in the `Link` header of the page before, unchanged. Without it, the first page. What it is made of may change.
         *
         * @minLength 11
         * @maxLength 11
         * @pattern `^[A-Za-z0-9_-]{11}$`
         */
        cursor?: components['schemas']['Cursor']
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** A page of animals, empty when there are none. Mind that a `categoryId` may have more digits than JavaScript's `JSON.parse` keeps. */
      200: {
        headers: {
          /**
           * `rel="next"`, the address of the next page relative to this one. Absent on the last page.
           *
           * @maxLength 200
           * @pattern `^<\?[A-Za-z0-9_=&-]{1,150}>; rel="next"$`
           */
          Link?: string
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Pets']
        }
      }
      /** A parameter is unknown, occurs twice, or has an invalid value; the message names all that is wrong */
      400: {
        headers: {
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error400']
        }
      }
      /** The API key is missing or invalid. It is sent as `Authorization: Bearer <API key>`. */
      401: {
        headers: {
          /**
           * The scheme to authenticate with; with a key that is not valid, also `error="invalid_token"`
           *
           * @maxLength 200
           * @pattern `^Bearer realm="[a-z-]{1,50}"(, error="invalid_token")?$`
           */
          'WWW-Authenticate': string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error401']
        }
      }
      /** Too many requests; `Retry-After` says when to come back */
      429: {
        headers: {
          /**
           * After how many seconds to try again
           *
           * @format int32
           * @minimum 1
           * @maximum 86400
           */
          'Retry-After': number
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error429']
        }
      }
      /** A fault of the service */
      500: {
        headers: {
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error500']
        }
      }
      /** The service cannot answer now; `Retry-After` says when to come back */
      503: {
        headers: {
          /**
           * After how many seconds to try again
           *
           * @format int32
           * @minimum 1
           * @maximum 86400
           */
          'Retry-After': number
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error503']
        }
      }
    }
  }
  /**
   * Add an animal
   *
   * Adds an animal and gives it an `id`. When the answer is 201, the animal is on the disk. The same request sent again
   * adds another animal.
   */
  createPet: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The animal to add, in at most 65536 bytes. It is `available` unless its `status` says otherwise. */
    requestBody: {
      content: {
        'application/json': components['schemas']['NewPet']
      }
    }
    responses: {
      /** The animal with its new `id` */
      201: {
        headers: {
          /**
           * The address of the new animal, relative to that of the request
           *
           * @maxLength 30
           * @pattern `^pets/[0-9]{1,16}$`
           */
          Location?: string
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Pet']
        }
      }
      /** The body is no JSON, misses required fields, or holds unknown fields or invalid values; the message names all that is wrong */
      400: {
        headers: {
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error400']
        }
      }
      /** The API key is missing or invalid. It is sent as `Authorization: Bearer <API key>`. */
      401: {
        headers: {
          /**
           * The scheme to authenticate with; with a key that is not valid, also `error="invalid_token"`
           *
           * @maxLength 200
           * @pattern `^Bearer realm="[a-z-]{1,50}"(, error="invalid_token")?$`
           */
          'WWW-Authenticate': string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error401']
        }
      }
      /** The body is larger than 65536 bytes */
      413: {
        headers: {
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error413']
        }
      }
      /** The body is not `application/json` in UTF-8 */
      415: {
        headers: {
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error415']
        }
      }
      /** Too many requests; `Retry-After` says when to come back */
      429: {
        headers: {
          /**
           * After how many seconds to try again
           *
           * @format int32
           * @minimum 1
           * @maximum 86400
           */
          'Retry-After': number
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error429']
        }
      }
      /** A fault of the service */
      500: {
        headers: {
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error500']
        }
      }
      /** The service cannot answer now; `Retry-After` says when to come back */
      503: {
        headers: {
          /**
           * After how many seconds to try again
           *
           * @format int32
           * @minimum 1
           * @maximum 86400
           */
          'Retry-After': number
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error503']
        }
      }
    }
  }
  /**
   * Get an animal
   *
   * The animal with this identifier. Deprecated since 20 November 2026, to be removed on 5 December 2030: use `GET /pets`
   * with its `status` filter instead.
   *
   * Up to the removal date the operation works as ever; from then on it may answer 410. Each of its answers, errors
   * included, has the dates in its headers, `Deprecation` and `Sunset`, and in `Link` what replaces it.
   *
   * @deprecated Since 2026-11-20; it may be removed from 2030-12-05 on. Use `listPets` instead.
   */
  getPet: {
    parameters: {
      query?: never
      header?: never
      path: {
        /**
         * The identifier of the animal, in plain decimal digits. Any integer of 64 bits is well-formed; those that are given to animals go from 1 to 9007199254740991.
         *
         * @format int64
         * @minimum -9223372036854775808
         * @maximum 9223372036854775807
         */
        petId: bigint
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** The animal */
      200: {
        headers: {
          /**
           * Since when the operation is deprecated, in seconds since 1970 (RFC 9745)
           *
           * @maxLength 20
           * @pattern `^@[0-9]{1,12}$`
           */
          Deprecation: string
          /**
           * From when on the operation may be removed (RFC 8594)
           *
           * @maxLength 29
           * @pattern `^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$`
           */
          Sunset: string
          /**
           * The replacement (`successor-version`) and the page that explains the removal (`deprecation`, `sunset`)
           *
           * @maxLength 500
           */
          Link: string
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Pet']
        }
      }
      /** The identifier is no integer of 64 bits, or there is a parameter that does not exist */
      400: {
        headers: {
          /**
           * Since when the operation is deprecated, in seconds since 1970 (RFC 9745)
           *
           * @maxLength 20
           * @pattern `^@[0-9]{1,12}$`
           */
          Deprecation: string
          /**
           * From when on the operation may be removed (RFC 8594)
           *
           * @maxLength 29
           * @pattern `^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$`
           */
          Sunset: string
          /**
           * The replacement (`successor-version`) and the page that explains the removal (`deprecation`, `sunset`)
           *
           * @maxLength 500
           */
          Link: string
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error400']
        }
      }
      /** The API key is missing or invalid. It is sent as `Authorization: Bearer <API key>`. */
      401: {
        headers: {
          /**
           * The scheme to authenticate with; with a key that is not valid, also `error="invalid_token"`
           *
           * @maxLength 200
           * @pattern `^Bearer realm="[a-z-]{1,50}"(, error="invalid_token")?$`
           */
          'WWW-Authenticate': string
          /**
           * Since when the operation is deprecated, in seconds since 1970 (RFC 9745)
           *
           * @maxLength 20
           * @pattern `^@[0-9]{1,12}$`
           */
          Deprecation: string
          /**
           * From when on the operation may be removed (RFC 8594)
           *
           * @maxLength 29
           * @pattern `^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$`
           */
          Sunset: string
          /**
           * The replacement (`successor-version`) and the page that explains the removal (`deprecation`, `sunset`)
           *
           * @maxLength 500
           */
          Link: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error401']
        }
      }
      /** No animal has this identifier */
      404: {
        headers: {
          /**
           * Since when the operation is deprecated, in seconds since 1970 (RFC 9745)
           *
           * @maxLength 20
           * @pattern `^@[0-9]{1,12}$`
           */
          Deprecation: string
          /**
           * From when on the operation may be removed (RFC 8594)
           *
           * @maxLength 29
           * @pattern `^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$`
           */
          Sunset: string
          /**
           * The replacement (`successor-version`) and the page that explains the removal (`deprecation`, `sunset`)
           *
           * @maxLength 500
           */
          Link: string
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error404']
        }
      }
      /** The removal date has passed, and the operation has been switched off */
      410: {
        headers: {
          /**
           * Since when the operation is deprecated, in seconds since 1970 (RFC 9745)
           *
           * @maxLength 20
           * @pattern `^@[0-9]{1,12}$`
           */
          Deprecation: string
          /**
           * From when on the operation may be removed (RFC 8594)
           *
           * @maxLength 29
           * @pattern `^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$`
           */
          Sunset: string
          /**
           * The replacement (`successor-version`) and the page that explains the removal (`deprecation`, `sunset`)
           *
           * @maxLength 500
           */
          Link: string
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error410']
        }
      }
      /** Too many requests; `Retry-After` says when to come back */
      429: {
        headers: {
          /**
           * After how many seconds to try again
           *
           * @format int32
           * @minimum 1
           * @maximum 86400
           */
          'Retry-After': number
          /**
           * Since when the operation is deprecated, in seconds since 1970 (RFC 9745)
           *
           * @maxLength 20
           * @pattern `^@[0-9]{1,12}$`
           */
          Deprecation: string
          /**
           * From when on the operation may be removed (RFC 8594)
           *
           * @maxLength 29
           * @pattern `^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$`
           */
          Sunset: string
          /**
           * The replacement (`successor-version`) and the page that explains the removal (`deprecation`, `sunset`)
           *
           * @maxLength 500
           */
          Link: string
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error429']
        }
      }
      /** A fault of the service */
      500: {
        headers: {
          /**
           * Since when the operation is deprecated, in seconds since 1970 (RFC 9745)
           *
           * @maxLength 20
           * @pattern `^@[0-9]{1,12}$`
           */
          Deprecation: string
          /**
           * From when on the operation may be removed (RFC 8594)
           *
           * @maxLength 29
           * @pattern `^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$`
           */
          Sunset: string
          /**
           * The replacement (`successor-version`) and the page that explains the removal (`deprecation`, `sunset`)
           *
           * @maxLength 500
           */
          Link: string
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error500']
        }
      }
      /** The service cannot answer now; `Retry-After` says when to come back */
      503: {
        headers: {
          /**
           * After how many seconds to try again
           *
           * @format int32
           * @minimum 1
           * @maximum 86400
           */
          'Retry-After': number
          /**
           * Since when the operation is deprecated, in seconds since 1970 (RFC 9745)
           *
           * @maxLength 20
           * @pattern `^@[0-9]{1,12}$`
           */
          Deprecation: string
          /**
           * From when on the operation may be removed (RFC 8594)
           *
           * @maxLength 29
           * @pattern `^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$`
           */
          Sunset: string
          /**
           * The replacement (`successor-version`) and the page that explains the removal (`deprecation`, `sunset`)
           *
           * @maxLength 500
           */
          Link: string
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error503']
        }
      }
    }
  }
  /**
   * List orders (not available yet)
   *
   * Announced by name only. It answers 501 until its shape is known.
   *
   * @experimental It may change or go in any version.
   */
  listOrders: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** The API key is missing or invalid. It is sent as `Authorization: Bearer <API key>`. */
      401: {
        headers: {
          /**
           * The scheme to authenticate with; with a key that is not valid, also `error="invalid_token"`
           *
           * @maxLength 200
           * @pattern `^Bearer realm="[a-z-]{1,50}"(, error="invalid_token")?$`
           */
          'WWW-Authenticate': string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error401']
        }
      }
      /** Too many requests; `Retry-After` says when to come back */
      429: {
        headers: {
          /**
           * After how many seconds to try again
           *
           * @format int32
           * @minimum 1
           * @maximum 86400
           */
          'Retry-After': number
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error429']
        }
      }
      /** A fault of the service */
      500: {
        headers: {
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error500']
        }
      }
      /** The operation is announced, but not available yet */
      501: {
        headers: {
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error501']
        }
      }
      /** The service cannot answer now; `Retry-After` says when to come back */
      503: {
        headers: {
          /**
           * After how many seconds to try again
           *
           * @format int32
           * @minimum 1
           * @maximum 86400
           */
          'Retry-After': number
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`), on every answer to a valid key where the operator has set a limit
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests are left to the key (`r`), and for how many seconds (`t`) until it is as many again as the policy says
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error503']
        }
      }
    }
  }
}
