import { ConfigError } from '../config-error.ts'
import type { Principal } from './principal.ts'
import type { BearerCredential } from './security-schemes.ts'
import { VerifierUnavailable, type Verify } from './verifiers.ts'

/** What a token says. Not the library's type: it need not be installed. */
type Claims = Readonly<Record<string, unknown>>

/** Whose tokens are valid here, and how they are verified. */
export interface JwtVerifierOptions {
  /** What `iss` must be. */
  issuer: string
  /** What `aud` must be, or contain: the name of this service. A token for another one is not valid here. */
  audience: string | string[]
  /** Where the issuer publishes its keys (RFC 7517), with https except on this machine. They may change at any time. */
  jwksUrl?: string
  /** The issuer's keys themselves, where it publishes none. */
  jwks?: { keys: Record<string, unknown>[] }
  /** Signature algorithms; default: those with a public key. */
  algorithms?: string[]
  /** By how many seconds clocks may differ; default: 5. */
  clockToleranceSeconds?: number
  /** How long to wait for the issuer's keys, in milliseconds; default: 5,000. */
  timeoutMs?: number
  /** Who the token is about, `undefined` if nobody; default: `sub` with the scopes in `scope` or `scp`. */
  principal?: (claims: Claims) => Principal | undefined
}

// With a shared secret, whoever can verify a token could also make one.
const publicKeyAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'].concat([
  'EdDSA',
  'Ed25519'
])

/**
 * Verifies bearer tokens that are JWTs (RFC 7519) by signature, issuer, audience and expiry, which they must have. The
 * package `jose` has to be installed; the start loads it.
 * @throws ConfigError if there are no keys, or they would come over a connection that anyone can change
 */
export const jwtVerifier = (options: JwtVerifierOptions): Verify<BearerCredential> => {
  const { principal = principalOf } = options
  refuseFaulty(options)
  let loaded: Promise<(token: string) => Promise<Claims | undefined>> | undefined
  const load = () => (loaded ??= tokenReader(options))
  const verify: Verify<BearerCredential> = async (_scheme, { token }) => {
    const claims = await (await load())(token)
    return claims && principal(claims)
  }
  return Object.assign(verify, { prepare: async () => void (await load()) })
}

const refuseFaulty = ({ issuer, audience, jwksUrl, jwks }: JwtVerifierOptions) => {
  const fault = (what: string) => new ConfigError([`jwtVerifier ${what}.`])
  // jose would not check what it is not given.
  if (!issuer || audience.length === 0 || [audience].flat().includes('')) throw fault('needs issuer and audience')
  if ((jwksUrl === undefined) === (jwks === undefined)) throw fault('needs either jwksUrl or jwks')
  if (jwksUrl !== undefined && !isSafe(jwksUrl))
    throw fault(`needs a jwksUrl with https, or on this machine, not ${jwksUrl}`)
}

const isSafe = (text: string) => {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname))
}

/** Reads the claims of a token; `undefined` if it is not valid. */
const tokenReader = async (options: JwtVerifierOptions) => {
  const { issuer, audience, jwksUrl, jwks, algorithms = publicKeyAlgorithms } = options
  const jose = await import('jose').catch((cause: Error) => {
    throw new ConfigError([`jwtVerifier needs the package jose: npm install jose (${cause.message}).`])
  })
  const keys =
    jwksUrl === undefined
      ? jose.createLocalJWKSet(jwks as never)
      : jose.createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: options.timeoutMs ?? 5_000 })
  const checks = {
    issuer,
    audience,
    algorithms,
    clockTolerance: options.clockToleranceSeconds ?? 5,
    requiredClaims: ['exp']
  }
  return async (token: string): Promise<Claims | undefined> => {
    try {
      return (await jose.jwtVerify(token, keys, checks)).payload
    } catch (error) {
      if (isOfToken((error as { code?: string }).code)) return undefined
      // What is wrong with the issuer, or the way to it.
      throw new VerifierUnavailable(`the keys of ${issuer} cannot be read`, { cause: error })
    }
  }
}

/** Whether it is the token that is not valid. */
const isOfToken = (code = '') =>
  /^ERR_(?:JWT|JWS|JOSE_ALG_NOT_ALLOWED|JOSE_NOT_SUPPORTED|JWKS_NO_MATCHING_KEY|JWKS_MULTIPLE_MATCHING_KEYS)/.test(
    code
  ) &&
  code !== 'ERR_JWKS_INVALID' &&
  code !== 'ERR_JWKS_TIMEOUT'

const principalOf = (claims: Claims): Principal | undefined => {
  const { sub, scope, scp } = claims
  if (typeof sub !== 'string' || sub === '') return undefined
  const granted = scope ?? scp
  const scopes = Array.isArray(granted) ? granted.map(String) : String(granted ?? '').split(' ')
  return { id: sub, scopes: scopes.filter(each => each !== '') }
}
