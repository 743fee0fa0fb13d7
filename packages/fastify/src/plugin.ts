import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Contract } from './contract/contract.ts'
import { docs } from './docs/docs.ts'
import { docsPrefixOf } from './docs/urls.ts'
import type { ServiceErrors } from './errors/format.ts'
import { endings } from './http/endings.ts'
import { errorBody } from './http/error-body.ts'
import { refuseRepeatedHeaders } from './http/invalid-http.ts'
import { timeoutsOf } from './http/listener.ts'
import { rateLimits } from './http/rate-limit.ts'
import { securingUnlessSet } from './http/security-headers.ts'
import { unlogged } from './observability/request-log.ts'
import type { ServiceLog } from './observability/service-log.ts'
import { deadlines } from './operations/deadlines.ts'
import type { AnyHandlers } from './operations/handlers.ts'
import type { LifecycleOptions } from './operations/lifecycle.ts'
import type { AnyVerifiers } from './security/verifiers.ts'
import { type AnyServed, type Prepared, prepare, serve, unkept } from './serving.ts'
import type { Store } from './store/store.ts'

/** What `contractPlugin` serves, and how. */
export interface ContractPluginOptions extends Partial<LifecycleOptions> {
  /** What `contractOf` makes. */
  contract: Contract
  /** One for each operation; `satisfies Handlers<typeof operations>` makes the compiler hold them against the contract. */
  handlers: AnyHandlers
  /** Who judges the credentials of each security scheme. Default, with a store: a bearer token is a key of the store. */
  verifiers?: AnyVerifiers | undefined
  /** How errors look. Default: `{ code, message, status }`, or what the contract declares instead. */
  errors?: ServiceErrors | undefined
  /** What comes before the contract's own base path: '/api'. */
  prefix?: string
  /** Whether to serve the contract and its documentation page, at `docs/`, `openapi.json` and `openapi.yaml` below the prefix. */
  docs?: boolean
  /** Needed only for keys that are kept in it, and for the header Idempotency-Key. */
  store?: Store
  /** What credentials are for, as a challenge names it (RFC 9110, section 11.5): letters, digits and hyphens. */
  realm?: string
  /** For a handler or a verifier to respond, in milliseconds; the timeout comes after once to twice this time. Default: 10,000. */
  handlerMs?: number
}

/** Described in the package's entry, which loads it when it is first used. */
export const contractPlugin = async (app: FastifyInstance, options: ContractPluginOptions): Promise<void> => {
  const { contract, docs: hasDocs = false, realm = 'service', removedOperations, now } = options
  refuseUnknownOptions(options)
  if (app.prefix.endsWith('/'))
    throw new Error(`the prefix ${app.prefix} ends with a slash: write ${app.prefix.replace(/\/+$/, '') || 'none'}`)
  const prepared = await prepare(options, app.log)
  await app.register(surroundings, { prepared, options })
  warn(app, options)
  // The contract has a page of its own.
  if (app.hasDecorator('swagger'))
    app.addHook('onRoute', route => {
      route.schema = { ...route.schema, hide: true }
    })
  if (hasDocs) refuseTakenUrls(app, docsPrefixOf(contract))
  if (hasDocs) await app.register(docs, { ...contract, isGuest: true })
  await serve(app, options, prepared, { realm, removedOperations, now })
  const page = hasDocs ? `, its page at ${app.prefix + docsPrefixOf(contract)}/docs/` : ''
  app.log.info(`the contract is served at ${basesOf(contract, app.prefix)}${page}`)
}

const basesOf = ({ basePath, operations }: Contract, prefix: string): string => {
  const all = Object.values(operations).map(each => prefix + (each.basePath ?? basePath) || '/')
  return [...new Set(all)].join(', ')
}

/** In the last line, those of Fastify's `register`. */
const optionNames: ReadonlySet<string> = new Set([
  ...['contract', 'handlers', 'verifiers', 'errors', 'store', 'realm', 'docs', 'handlerMs', 'removedOperations', 'now'],
  ...['prefix', 'logLevel', 'logSerializers', 'encapsulate']
])

const refuseTakenUrls = (app: FastifyInstance, prefix: string) => {
  const taken = ['/docs', '/docs/', '/openapi.json', '/openapi.yaml', '/changelog.md']
    .map(each => app.prefix + prefix + each)
    .find(url => app.hasRoute({ method: 'GET', url }))
  if (taken !== undefined)
    throw new Error(`the application has ${taken} already: give the contract another prefix, or leave out its docs`)
}

const refuseUnknownOptions = (options: object) => {
  const unknown = Object.keys(options).filter(name => !optionNames.has(name))
  if (unknown.length > 0) throw new Error(`contractPlugin has no option ${unknown.join(', ')}`)
}

/** What the contract's routes need of the application around them, where that is not a service of ours. */
const surroundings = fp(
  async (app, { prepared, options }: { prepared: Prepared; options: { realm?: string; handlerMs?: number } }) => {
    const { realm = 'service', handlerMs } = options
    const timeouts = timeoutsOf({ timeouts: handlerMs === undefined ? {} : { handlerMs } })
    app.decorate('serviceLog', app.log as ServiceLog)
    app.decorate('errorFormat', prepared.errorFormat)
    app.decorate('routedMethods', new Set(app.supportedMethods))
    await app.register(deadlines, timeouts)
    await app.register(unlogged)
    await app.register(endings)
    app.addHook('preClose', async () => app.endings.endEvents(timeouts.graceMs))
    await app.register(securingUnlessSet)
    await app.register(errorBody)
    await app.register(refuseRepeatedHeaders)
    await app.register(rateLimits, { realm, redisMs: timeouts.redisMs })
  },
  { name: 'contract-surroundings' }
)

const warn = (app: FastifyInstance, served: AnyServed) => {
  const kept = unkept(served)
  if (kept.length > 0)
    app.log.warn(
      `without a store, the header Idempotency-Key of ${kept.join(', ')} is only handed to the handler, which has to remember what it responded`
    )
  const { maxParamLength = 100 } = app.initialConfig.routerOptions ?? app.initialConfig
  const long = Object.values(served.contract.operations).flatMap(({ operationId, input }) =>
    Object.entries(input.params?.properties ?? {}).flatMap(([name, { maxLength }]) =>
      typeof maxLength === 'number' && maxLength > maxParamLength ? `${name} of ${operationId}` : []
    )
  )
  if (long.length > 0)
    app.log.warn(
      `the application responds with 404 to path parameters longer than its maxParamLength, ${maxParamLength}, which the contract allows for ${long.join(', ')}`
    )
}
