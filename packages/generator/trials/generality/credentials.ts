import {
  type Credential,
  credentialOf,
  headerValue,
  type Operation,
  type Parameter
} from '@contract-first/check/internals'
import type { OpenApiDocument } from '@contract-first/document'

/** The credentials of a request. */
export interface Credentials {
  headers: Record<string, string>
  cookies: string[]
  query: string[]
}

/** The first alternative that the service may accept, with the key in place of all its credentials. */
export const credentialsOf = (document: OpenApiDocument, { security }: Operation, key: string): Credentials => {
  const alternatives = security.map(names => names.map(name => credentialOf(document, name)))
  const first = alternatives.find(each => each.every(known => known !== undefined)) ?? []
  const credentials: Credentials = { headers: {}, cookies: [], query: [] }
  for (const each of first as Credential[]) {
    if (each.in === 'query') credentials.query.push(`${encodeURIComponent(each.name)}=${encodeURIComponent(key)}`)
    else if (each.in === 'cookie') credentials.cookies.push(`${each.name}=${key}`)
    else
      credentials.headers[each.name.toLowerCase()] = headerValue(each, each.scheme === 'Basic' ? `${key}:${key}` : key)
  }
  return credentials
}

/** Whether credentials are required. */
export const needsCredentials = ({ security }: Operation): boolean =>
  security.length > 0 && security.every(names => names.length > 0)

/** Whether a parameter is one of the credentials, which handlers do not get. */
export const isCredential = (document: OpenApiDocument, { security }: Operation, { in: place, name }: Parameter) =>
  security.flat().some(each => {
    const credential = credentialOf(document, each)
    return credential?.in === place && credential.name.toLowerCase() === name.toLowerCase()
  })
