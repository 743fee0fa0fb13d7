import type { OpenApiDocument } from '@contract-first/document'
import type { Operation } from '../operations/operations.ts'

export interface Credential {
  in: 'header' | 'query' | 'cookie'
  name: string
  /** With `Basic`, the key is `user:password`, sent in base64. */
  scheme?: 'Bearer' | 'Basic'
  /** Absent if none is given. */
  key?: string | undefined
}

export type KeyOf = (scheme: string) => string | undefined

/** Keys as given: `name=key` is for the scheme of this name, and any other for all schemes. */
export const keysOf = (document: OpenApiDocument, given: readonly string[]): KeyOf => {
  const schemes = document.root.get('components')?.get('securitySchemes')
  const named = new Map<string, string>()
  let other: string | undefined
  for (const text of given) {
    const [name = '', ...rest] = text.split('=')
    if (rest.length > 0 && schemes?.get(name) !== undefined) named.set(name, rest.join('='))
    else other = text
  }
  return scheme => named.get(scheme) ?? other
}

export interface Access {
  /** Absent if it requires none, or something that a single key cannot satisfy, which is the reason. */
  credential?: Credential
  reason?: string
  isOptional: boolean
}

export const accessOf = (document: OpenApiDocument, { security }: Operation, keyOf: KeyOf): Access => {
  const schemes = security.filter(each => each.length > 0)
  const isOptional = schemes.length < security.length || schemes.length === 0
  const credentials = schemes.flatMap(([name = '', ...others]): Credential[] => {
    const credential = others.length === 0 ? credentialOf(document, name) : undefined
    return credential === undefined ? [] : [{ ...credential, key: keyOf(name) }]
  })
  const [credential] = credentials.toSorted((a, b) => Number(a.key === undefined) - Number(b.key === undefined))
  if (credential !== undefined) return { credential, isOptional }
  if (isOptional) return { isOptional }
  const needed = schemes.map(each => each.join(' and ')).join(' or ')
  return { reason: `needs ${needed}, which one key cannot satisfy`, isOptional }
}

/** Of a security scheme; undefined if a key cannot be one. */
export const credentialOf = (document: OpenApiDocument, name: string): Credential | undefined => {
  const reference = document.root.get('components')?.get('securitySchemes')?.get(name)
  if (reference === undefined) return undefined
  const scheme = document.resolve(reference)
  const text = (key: string) => String(scheme.get(key)?.value ?? '').toLowerCase()
  const authorization = { in: 'header', name: 'Authorization' } as const
  switch (text('type')) {
    case 'apikey':
      return { in: text('in') as Credential['in'], name: String(scheme.get('name')?.value) }
    case 'oauth2':
    case 'openidconnect':
      return { ...authorization, scheme: 'Bearer' }
    case 'http':
      if (text('scheme') === 'bearer') return { ...authorization, scheme: 'Bearer' }
      return text('scheme') === 'basic' ? { ...authorization, scheme: 'Basic' } : undefined
    default:
      return undefined
  }
}

export const headerValue = ({ scheme }: Credential, key: string): string => {
  if (scheme === undefined) return key
  return `${scheme} ${scheme === 'Basic' ? Buffer.from(key).toString('base64') : key}`
}

/** A key that was never issued. */
export const wrongKey = ({ scheme }: Credential, random: () => number): string => {
  const letters = Array.from({ length: 24 }, () => 'abcdefghijklmnopqrstuvwxyz0123456789'[Math.floor(random() * 36)])
  return scheme === 'Basic' ? `nobody:${letters.join('')}` : letters.join('')
}
