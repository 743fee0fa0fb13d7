// Copied from @contract-first/generator/package/client-types.ts by `npm run generate`: do not edit it.

import type { Fail } from './client-errors.ts'
import type { Int64, Places } from './client-places.ts'
import type { ClientResponse, Success } from './client-responses.ts'
import type { Retries } from './client-retries.ts'

/** `await` gives the response, whatever its status. */
export interface Call<Result extends AnyResponse> extends Promise<Result> {
  /**
   * The body of a response of success.
   * @throws ClientError of the kind `error-status` for any other response; `isErrorOf` narrows its `status` and `body`
   */
  orThrow(): Promise<Success<Result>['body']>
}

/**
 * `await` gives the response with the first page, `for await` the items of all pages; the first page is requested once.
 * A page that is not a list ends the loop with a `ClientError`. In a browser, a server of another origin has to expose
 * `Link`: without it, every page looks like the last.
 */
export interface List<Result extends AnyResponse, Item> extends Call<Result>, AsyncIterable<Item> {
  /**
   * The response with the first page; its `next` is the input of the call for the next one, or undefined.
   * @throws ClientError as `orThrow` does
   */
  page(): Promise<Success<Result>>
  /** All pages, each requested when the loop gets there. */
  pages(): AsyncIterable<Success<Result>>
}

export type AnyResponse = ClientResponse<number, unknown>

/** For one call. */
export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's `reason`; for a list, also while later pages are read. */
  signal?: AbortSignal | undefined
  /** How long to wait for a complete response, in milliseconds, retries included; for a list, for each page. */
  timeoutMs?: number | undefined
  /** Replaces the client's option. */
  retries?: Retries | false | undefined
  /** Further headers; they replace those that the client would send. */
  headers?: Readonly<Record<string, string>> | undefined
}

/** An operation's announced end; dates are days in UTC, as in `2030-12-05`. */
export interface Deprecation {
  operationId: string
  since: string | undefined
  /** It may be removed from this day on. */
  removalDate: string | undefined
  /** The operation to use instead, or its URL if only the server knows it. */
  replacedBy: string | undefined
  /** The URL of a page that explains it, if the server has one. */
  page: string | undefined
}

/** A secret, or a function that returns it, called before each request. */
export type Credential = string | (() => string | undefined | Promise<string | undefined>)

/** What the first credentials that there are add to a request, of those that the operation accepts. */
export type Authorize = (
  alternatives: readonly (string | readonly string[])[],
  secretOf: (name: string) => Promise<string | undefined>,
  refuse: (name: string) => Error,
  headers: HeaderValues
) => Promise<Carried>
export interface Carried {
  readonly headers?: HeaderValues
  readonly withQuery?: (url: string) => string
}

/** The options of every client. */
export interface CommonOptions<I extends Int64 = Int64> {
  /** In a browser it may be relative to the page. */
  baseUrl: string
  /** Replaces the global one: for a proxy, a log, tests. */
  fetch?: ((request: Request) => Promise<Response>) | undefined
  /** For calls without a timeout of their own, in milliseconds; by default, a call waits as long as `fetch` does. */
  timeoutMs?: number | undefined
  /**
   * After a network failure, a 429, a 503, or a 409 with `Retry-After`, a request is sent again if that is safe: a GET, PUT
   * or DELETE, or with an `Idempotency-Key`, which the client makes up for each call without one. Waits are random, at
   * first up to 0.5 seconds, each time up to twice as long, and longer if `Retry-After` says so. `false` turns retries off.
   */
  retries?: Retries | false | undefined
  /**
   * The type of integers of format int64 that may be beyond ±(2^53 − 1), in requests and responses. As a `number`, which
   * is the default, one beyond that is an error, since it would be rounded. As a `bigint`, or a `string` of its decimal
   * digits, it is exact. Those that the contract keeps within ±(2^53 − 1) are always numbers.
   */
  int64?: I | undefined
  /**
   * Called once for each deprecated operation that is used, after its first response. What it throws is reported like
   * an uncaught error, and does not affect the call.
   */
  onDeprecated?: ((deprecation: Deprecation) => unknown) | undefined
}

