import type { FastifyRequest } from 'fastify'
import { type AnyOperation, type Contract, ContractNotServed, type SecurityScheme } from '../contract/contract.ts'
import { getOrMake } from '../node/get-or-make.ts'
import type { Principal } from './principal.ts'
import { type Carrier, type Credential, type CredentialOf, carrierOf } from './security-schemes.ts'

/**
 * Judges a credential; may be async.
 * @param scheme its security scheme's name in the contract
 * @param scopes those that the operation demands
 * @param request Fastify's, before its body is read
 * @returns undefined, null or false if the credential is not valid: a 401
 * @throws InvalidCredential for a 401 too, with a reason for the log
 * @throws VerifierUnavailable if it cannot be judged now: a 503. Anything else that is thrown is a 500.
 */
export interface Verify<C extends Credential = Credential> {
  (scheme: string, credential: C, scopes: readonly string[], request: FastifyRequest): Verdict | Promise<Verdict>
  /** Called at the start, which fails if this throws. */
  prepare?: () => Promise<void>
}
type Verdict = Principal | undefined | null | false

/** In place of a verifier: accepts the keys that `npm run keys` issues, and API_KEYS. */
export const storeKeys = { keys: 'of the store' } as const

/** A verifier for each security scheme, by its name in the contract, or one for all. */
export type Verifiers<Schemes extends Contract['securitySchemes'] = Contract['securitySchemes']> =
  | Verify
  | { readonly [Name in keyof Schemes]?: Verify<CredentialOf<Schemes[Name]>> | typeof storeKeys }

/** The same, whatever the contract. */
// biome-ignore lint/suspicious/noExplicitAny: a verifier takes the credentials of its scheme
export type AnyVerifiers = Verify<any> | Readonly<Record<string, Verify<any> | typeof storeKeys | undefined>>

/** A credential cannot be judged now, but perhaps later: a 503. The message is for the log. */
export class VerifierUnavailable extends Error {
  override readonly name = 'VerifierUnavailable'
}

/** A credential is not valid: a 401. The message says why, for the log only. */
export class InvalidCredential extends Error {
  override readonly name = 'InvalidCredential'
}

/** A scheme that an operation requires, with what is needed to judge its credentials. */
export interface Demand {
  readonly scheme: string
  readonly carrier: Carrier
  readonly verify: Verify | typeof storeKeys
  readonly scopes: readonly string[]
}

/** What an operation requires: one of several lists of demands. */
export interface Requirement {
  readonly alternatives: readonly (readonly Demand[])[]
  /** Whether a request without credentials is served, too. */
  readonly isOptional: boolean
}

type Secured = Pick<AnyOperation, 'operationId' | 'security'>

/** What an operation requires; at URLs that are no operation's, what any requires. */
export type RequirementOf = (operation: Secured | undefined) => Requirement

/**
 * What each operation requires.
 * @throws ContractNotServed naming all that has no verifier, or cannot be verified
 */
export const requirementsOf = (
  operations: readonly Secured[],
  schemes: Contract['securitySchemes'],
  verifiers: Verifiers = {},
  hasStore = true
): RequirementOf => {
  const faults = new Set<string>()
  if (typeof verifiers === 'object')
    for (const name of Object.keys(verifiers))
      if (!Object.hasOwn(schemes, name))
        faults.add(`verifiers has ${name}, which is no security scheme of the contract`)
  const demandOf = (scheme: string, scopes: readonly string[], { operationId }: Secured): Demand[] => {
    const found = Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined
    const carrier = found && carrierOf(found)
    const verify = verifierOf(verifiers, scheme, found, scopes, hasStore)
    const fault =
      found === undefined || carrier === undefined
        ? `${operationId} requires the security scheme ${scheme}, which is ${found === undefined ? 'not declared' : `not implemented (${kindOf(found)})`}`
        : verify === undefined
          ? `there is no verifier for the security scheme ${scheme} (${kindOf(found)}), which ${operationId} requires; add ${scheme} to verifiers`
          : verify === storeKeys && (scopes.length > 0 || carrier.kind === 'basic')
            ? `${operationId} requires ${scopes.length > 0 ? `scopes of ${scheme}` : `user names (${scheme})`}, which the keys of the store do not have; add a verifier of your own for ${scheme}`
            : verify === storeKeys && !hasStore
              ? `${operationId} requires keys of the store (${scheme}), but there is no store; add store, or a verifier of your own`
              : undefined
    if (fault === undefined) return [{ scheme, carrier, verify, scopes } as Demand]
    faults.add(fault)
    return []
  }
  const requirements = new Map<Secured, Requirement>()
  const shared = new Map<string, Requirement>()
  for (const each of operations) {
    // Equal requirements share one function.
    const requirement = getOrMake(shared, JSON.stringify(each.security), () => ({
      alternatives: each.security
        .map(schemes => Object.entries(schemes).flatMap(([name, scopes]) => demandOf(name, scopes, each)))
        .filter(demands => demands.length > 0),
      isOptional: each.security.some(schemes => Object.keys(schemes).length === 0)
    }))
    requirements.set(each, requirement)
  }
  if (faults.size > 0) throw new ContractNotServed([...faults].join('; '))
  const elsewhere = anyOf([...requirements.values()])
  return operation => (operation === undefined ? elsewhere : (requirements.get(operation) as Requirement))
}

/** Only the issuer can say whom a bearer token identifies; by default that is the service itself. */
const verifierOf = (
  verifiers: Verifiers,
  name: string,
  scheme: SecurityScheme | undefined,
  scopes: readonly string[],
  hasStore: boolean
): Demand['verify'] | undefined => {
  if (typeof verifiers === 'function') return verifiers
  const own = Object.hasOwn(verifiers, name) ? verifiers[name] : undefined
  const isKey = scheme?.type === 'http' && scheme.scheme?.toLowerCase() === 'bearer' && scopes.length === 0 && hasStore
  return (own as Demand['verify'] | undefined) ?? (isKey ? storeKeys : undefined)
}

const kindOf = ({ type, scheme, in: place }: SecurityScheme) =>
  [type, scheme, place && `in: ${place}`].filter(Boolean).join(' ')

/** Whether a key of the store can fulfil the requirement. */
export const takesKeys = ({ alternatives }: Requirement): boolean =>
  alternatives.some(demands => demands.some(({ verify }) => verify === storeKeys))

/** Whether a key of the store as a bearer token is all that is required, and accepted. */
export const needsKeyOnly = ({ alternatives: [first, ...others], isOptional }: Requirement): boolean =>
  first?.length === 1 &&
  first[0]?.verify === storeKeys &&
  first[0].carrier.kind === 'bearer' &&
  others.length === 0 &&
  !isOptional

/** At URLs that are no operation's: what any operation requires, without scopes, so that they reveal nothing. */
const anyOf = (requirements: readonly Requirement[]): Requirement => {
  const alternatives = new Map<string, readonly Demand[]>()
  for (const demands of requirements.flatMap(each => each.alternatives)) {
    const key = JSON.stringify(demands.map(({ scheme }) => scheme).toSorted())
    if (!alternatives.has(key))
      alternatives.set(
        key,
        demands.map(each => ({ ...each, scopes: [] }))
      )
  }
  return { alternatives: [...alternatives.values()], isOptional: false }
}
