import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { apiKeyInvalid, apiKeyMissing } from '../errors.ts'
import type { KeyStore } from '../store/keys.ts'
import { keyIdOf } from './api-key.ts'
import { type AnyOperation, type Contract, ContractNotServed } from './contract.ts'
import { type Credential, credentialReader } from './credentials.ts'
import { hookRoutes } from './route-hooks.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the request's valid key, for logs and metrics; ids of keys in `API_KEYS` begin with `env:`. */
    keyId: string | undefined
    /** The id of a well-formed key that is not valid: revoked, expired, or never issued. */
    refusedKeyId: string | undefined
  }
}

export interface KeyOptions {
  keys: KeyStore
  /** Further keys, as text, valid as long as the process runs. */
  apiKeys: readonly string[]
  /** Milliseconds since 1970. */
  now: () => number
}

export interface AuthOptions extends KeyOptions {
  /** What the keys are for (RFC 9110, section 11.5): letters, digits and hyphens. */
  realm: string
  contract: Pick<Contract, 'operations' | 'securitySchemes'>
  /** Responds to a request without a valid key, or while keys cannot be looked up. */
  refuse: (refusal: unknown, request: FastifyRequest, reply: FastifyReply) => unknown
}

/**
 * Requires a valid key on every route except OPTIONS and the operations without security in the contract. (With
 * `@fastify/bearer-auth` every request waits for promises, and one without a key makes an error with a stack trace: a
 * fifth of what rejecting a key costs, without the socket.)
 */
export const auth = fp(async (app, options: AuthOptions) => {
  const { contract, realm, keys, now, refuse } = options
  refuseUnknownSecurity(Object.values(contract.operations), contract.securitySchemes)

  app.decorateRequest('keyId', undefined)
  app.decorateRequest('refusedKeyId', undefined)
  const challenge = `Bearer realm="${realm}"`
  // Made once: what attackers get most often.
  const [missing, invalid] = [apiKeyMissing(challenge), apiKeyInvalid(challenge)]
  const credentialOf = credentialReader(options)
  const verifyKey: onRequestHookHandler = (request, reply, done) => {
    const credential = credentialOf(request.raw.headers.authorization)
    if (credential === undefined) return refuse(missing, request, reply)
    const judge = (id: string | undefined) => {
      if (id) {
        request.keyId = id
        return done()
      }
      if (credential.digest !== undefined) request.refusedKeyId = keyIdOf(credential.digest)
      refuse(invalid, request, reply)
    }
    let id: ReturnType<KeyStore['use']>
    try {
      id = useOf(credential, keys, now)
    } catch (error) {
      return refuse(error, request, reply)
    }
    if (id instanceof Promise) id.then(judge, error => refuse(error, request, reply))
    else judge(id)
  }
  hookRoutes(app, ({ method, config }) =>
    method === 'OPTIONS' || config?.operation?.security.length === 0 ? undefined : verifyKey
  )
})

/** The id of the key, if it is valid now. */
const useOf = ({ configuredId, digest }: Credential, keys: KeyStore, now: () => number): ReturnType<KeyStore['use']> =>
  configuredId ?? (digest === undefined ? undefined : keys.use(digest, now()))

/** @throws ContractNotServed naming the first operation with a security requirement that is not implemented */
export const refuseUnknownSecurity = (
  entries: readonly Pick<AnyOperation, 'operationId' | 'security'>[],
  schemes: Contract['securitySchemes']
): void => {
  for (const { operationId, security } of entries) {
    const names = security.flat()
    const scheme = schemes[names[0] ?? '']
    const isBearer = names.length === 1 && scheme?.type === 'http' && scheme.scheme?.toLowerCase() === 'bearer'
    if (security.length === 0 || (security.length === 1 && isBearer)) continue
    throw new ContractNotServed(
      `${operationId} requires the security ${JSON.stringify(security)}, which is not implemented; one bearer scheme is`
    )
  }
}
