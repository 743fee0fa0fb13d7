import { inspect } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { type CompiledSchemas, compiledSchemas } from './contract/compiled-schemas.ts'
import {
  type AnyOperation,
  byBasePath,
  type Contract,
  ContractNotServed,
  isPlain,
  isRepeatable,
  withOtherBasePaths
} from './contract/contract.ts'
import { derivedErrors, type ErrorFormat, ownErrors, type ServiceErrors } from './errors/format.ts'
import { charging } from './http/overload.ts'
import { keyLimit } from './http/rate-limit.ts'
import { keepTicksFast } from './node/internals.ts'
import type { AnyHandlers, Handlers, WithoutExtras } from './operations/handlers.ts'
import { refuseUnkeptKeys } from './operations/idempotency.ts'
import { type LifecycleOptions, lifecycleHeaders, removals } from './operations/lifecycle.ts'
import { type Mock, registerOperations } from './operations/routes.ts'
import { refuseAll, respondToUnmatched, type Unmatched, unmatchedOf } from './routing/other-methods.ts'
import { addRoutes } from './routing/route-hooks.ts'
import { refusedPath, refusedPathUrl, routedPath } from './routing/targets.ts'
import { auth } from './security/auth.ts'
import type { Clients } from './security/clients.ts'
import { type AnyVerifiers, type RequirementOf, requirementsOf, type Verifiers } from './security/verifiers.ts'
import type { Store } from './store/store.ts'
import type { Encodings } from './validation/encodings.ts'
import { jsonBody } from './validation/json-body.ts'
import { serializerCompiler } from './validation/serializer-compiler.ts'
import { validatorCompiler } from './validation/validator-compiler.ts'

/** A contract and a handler for each of its operations, which the compiler checks against it. */
export interface Served<C extends Contract, H extends Handlers<C['operations']>> {
  contract: C
  handlers: H & WithoutExtras<C['operations'], H>
  /** Who judges the credentials of its security schemes; default: a bearer token is a key of the store. */
  verifiers?: Verifiers<C['securitySchemes']> | undefined
  /** How errors look; default: `{ code, message, status }`, or what the contract declares instead. */
  errors?: ServiceErrors | undefined
}

/** The same, whatever the contract. */
export interface AnyServed {
  contract: Contract
  handlers: AnyHandlers
  verifiers?: AnyVerifiers | undefined
  errors?: ServiceErrors | undefined
  store?: Store | undefined
}

/** What is made of a contract once, at the start. */
export interface Prepared {
  compiled: CompiledSchemas
  /** Loaded if some operation is not plain. */
  encodings: Encodings | undefined
  requirementOf: RequirementOf
  errorFormat: ErrorFormat
}

interface Log {
  warn(text: string): void
  error(fields: object, text: string): void
}

/** @throws ContractNotServed naming handlers of no operation, what has no verifier, an error body that does not fit, or an ignored Idempotency-Key */
export const prepare = async (
  { contract, handlers, verifiers, errors, store }: AnyServed,
  log: Log
): Promise<Prepared> => {
  keepTicksFast()
  if (typeof contract?.operations !== 'object')
    throw new ContractNotServed(`contract must be what contractOf makes, not ${inspect(contract, { depth: 0 })}`)
  const operations = Object.values(contract.operations)
  refuseUnknownHandlers(contract, handlers)
  const requirementOf = requirementsOf(
    operations,
    contract.securitySchemes,
    verifiers as Verifiers,
    store !== undefined
  )
  if (store !== undefined) refuseUnkeptKeys(operations, store)
  const compiled = compiledSchemas(contract)
  const errorFormat = errors
    ? ownErrors(errors, contract, compiled, err => log.error({ err }, 'errors.body failed'))
    : await derivedErrors(contract, compiled, text => log.warn(text))
  const encodings = operations.every(isPlain) ? undefined : await import('./encodings/encodings.ts')
  return { compiled, encodings, requirementOf, errorFormat }
}

