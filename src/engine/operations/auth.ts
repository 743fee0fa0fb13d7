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
  refuse: (refusal: Error, request: FastifyRequest, reply: FastifyReply) => unknown
}

/** Requires a valid key on every route except OPTIONS and the operations without security in the contract. */
export const auth = fp(async (app, options: AuthOptions) => {
  refuseUnknownSecurity(Object.values(options.contract.operations), options.contract.securitySchemes)

  app.decorateRequest('keyId', undefined)
  app.decorateRequest('refusedKeyId', undefined)
  const challenge = `Bearer realm="${options.realm}"`
  // Made once: what attackers get most often.
  const [missing, invalid] = [apiKeyMissing(challenge), apiKeyInvalid(challenge)]
  const refuseInvalid = () => {
    throw invalid
  }
  const lookUpKey = createKeyLookup(options)
  const judge = (id: string | undefined, key: string, request: FastifyRequest) => {
    if (!id) {
      if (isApiKey(key)) request.refusedKeyId = keyIdOf(digestOf(key))
      return Promise.resolve().then(refuseInvalid)
    }
    request.keyId = id
    return true
  }
  await app.register(bearerAuth, {
    addHook: false,
    keys: [],
    // For `false` the plugin would make an error with a stack trace, most of the cost of a rejection.
    auth: (key, request) => {
      const id = isWhole(key, request.raw.headers.authorization) ? lookUpKey(key) : undefined
      return id instanceof Promise ? id.then(found => judge(found, key, request)) : judge(id, key, request)
    },
    // Scheme names are case-insensitive (RFC 9110, section 11.1).
    specCompliance: 'rfc6749',
    verifyErrorLogLevel: 'debug'
  })

  const verify = app.verifyBearerAuth as onRequestHookHandler
  // Responds at once: throwing would cost half as much again.
  const verifyKey: onRequestHookHandler = (request, reply, done) =>
    verify.call(app, request, reply, found => {
      if (found === undefined) done()
      else options.refuse(isMissing(found) ? missing : found, request, reply)
    })
  hookRoutes(app, ({ method, config }) =>
    method === 'OPTIONS' || config?.operation?.security.length === 0 ? undefined : verifyKey
  )
})

/** Whether there is no key, or credentials of another scheme. */
const isMissing = ({ code }: Partial<FastifyError>) =>
  code === 'FST_BEARER_AUTH_MISSING_AUTHORIZATION_HEADER' || code === 'FST_BEARER_AUTH_INVALID_AUTHORIZATION_HEADER'

/**
 * Whether only spaces separate key and scheme (RFC 9110, section 11.4): the plugin also trims Unicode blanks, which are
 * part of a header's value.
 */
const isWhole = (key: string, header = ''): boolean =>
  header.length === bearer.length + key.length ||
  (header.endsWith(key) && /^ *$/.test(header.slice(bearer.length, header.length - key.length)))

const bearer = 'Bearer '

/**
 * Looks up the id of a key; `undefined` if it is not valid. No constant time is needed: anyone can compute the checksum,
 * and a digest cannot be guessed character by character. A key of another form can only be a configured one.
 */
export const createKeyLookup = ({
  keys,
  apiKeys,
  now
}: KeyOptions): ((text: string) => ReturnType<KeyStore['use']>) => {
  const configured = new Map(apiKeys.map(key => [digestOf(key), `env:${keyIdOf(digestOf(key))}`]))
  const hasOthers = !apiKeys.every(isApiKey)
  hideKeys(apiKeys)
  return text => {
    if (!isApiKey(text)) return hasOthers ? configured.get(digestOf(text)) : undefined
    const digest = digestOf(text)
    return configured.get(digest) ?? keys.use(digest, now())
  }
}

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
