import { shortened } from '../api-keys/hidden-keys.ts'
import { ConfigError } from '../errors/config-error.ts'
import type { Principal } from './principal.ts'
import type { BearerCredential } from './security-schemes.ts'
import { InvalidCredential, VerifierUnavailable, type Verify } from './verifiers.ts'

/** A token's claims. Not the type of `jose`, which need not be installed. */
type Claims = Readonly<Record<string, unknown>>

/** Whose tokens are valid here, and how they are verified. */
export interface JwtVerifierOptions {
  /** What `iss` must be. */
  issuer: string
  /** What `aud` must be, or contain: the name of this service. A token for another one is not valid here. */
  audience: string | string[]
  /** Where the issuer publishes its keys (RFC 7517), with https except on this machine. They may change at any time. */
  jwksUrl?: string
  /** The issuer's keys themselves, if it does not publish them. */
  jwks?: { keys: Record<string, unknown>[] }
  /** Signature algorithms. Default: all that use a public key. */
  algorithms?: string[]
  /** By how many seconds clocks may differ; default: 5. */
  clockToleranceSeconds?: number
  /** How long to wait for the issuer's keys, in milliseconds; default: 5,000. */
  timeoutMs?: number
  /** Whom the token identifies, `undefined` if nobody. Default: `sub`, with the scopes in `scope` or `scp`. */
  principal?: (claims: Claims) => Principal | undefined
}

// No shared secrets: whoever can verify a token could also make one.
const publicKeyAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'].concat([
  'EdDSA',
  'Ed25519'
])

/**
 * Verifies bearer tokens that are JWTs (RFC 7519) by signature, issuer, audience and expiry, all of which are required. The log
 * says why one is not valid. The package `jose` has to be installed; it is loaded at the start.
 * @throws ConfigError if there are no keys for the algorithms, or they would be fetched over plain HTTP
 */
export const jwtVerifier = (options: JwtVerifierOptions): Verify<BearerCredential> => {
  const { principal = principalOf } = options
  refuseFaulty(options)
  let loaded: Promise<(token: string) => Promise<Claims>> | undefined
  const load = () => (loaded ??= tokenReader(options))
  const verify: Verify<BearerCredential> = async (_scheme, { token }) => {
    const client = principal(await (await load())(token))
    if (client === undefined) throw new InvalidCredential('its claims name nobody')
    return client
  }
  return Object.assign(verify, { prepare: async () => void (await load()) })
}

const refuseFaulty = ({ issuer, audience, jwksUrl, jwks, algorithms = publicKeyAlgorithms }: JwtVerifierOptions) => {
  const fault = (what: string) => new ConfigError([`jwtVerifier ${what}.`])
  // jose skips checks for which it is given no value.
  if (!issuer || audience.length === 0 || [audience].flat().includes('')) throw fault('needs issuer and audience')
  if ((jwksUrl === undefined) === (jwks === undefined)) throw fault('needs either jwksUrl or jwks')
  if (jwksUrl !== undefined && !isSafe(jwksUrl))
    throw fault(`needs a jwksUrl with https, or on this machine, not ${jwksUrl}`)
  const wrong = algorithms.filter(each => !publicKeyAlgorithms.includes(each))
  if (algorithms.length === 0 || wrong.length > 0)
    throw fault(
      `verifies signatures with public keys only: algorithms must be of ${publicKeyAlgorithms.join(', ')}, not ${wrong.join(', ') || 'none'}`
    )
  if (jwks !== undefined && !jwks.keys.some(key => algorithmsOf(key).some(each => algorithms.includes(each))))
    throw fault(
      `has no key in jwks for ${algorithms.join(', ')}: it needs public keys (RSA, EC or OKP) for signatures, not ${jwks.keys.map(nameOf).join(', ') || 'none'}`
    )
}

/** Which of the algorithms a key (RFC 7517) verifies. */
const algorithmsOf = ({ kty, crv, alg, use, key_ops, d }: Record<string, unknown>): string[] => {
  if ((use ?? 'sig') !== 'sig' || (Array.isArray(key_ops) && !key_ops.includes('verify')) || d !== undefined) return []
  const ofType =
    kty === 'RSA'
      ? publicKeyAlgorithms.filter(each => /^[RP]S/.test(each))
      : kty === 'EC'
        ? (ellipticAlgorithms[String(crv)] ?? [])
        : kty === 'OKP' && crv === 'Ed25519'
          ? ['EdDSA', 'Ed25519']
          : []
  return alg === undefined ? ofType : ofType.filter(each => each === alg)
}

