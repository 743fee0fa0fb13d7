import type { FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import type { Contract } from '../contract/contract.ts'
import { hookRoutes } from '../routing/route-hooks.ts'
import type { Clients } from './clients.ts'
import { judgeOf, type Principals } from './judge.ts'
import { withoutParameters } from './security-schemes.ts'
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
     * Who sends the request, for logs and metrics: the id of a valid key, those of keys in `API_KEYS` begin with `env:`;
     * of another principal, the id after its security scheme.
     */
    keyId: string | undefined
    /** The id of a well-formed key that is not valid: revoked, expired, or never issued. */
    refusedKeyId: string | undefined
    /** Why credentials are not valid, for the log. */
    refusedBecause: string | undefined
    /** Who sends the request, by security scheme, unless a key of the store as a bearer token is all that is required. */
    principals: Principals | undefined
  }
}

export interface AuthOptions extends KeyOptions {
  /** What the keys are for (RFC 9110, section 11.5): letters, digits and hyphens. */
  realm: string
  contract: Pick<Contract, 'operations'>
  requirementOf: RequirementOf
  /** Where it is kept who is let in, if anybody wants to know. */
  clients?: Clients | undefined
  refuse: Refuse
}

/**
 * Requires what the contract does of every route except OPTIONS, unless that is an operation, and of those that are no operation what any operation
 * requires: unknown URLs reveal nothing.
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
      return hooks.getOrInsertComputed(requirementOf(config?.operation), hookOf)
    })
  },
  { name: 'auth' }
)

const judging = (requirement: Requirement, keys: StoreKeys, options: AuthOptions): onRequestHookHandler => {
  const demands = requirement.alternatives.flat()
  const parameters = new Set(demands.flatMap(({ carrier }) => carrier.parameter ?? []))
  const { realm, refuse, clients } = options
  const letIn = clients?.at(requirement)
  const judge = judgeOf(requirement, realm, keys)
  return (request, reply, done) => {
    const { server } = request
    if (parameters.size > 0) request.query = withoutParameters(request.query as string, parameters)
    const fail = (error: unknown) => {
      server.spend?.(request)
      refuse(error, request, reply)
    }
    // What a verifier does at once, such as to hash a password. Who is charged, its verdict tells.
    server.beginSpending?.(request)
    const judged = judge(request)
    server.pauseSpending?.(request)
    const deadline = server.handlerDeadlines.add(() => fail(new VerifierUnavailable('a verifier timed out')))
    judged.then(
      principals => {
        if (!deadline.remove()) return
        if (principals !== undefined) {
          know(request, principals, demands)
          letIn?.remember(request)
        }
        done()
      },
      error => void (deadline.remove() && fail(error))
    )
  }
}

/** Ids of different schemes are different, even if their texts are the same. */
const know = (request: FastifyRequest, principals: Principals, demands: readonly Demand[]) => {
  request.principals = principals
  const isKey = (scheme: string) => demands.some(each => each.scheme === scheme && each.verify === storeKeys)
  request.keyId = Object.entries(principals)
    .map(([scheme, { id }]) => (isKey(scheme) ? id : `${scheme}:${id}`))
    .join('+')
}
