import bearerAuth from '@fastify/bearer-auth'
import type { FastifyError, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { apiKeyInvalid, apiKeyMissing } from '../errors.ts'
import type { KeyStore } from '../store/keys.ts'
import { digestOf, hideKeys, isApiKey, keyIdOf } from './api-key.ts'
import { type AnyOperation, type Contract, ContractNotServed } from './contract.ts'
import { hookRoutes } from './route-hooks.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the valid key that the request came with, for logs and metrics; those of `API_KEYS` begin with env: */
    keyId: string | undefined
    /** That of a key that has the form of one and is not valid: revoked, expired, or never issued. */
    refusedKeyId: string | undefined
  }
}

export interface KeyOptions {
  keys: KeyStore
  /** Keys that are valid beside those of the store, as text, and as long as the process runs. */
  apiKeys: readonly string[]
  /** Milliseconds since 1970. */
  now: () => number
}

export interface AuthOptions extends KeyOptions {
  /** What the keys are for (RFC 9110, section 11.5): letters, digits and hyphens. */
  realm: string
  contract: Pick<Contract, 'operations' | 'securitySchemes'>
  /** Responds to a request without a valid key, or while keys cannot be looked up. */
  refuse: (refusal: Error, request: FastifyRequest, reply: FastifyReply) => unknown
}

/** Lets through who has a valid key: on every route but OPTIONS and the operations that the contract leaves open. */
export const auth = fp(async (app, options: AuthOptions) => {
  refuseUnknownSecurity(Object.values(options.contract.operations), options.contract.securitySchemes)

  app.decorateRequest('keyId', undefined)
  app.decorateRequest('refusedKeyId', undefined)
  const challenge = `Bearer realm="${options.realm}"`
  // Always the same, and what an attacker gets most often.
  const [missing, invalid] = [apiKeyMissing(challenge), apiKeyInvalid(challenge)]
  const refuseInvalid = () => {
    throw invalid
  }
  const lookUpKey = createKeyLookup(options)
  await app.register(bearerAuth, {
    addHook: false,
    keys: [],
    // For `false` the plugin would make an error with a stack, which costs more than all else of a refusal.
    auth: (key, request) => {
      const id = isWhole(key, request.raw.headers.authorization) ? lookUpKey(key) : undefined
      if (!id) {
        if (isApiKey(key)) request.refusedKeyId = keyIdOf(digestOf(key))
        return Promise.resolve().then(refuseInvalid)
      }
      request.keyId = id
      return true
    },
    // Scheme names are case-insensitive (RFC 9110, section 11.1).
    specCompliance: 'rfc6749',
    verifyErrorLogLevel: 'debug'
  })

  const verify = app.verifyBearerAuth as onRequestHookHandler
  // What is refused is answered at once: the way of a thrown error costs half as much again.
  const verifyKey: onRequestHookHandler = (request, reply, done) =>
    verify.call(app, request, reply, found => {
      if (found === undefined) done()
      else options.refuse(isMissing(found) ? missing : found, request, reply)
    })
  hookRoutes(app, ({ method, config }) =>
    method === 'OPTIONS' || config?.operation?.security.length === 0 ? undefined : verifyKey
  )
})

/** Whether there is no key, or a credential of another scheme. */
const isMissing = ({ code }: Partial<FastifyError>) =>
  code === 'FST_BEARER_AUTH_MISSING_AUTHORIZATION_HEADER' || code === 'FST_BEARER_AUTH_INVALID_AUTHORIZATION_HEADER'

/**
 * Whether nothing but spaces parted the key from its scheme (RFC 9110, section 11.4): the plugin also takes away what
 * Unicode has for blanks, which are part of a header's value.
 */
const isWhole = (key: string, header = ''): boolean =>
  header.length === bearer.length + key.length ||
  (header.endsWith(key) && /^ *$/.test(header.slice(bearer.length, header.length - key.length)))

const bearer = 'Bearer '

/**
 * Finds out whose key a text is: its id, or nothing if it is no valid key. Nothing here has to take the same time for
 * every text: the checksum can be computed by anyone, and what is looked up is a digest, which nobody can approach
 * character by character. A key of another form can only be a configured one.
 */
export const createKeyLookup = ({ keys, apiKeys, now }: KeyOptions): ((text: string) => string | undefined) => {
  const configured = new Map(apiKeys.map(key => [digestOf(key), `env:${keyIdOf(digestOf(key))}`]))
  const hasOthers = !apiKeys.every(isApiKey)
  hideKeys(apiKeys)
  return text => {
    if (!isApiKey(text)) return hasOthers ? configured.get(digestOf(text)) : undefined
    const digest = digestOf(text)
    return configured.get(digest) ?? keys.use(digest, now())
  }
}

/**
 * A requirement that nothing here enforces would leave its operation open.
 * @throws ContractNotServed naming the first such operation
 */
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
      `${operationId} wants the security ${JSON.stringify(security)}, for which there is no implementation; one bearer scheme is implemented`
    )
  }
}
