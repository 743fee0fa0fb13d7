import bearerAuth from '@fastify/bearer-auth'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { keyIdOf } from '../api-keys/api-key.ts'
import { apiKeyInvalid, apiKeyMissing } from '../errors/api-error.ts'
import type { KeyStore } from '../store/keys.ts'
import type { Authenticated } from './clients.ts'
import { type Credential, type Credentials, keptCredentials } from './credentials.ts'

export interface KeyOptions {
  keys: Pick<KeyStore, 'use'>
  /** Further keys, as text, valid as long as the process runs. */
  apiKeys: readonly string[]
  /** Milliseconds since 1970. Default: the store's clock. */
  now?: (() => number) | undefined
}

/** Responds to a request that has no valid credential, or whose credentials cannot be judged now. */
export type Refuse = (refusal: unknown, request: FastifyRequest, reply: FastifyReply) => unknown

/** Judges the keys of the store, and those that are configured. */
export class StoreKeys {
  readonly #options: KeyOptions
  readonly #credentials: Credentials

  constructor(options: KeyOptions) {
    this.#options = options
    this.#credentials = keptCredentials(options)
  }

  /** The id of a key from any place, if it is valid now. */
  async idOf(key: string, request: FastifyRequest): Promise<string | undefined> {
    const credential = this.#credentials.readKey(key)
    return noted(await useOf(credential, this.#options), credential, request)
  }

  /**
   * A hook for routes that require only a key as a bearer token. The plugin reads each `Authorization` header once; while
   * its credential is kept, only the key's validity is judged, without the plugin's promises, which saves a tenth of a get.
   */
  async bearerHook(
    app: FastifyInstance,
    realm: string,
    refuse: Refuse,
    authenticated: Authenticated | undefined
  ): Promise<onRequestHookHandler> {
    const credentials = this.#credentials
    const challenge = `Bearer realm="${realm}"`
    // Made once, since attackers get them most often.
    const [missing, invalid] = [apiKeyMissing(challenge), apiKeyInvalid(challenge)]
    await app.register(bearerAuth, {
      addHook: false,
      keys: [],
      auth: async (key, request) => {
        if (await this.#judge(credentials.read(key, request.raw.headers.authorization), request)) return true
        // For `false` the plugin would make an error with a stack trace, most of the cost of a rejection.
        throw invalid
      },
      // Scheme names are case-insensitive (RFC 9110, section 11.1).
      specCompliance: 'rfc6749',
      verifyErrorLogLevel: 'debug'
    })
    const verifyBearerAuth = app.verifyBearerAuth as onRequestHookHandler
    const verify: onRequestHookHandler = (request, reply, done) => {
      const header = request.raw.headers.authorization
      verifyBearerAuth.call(app, request, reply, error => {
        if (error !== undefined && isMissing(error)) return refuse(missing, request, reply)
        // Not earlier: a later request would overtake this one.
        credentials.keep(header)
        if (error !== undefined) return refuse(error, request, reply)
        authenticated?.remember(request)
        done()
      })
    }
    return (request, reply, done) => {
      const known = credentials.kept(request.raw.headers.authorization)
      if (known === undefined) return verify.call(app, request, reply, done)
      let judged: boolean | Promise<boolean>
      try {
        judged = this.#judge(known, request)
      } catch (error) {
        return refuse(error, request, reply)
      }
      if (judged === true) done()
      else if (judged === false) refuse(invalid, request, reply)
      else
        judged.then(
          isValid => (isValid ? done() : refuse(invalid, request, reply)),
          error => refuse(error, request, reply)
        )
    }
  }

  #judge(credential: Credential, request: FastifyRequest): boolean | Promise<boolean> {
    const id = useOf(credential, this.#options)
    return id instanceof Promise ? id.then(id => isKnown(id, credential, request)) : isKnown(id, credential, request)
  }
}

/** Whether the key is valid; then the request has its id. */
const isKnown = (id: string | undefined, credential: Credential, request: FastifyRequest): boolean => {
  request.keyId = noted(id, credential, request)
  return request.keyId !== undefined
}

/** The id of a valid key; that of an invalid one is kept for the log. */
const noted = (id: string | undefined, { digest }: Credential, request: FastifyRequest): string | undefined => {
  if (id) return id
  if (digest !== undefined) request.refusedKeyId = keyIdOf(digest)
  return undefined
}

/** Whether there is no key, or credentials of another scheme. */
const isMissing = ({ code }: Partial<FastifyError>) =>
  code === 'FST_BEARER_AUTH_MISSING_AUTHORIZATION_HEADER' || code === 'FST_BEARER_AUTH_INVALID_AUTHORIZATION_HEADER'

/** The id of the key, if it is valid now. */
const useOf = ({ configuredId, digest }: Credential, { keys, now }: KeyOptions): ReturnType<KeyStore['use']> =>
  configuredId ?? (digest === undefined ? undefined : keys.use(digest, now?.()))
