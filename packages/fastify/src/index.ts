import type { FastifyInstance } from 'fastify'
import { knowKeyPrefix } from './api-keys/api-key.ts'
import type { CheckedRoutes } from './check.ts'
import type { Contract } from './contract/contract.ts'
import type { MockOptions } from './mock/serve-mock.ts'
import type { Handlers } from './operations/handlers.ts'
import type { ContractPluginOptions } from './plugin.ts'
import type { Service, ServiceDefinition } from './service.ts'
import { openStore } from './store/open.ts'

// The one entry. Commands that manage keys or copy the database must not load the HTTP layer, so nothing here imports it
// before it is needed.
export type { AppOptions } from './app.ts'
export type { CheckedRoutes, RegisteredOperation } from './check.ts'
export { boundPatterns } from './commands/linear-patterns.ts'
export { type Setting, type SettingName, settingsOf } from './commands/settings.ts'
export {
  type AnyOperation,
  type Contract,
  type ContractFiles,
  contractOf,
  type Limits,
  type Operations,
  type Schema as ContractSchema
} from './contract/contract.ts'
export type { Detail } from './contract/violations.ts'
export { type Download, type DownloadSource, download, downloadFile } from './encodings/download.ts'
export { type EventStream, type JsonLines, lastEventId, ndjson, sse } from './encodings/items.ts'
export { ApiError, invalidRequest, type ServiceError } from './errors/api-error.ts'
export type { ServiceErrors } from './errors/format.ts'
export type { Timeouts } from './http/listener.ts'
export type { Quota } from './http/rate-limit.ts'
export type { Made, ReadPreferences, Shown } from './mock/mock.ts'
export type { MockOptions } from './mock/serve-mock.ts'
export { exactJson, parseJson } from './node/json.ts'
export { pageOf } from './operations/cursor.ts'
export type { Handler, Handlers, RequestContext } from './operations/handlers.ts'
export { unwritten } from './operations/unwritten.ts'
export type { ContractPluginOptions } from './plugin.ts'
export { type JwtVerifierOptions, jwtVerifier } from './security/jwt-verifier.ts'
export type { Principal } from './security/principal.ts'
export { type SentCredentials, sampleCredentials } from './security/sample-credentials.ts'
export type { ApiKeyCredential, BasicCredential, BearerCredential, Credential } from './security/security-schemes.ts'
export { InvalidCredential, storeKeys, type Verifiers, VerifierUnavailable, type Verify } from './security/verifiers.ts'
export type { HandlerContext, Served, Service, ServiceDefinition } from './service.ts'
export { createTable } from './store/columns.ts'
export type { Once } from './store/idempotency.ts'
export type { Key, KeyStore } from './store/keys.ts'
export type { StoreOptions } from './store/open.ts'
export { engineTables, type PostgresAccess, type PostgresSchema, type Transaction } from './store/postgres/schema.ts'
export { postgresTables } from './store/postgres/tables.ts'
export { idempotencyTable, keysTable, type Schema, type TableAccess } from './store/sqlite/schema.ts'
export type { SqliteOptions } from './store/sqlite/sqlite.ts'
export { sqliteTables } from './store/sqlite/tables.ts'
export { type Store, StoreUnavailable } from './store/store.ts'
export { defineTable, InvalidPosition, type Steps, type Table, type TableOf, type TablesOf } from './store/table.ts'

/**
 * Serves a contract in any Fastify application: `await app.register(contractPlugin, { contract, handlers, prefix: '/api' })`.
 * Everything it sets is encapsulated: other routes stay as they are, and several contracts can be served.
 * @throws ContractNotServed if a handler or a verifier is missing, or an error body does not fit the contract
 */
export const contractPlugin = async (app: FastifyInstance, options: ContractPluginOptions): Promise<void> =>
  (await import('./plugin.ts')).contractPlugin(app, options)

/**
 * The routes of a service, or of a plugin with these options, for the contract check:
 * `fastifyRoutes(await checkedRoutes(service, files))` of `@contract-first/check`. A service gets an empty store in memory.
 * The files are those that a service has to publish as `/openapi.yaml` and `/openapi.json`.
 */
export const checkedRoutes = async (
  served: Service | Pick<ContractPluginOptions, 'contract' | 'handlers' | 'errors'>,
  files?: { yaml: string; json: string }
): Promise<CheckedRoutes> => (await import('./check.ts')).checkedRoutes(served, files)

/** A service: contract, handlers, tables, and the commands to run and maintain it. */
export const createService = <Tables extends object, C extends Contract, H extends Handlers<C['operations']>>(
  definition: ServiceDefinition<Tables, C, H>
): Service<Tables> => {
  const { name, realm, keyPrefix = 'key', databasePath, schema, postgresSchema, load, extend, timeouts } = definition
  knowKeyPrefix(keyPrefix)
  const service: Service<Tables> = {
    name,
    keyPrefix,
    databasePath,
    schema,
    postgresSchema,
    contract: async () => (await load()).contract,
    needsKeys: async () => {
      const { contract, verifiers } = await load()
      const isSecured = Object.values(contract.operations).some(({ security }) => security.length > 0)
      return isSecured && verifiers === undefined
    },
    openStore: options => openStore({ name, schema, postgresSchema }, options),
    build: async options => {
      const [{ contract, handlers, verifiers, errors }, { buildApp }, { isGoneBy }] = await Promise.all([
        load(),
        import('./app.ts'),
        import('./operations/lifecycle.ts')
      ])
      const context = { isGone: isGoneBy(options) }
      const { store } = options
      return buildApp<C, H>({
        ...options,
        timeouts: { ...timeouts, ...options.timeouts },
        extend: options.extend ?? (extend && (app => extend(app, store))),
        realm,
        contract,
        handlers: handlers(store, context),
        verifiers: options.verifiers ?? verifiers?.(store),
        errors
      })
    },
    run: async (words = process.argv.slice(2)) => {
      const [command = '', ...args] = words
      const load = Object.hasOwn(commands, command) ? commands[command] : undefined
      if (load !== undefined) return (await load())(service, args)
      if (command === '--help') console.log(usage)
      else {
        console.error(`${command === '' ? 'A command is missing.' : `There is no command ${command}.`}\n\n${usage}`)
        process.exitCode = 2
      }
    }
  }
  return service
}

/**
 * Serves a contract without handlers until the process is told to end. Requests are judged as by the real service, credentials
 * must be present and well-formed, and responses are examples. If it cannot start, the process prints why and exits with 1.
 */
export const serveMock = async (contract: Contract, options: MockOptions): Promise<void> =>
  (await import('./mock/serve-mock.ts')).serveMock(contract, options)

const commands: Readonly<Record<string, () => Promise<(service: Service, args: string[]) => Promise<void>>>> = {
  server: async () => (await import('./commands/serve.ts')).runServer,
  keys: async () => (await import('./commands/keys.ts')).runKeys,
  backup: async () => (await import('./commands/backup.ts')).runBackup,
  restore: async () => (await import('./commands/restore.ts')).runRestore,
  copy: async () => (await import('./commands/copy.ts')).runCopy,
  ready: async () => (await import('./commands/ready.ts')).runReady
}

const usage = `Usage: node src/main.js COMMAND

  server   serve the contract
  keys     issue, list and revoke API keys
  backup   copy the database while the service runs
  restore  put a backup in its place
  copy     copy what one database holds into another
  ready    exit with 0 if the service is ready

node src/main.js COMMAND --help says more.`
