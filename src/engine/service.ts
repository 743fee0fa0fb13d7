import type { FastifyInstance } from 'fastify'
import type { AppOptions } from './app.ts'
import type { AnyOperation, Contract, Handlers, WithoutExtras } from './operations/contract.ts'
import type { Schema } from './store/sqlite/schema.ts'
import type { SqliteOptions } from './store/sqlite/sqlite.ts'
import type { Store } from './store/store.ts'

/** What makes a service of the engine. */
export interface ServiceDefinition<
  Tables extends object,
  C extends Contract = Contract,
  H extends Handlers<C['operations']> = Handlers<C['operations']>
> {
  /** What people call it: Todo List. */
  name: string
  /** What its keys are for, as a challenge names it (RFC 9110, section 11.5): letters, digits and hyphens. */
  realm: string
  /** What its keys begin with, before `_live_`: 2 to 10 lower-case letters; `key` without it. */
  keyPrefix?: string
  /** Where its data are, unless DATABASE_URL says otherwise. */
  databasePath: string
  schema: Schema<Tables>
  /** What serves; called only where that is needed, since loading it takes most of a second. */
  load(): Promise<Served<Tables, C, H>>
}

/** A contract, and a handler for each of its operations, which the compiler holds against it. */
export interface Served<Tables extends object, C extends Contract, H extends Handlers<C['operations']>> {
  contract: C
  handlers(store: Store & Tables, context: HandlerContext): H & WithoutExtras<C['operations'], H>
}

/** What handlers may want to know beside what is stored. */
export interface HandlerContext {
  /** Whether the operation has been switched off after its removal date. */
  isGone(operation: AnyOperation): boolean
}

/** The names of a service's commands. */
export type Command = 'server' | 'keys' | 'backup' | 'restore' | 'ready'

export interface Service<Tables extends object = object> {
  readonly name: string
  readonly keyPrefix: string
  readonly databasePath: string
  readonly schema: Schema<Tables>
  contract(): Promise<Contract>
  /** Its store in one SQLite file. @throws Error naming the path, when it is no database of this service */
  openStore(options: SqliteOptions): Promise<Store & Tables>
  /** Its app over a store that is open: for tests, and for whoever runs it in a process of their own. */
  build(options: AppOptions & { store: Store & Tables }): Promise<FastifyInstance>
  /** Runs a command with these words, those of the command line without them; `process.exitCode` tells what came of it. */
  run(command: Command, words?: string[]): Promise<void>
}
