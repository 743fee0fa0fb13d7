import type { FastifyInstance } from 'fastify'
import type { AppOptions } from './app.ts'
import type { AnyOperation, Contract } from './contract/contract.ts'
import type { ServiceErrors } from './errors/format.ts'
import type { Timeouts } from './http/listener.ts'
import type { Handlers, WithoutExtras } from './operations/handlers.ts'
import type { Verifiers } from './security/verifiers.ts'
import type { StoreOptions } from './store/open.ts'
import type { PostgresSchema } from './store/postgres/schema.ts'
import type { Schema } from './store/sqlite/schema.ts'
import type { Store } from './store/store.ts'

/** What defines a service. */
export interface ServiceDefinition<
  Tables extends object,
  C extends Contract = Contract,
  H extends Handlers<C['operations']> = Handlers<C['operations']>
> {
  /** The name for people, such as Todo List. */
  name: string
  /** What its keys are for, as a challenge names it (RFC 9110, section 11.5): letters, digits and hyphens. */
  realm: string
  /** The beginning of its keys, before `_live_`: 2 to 10 lower-case letters; default: `key`. */
  keyPrefix?: string
  /** The path of its database, unless DATABASE_URL is set. */
  databasePath: string
  schema: Schema<Tables>
  /** Its tables in PostgreSQL, where it may keep them instead. */
  postgresSchema?: PostgresSchema<Tables>
  /**
   * Adds hooks, decorators, plugins and routes outside the contract to the service that runs. Its hooks run for the contract's
   * routes, too, before their credentials are judged; its routes have Fastify's own validation, and need no credentials.
   */
  extend?(app: FastifyInstance, store: Store & Tables): void | Promise<void>
  /** Other timeouts than the defaults. */
  timeouts?: Partial<Timeouts>
  /** Loads contract and handlers, only for commands that need them: it takes most of a second. */
  load(): Promise<Served<Tables, C, H>>
}

/** A contract, and a handler for each of its operations, which the compiler checks against it. */
export interface Served<Tables extends object, C extends Contract, H extends Handlers<C['operations']>> {
  contract: C
  handlers(store: Store & Tables, context: HandlerContext): H & WithoutExtras<C['operations'], H>
  /** Who judges the credentials of its security schemes; default: a bearer token is a key of the store. */
  verifiers?(store: Store & Tables): Verifiers<C['securitySchemes']>
  /** How errors look; default: `{ code, message, status }`, or what the contract declares instead. */
  errors?: ServiceErrors
}

/** What handlers may need beside the store. */
export interface HandlerContext {
  /** Whether the operation is switched off, since its removal date has passed. */
  isGone(operation: AnyOperation): boolean
}

/** What `createService` makes: it runs the commands of a service, and builds its app for tests. */
export interface Service<Tables extends object = object> {
  readonly name: string
  readonly keyPrefix: string
  readonly databasePath: string
  readonly schema: Schema<Tables>
  readonly postgresSchema: PostgresSchema<Tables> | undefined
  contract(): Promise<Contract>
  /** Whether some operations accept only keys of its store. */
  needsKeys(): Promise<boolean>
  /** Opens its store. @throws Error naming the database, if it cannot be opened or is not one of this service */
  openStore(options: StoreOptions): Promise<Store & Tables>
  /**
   * Builds its app on an open store: for tests, and for processes of your own. `verifiers` take the place of the service's.
   * @throws ContractNotServed if a security scheme lacks a verifier, or an error body does not fit the contract
   */
  build(options: AppOptions & { store: Store & Tables; verifiers?: Verifiers }): Promise<FastifyInstance>
  /**
   * Runs a command: its name and its arguments, by default those of the command line. Sets `process.exitCode`. Messages name
   * other commands as npm scripts: npm run keys.
   */
  run(words?: readonly string[]): Promise<void>
}
