// Copied from @contract-first/generator/package/client-responses.ts by `npm run generate`: do not edit it.

/** One of the responses that an operation declares; its `status` tells which. */
export interface ClientResponse<Status extends number, Body> {
  readonly status: Status
  readonly body: Body
  readonly headers: Headers
  /** The response of `fetch`, with its body already read. */
  readonly response: Response
}

/** All responses that an operation declares, as one union; `Input` is that of a list, whose successes are pages. */
export type ResultOf<Responses, Input = never> = {
  [Range in keyof Responses]: Statuses<Range, keyof Responses> extends infer Status extends number
    ? [Input] extends [never]
      ? ResponseWith<Status, BodyOf<Responses[Range]>>
      : PageWith<Status, BodyOf<Responses[Range]>, Input>
    : never
}[keyof Responses]

type PageWith<Status extends number, Body, Input> = Status extends Registered['2XX']
  ? ResponseWith<Status, Body> & Page<Input>
  : ResponseWith<Status, Body>

/** A page of a list. */
interface Page<Input> {
  /** The input of the call for the next page; undefined on the last one. Pass it on as it is. */
  readonly next: Input | undefined
}

/** The responses of success among those of an operation. */
export type Success<Result> = Extract<Result, { status: Registered['2XX'] }>

/** The other responses; the error that `orThrow` throws has their `status` and `body`. */
export type ErrorResult<Result> = Exclude<Result, Success<Result>>

// Some statuses have no body, whatever their range declares (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5).
type ResponseWith<Status extends number, Body> = Status extends 204 | 205 | 304
  ? ClientResponse<Status, undefined>
  : ClientResponse<Status, Body>

type BodyOf<Response> = Response extends { content: infer Content } ? Content[Preferred<keyof Content>] : undefined

/** Only JSON if it is declared, since the client asks for that. */
type Preferred<Types> = 'application/json' extends Types
  ? Extract<Types, 'application/json'>
  : [Extract<Types, Json>] extends [never]
    ? Types
    : Extract<Types, Json>
type Json = `${string}${'/' | '+'}json${'' | `;${string}`}`

/**
 * The statuses that a key covers; `4XX` and `default` exclude those that are declared more specifically. Beside a declared
 * success, `default` is for the rest.
 */
type Statuses<Range, Declared> = Range extends number
  ? Range
  : Range extends keyof Registered
    ? Exclude<Registered[Range], Declared>
    : Exclude<Registered[Exclude<keyof Registered, Declared | SuccessIn<Declared>>], Declared>
type SuccessIn<Declared> = Extract<Declared, Registered['2XX']> extends never ? never : '2XX'

/** IANA HTTP Status Code Registry, final responses. */
interface Registered {
  '2XX': 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226
  '3XX': 300 | 301 | 302 | 303 | 304 | 305 | 307 | 308
  '4XX': OfHttp | OfExtensions
  '5XX': 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 511
}
type OfHttp = 400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417
type OfExtensions = 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451
