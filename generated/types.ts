// Generated from openapi/petstore.yaml by `npm run generate`: edit that, not this.

export interface paths<Int64 = number> {
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
     * Returns the animals by ascending `id`, one page at a time, as a bare array.
     *
     * If there are more, the response has a `Link` header with `rel="next"`, a URL relative to that of the request. Follow
     * it as it is; it keeps the filter. The last page has none. Following these links neither repeats nor skips an animal,
     * even while animals are added.
     */
    get: operations<Int64>['listPets']
    put?: never
    /**
     * Add an animal
     *
     * Adds an animal and assigns its `id`. A 201 means that the animal is on the disk. Sending the same request again adds
     * another animal, unless both have the same `Idempotency-Key`.
     */
    post: operations<Int64>['createPet']
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
     * Returns the animal with this identifier. Deprecated since 20 November 2026, to be removed on 5 December 2030: use
     * `GET /pets` with its `status` filter instead.
     *
     * Until the removal date the operation works as before; from then on it may be a 410. Every response, errors included,
     * has the dates in its `Deprecation` and `Sunset` headers, and its replacement in `Link`.
     *
     * @deprecated Since 2026-11-20; it may be removed from 2030-12-05 on. Use `listPets` instead.
     */
    get: operations<Int64>['getPet']
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
     * Announced, but not available yet. Every request with a valid key gets a 501.
     *
     * @experimental It may change or be removed in any version.
     */
    get: operations<Int64>['listOrders']
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
export interface components<Int64 = number> {
  schemas: {
    /** Whether an animal is for sale */
    PetStatus: PetStatus
    /**
     * What a client calls a request, so that it can be sent again
     *
     * @minLength 1
     * @maxLength 255
     * @pattern `^[\x21-\x7e]{1,255}$`
     */
    IdempotencyKey: IdempotencyKey
    /**
     * An opaque position in a list
     *
     * @minLength 11
     * @maxLength 11
     * @pattern `^[A-Za-z0-9_-]{11}$`
     */
    Cursor: Cursor
    /** The fields that new and stored animals share */
    PetFields: PetFields<Int64>
    /** An animal to add */
    NewPet: NewPet<Int64>
    /** An animal of the store */
    Pet: Pet<Int64>
    /**
     * A page of animals, by ascending `id`
     *
     * @maxItems 100
     */
    Pets: Pets<Int64>
    /** What went wrong */
    Error: Error
    /** The request violates this contract */
    Error400: Error400
    /** The API key is missing or invalid */
    Error401: Error401
    /** The requested resource does not exist */
    Error404: Error404
    /** The request conflicts with another one */
    Error409: Error409
    /** The operation has been removed */
    Error410: Error410
    /** The body is too large */
    Error413: Error413
    /** The body has the wrong media type */
    Error415: Error415
    /** The request cannot be carried out as it is */
    Error422: Error422
    /** Too many requests */
    Error429: Error429
    /** The service has failed */
    Error500: Error500
    /** The operation is not available yet */
    Error501: Error501
    /** The service cannot process the request now */
    Error503: Error503
  }
  responses: never
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}
export type $defs = Record<string, never>
export interface operations<Int64 = number> {
  /**
   * List all animals
   *
   * Returns the animals by ascending `id`, one page at a time, as a bare array.
   *
   * If there are more, the response has a `Link` header with `rel="next"`, a URL relative to that of the request. Follow
   * it as it is; it keeps the filter. The last page has none. Following these links neither repeats nor skips an animal,
   * even while animals are added.
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
        /** Only animals with this availability status; without it, all animals */
        status?: PetStatus
        /**
         * Where the page begins: the `cursor` in the `Link` header of the previous page, unchanged. Without it, the first page. Its format may change.
         *
         * @minLength 11
         * @maxLength 11
         * @pattern `^[A-Za-z0-9_-]{11}$`
         */
        cursor?: Cursor
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** A page of animals, empty if there are none. Note that a `categoryId` may have more digits than JavaScript's `JSON.parse` keeps. */
      200: {
        headers: {
          /**
           * `rel="next"`: the URL of the next page, relative to that of the request. Absent on the last page.
           *
           * @maxLength 200
           * @pattern `^<\?[A-Za-z0-9_=&-]{1,150}>; rel="next"$`
           */
          Link?: string
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Pets<Int64>
        }
      }
      /** A parameter is unknown, is sent twice, or has an invalid value; the message lists the violations */
      400: {
        headers: {
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error400
        }
      }
      /** The API key is missing or invalid. Send it as `Authorization: Bearer <API key>`. */
      401: {
        headers: {
          /**
           * The authentication scheme, with `error="invalid_token"` if the key is invalid
           *
           * @maxLength 200
           * @pattern `^Bearer realm="[a-z-]{1,50}"(, error="invalid_token")?$`
           */
          'WWW-Authenticate': string
          [name: string]: unknown
        }
        content: {
          'application/json': Error401
        }
      }
      /** Too many requests; `Retry-After` says when to try again */
      429: {
        headers: {
          /**
           * The number of seconds after which to try again
           *
           * @format int32
           * @minimum 1
           * @maximum 86400
           */
          'Retry-After': number
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error429
        }
      }
      /** The service has failed */
      500: {
        headers: {
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error500
        }
      }
      /** The service cannot process the request now; `Retry-After` says when to try again */
      503: {
        headers: {
          /**
           * The number of seconds after which to try again
           *
           * @format int32
           * @minimum 1
           * @maximum 86400
           */
          'Retry-After': number
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error503
        }
      }
    }
  }
  /**
   * Add an animal
   *
   * Adds an animal and assigns its `id`. A 201 means that the animal is on the disk. Sending the same request again adds
   * another animal, unless both have the same `Idempotency-Key`.
   */
  createPet: {
    parameters: {
      query?: never
      header?: {
        /**
         * Makes the request safe to send again: for at least 24 hours, those with the same key and the same content add one animal. 1 to 255 visible ASCII characters, a random UUID for example; see Safe retries.
         *
         * @minLength 1
         * @maxLength 255
         * @pattern `^[\x21-\x7e]{1,255}$`
         */
        'Idempotency-Key'?: IdempotencyKey
      }
      path?: never
      cookie?: never
    }
    /** The animal to add, in at most 65536 bytes. Without a `status` it is `available`. */
    requestBody: {
      content: {
        'application/json': NewPet<Int64>
      }
    }
    responses: {
      /** The animal with its new `id` */
      201: {
        headers: {
          /**
           * The URL of the new animal, relative to that of the request
           *
           * @maxLength 30
           * @pattern `^pets/[0-9]{1,16}$`
           */
          Location?: string
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Pet<Int64>
        }
      }
      /** The body is not JSON, lacks required fields, or has unknown fields or invalid values, or the `Idempotency-Key` is invalid; the message lists the violations */
      400: {
        headers: {
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error400
        }
      }
      /** The API key is missing or invalid. Send it as `Authorization: Bearer <API key>`. */
      401: {
        headers: {
          /**
           * The authentication scheme, with `error="invalid_token"` if the key is invalid
           *
           * @maxLength 200
           * @pattern `^Bearer realm="[a-z-]{1,50}"(, error="invalid_token")?$`
           */
          'WWW-Authenticate': string
          [name: string]: unknown
        }
        content: {
          'application/json': Error401
        }
      }
      /** A request with the same `Idempotency-Key` is in progress; `Retry-After` says when to try again */
      409: {
        headers: {
          /**
           * The number of seconds after which to try again
           *
           * @format int32
           * @minimum 1
           * @maximum 86400
           */
          'Retry-After': number
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error409
        }
      }
      /** The body is larger than 65536 bytes */
      413: {
        headers: {
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error413
        }
      }
      /** The body is not `application/json` in UTF-8 */
      415: {
        headers: {
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error415
        }
      }
      /** The `Idempotency-Key` was used for another request */
      422: {
        headers: {
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error422
        }
      }
      /** Too many requests; `Retry-After` says when to try again */
      429: {
        headers: {
          /**
           * The number of seconds after which to try again
           *
           * @format int32
           * @minimum 1
           * @maximum 86400
           */
          'Retry-After': number
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error429
        }
      }
      /** The service has failed */
      500: {
        headers: {
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error500
        }
      }
      /** The service cannot process the request now; `Retry-After` says when to try again */
      503: {
        headers: {
          /**
           * The number of seconds after which to try again
           *
           * @format int32
           * @minimum 1
           * @maximum 86400
           */
          'Retry-After': number
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error503
        }
      }
    }
  }
  /**
   * Get an animal
   *
   * Returns the animal with this identifier. Deprecated since 20 November 2026, to be removed on 5 December 2030: use
   * `GET /pets` with its `status` filter instead.
   *
   * Until the removal date the operation works as before; from then on it may be a 410. Every response, errors included,
   * has the dates in its `Deprecation` and `Sunset` headers, and its replacement in `Link`.
   *
   * @deprecated Since 2026-11-20; it may be removed from 2030-12-05 on. Use `listPets` instead.
   */
  getPet: {
    parameters: {
      query?: never
      header?: never
      path: {
        /**
         * The identifier of the animal, in plain decimal digits. Any 64-bit integer is valid; animals have identifiers from 1 to 9007199254740991.
         *
         * @format int64
         * @minimum -9223372036854775808
         * @maximum 9223372036854775807
         */
        petId: Int64
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** The animal */
      200: {
        headers: {
          /**
           * The date since which the operation is deprecated, in seconds since 1970 (RFC 9745)
           *
           * @maxLength 20
           * @pattern `^@[0-9]{1,12}$`
           */
          Deprecation: string
          /**
           * The date from which the operation may be removed (RFC 8594)
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
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Pet<Int64>
        }
      }
      /** The identifier is not a 64-bit integer, or a parameter is unknown */
      400: {
        headers: {
          /**
           * The date since which the operation is deprecated, in seconds since 1970 (RFC 9745)
           *
           * @maxLength 20
           * @pattern `^@[0-9]{1,12}$`
           */
          Deprecation: string
          /**
           * The date from which the operation may be removed (RFC 8594)
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
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error400
        }
      }
      /** The API key is missing or invalid. Send it as `Authorization: Bearer <API key>`. */
      401: {
        headers: {
          /**
           * The authentication scheme, with `error="invalid_token"` if the key is invalid
           *
           * @maxLength 200
           * @pattern `^Bearer realm="[a-z-]{1,50}"(, error="invalid_token")?$`
           */
          'WWW-Authenticate': string
          /**
           * The date since which the operation is deprecated, in seconds since 1970 (RFC 9745)
           *
           * @maxLength 20
           * @pattern `^@[0-9]{1,12}$`
           */
          Deprecation: string
          /**
           * The date from which the operation may be removed (RFC 8594)
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
          'application/json': Error401
        }
      }
      /** No animal has this identifier */
      404: {
        headers: {
          /**
           * The date since which the operation is deprecated, in seconds since 1970 (RFC 9745)
           *
           * @maxLength 20
           * @pattern `^@[0-9]{1,12}$`
           */
          Deprecation: string
          /**
           * The date from which the operation may be removed (RFC 8594)
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
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error404
        }
      }
      /** The removal date has passed, and the operation has been switched off */
      410: {
        headers: {
          /**
           * The date since which the operation is deprecated, in seconds since 1970 (RFC 9745)
           *
           * @maxLength 20
           * @pattern `^@[0-9]{1,12}$`
           */
          Deprecation: string
          /**
           * The date from which the operation may be removed (RFC 8594)
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
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error410
        }
      }
      /** Too many requests; `Retry-After` says when to try again */
      429: {
        headers: {
          /**
           * The number of seconds after which to try again
           *
           * @format int32
           * @minimum 1
           * @maximum 86400
           */
          'Retry-After': number
          /**
           * The date since which the operation is deprecated, in seconds since 1970 (RFC 9745)
           *
           * @maxLength 20
           * @pattern `^@[0-9]{1,12}$`
           */
          Deprecation: string
          /**
           * The date from which the operation may be removed (RFC 8594)
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
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error429
        }
      }
      /** The service has failed */
      500: {
        headers: {
          /**
           * The date since which the operation is deprecated, in seconds since 1970 (RFC 9745)
           *
           * @maxLength 20
           * @pattern `^@[0-9]{1,12}$`
           */
          Deprecation: string
          /**
           * The date from which the operation may be removed (RFC 8594)
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
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error500
        }
      }
      /** The service cannot process the request now; `Retry-After` says when to try again */
      503: {
        headers: {
          /**
           * The number of seconds after which to try again
           *
           * @format int32
           * @minimum 1
           * @maximum 86400
           */
          'Retry-After': number
          /**
           * The date since which the operation is deprecated, in seconds since 1970 (RFC 9745)
           *
           * @maxLength 20
           * @pattern `^@[0-9]{1,12}$`
           */
          Deprecation: string
          /**
           * The date from which the operation may be removed (RFC 8594)
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
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error503
        }
      }
    }
  }
  /**
   * List orders (not available yet)
   *
   * Announced, but not available yet. Every request with a valid key gets a 501.
   *
   * @experimental It may change or be removed in any version.
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
      /** The API key is missing or invalid. Send it as `Authorization: Bearer <API key>`. */
      401: {
        headers: {
          /**
           * The authentication scheme, with `error="invalid_token"` if the key is invalid
           *
           * @maxLength 200
           * @pattern `^Bearer realm="[a-z-]{1,50}"(, error="invalid_token")?$`
           */
          'WWW-Authenticate': string
          [name: string]: unknown
        }
        content: {
          'application/json': Error401
        }
      }
      /** Too many requests; `Retry-After` says when to try again */
      429: {
        headers: {
          /**
           * The number of seconds after which to try again
           *
           * @format int32
           * @minimum 1
           * @maximum 86400
           */
          'Retry-After': number
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error429
        }
      }
      /** The service has failed */
      500: {
        headers: {
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error500
        }
      }
      /** The operation is announced, but not available yet */
      501: {
        headers: {
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error501
        }
      }
      /** The service cannot process the request now; `Retry-After` says when to try again */
      503: {
        headers: {
          /**
           * The number of seconds after which to try again
           *
           * @format int32
           * @minimum 1
           * @maximum 86400
           */
          'Retry-After': number
          /**
           * How many requests (`q`) a key may make in how many seconds (`w`). Sent with every response to a valid key if the operator has set a limit.
           *
           * @maxLength 40
           * @pattern `^"default";q=[0-9]{1,7};w=[0-9]{1,5}$`
           */
          'RateLimit-Policy'?: string
          /**
           * How many requests (`r`) the key has left for how many seconds (`t`); then it has as many again as the policy allows
           *
           * @maxLength 40
           * @pattern `^"default";r=[0-9]{1,7};t=[0-9]{1,5}$`
           */
          RateLimit?: string
          [name: string]: unknown
        }
        content: {
          'application/json': Error503
        }
      }
    }
  }
}
type PetStatus = 'available' | 'pending' | 'sold'
type IdempotencyKey = string
type Cursor = string
type PetFields<Int64 = number> = {
  /**
   * The animal's name, without control characters, stored exactly as sent
   *
   * @minLength 1
   * @maxLength 255
   * @pattern `^[^\x00-\x1f\x7f-\x9f]{1,255}$`
   */
  name: string
  /**
   * The identifier of the animal's category: any 64-bit integer. JavaScript's `JSON.parse` rounds values beyond ±9007199254740991.
   *
   * @format int64
   * @minimum -9223372036854775808
   * @maximum 9223372036854775807
   */
  categoryId: Int64
  /**
   * Whether an animal is for sale
   *
   * @default "available"
   */
  status?: 'available' | 'pending' | 'sold'
}
type NewPet<Int64 = number> = {
  /**
   * The animal's name, without control characters, stored exactly as sent
   *
   * @minLength 1
   * @maxLength 255
   * @pattern `^[^\x00-\x1f\x7f-\x9f]{1,255}$`
   */
  name: string
  /**
   * The identifier of the animal's category: any 64-bit integer. JavaScript's `JSON.parse` rounds values beyond ±9007199254740991.
   *
   * @format int64
   * @minimum -9223372036854775808
   * @maximum 9223372036854775807
   */
  categoryId: Int64
  /**
   * Whether an animal is for sale
   *
   * @default "available"
   */
  status?: 'available' | 'pending' | 'sold'
}
type Pet<Int64 = number> = {
  /**
   * Unique identifier, assigned by the service in ascending order and never reused. It never exceeds 9007199254740991, so that every language keeps it exact.
   *
   * @format int64
   * @minimum 1
   * @maximum 9007199254740991
   */
  id: number
  /**
   * The animal's name, without control characters, stored exactly as sent
   *
   * @minLength 1
   * @maxLength 255
   * @pattern `^[^\x00-\x1f\x7f-\x9f]{1,255}$`
   */
  name: string
  /**
   * The identifier of the animal's category: any 64-bit integer. JavaScript's `JSON.parse` rounds values beyond ±9007199254740991.
   *
   * @format int64
   * @minimum -9223372036854775808
   * @maximum 9223372036854775807
   */
  categoryId: Int64
  /**
   * Whether an animal is for sale
   *
   * @default "available"
   */
  status: 'available' | 'pending' | 'sold'
}
type Pets<Int64 = number> = Pet<Int64>[]
type Error = {
  /**
   * Error code for programs, one of those listed under Errors in the description of this interface
   *
   * @minLength 1
   * @maxLength 64
   * @pattern `^[a-z][a-z0-9_]{0,63}$`
   */
  code: string
  /**
   * Description for people; its wording may change
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
type Error400 = {
  /**
   * Error code for programs, one of those listed under Errors in the description of this interface
   *
   * @minLength 1
   * @maxLength 64
   * @pattern `^[a-z][a-z0-9_]{0,63}$`
   */
  code: string
  /**
   * Description for people; its wording may change
   *
   * @minLength 1
   * @maxLength 2000
   */
  message: string
  /** The HTTP status code of the response */
  status: 400
}
type Error401 = {
  /**
   * Error code for programs, one of those listed under Errors in the description of this interface
   *
   * @minLength 1
   * @maxLength 64
   * @pattern `^[a-z][a-z0-9_]{0,63}$`
   */
  code: string
  /**
   * Description for people; its wording may change
   *
   * @minLength 1
   * @maxLength 2000
   */
  message: string
  /** The HTTP status code of the response */
  status: 401
}
type Error404 = {
  /**
   * Error code for programs, one of those listed under Errors in the description of this interface
   *
   * @minLength 1
   * @maxLength 64
   * @pattern `^[a-z][a-z0-9_]{0,63}$`
   */
  code: string
  /**
   * Description for people; its wording may change
   *
   * @minLength 1
   * @maxLength 2000
   */
  message: string
  /** The HTTP status code of the response */
  status: 404
}
type Error409 = {
  /**
   * Error code for programs, one of those listed under Errors in the description of this interface
   *
   * @minLength 1
   * @maxLength 64
   * @pattern `^[a-z][a-z0-9_]{0,63}$`
   */
  code: string
  /**
   * Description for people; its wording may change
   *
   * @minLength 1
   * @maxLength 2000
   */
  message: string
  /** The HTTP status code of the response */
  status: 409
}
type Error410 = {
  /**
   * Error code for programs, one of those listed under Errors in the description of this interface
   *
   * @minLength 1
   * @maxLength 64
   * @pattern `^[a-z][a-z0-9_]{0,63}$`
   */
  code: string
  /**
   * Description for people; its wording may change
   *
   * @minLength 1
   * @maxLength 2000
   */
  message: string
  /** The HTTP status code of the response */
  status: 410
}
type Error413 = {
  /**
   * Error code for programs, one of those listed under Errors in the description of this interface
   *
   * @minLength 1
   * @maxLength 64
   * @pattern `^[a-z][a-z0-9_]{0,63}$`
   */
  code: string
  /**
   * Description for people; its wording may change
   *
   * @minLength 1
   * @maxLength 2000
   */
  message: string
  /** The HTTP status code of the response */
  status: 413
}
type Error415 = {
  /**
   * Error code for programs, one of those listed under Errors in the description of this interface
   *
   * @minLength 1
   * @maxLength 64
   * @pattern `^[a-z][a-z0-9_]{0,63}$`
   */
  code: string
  /**
   * Description for people; its wording may change
   *
   * @minLength 1
   * @maxLength 2000
   */
  message: string
  /** The HTTP status code of the response */
  status: 415
}
type Error422 = {
  /**
   * Error code for programs, one of those listed under Errors in the description of this interface
   *
   * @minLength 1
   * @maxLength 64
   * @pattern `^[a-z][a-z0-9_]{0,63}$`
   */
  code: string
  /**
   * Description for people; its wording may change
   *
   * @minLength 1
   * @maxLength 2000
   */
  message: string
  /** The HTTP status code of the response */
  status: 422
}
type Error429 = {
  /**
   * Error code for programs, one of those listed under Errors in the description of this interface
   *
   * @minLength 1
   * @maxLength 64
   * @pattern `^[a-z][a-z0-9_]{0,63}$`
   */
  code: string
  /**
   * Description for people; its wording may change
   *
   * @minLength 1
   * @maxLength 2000
   */
  message: string
  /** The HTTP status code of the response */
  status: 429
}
type Error500 = {
  /**
   * Error code for programs, one of those listed under Errors in the description of this interface
   *
   * @minLength 1
   * @maxLength 64
   * @pattern `^[a-z][a-z0-9_]{0,63}$`
   */
  code: string
  /**
   * Description for people; its wording may change
   *
   * @minLength 1
   * @maxLength 2000
   */
  message: string
  /** The HTTP status code of the response */
  status: 500
}
type Error501 = {
  /**
   * Error code for programs, one of those listed under Errors in the description of this interface
   *
   * @minLength 1
   * @maxLength 64
   * @pattern `^[a-z][a-z0-9_]{0,63}$`
   */
  code: string
  /**
   * Description for people; its wording may change
   *
   * @minLength 1
   * @maxLength 2000
   */
  message: string
  /** The HTTP status code of the response */
  status: 501
}
type Error503 = {
  /**
   * Error code for programs, one of those listed under Errors in the description of this interface
   *
   * @minLength 1
   * @maxLength 64
   * @pattern `^[a-z][a-z0-9_]{0,63}$`
   */
  code: string
  /**
   * Description for people; its wording may change
   *
   * @minLength 1
   * @maxLength 2000
   */
  message: string
  /** The HTTP status code of the response */
  status: 503
}