/** A misspelled name would leave the operation to another table that is spread before it. */
const refuseUnknownHandlers = ({ operations }: Contract, handlers: AnyHandlers) => {
  const unfit = Object.entries(handlers).flatMap(([name, handler]) => {
    if (!Object.hasOwn(operations, name)) return [`handlers has ${name}, which is no operation of the contract`]
    if (handler === undefined || typeof handler === 'function') return []
    return [`the handler of ${name} must be a function, not ${inspect(handler)}`]
  })
  if (unfit.length > 0) throw new ContractNotServed(unfit.join('; '))
}

export interface ServingOptions {
  removedOperations?: LifecycleOptions['removedOperations'] | undefined
  now?: LifecycleOptions['now'] | undefined
  /** What keys are for, as a challenge names it (RFC 9110, section 11.5): letters, digits and hyphens. */
  realm: string
  /** Keys that are valid in addition to those of the store. */
  apiKeys?: readonly string[] | undefined
  mock?: Mock | undefined
  /** Remembers clients for overload. */
  clients?: Clients | undefined
  /** Set in a service of its own, where the router is not asked for URLs that lack a parameter. */
  unmatched?: Unmatched
}

/** Operations by base path, as the router reads it: two colons are a literal one. */
export const entriesBelow = (below: ReadonlyMap<string, readonly AnyOperation[]>, prefix = '') =>
  new Map([...below].map(([basePath, all]) => [prefix + routedPath(basePath).replaceAll(':', '::'), all]))

/** Registers the operations of a contract, each below its base path, and what responds where it has none. */
export const serve = async (
  app: FastifyInstance,
  { contract, handlers, store }: AnyServed,
  { compiled, encodings, requirementOf }: Prepared,
  options: ServingOptions
): Promise<void> => {
  const { realm, apiKeys = [], removedOperations = 'answer', now, mock, clients } = options
  const isGuest = options.unmatched === undefined
  // A service of its own replaces other base paths before the router sees them.
  const below = isGuest ? withOtherBasePaths(contract) : byBasePath(contract)
  const unmatched = options.unmatched ?? unmatchedOf(entriesBelow(below, app.prefix))
  const routes = isGuest ? [...unmatched.routes, ...unmatched.emptyRoutes()] : unmatched.routes
  const registered = { contract, compiled, handlers, keepsKeys: store !== undefined, mock, encodings }
  const keys = store?.keys ?? noKeys
  for (const [prefix, entries] of entriesBelow(below)) {
    const serving = async (scope: FastifyInstance) => {
      scope.setValidatorCompiler(validatorCompiler(compiled))
      scope.setSerializerCompiler(serializerCompiler(compiled))
      // What a request passes through, in this order; after it come 404, 405, 501, 415 and the body.
      await scope.register(lifecycleHeaders)
      const { refuse } = scope.rateLimits
      await scope.register(auth, { contract, realm, requirementOf, clients, keys, apiKeys, now, refuse })
      await scope.register(keyLimit)
      await scope.register(removals, { removedOperations, now: now ?? Date.now })
      if (clients !== undefined) await scope.register(charging)
      await scope.register(jsonBody)
      if (encodings !== undefined) await scope.register(encodings.otherBodies)
      // Without a prefix, all other URLs are the application's.
      const isEverything = isGuest && scope.prefix === ''
      const others = isEverything ? entries.map(each => routedPath(each.url)) : ['/', '/*']
      addRoutes(scope, () => {
        if (!isGuest) refuseAll(scope, refusedPathUrl, refusedPath)
        registerOperations(scope, entries, registered)
        respondToUnmatched(scope, routes, others, unmatched.declaredAt)
      })
    }
    await app.register(serving, { prefix })
  }
}

/** In place of a store's: nothing is a key. */
const noKeys = { use: () => undefined }

/** The operations whose header Idempotency-Key only their handlers see, since there is no store. */
export const unkept = ({ contract, store }: AnyServed): string[] =>
  store !== undefined
    ? []
    : Object.values(contract.operations).flatMap(each => (isRepeatable(each) ? each.operationId : []))
