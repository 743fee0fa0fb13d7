import type { JsonSchemaToTsProvider } from '@fastify/type-provider-json-schema-to-ts'
import type { Statuses } from '../generated/client-answers.ts'
import type { operations } from '../generated/operations.ts'

type Operations = typeof operations
export type OperationId = keyof Operations

/** What is known of every generated entry, whichever operation it is. */
export interface AnyOperation {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly url: string
  readonly tags: readonly string[]
  readonly input: {
    readonly params?: ObjectSchema
    readonly query: ObjectSchema
    readonly headers?: ObjectSchema
    readonly body?: Schema
  }
  readonly bodyRequired: boolean
  readonly commaSeparated: readonly string[]
  readonly responses: Readonly<Record<string, { readonly headers: object; readonly body?: Schema }>>
  readonly security: readonly (readonly string[])[]
  readonly lifecycle: {
    readonly stability?: string
    readonly deprecation?: {
      readonly removalDate: string
      readonly replacedBy?: string
      readonly headers: Readonly<Record<string, string>>
    }
  }
}
/** What is known of every handler and its result. */
// biome-ignore lint/suspicious/noExplicitAny: each handler's input is another one, checked by its reader at run time
export type AnyHandler = (input: any) => Promise<AnyResult>
export interface AnyResult {
  status: number
  headers?: Record<string, string | number>
  body?: unknown
}

/** The keywords that our own code looks at; Ajv sees them all. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}
export interface ObjectSchema extends Schema {
  readonly properties: Readonly<Record<string, Schema>>
}
export type Tag = Operations[OperationId]['tags'][number]

// The provider's types of a schema, with int64 as what the validator hands on and the serializer takes.
type Int64 = [{ pattern: { type: 'integer'; format: 'int64' }; output: bigint }]
type Provider = JsonSchemaToTsProvider<{
  ValidatorSchemaOptions: { deserialize: Int64 }
  SerializerSchemaOptions: { deserialize: Int64; keepDefaultedPropertiesOptional: true }
}>
type Received<Schema> = (Provider & { schema: Schema })['validator']
type Sent<Schema> = (Provider & { schema: Schema })['serializer']

type Input<Id extends OperationId> = {
  [Part in keyof Operations[Id]['input']]: Received<Operations[Id]['input'][Part]>
}

type Responses<Id extends OperationId> = Operations[Id]['responses']

type Result<Id extends OperationId> = {
  [Key in keyof Responses<Id>]: {
    status: Statuses<Key, keyof Responses<Id>>
    headers?: HeadersOf<Responses<Id>[Key]>
  } & BodyOf<Responses<Id>[Key]>
}[keyof Responses<Id>]

type BodyOf<Response> = Response extends { body: infer Schema } ? { body: Sent<Schema> } : { body?: never }
type HeadersOf<Response> = Response extends { headers: infer Headers }
  ? { [Name in keyof Headers]?: Headers[Name] extends { schema: infer Schema } ? Sent<Schema> : never }
  : never

export type Handler<Id extends OperationId> = (input: Input<Id>) => Promise<Result<Id>>

type Announced = { [Id in OperationId]: 501 extends keyof Responses<Id> ? Id : never }[OperationId]
type Tagged<T extends Tag> = { [Id in OperationId]: T extends Operations[Id]['tags'][number] ? Id : never }[OperationId]

export type Handlers<T extends Tag = Tag> = { [Id in Exclude<Tagged<T>, Announced>]: Handler<Id> } & {
  [Id in Extract<Tagged<T>, Announced>]?: Handler<Id>
}

/**
 * Refuses a result with a field or header that the contract does not have. The compiler refuses such a field in an
 * object literal of a known type, but the type of what a function returns is inferred before it is compared.
 */
export type WithoutExtras<H> = {
  [Id in keyof H]: Id extends OperationId
    ? H[Id] extends (...input: never) => Promise<infer Actual>
      ? [Undeclared<Actual, Result<Id>>] extends [never]
        ? unknown
        : { undeclared: Undeclared<Actual, Result<Id>> }
      : unknown
    : { undeclared: Id }
}

/** The names of all fields, at any depth, that `Actual` has and `Expected` has not. */
type Undeclared<Actual, Expected> = Actual extends readonly (infer Item)[]
  ? Undeclared<Item, Expected extends readonly (infer Declared)[] ? Declared : never>
  : Actual extends object
    ? { [Key in keyof Actual]-?: UndeclaredAt<Key, Present<Actual[Key]>, ForStatus<Expected, Actual>> }[keyof Actual]
    : never
type UndeclaredAt<Key, Value, Expected> = [Value] extends [never]
  ? never
  : Key extends KeyOf<Expected>
    ? Undeclared<Value, ValueOf<Expected, Key>>
    : Key

// A union of literals gets its members' missing keys as `key?: undefined`: they are not there.
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
