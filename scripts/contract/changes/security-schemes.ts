import type { Node } from '../../document/node.ts'
import { entriesAt, textAt } from './attributes.ts'

/** Whether what satisfied a scheme satisfies another: the same thing is sent, or granted by the same addresses. */
export const isSameScheme = (sent: Node, expected: Node): boolean => {
  if (schemeText(sent) === schemeText(expected)) return true
  if (textAt(sent, 'type') !== 'oauth2' || textAt(expected, 'type') !== 'oauth2') return false
  const offered = new Map(entriesAt(expected, 'flows'))
  return entriesAt(sent, 'flows').every(([name, flow]) => {
    const counterpart = offered.get(name)
    return counterpart !== undefined && addresses.every(key => isKept(flow, counterpart, key))
  })
}

/** Of the scopes that are needed, those that a flow granted and grants no longer. */
export const withdrawnScopes = (sent: Node, expected: Node, needed: readonly string[]): string[] =>
  entriesAt(sent, 'flows').flatMap(([name, flow]) => {
    const offered = expected.get('flows')?.get(name)?.get('scopes')
    return needed.filter(scope => flow.get('scopes')?.get(scope) !== undefined && offered?.get(scope) === undefined)
  })

/** What a client notices of a scheme: neither its name nor its description, nor what a bearer token looks like. */
export const schemeText = (scheme: Node): string => {
  const type = textAt(scheme, 'type') ?? ''
  switch (type) {
    case 'apiKey': {
      const location = textAt(scheme, 'in')
      const name = textAt(scheme, 'name') ?? ''
      return `apiKey in ${location} ${location === 'header' ? name.toLowerCase() : name}`
    }
    case 'http':
      return `http ${textAt(scheme, 'scheme')?.toLowerCase()}`
    case 'openIdConnect':
      return `openIdConnect ${textAt(scheme, 'openIdConnectUrl')}`
    case 'oauth2':
      return `oauth2 ${entriesAt(scheme, 'flows')
        .map(([name, flow]) => [name, ...addresses.map(key => textAt(flow, key))].filter(Boolean).join(' '))
        .join(', ')}`
    default:
      return type
  }
}

const addresses = ['authorizationUrl', 'tokenUrl', 'refreshUrl']

const isKept = (flow: Node, counterpart: Node, key: string) => {
  const address = textAt(flow, key)
  return address === undefined || address === textAt(counterpart, key)
}
