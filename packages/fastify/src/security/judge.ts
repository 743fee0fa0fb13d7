import { inspect } from 'node:util'
import type { FastifyRequest } from 'fastify'
import { ApiError, credentialsInvalid, credentialsMissing, insufficientScope } from '../errors/api-error.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { Principal } from './principal.ts'
import { type Credential, malformed, secretsOf } from './security-schemes.ts'
import type { StoreKeys } from './store-keys.ts'
import { type Demand, InvalidCredential, type Requirement, VerifierUnavailable } from './verifiers.ts'

/** Who sends a request, by security scheme, in the order of the contract. */
export type Principals = Readonly<Record<string, Principal>>

/** Who sends a request, `undefined` if nobody needs to. @throws ApiError, or what a verifier threw, without credentials */
export type Judge = (request: FastifyRequest) => Promise<Principals | undefined>

/**
 * Judges requests by what an operation requires. Alternatives are tried in the contract's order. A credential that is not
 * valid is rejected even where none is required: its sender believes they are authenticated.
 */
export const judgeOf = ({ alternatives, isOptional }: Requirement, realm: string, keys: StoreKeys): Judge => {
  const challengeWith = (invalid: ReadonlySet<string>) => {
    const challenges = alternatives.flat().map(({ scheme, carrier, scopes }) =>
      // RFC 6750, section 3.1: no error for a request without a token.
      carrier.challenge(realm, scopes, invalid.has(scheme) ? 'invalid_token' : undefined)
    )
    return [...new Set(challenges)].join(', ')
  }
  const words = alternatives.map(demands => demands.map(({ carrier }) => carrier.words).join(' together with '))
  const missing = credentialsMissing([...new Set(words)].join(', or '), challengeWith(new Set()))

  return async request => {
    const invalid = new Set<string>()
    const reasons: string[] = []
    let isAnySent = false
    let refusal: ApiError | undefined
    for (const demands of alternatives) {
      const credentials = demands.map(({ carrier }) => carrier.read(request))
      isAnySent ||= credentials.some(each => each !== undefined)
      if (credentials.includes(undefined)) continue
      const principals: [string, Principal][] = []
      for (const [index, demand] of demands.entries()) {
        const credential = credentials[index] as Credential | typeof malformed
        const principal =
          credential === malformed
            ? new InvalidCredential('it is malformed')
            : await verdictOf(demand, credential, request, keys)
        if (principal === undefined || principal instanceof InvalidCredential) {
          invalid.add(demand.scheme)
          if (principal !== undefined) reasons.push(`${demand.scheme}: ${principal.message}`)
        } else if (!hasScopes(principal, demand)) refusal ??= insufficient(demand, realm)
        else principals.push([demand.scheme, principal])
      }
      if (principals.length === demands.length) return Object.fromEntries(principals)
    }
    if (refusal !== undefined) throw refusal
    if (invalid.size > 0) {
      request.refusedBecause = reasons.length === 0 ? undefined : [...new Set(reasons)].join('; ')
      throw credentialsInvalid(challengeWith(invalid))
    }
    if (isAnySent || !isOptional) throw missing
    return undefined
  }
}

const hasScopes = ({ scopes = [] }: Principal, demand: Demand) => demand.scopes.every(each => scopes.includes(each))

const insufficient = ({ scopes, carrier }: Demand, realm: string) =>
  insufficientScope(
    scopes,
    carrier.kind === 'bearer' ? carrier.challenge(realm, scopes, 'insufficient_scope') : undefined
  )

const verdictOf = async (
  { scheme, verify, scopes }: Demand,
  credential: Credential,
  request: FastifyRequest,
  keys: StoreKeys
): Promise<Principal | InvalidCredential | undefined> => {
  if (typeof verify !== 'function') {
    const key = credential.type === 'bearer' ? credential.token : credential.type === 'apiKey' ? credential.key : ''
    const id = await keys.idOf(key, request)
    return id === undefined ? undefined : { id }
  }
  const secrets = secretsOf(credential)
  try {
    const verdict: unknown = await verify(scheme, credential, scopes, request.server.withLog?.(request) ?? request)
    // In JavaScript, databases and libraries return null or false for what they do not find.
    if (!verdict) return undefined
    if (isPrincipal(verdict) && !secrets.includes(verdict.id)) return verdict
  } catch (error) {
    const hidden = withoutSecrets(error, secrets)
    if (error instanceof InvalidCredential) return new InvalidCredential(hidden.message)
    throw hidden
  }
  throw new Error(
    `the verifier of ${scheme} must return undefined, or a principal whose id is a text, such as String(id), and not the credential`
  )
}

const isPrincipal = (verdict: unknown): verdict is Principal =>
  typeof verdict === 'object' &&
  verdict !== null &&
  typeof (verdict as Principal).id === 'string' &&
  (verdict as Principal).id !== ''

/** What a verifier threw may quote the credential, and ends up in the log. An ApiError that is no error is not sent. */
const withoutSecrets = (error: unknown, secrets: readonly string[]): Error => {
  // The longest first, since others may be parts of it.
  const ordered = secrets.toSorted((a, b) => b.length - a.length)
  const hidden = (text: string) => ordered.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
  const message = hidden(error instanceof Error ? error.message : String(error))
  if (error instanceof ApiError && error.status >= 400)
    return new ApiError(error.status, hidden(error.code), message, error.headers)
  const copy =
    error instanceof StoreUnavailable
      ? new StoreUnavailable(message)
      : error instanceof VerifierUnavailable
        ? new VerifierUnavailable(message)
        : new Error(message)
  copy.stack = hidden(inspect(error))
  return copy
}
