import type { Readable } from 'node:stream'
import type { JsonSchemaToTsProvider } from '@fastify/type-provider-json-schema-to-ts'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { AnyOperation, AnyResult, Operations } from '../contract/contract.ts'
import type { Download } from '../encodings/download.ts'
import type { EventStream, JsonLines } from '../encodings/items.ts'
import type { UploadedFile } from '../encodings/multipart.ts'
import type { Principal } from '../security/principal.ts'
import type { Once } from '../store/idempotency.ts'

/** Any operation's handler. */
// biome-ignore lint/suspicious/noExplicitAny: inputs differ by operation, and are validated at run time
export type AnyHandler = (input: any) => Promise<AnyResult>

/** Handlers by operationId. */
export type AnyHandlers = Readonly<Record<string, AnyHandler | undefined>>

// The provider's types of a schema, with int64 as bigint.
type Int64 = [{ pattern: { type: 'integer'; format: 'int64' }; output: bigint }]
/** For `withTypeProvider`: types of the generated schemas, also on routes written by hand. */
export type ContractTypeProvider = JsonSchemaToTsProvider<{
  ValidatorSchemaOptions: { deserialize: Int64 }
  SerializerSchemaOptions: { deserialize: Int64; keepDefaultedPropertiesOptional: true }
}>
type Received<Schema> = '~values' extends keyof Schema
  ? Given<Schema>
  : (ContractTypeProvider & { schema: Schema })['validator']
type Sent<Schema> = '~values' extends keyof Schema
  ? Given<Schema>
  : (ContractTypeProvider & { schema: Schema })['serializer']

/** The type that the generator gives where it cannot be inferred from the schema. */
type Given<Schema> = Schema extends { readonly '~values'?: infer Values } ? Values : never

type Input<O extends AnyOperation> = RequestContext & {
  [Part in keyof O['input']]: Part extends 'headers' ? Declared<Received<O['input'][Part]>> : Received<O['input'][Part]>
} & Repeatable<O['input']> &
  Authenticated<O['security']> &
  Arriving<O> &
  Accepting<O['responses']>

/** Handlers get the declared headers only, by the contract's spelling. */
type Declared<Part> = { [Name in keyof Part as string extends Name ? never : Name]: Part[Name] }

/** What every handler gets beside its input. Each is made when it is first read. */
export interface RequestContext {
  /** Fastify's, with the decorators of the application around the contract. */
  readonly request: FastifyRequest
  /** For cookies and headers outside the contract. The handler returns the response all the same. */
  readonly reply: FastifyReply
  /** Its lines have the request's id. */
  readonly log: FastifyBaseLogger
  readonly requestId: string
  /**
   * To pass to whatever the handler awaits. Aborted once nobody waits for the handler's result any more: the client has
   * disconnected, the handler has taken too long, or the service shuts down (for an event stream, as soon as that begins).
   */
  readonly signal: AbortSignal
}

/**
 * Who sends the request, by the first scheme that the contract's requirement names; where it names several,
 * `principals` has them by scheme. `undefined`, or none, for a request without credentials where they are optional.
 */
type Authenticated<Security extends AnyOperation['security']> = Security extends readonly []
  ? unknown
  : { principal: Principal | (HasEmpty<Security[number]> extends true ? undefined : never) } & (IsUnion<
      SchemeOf<Security[number]>
    > extends true
      ? { principals: { readonly [Name in SchemeOf<Security[number]>]?: Principal } }
      : unknown)
type SchemeOf<Alternative> = Alternative extends unknown ? keyof Alternative : never
type HasEmpty<Alternative> = true extends (
  Alternative extends unknown
    ? [keyof Alternative] extends [never]
      ? true
      : false
    : never
)
  ? true
  : false
type IsUnion<T, Each = T> = true extends (Each extends unknown ? ([T] extends [Each] ? false : true) : never)
  ? true
  : false

/** The body, and which of the declared media types it has. */
type Arriving<O extends AnyOperation> = O extends { bodies: infer Bodies }
  ?
      | { [Type in keyof Bodies]: { contentType: Named<Type>; body: Arrived<Bodies[Type]> } }[keyof Bodies]
      | (O['bodyRequired'] extends true ? never : { contentType?: undefined; body?: undefined })
  : unknown
