import type { FastifyRequest } from 'fastify'
import type { SecurityScheme } from '../contract/contract.ts'
import { malformedRequest } from '../errors/api-error.ts'
import { decoded, pairsIn } from '../routing/pairs.ts'
import { queryTextOf } from '../routing/targets.ts'

/** Of the schemes `http` with `bearer`, `oauth2` and `openIdConnect`. */
export interface BearerCredential {
  readonly type: 'bearer'
  readonly token: string
}
/** Of the scheme `http` with `basic`. */
export interface BasicCredential {
  readonly type: 'basic'
  readonly username: string
  readonly password: string
}
/** Of the scheme `apiKey`. */
export interface ApiKeyCredential {
  readonly type: 'apiKey'
  readonly key: string
}
/** What a verifier judges. */
export type Credential = BearerCredential | BasicCredential | ApiKeyCredential

/** The credential of a scheme. */
export type CredentialOf<Scheme> = Scheme extends { type: 'oauth2' | 'openIdConnect' }
  ? BearerCredential
  : Scheme extends { type: 'apiKey' }
    ? ApiKeyCredential
    : Scheme extends { type: 'http'; scheme: infer Name extends string }
      ? Lowercase<Name> extends 'basic'
        ? BasicCredential
        : Lowercase<Name> extends 'bearer'
          ? BearerCredential
          : Credential
      : Credential

/** In place of a credential that does not have the form of its scheme. */
export const malformed = Symbol('malformed')

/** How requests carry the credentials of a scheme. */
export interface Carrier {
  readonly kind: Credential['type']
  /** What has to be sent, in words for messages. */
  readonly words: string
  /** The credential of a request, if it has one. @throws ApiError if it has several */
  read(request: FastifyRequest): Credential | typeof malformed | undefined
  /** For `WWW-Authenticate` (RFC 9110, section 11.6.1). */
  challenge(realm: string, scopes: readonly string[], error?: 'invalid_token' | 'insufficient_scope'): string
}

/** @returns undefined for a scheme that is not implemented */
export const carrierOf = ({ type, scheme = '', in: place, name = '' }: SecurityScheme): Carrier | undefined => {
  if (type === 'oauth2' || type === 'openIdConnect') return bearer
  if (type === 'http') return ofAuthorization.get(scheme.toLowerCase())
  if (type !== 'apiKey') return undefined
  if (place === 'header') return ofHeader(name)
  return place === 'query' ? ofQuery(name) : place === 'cookie' ? ofCookie(name) : undefined
}

const authorizationOf = ({ raw }: FastifyRequest) => raw.headers.authorization ?? ''

const bearer: Carrier = {
  kind: 'bearer',
  words: 'a bearer token in the header Authorization',
  read: request => {
    const [, text] = /^bearer +(.+)$/i.exec(authorizationOf(request)) ?? []
    if (text === undefined) return undefined
    return isToken.test(text) ? { type: 'bearer', token: text } : malformed
  },
  // RFC 6750, section 3.
  challenge: (realm, scopes, error) =>
    parameters('Bearer', { realm, ...(error && { error }), ...(scopes.length > 0 && { scope: scopes.join(' ') }) })
}
// RFC 6750, section 2.1.
const isToken = /^[\w.~+/-]+=*$/

const basic: Carrier = {
  kind: 'basic',
  words: 'a user name and a password (Basic) in the header Authorization',
  read: request => {
    const [, text] = /^basic +(.+)$/i.exec(authorizationOf(request)) ?? []
    if (text === undefined) return undefined
    const plain = utf8Of(text)
    const colon = plain?.indexOf(':') ?? -1
    if (plain === undefined || colon === -1 || control.test(plain)) return malformed
    return { type: 'basic', username: plain.slice(0, colon), password: plain.slice(colon + 1) }
  },
  // RFC 7617, section 2.1.
  challenge: realm => parameters('Basic', { realm, charset: 'UTF-8' })
}

const utf8Of = (base64: string): string | undefined => {
  if (!/^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(base64)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(base64, 'base64'))
  } catch {
    return undefined
  }
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 7617 forbids them
const control = /[\0-\x1f\x7f]/

const ofAuthorization: ReadonlyMap<string, Carrier> = new Map([
  ['bearer', bearer],
  ['basic', basic]
])

/** An API key, of which a request may carry only one: a proxy in front may have judged another. */
const ofKey = (where: string, name: string, what: string, textsOf: (request: FastifyRequest) => string[]): Carrier => ({
  kind: 'apiKey',
  words: `an API key in the ${what} ${name}`,
  read: request => {
    const [key, ...others] = textsOf(request)
    if (others.length > 0) throw malformedRequest(`The ${what} ${name} may occur only once.`)
    if (key === undefined || key === '') return undefined
    return isPrintable.test(key) ? { type: 'apiKey', key } : malformed
  },
  // No scheme is registered for them, and a 401 must name one (RFC 9110, section 15.5.2).
  challenge: realm => parameters('ApiKey', { realm, in: where, name })
})
const isPrintable = /^[ -~]+$/

const ofHeader = (name: string): Carrier => {
  const lower = name.toLowerCase()
  return ofKey('header', name, 'header', ({ raw: { headers, rawHeaders } }) => {
    if (headers[lower] === undefined) return []
    // Node joins repeated ones, or takes the first.
    return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === lower)
  })
}

const ofQuery = (name: string): Carrier =>
  ofKey('query', name, 'query parameter', ({ raw }) =>
    // Invalid UTF-8 becomes a text that no key contains.
    pairsIn(queryTextOf(raw)).flatMap(pair => (decoded(pair[0]) === name ? [decoded(pair[1]) ?? '\0'] : []))
  )

const ofCookie = (name: string): Carrier =>
  ofKey('cookie', name, 'cookie', ({ raw: { headers } }) =>
    (headers.cookie ?? '').split(';').flatMap(each => {
      const at = each.indexOf('=')
      // A value may be quoted (RFC 6265, section 4.1.1).
      return at !== -1 && each.slice(0, at).trim() === name
        ? [
            each
              .slice(at + 1)
              .trim()
              .replace(/^"(.*)"$/, '$1')
          ]
        : []
    })
  )

/** The query without credentials, which are not parameters of the operation. */
export const withoutParameters = (query: string, names: ReadonlySet<string>): string =>
  query
    .split('&')
    .filter(pair => !names.has(decoded(pair.split('=', 1)[0] ?? '') ?? ''))
    .join('&')

const parameters = (scheme: string, values: Readonly<Record<string, string>>) =>
  `${scheme} ${Object.entries(values)
    .map(([name, value]) => `${name}=${quoted(value)}`)
    .join(', ')}`

/** RFC 9110, section 5.6.4, in ASCII. */
const quoted = (text: string) =>
  `"${text.replace(/[^ -~]+/g, each => encodeURIComponent(each.toWellFormed())).replace(/["\\]/g, '\\$&')}"`

/** All forms in which a request may have sent the secret parts of a credential. */
export const secretsOf = (credential: Credential): string[] => {
  const plain =
    credential.type === 'bearer'
      ? [credential.token]
      : credential.type === 'apiKey'
        ? [credential.key]
        : [credential.password, Buffer.from(`${credential.username}:${credential.password}`).toString('base64')]
  return plain.filter(each => each !== '').flatMap(each => [...new Set([each, encodeURIComponent(each)])])
}