const ellipticAlgorithms: Readonly<Record<string, string[]>> = {
  'P-256': ['ES256'],
  'P-384': ['ES384'],
  'P-521': ['ES512']
}

/** Without what must stay secret. */
const nameOf = ({ kty, crv, alg, use, d }: Record<string, unknown>) =>
  [kty, crv, alg, use, d && 'private'].filter(Boolean).join(' ')

const isSafe = (text: string) => {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname))
}

/** Reads the claims of a token. @throws InvalidCredential */
const tokenReader = async (options: JwtVerifierOptions) => {
  const { issuer, audience, jwksUrl, jwks, algorithms = publicKeyAlgorithms } = options
  const jose = await import('jose').catch((cause: Error) => {
    throw new ConfigError([`jwtVerifier needs the package jose: npm install jose (${cause.message}).`])
  })
  for (const [index, key] of (jwks?.keys ?? []).entries()) {
    const [algorithm] = algorithmsOf(key)
    // At the start: later, every token would get a 503.
    const unreadable = (cause: Error) => {
      throw new ConfigError([
        `jwtVerifier cannot read key number ${index + 1} of jwks, ${nameOf(key)}: ${cause.message}.`
      ])
    }
    if (algorithm !== undefined) await jose.importJWK(key, algorithm).catch(unreadable)
  }
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
  return async (token: string): Promise<Claims> => {
    try {
      return (await jose.jwtVerify(token, keys, checks)).payload
    } catch (error) {
      if (isOfToken((error as JoseError).code)) throw new InvalidCredential(reasonOf(error as JoseError, token))
      // Anything else is wrong with the issuer or the connection to it.
      throw new VerifierUnavailable(`the keys of ${issuer} cannot be read`, { cause: error })
    }
  }
}

/** Whether the token itself is not valid. */
const isOfToken = (code = '') =>
  /^ERR_(?:JWT|JWS|JOSE_ALG_NOT_ALLOWED|JOSE_NOT_SUPPORTED|JWKS_NO_MATCHING_KEY|JWKS_MULTIPLE_MATCHING_KEYS)/.test(
    code
  ) &&
  code !== 'ERR_JWKS_INVALID' &&
  code !== 'ERR_JWKS_TIMEOUT'

interface JoseError extends Error {
  code?: string
  claim?: string
  reason?: string
}

/** Why a token is not valid, for operators. */
const reasonOf = ({ code, claim = '', reason, message }: JoseError, token: string): string => {
  if (code === 'ERR_JWT_EXPIRED') return 'it has expired (exp)'
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED')
    return reason === 'missing' ? `it has no ${claim}` : (claimFaults[claim] ?? `its ${claim} is not valid`)
  if (code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED') return 'its signature is not valid'
  if (code === 'ERR_JWKS_NO_MATCHING_KEY') return `the issuer has no key for ${headOf(token)}`
  if (code === 'ERR_JWKS_MULTIPLE_MATCHING_KEYS') return `the issuer has several keys for ${headOf(token)}`
  if (code === 'ERR_JOSE_ALG_NOT_ALLOWED') return `its algorithm is not allowed: ${headOf(token)}`
  return `it is not a readable JWT: ${message}`
}

const claimFaults: Readonly<Record<string, string>> = {
  iss: 'it is from another issuer (iss)',
  aud: 'it is for another audience (aud)',
  nbf: 'it is not valid yet (nbf)'
}

/** What the header of a token says about its key. */
const headOf = (token: string): string => {
  const { alg, kid } = JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString()) as Claims
  return shortened(`alg ${alg}, kid ${kid}`)
}

const principalOf = (claims: Claims): Principal | undefined => {
  const { sub, scope, scp } = claims
  if (typeof sub !== 'string' || sub === '') return undefined
  const granted = scope ?? scp
  const scopes = Array.isArray(granted) ? granted.map(String) : String(granted ?? '').split(' ')
  return { id: sub, scopes: scopes.filter(each => each !== '') }
}