/** What is wrong with a body according to its JSON Schema, if anything. */
export type Validate = (schema: object, body: unknown) => string | undefined

/** The service, with what all calls need; `connect` makes it. */
export interface Connection<I extends Int64 = 'number'> {
  readonly base: string
  /** Credentials included. */
  readonly options: CommonOptions<I>
  readonly authorize: Authorize
  /** What is wrong with the body of a response, if anything; `range` is the key that declares its status. */
  readonly complaint?: (operationId: string, range: string, text: string) => Promise<string | undefined>
  /** The deprecated operations that have been reported. */
  readonly reported: Set<string>
}

/** What the client has to know of an operation. */
export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  /** By their names in the input. */
  readonly inputs: Readonly<Record<string, Input>>
  /** Where there are large integers in its body. */
  readonly body?: Places
  readonly encode?: Encode
  /** The credentials that it accepts; one of them is enough, or all of a list. */
  readonly credentials?: readonly (string | readonly string[])[]
  /** Whether a repeated request may act a second time, so that it is not sent again. */
  readonly once?: true
  /** Headers that are sent unless the input has them. */
  readonly headers?: () => HeaderValues
  /** If it is a GET with a redirect as a declared result, which must not be followed. */
  readonly redirect?: 'manual'
  /** If its successes are pages of a list. */
  readonly list?: Paging
  /** By status, `4XX` or `default`, without those in `json`. */
  readonly responses: Readonly<Record<string, DeclaredResponse>>
  /** Those whose body is JSON without large integers. */
  readonly json?: readonly (number | string)[]
  readonly deprecated?: { readonly since?: string; readonly removalDate?: string; readonly replacedBy?: string }
}

/** What the calls of a list have besides those of other operations. */
export interface Paging {
  /** A call with its pages and items; \`request\` gets the response for an input. */
  readonly listed: (
    call: Promise<AnyResponse>,
    input: Values,
    request: (input: Values) => Promise<AnyResponse>,
    base: string,
    fail: Fail
  ) => object
  /** The URL of the page that an input leads to, if it is not that of its parameters. */
  readonly linkedPage: (input: Values, base: string) => string | undefined
  readonly withNext: (
    page: AnyResponse,
    operation: Operation,
    input: Values,
    requested: string,
    base: string,
    int64: Int64,
    fail: Fail
  ) => AnyResponse
}

export interface DeclaredResponse {
  readonly body?: Places
  /** Of a body that is not only `application/json`. */
  readonly kindOf?: KindOf
  /** Of a body with dates. */
  readonly read?: Read
  /** Of a body that is a stream of events, or of values in JSON. */
  readonly items?: Items
}

export interface Items {
  readonly read?: Read
  /** Where there are large integers in an item. */
  readonly places?: Places
  /** What the data of all events are. */
  readonly data?: 'json' | 'text'
}

/** What the body of a response becomes, or the function that reads it; for one of another media type than the declared ones, the words that name these. */
export type KindOf = (response: Response) => 'json' | 'text' | (() => unknown) | `instead of ${string}`
/** The value of a text in JSON. */
export type Read = (text: string, places: Places, int64: Int64) => Promise<unknown>
/** Writes a body as what `fetch` sends: a text in JSON, or anything with its media type. */
export type Encode = (body: unknown, places: Places, int64: Int64) => Promise<string | Blob | FormData>
/** Writes a parameter into a request. */
export type Write = (request: Written, name: string, value: unknown, int64: Int64) => Promise<void>
export interface Written {
  readonly inPath: Map<string, string>
  /** Each as `name=text`. */
  readonly query: string[]
  readonly headers: Record<string, string>
}

export interface Input {
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** The parameter's name, if the input has another. */
  readonly name?: string
  /** Whether an array is sent as `a,b`. */
  readonly commas?: true
  /** What the text in a URL stands for; a text, if it is absent. */
  readonly as?: 'int64' | 'integer' | 'number' | 'boolean'
  /** Whether it is an array of those. */
  readonly many?: true
  /** Of a parameter that is not a plain text or list of texts. */
  readonly write?: Write
}

export type Values = Readonly<Record<string, unknown>>
export type HeaderValues = Readonly<Record<string, string>>