/** The media types that a range may stand for. */
type Named<Type> = Type extends '*/*'
  ? `${string}/${string}`
  : Type extends `${infer Kind}/*`
    ? `${Kind}/${string}`
    : Type
type Arrived<Media> = Media extends { kind: 'stream' }
  ? Readable
  : Media extends { kind: 'text' }
    ? string
    : Media extends { schema: infer Schema }
      ? WithFiles<
          Received<Schema>,
          Media extends { fields: infer Fields } ? Fields : unknown,
          Media extends { others: infer Others } ? Others : unknown
        >
      : unknown
type WithFiles<Form, Fields, Others> = Form extends object
  ? {
      [Name in keyof Form]: Name extends keyof Fields
        ? Fields[Name] extends { file: infer Kind }
          ? Filed<Form[Name], Kind>
          : Form[Name]
        : string extends Name
          ? Others extends { file: infer Kind }
            ? Filed<Form[Name], Kind>
            : Form[Name]
          : Form[Name]
    }
  : Form
type Filed<Value, Kind> = Value extends readonly (infer Item)[]
  ? Filed<Item, Kind>[]
  : Value extends null | undefined
    ? Value
    : UploadedFile | (Kind extends true ? never : Value)

/** Where there is a choice, the media types that the client accepts, the preferred ones first. */
type Accepting<Responses> =
  IsUnion<NegotiatedOf<Responses>> extends true ? { accepts: readonly NegotiatedOf<Responses>[] } : unknown
type NegotiatedOf<Responses> = {
  [Key in keyof Responses]: `${Key & (string | number)}` extends SuccessOf<Responses>
    ? Responses[Key] extends { contents: infer Contents }
      ? keyof Contents
      : Responses[Key] extends { body: unknown }
        ? 'application/json'
        : never
    : never
}[keyof Responses]

/** Beside another success, `default` is for errors. */
type SuccessOf<Responses> =
  Extract<`${keyof Responses & (string | number)}`, `2${string}`> extends never ? 'default' : `2${string}`

/** For the store, if the operation declares the header `Idempotency-Key`; `undefined` if the client sent none. */
type Repeatable<Parts> = Parts extends { headers: { properties: infer Headers } }
  ? 'idempotency-key' extends Lowercase<keyof Headers & string>
    ? { once: Once | undefined }
    : unknown
  : unknown

type Result<O extends AnyOperation> = ResultOf<O['responses']>
type ResultOf<Responses> = {
  [Key in keyof Responses]: {
    status: Statuses<Key, keyof Responses>
    headers?: HeadersOf<Responses[Key]>
  } & BodyOf<Responses[Key]>
}[keyof Responses]

type BodyOf<Response> = Response extends { body: infer Schema }
  ? { body: Sent<Schema> }
  : Response extends { contents: infer Contents }
    ? {
        [Type in keyof Contents]: TypeOf<Type, keyof Contents> & { body: SentAs<Contents[Type], Type> }
      }[keyof Contents]
    : { body?: never }
/** The content type may be omitted if it is JSON, or if only one is declared. */
type TypeOf<Type, All> = Type extends 'application/json'
  ? { contentType?: Type }
  : [All, Named<Type>] extends [Type, All]
    ? { contentType?: Type }
    : { contentType: Named<Type> }
type SentAs<Media, Type> = Media extends { kind: 'json'; schema: infer Schema }
  ? Sent<Schema>
  : string | Bytes | Download | (Media extends { items: infer Item } ? StreamOf<Sent<Item>, Type> : never)
type StreamOf<Item, Type> = Type extends `text/event-stream${string}` ? EventStream<Item> : JsonLines<Item>
type Bytes = Uint8Array | Readable | AsyncIterable<string | Uint8Array>
type HeadersOf<Response> = Response extends { headers: infer Headers }
  ? { [Name in keyof Headers]?: SentHeader<Headers[Name]> }
  : never
/** A header that is not a plain text, such as a list, is returned as the text to send. */
type SentHeader<Header> = Header extends { written: object }
  ? string
  : Header extends { schema: infer Schema }
    ? Sent<Schema>
    : never

/** What an operation's handler gets and returns: parts of the request that fit the contract, and one of its responses. */
export type Handler<O extends AnyOperation> = (input: Input<O>) => Promise<Result<O>>

