import type { Node } from '@contract-first/document'

export const textAt = (node: Node | undefined, key: string): string | undefined => {
  const value = node?.get(key)?.value
  return typeof value === 'string' ? value : undefined
}

export const isSet = (node: Node | undefined, key: string): boolean => node?.get(key)?.value === true

export const entriesAt = (node: Node | undefined, key: string): [string, Node][] =>
  (node?.get(key)?.entries() ?? []).filter(([name]) => !name.startsWith('x-'))

export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

export const operationsIn = (item: Node): [method: string, operation: Node][] => [
  ...methods.flatMap((method): [string, Node][] => {
    const operation = item.get(method)
    return operation === undefined ? [] : [[method.toUpperCase(), operation]]
  }),
  ...entriesAt(item, 'additionalOperations')
]

export interface Serialization {
  style: string
  explode: boolean
}

/** Whether OpenAPI ignores it as a parameter (3.1.1, 4.8.12.2): it is described elsewhere in the contract. */
export const isReserved = (location: string, name: string): boolean =>
  location === 'header' && ['accept', 'content-type', 'authorization'].includes(name.toLowerCase())

const defaultStyles: Record<string, string> = { path: 'simple', header: 'simple', query: 'form', cookie: 'form' }

export const serializationOf = (node: Node | undefined, location: string): Serialization => {
  const style = textAt(node, 'style') ?? defaultStyles[location] ?? 'form'
  return {
    style,
    explode: node?.get('explode') === undefined ? style === 'form' || style === 'cookie' : isSet(node, 'explode')
  }
}
