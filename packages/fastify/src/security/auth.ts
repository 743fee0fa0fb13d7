import type { FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import type { Contract } from '../contract/contract.ts'
import { getOrMake } from '../node/get-or-make.ts'
import { hookRoutes } from '../routing/route-hooks.ts'
import type { Clients } from './clients.ts'
import { judgeOf, type Principals } from './judge.ts'
import { type KeyOptions, type Refuse, StoreKeys } from './store-keys.ts'
import {
  type Demand,
  needsKeyOnly,
  type Requirement,
  type RequirementOf,
  storeKeys,
  VerifierUnavailable
} from './verifiers.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Who sends the request, for logs and metrics: the id of a valid key (with `env:` before it for a key in `API_KEYS`);
     * for other principals, the security scheme and their id.
     */
    keyId: string | undefined
    /** The id of a well-formed key that is revoked, expired, or was never issued. */
    refusedKeyId: string | undefined
    /** Why credentials are not valid, for the log. */
    refusedBecause: string | undefined
    /** Who sends the request, by security scheme; not set where only a key of the store as a bearer token is required. */
    principals: Principals | undefined
  }
}

export interface AuthOptions extends KeyOptions {
  /** What the keys are for (RFC 9110, section 11.5): letters, digits and hyphens. */
  realm: string
  contract: Pick<Contract, 'operations'>
  requirementOf: RequirementOf
  /** Remembers whose credentials were valid, for overload. */
  clients?: Clients | undefined
  refuse: Refuse
}

/**
 * Requires on every route the credentials that the contract requires. Routes that are no operation require what any
 * operation accepts, so that unknown URLs reveal nothing; public URLs and OPTIONS, unless it is an operation, require none.
 */
export const auth = fp(
  async (app, options: AuthOptions) => {
    const { contract, realm, refuse, requirementOf, clients } = options
    const requirements = Object.values(contract.operations).map(requirementOf)
    const demands = requirements.flatMap(each => each.alternatives.flat())
    for (const verify of new Set(demands.map(each => each.verify)))
      if (typeof verify === 'function') await verify.prepare?.()

    app.decorateRequest('keyId', undefined)
    app.decorateRequest('refusedKeyId', undefined)
    app.decorateRequest('refusedBecause', undefined)
    app.decorateRequest('principals', undefined)
    const keys = new StoreKeys(options)
    const keyOnly = requirements.find(needsKeyOnly)
    const bearerKeys = keyOnly && (await keys.bearerHook(app, realm, refuse, clients?.at(keyOnly)))
    const hooks = new Map<Requirement, onRequestHookHandler | undefined>()
    const hookOf = (requirement: Requirement): onRequestHookHandler | undefined => {
      if (requirement.alternatives.length === 0) return undefined
      return needsKeyOnly(requirement) && bearerKeys !== undefined ? bearerKeys : judging(requirement, keys, options)
    }
    hookRoutes(app, ({ method, config }: RouteOptions) => {
      if (method === 'OPTIONS' && config?.operation === undefined) return undefined
      const hook = getOrMake(hooks, requirementOf(config?.operation), hookOf)
      const { isPublic } = config ?? {}
      if (hook === undefined || isPublic === undefined) return hook
      return (request, reply, done) => (isPublic(request) ? done() : hook.call(app, request, reply, done))
    })
  },
  { name: 'auth' }
)

const judging = (requirement: Requirement, keys: StoreKeys, options: AuthOptions): onRequestHookHandler => {
  const demands = requirement.alternatives.flat()
  const { realm, refuse, clients } = options
  const authenticated = clients?.at(requirement)
  const judge = judgeOf(requirement, realm, keys)
  return (request, reply, done) => {
    const { server } = request
    const fail = (error: unknown) => {
      server.charge?.(request)
      // Otherwise it is part of the request's line.
      if (request.fault === undefined && request.refusedBecause !== undefined)
        request.log.info({ refusedBecause: request.refusedBecause }, 'the credentials are not valid')
      refuse(error, request, reply)
    }
    // Measures what a verifier does synchronously, such as hashing a password; its verdict tells whom to charge.
    server.beginCharging?.(request)
    const judged = judge(request)
    server.pauseCharging?.(request)
    const deadline = server.handlerDeadlines.add(() => fail(new VerifierUnavailable('a verifier timed out')))
    judged.then(
      principals => {
        if (!deadline.remove()) return
        if (principals !== undefined) {
          identify(request, principals, demands)
          authenticated?.remember(request)
        }
        done()
      },
      error => void (deadline.remove() && fail(error))
    )
  }
}

/** Equal ids of different schemes are different clients, so the scheme precedes the id. */
const identify = (request: FastifyRequest, principals: Principals, demands: readonly Demand[]) => {
  request.principals = principals
  const isKey = (scheme: string) => demands.some(each => each.scheme === scheme && each.verify === storeKeys)
  request.keyId = Object.entries(principals)
    .map(([scheme, { id }]) => (isKey(scheme) ? id : `${scheme}:${id}`))
    .join('+')
}
