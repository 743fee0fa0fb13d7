import bearerAuth from '@fastify/bearer-auth'
import type { FastifyError, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { apiKeyInvalid, apiKeyMissing } from '../errors.ts'
import type { KeyStore } from '../store/keys.ts'
import { keyIdOf } from './api-key.ts'
import { type AnyOperation, type Contract, ContractNotServed } from './contract.ts'
import { type Credential, keptCredentials } from './credentials.ts'
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
 * Requires a valid key on every route except OPTIONS and the operations without security in the contract; on none if no
 * operation has security. The plugin reads each `Authorization` header once; while what it comes to is kept, only the
 * validity of its key is judged, without the plugin's promises: a tenth of a get.
 */
export const auth = fp(async (app, options: AuthOptions) => {
  const { contract, realm, keys, now, refuse } = options
  refuseUnknownSecurity(Object.values(contract.operations), contract.securitySchemes)

  app.decorateRequest('keyId', undefined)
  app.decorateRequest('refusedKeyId', undefined)
  const challenge = `Bearer realm="${realm}"`
  // Made once: what attackers get most often.
  const [missing, invalid] = [apiKeyMissing(challenge), apiKeyInvalid(challenge)]
  const credentials = keptCredentials(options)
  const isValid = (credential: Credential, request: FastifyRequest): boolean | Promise<boolean> => {
    const judge = (id: string | undefined) => {
      if (id) request.keyId = id
      else if (credential.digest !== undefined) request.refusedKeyId = keyIdOf(credential.digest)
      return Boolean(id)
    }
    const id = useOf(credential, keys, now)
    return id instanceof Promise ? id.then(judge) : judge(id)
  }
  await app.register(bearerAuth, {
    addHook: false,
    keys: [],
    auth: async (key, request) => {
      if (await isValid(credentials.read(key, request.raw.headers.authorization), request)) return true
      // For `false` the plugin would make an error with a stack trace, most of the cost of a rejection.
      throw invalid
    },
    // Scheme names are case-insensitive (RFC 9110, section 11.1).
    specCompliance: 'rfc6749',
    verifyErrorLogLevel: 'debug'
  })

  const verify = app.verifyBearerAuth as onRequestHookHandler
  const verifyKey: onRequestHookHandler = (request, reply, done) => {
    const fail = (error: unknown) => refuse(error, request, reply)
    const header = request.raw.headers.authorization
    const known = credentials.kept(header)
    if (known === undefined)
      return verify.call(app, request, reply, error => {
        if (error !== undefined && isMissing(error)) return fail(missing)
        // Not before: a later request would overtake this one.
        credentials.keep(header)
        if (error === undefined) done()
        else fail(error)
      })
    const settle = (isValid: boolean) => (isValid ? done() : fail(invalid))
    let judged: ReturnType<typeof isValid>
    try {
      judged = isValid(known, request)
    } catch (error) {
      return fail(error)
    }
    if (judged instanceof Promise) judged.then(settle, fail)
    else settle(judged)
  }
  // Where nothing requires a key, there is none to ask for at an unknown URL.
  if (Object.values(contract.operations).every(({ security }) => security.length === 0)) return
  hookRoutes(app, ({ method, config }) =>
    method === 'OPTIONS' || config?.operation?.security.length === 0 ? undefined : verifyKey
  )
})

/** Whether there is no key, or credentials of another scheme. */
const isMissing = ({ code }: Partial<FastifyError>) =>
  code === 'FST_BEARER_AUTH_MISSING_AUTHORIZATION_HEADER' || code === 'FST_BEARER_AUTH_INVALID_AUTHORIZATION_HEADER'

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