type Announced<All extends Operations> = {
  [Id in keyof All]: 501 extends keyof All[Id]['responses'] ? Id : never
}[keyof All]
type TagOf<O extends AnyOperation> = O extends { tags: readonly [] } ? undefined : O['tags'][number]
type Tagged<All extends Operations, T> = {
  [Id in keyof All]: T extends TagOf<All[Id]> ? Id : never
}[keyof All]

/**
 * Handlers of all operations, of those with a tag, or, with `undefined`, of those without tags. Only a handler whose
 * operation declares 501 may be missing.
 */
export type Handlers<All extends Operations, T extends TagOf<All[keyof All]> = never> = HandlersOf<
  All,
  [T] extends [never] ? keyof All : Tagged<All, T>
>
type HandlersOf<All extends Operations, Id extends keyof All> = {
  [Each in Exclude<Id, Announced<All>>]: Handler<All[Each]>
} & {
  [Each in Extract<Id, Announced<All>>]?: Handler<All[Each]>
}

/**
 * Rejects results with an undeclared field or header. The compiler itself does so only for object literals of a known
 * type; the type of what a function returns is inferred before it is compared.
 */
export type WithoutExtras<All extends Operations, H> = {
  [Id in keyof H]: Id extends keyof All
    ? H[Id] extends (...input: never) => Promise<infer Actual>
      ? [Undeclared<Actual, Result<All[Id]>>] extends [never]
        ? unknown
        : { undeclared: Undeclared<Actual, Result<All[Id]>> }
      : unknown
    : { undeclared: Id }
}

/** The names of all fields that `Actual` has and `Expected` lacks; of recursive types, as deep as `Depth` allows. */
type Undeclared<Actual, Expected, Depth extends readonly unknown[] = []> = Depth['length'] extends 12
  ? never
  : Actual extends Bytes | Download | EventStream<unknown> | JsonLines<unknown>
    ? never
    : Actual extends readonly (infer Item)[]
      ? Undeclared<Item, Expected extends readonly (infer Declared)[] ? Declared : never, [...Depth, 0]>
      : Actual extends object
        ? {
            [Key in keyof Actual]-?: UndeclaredAt<Key, Present<Actual[Key]>, ForStatus<Expected, Actual>, Depth>
          }[keyof Actual]
        : never
type UndeclaredAt<Key, Value, Expected, Depth extends readonly unknown[]> = [Value] extends [never]
  ? never
  : Key extends KeyOf<Expected>
    ? Undeclared<Value, ValueOf<Expected, Key>, [...Depth, 0]>
    : Key

// In a union of literals, members get each other's keys as `key?: undefined`.
type Present<T> = Exclude<T, undefined>
type ForStatus<Expected, Actual> = Actual extends { status: infer Status }
  ? Extract<Expected, { status: Status }> extends infer Narrowed
    ? [Narrowed] extends [never]
      ? Expected
      : Narrowed
    : never
  : Expected
type KeyOf<T> = T extends object ? keyof T : never
type ValueOf<T, Key> = T extends object ? (Key extends keyof T ? Present<T[Key]> : never) : never

/**
 * The statuses of a declared response: a range like `4XX`, or `default`, stands for those not declared separately. Beside a
 * declared success, `default` stands for no other success.
 */
export type Statuses<Range, Declared> = Range extends number
  ? Range
  : Range extends keyof Registered
    ? Exclude<Registered[Range], Declared>
    : Exclude<Registered[Exclude<keyof Registered, Declared | SuccessIn<Declared>>], Declared>
type SuccessIn<Declared> = Extract<Declared, Registered['2XX']> extends never ? never : '2XX'

type Registered = { [Range in keyof typeof registered]: (typeof registered)[Range][number] }

/** IANA HTTP Status Code Registry, final responses. */
const registered = {
  '2XX': [200, 201, 202, 203, 204, 205, 206, 207, 208, 226],
  '3XX': [300, 301, 302, 303, 304, 305, 307, 308],
  '4XX': [
    400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 424, 425,
    426, 428, 429, 431, 451
  ],
  '5XX': [500, 501, 502, 503, 504, 505, 506, 507, 508, 511]
} as const
