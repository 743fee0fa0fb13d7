import bearerAuth from '@fastify/bearer-auth'
import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { operations, securitySchemes } from '../../generated/operations.ts'
import { digestOf, isApiKey } from '../api-key.ts'
import { apiKeyInvalid } from '../errors.ts'
import type { AnyOperation } from '../operations.ts'
import type { KeyStore } from '../store/keys.ts'
import { sendError } from './error-body.ts'

export interface AuthOptions {
  keys: KeyStore
  /** Keys that are valid beside those of the store, as text. */
  apiKeys: readonly string[]
}

/** Lets through who has a valid key: on every route but OPTIONS and the operations that the contract leaves open. */
export const auth = fp(async (app, { keys, apiKeys }: AuthOptions) => {
  refuseUnknownSecurity(Object.values<AnyOperation>(operations), securitySchemes)

  const configured = new Set(apiKeys.map(key => digestText(digestOf(key))))
  const isKnown = (digest: Uint8Array) =>
    (configured.size > 0 && configured.has(digestText(digest))) || keys.has(digest)
  await app.register(bearerAuth, {
    addHook: false,
    keys: [],
    // For `false` the plugin would make an error with a stack, which costs more than all else of a refusal.
    auth: key => (isApiKey(key) && isKnown(digestOf(key))) || Promise.resolve().then(refuse),
    // Scheme names are case-insensitive (RFC 9110, section 11.1).
    specCompliance: 'rfc6749',
    verifyErrorLogLevel: 'debug'
  })

  app.addHook('onRoute', route => {
    const operation = route.config?.operation
    if (route.method === 'OPTIONS' || operation?.security.length === 0) return
    route.onRequest = [keyVerifier(app, operation), ...[route.onRequest ?? []].flat()]
  })
})

/** Goes on with a valid key; any other is refused at once, since the way of a thrown error costs half as much again. */
export const keyVerifier = (app: FastifyInstance, operation?: AnyOperation): onRequestHookHandler => {
  const verify = app.verifyBearerAuth as onRequestHookHandler
  return (request, reply, done) =>
    verify.call(app, request, reply, refusal => {
      if (refusal === undefined) done()
      else sendError(refusal, request, reply, operation)
    })
}

const refuse = (): never => {
  throw apiKeyInvalid()
}

const digestText = (digest: Uint8Array) => Buffer.from(digest).toString('latin1')

type SecuritySchemes = Readonly<Record<string, { readonly type: string; readonly scheme?: string }>>

/**
 * A requirement that nothing here enforces would leave its operation open.
 * @throws Error naming the first such operation
 */
export const refuseUnknownSecurity = (
  entries: readonly Pick<AnyOperation, 'operationId' | 'security'>[],
  schemes: SecuritySchemes
): void => {
  for (const { operationId, security } of entries) {
    const names = security.flat()
    const scheme = schemes[names[0] ?? '']
    const isBearer = names.length === 1 && scheme?.type === 'http' && scheme.scheme?.toLowerCase() === 'bearer'
    if (security.length === 0 || (security.length === 1 && isBearer)) continue
    throw new Error(
      `${operationId} wants the security ${JSON.stringify(security)}, for which there is no implementation; one bearer scheme is implemented`
    )
  }
}
