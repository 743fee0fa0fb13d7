import type { AnyOperation, Contract } from '../contract/contract.ts'
import { carrierOf } from './security-schemes.ts'

/** What a request sends to carry credentials. */
export interface SentCredentials {
  /** By name in lower case. */
  headers: Record<string, string>
  query: Record<string, string>
}

/**
 * What a request to an operation has to send to have well-formed credentials: for tests, with a verifier that
 * accepts them. Those of the first alternative that names a scheme; none if no alternative does.
 * @param key the token or API key, without blanks; with HTTP Basic, both user name and password
 */
export const sampleCredentials = (
  { securitySchemes }: Pick<Contract, 'securitySchemes'>,
  { security }: Pick<AnyOperation, 'security'>,
  key = 'a-credential'
): SentCredentials => {
  const sent: SentCredentials = { headers: {}, query: {} }
  const names = security.map(each => Object.keys(each)).find(each => each.length > 0) ?? []
  for (const name of names) {
    const scheme = securitySchemes[name]
    const kind = scheme && carrierOf(scheme)?.kind
    if (kind === 'bearer') sent.headers.authorization = `Bearer ${key}`
    if (kind === 'basic') sent.headers.authorization = `Basic ${Buffer.from(`${key}:${key}`).toString('base64')}`
    const parameter = scheme?.name ?? ''
    if (kind !== 'apiKey') continue
    if (scheme?.in === 'query') sent.query[parameter] = key
    else if (scheme?.in === 'header') sent.headers[parameter.toLowerCase()] = key
    else sent.headers.cookie = [sent.headers.cookie, `${parameter}=${key}`].filter(Boolean).join('; ')
  }
  return sent
}
