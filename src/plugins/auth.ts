import bearerAuth from '@fastify/bearer-auth'
import type { onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { operations, securitySchemes } from '../../generated/operations.ts'
import { digestOf, isApiKey } from '../api-key.ts'
import type { AnyOperation } from '../operations.ts'
import type { KeyStore } from '../store/keys.ts'

export interface AuthOptions {
  keys: KeyStore
  /** Keys that are valid beside those of the store, as text. */
  apiKeys: readonly string[]
}

/** Lets through who has a valid key, as each operation's contract wants it; unknown addresses want one too. */
export const auth = fp(async (app, { keys, apiKeys }: AuthOptions) => {
  const configured = new Set(apiKeys.map(key => digestText(digestOf(key))))
  const isValid = (key: string) => {
    if (!isApiKey(key)) return false
    const digest = digestOf(key)
    return configured.has(digestText(digest)) || keys.has(digest)
  }
  await app.register(bearerAuth, {
    addHook: false,
    keys: [],
    auth: isValid,
    // Scheme names are case-insensitive (RFC 9110, section 11.1).
    specCompliance: 'rfc6749',
    verifyErrorLogLevel: 'debug'
  })
  for (const operation of Object.values<AnyOperation>(operations)) refuseUnknownSecurity(operation)

  const verify = app.verifyBearerAuth as onRequestHookHandler
  app.addHook('onRequest', function (request, reply, done) {
    const { operation } = request.routeOptions.config
    if (request.method === 'OPTIONS' || operation?.security.length === 0) done()
    else verify.call(this, request, reply, done)
  })
})

const digestText = (digest: Uint8Array) => Buffer.from(digest).toString('latin1')

/** A requirement that nothing here enforces would leave the operation open. */
const refuseUnknownSecurity = ({ operationId, security }: AnyOperation) => {
  if (security.length === 0) return
  const names = security.flat()
  const schemes: Record<string, { type: string; scheme?: string }> = securitySchemes
  const scheme = schemes[names[0] ?? '']
  if (security.length === 1 && names.length === 1 && scheme?.type === 'http' && scheme.scheme === 'bearer') return
  throw new Error(
    `${operationId} wants the security ${JSON.stringify(security)}, for which there is no implementation; one bearer scheme is implemented`
  )
}
