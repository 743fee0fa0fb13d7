import type { JsonSchemaToTsProvider } from '@fastify/type-provider-json-schema-to-ts'
import type { Once } from '../store/idempotency.ts'
import type { Compiled } from './compiled.ts'
import type { Statuses } from './statuses.ts'

/** What the generator makes from a contract, and the documents to publish. */
export interface Contract {
  /** The prefix of every operation's path. */
  readonly basePath: string
  /** The defaults are in `limitsOf`. */
  readonly limits: Partial<Limits>
  readonly securitySchemes: Readonly<Record<string, { readonly type: string; readonly scheme?: string }>>
  readonly operations: Operations
  /** Checks and writers of the operations' schemas. */
  readonly compiled: Compiled
  readonly documents: { readonly yaml: Buffer; readonly json: Buffer; readonly changelog: Buffer }
}

/** The largest request, in bytes. */
export interface Limits {
  readonly uriBytes: number
  readonly headerBytes: number
  readonly bodyBytes: number
}

/** A contract's limits, with defaults. */
export const limitsOf = ({ limits }: Pick<Contract, 'limits'>): Limits => ({
  uriBytes: 8_000,
  headerBytes: 16_384,
  bodyBytes: 65_536,
  ...limits
})

export type Operations = Readonly<Record<string, AnyOperation>>

/** What every generated entry has. */
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
/** What every handler and its result have. */
// biome-ignore lint/suspicious/noExplicitAny: inputs differ by operation, and are validated at run time
export type AnyHandler = (input: any) => Promise<AnyResult>
export interface AnyResult {
  status: number
  headers?: Record<string, string | number>
  body?: unknown
}

/** The keywords that our own code reads; the generator compiles all. */
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
/** The contract requires what the service cannot do; the start fails. */
export class ContractNotServed extends Error {
  override readonly name = 'ContractNotServed'

  constructor(reason: string) {
    super(`The contract cannot be served: ${reason}.`)
  }
}

// The provider's types of a schema, with int64 as bigint.
type Int64 = [{ pattern: { type: 'integer'; format: 'int64' }; output: bigint }]
/** For `withTypeProvider`: types of the generated schemas, also on routes written by hand. */
export type ContractTypeProvider = JsonSchemaToTsProvider<{
  ValidatorSchemaOptions: { deserialize: Int64 }
  SerializerSchemaOptions: { deserialize: Int64; keepDefaultedPropertiesOptional: true }
}>
type Received<Schema> = (ContractTypeProvider & { schema: Schema })['validator']
type Sent<Schema> = (ContractTypeProvider & { schema: Schema })['serializer']

type Input<O extends AnyOperation> = { [Part in keyof O['input']]: Received<O['input'][Part]> } & Repeatable<O['input']>

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

type BodyOf<Response> = Response extends { body: infer Schema } ? { body: Sent<Schema> } : { body?: never }
type HeadersOf<Response> = Response extends { headers: infer Headers }
  ? { [Name in keyof Headers]?: Headers[Name] extends { schema: infer Schema } ? Sent<Schema> : never }
  : never

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

/** The names of all fields, at any depth, that `Actual` has and `Expected` lacks. */
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
