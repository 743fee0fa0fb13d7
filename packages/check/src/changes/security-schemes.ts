import type { Node } from '@contract-first/document'
import { entriesAt, textAt } from '../attributes.ts'
import { normalUrl } from './normal-url.ts'
import type { Operation } from './operation.ts'

export interface Requirement {
  name: string
  scheme: Node | undefined
  scopes: readonly string[]
  node: Node
}

/** Requirements that must all be satisfied; without any, the operation is public. */
export type Alternative = readonly Requirement[]

export const alternativesOf = ({ kind, node, document }: Operation): Alternative[] => {
  const { root } = document
  // What the contract requires of clients does not apply to requests that the server sends.
  const security = node.get('security') ?? (kind === 'operation' ? root.get('security') : undefined)
  const schemes = root.get('components')?.get('securitySchemes')
  const alternatives = (security?.items() ?? []).map(alternative =>
    alternative.entries().map(([name, list]): Requirement => {
      // OpenAPI 3.2 allows a reference instead of a name.
      const reference = name.startsWith('#') ? document.find(name, list) : schemes?.get(name)
      const scopes = list.items().map(({ value }) => String(value))
      return { name, scheme: reference && document.resolve(reference), scopes, node: list }
    })
  )
  return alternatives.length === 0 ? [[]] : alternatives
}

/** Whether a scheme is an API key that is sent as this parameter: `header x-key`. */
export const isKeyOf = (parameter: string, scheme: Node | undefined): boolean =>
  scheme !== undefined && plainText(scheme) === `apiKey in ${parameter}`

/** The credentials for one scheme that do not work for another: neither sent alike nor issued by the same URLs. */
export const lostCredentials = (sent: Node, expected: Node): string | undefined => {
  if (plainText(sent) === plainText(expected)) return undefined
  if (textAt(sent, 'type') !== 'oauth2' || textAt(expected, 'type') !== 'oauth2') return schemeText(sent)
  const offered = new Map(entriesAt(expected, 'flows'))
  const lost = entriesAt(sent, 'flows').filter(([name, flow]) => {
    const counterpart = offered.get(name)
    const isKept = (key: string) => [undefined, counterpart && urlAt(counterpart, key)].includes(urlAt(flow, key))
    return counterpart === undefined || !urlKeysOf(name).every(isKept)
  })
  return lost.length === 0 ? undefined : flowsText(lost)
}

export const withdrawnScopes = (sent: Node, expected: Node): string[] => {
  const withdrawn = entriesAt(sent, 'flows').flatMap(([name, flow]) => {
    const offered = expected.get('flows')?.get(name)?.get('scopes')
    return (flow.get('scopes')?.entries() ?? []).flatMap(([scope]) => (offered?.get(scope) === undefined ? scope : []))
  })
  return [...new Set(withdrawn)]
}

/** The parts of a scheme that affect clients: not its name, description or bearer format. */
export const schemeText = (scheme: Node): string => {
  const type = textAt(scheme, 'type') ?? ''
  if (type === 'apiKey') return `apiKey in ${textAt(scheme, 'in')} ${textAt(scheme, 'name') ?? ''}`
  if (type === 'http') return `http ${textAt(scheme, 'scheme')}`
  if (type === 'openIdConnect') return `openIdConnect ${urlAt(scheme, 'openIdConnectUrl')}`
  return type === 'oauth2' ? flowsText(entriesAt(scheme, 'flows')) : type
}

/** Equal for schemes that differ only in case, where HTTP ignores case. */
const plainText = (scheme: Node): string =>
  schemeText(scheme).replace(/(?<=^(?:apiKey in header|http) ).*/, text => text.toLowerCase())

const flowsText = (flows: [name: string, flow: Node][]) => {
  const textOf = (name: string, flow: Node) =>
    [name, ...urlKeysOf(name).flatMap(key => urlAt(flow, key) || [])].join(' ')
  return `oauth2 ${flows.map(each => textOf(...each)).join(', ')}`
}

const urlKeysOf = (flow: string): string[] => [
  ...(flow === 'implicit' || flow === 'authorizationCode' ? ['authorizationUrl'] : []),
  ...(flow === 'deviceAuthorization' ? ['deviceAuthorizationUrl'] : []),
  ...(flow === 'implicit' ? [] : ['tokenUrl']),
  'refreshUrl'
]

const urlAt = (node: Node, key: string) => {
  const url = textAt(node, key)
  return url && normalUrl(url)
}
