import type { Node, OpenApiDocument } from '@contract-first/document'
import { lifecycleOf } from './lifecycle.ts'

/**
 * The headers of an operation's response, including those declared once under `x-response-headers`: `authorized` ones
 * belong to every response except a 401, `deprecated` ones to every response of an operation with a sunset.
 */
export const responseHeaders = (
  { root }: OpenApiDocument,
  operation: Node,
  status: string,
  response: Node
): [name: string, header: Node][] => {
  const own = response.get('headers')?.entries() ?? []
  const shared = root.get('x-response-headers')
  if (shared === undefined) return own
  const isSecured = ((operation.get('security') ?? root.get('security'))?.items() ?? []).length > 0
  const { deprecated, sunset } = lifecycleOf(operation)
  const all = [
    ...own,
    ...(deprecated && sunset !== undefined ? (shared.get('deprecated')?.entries() ?? []) : []),
    ...(isSecured && status !== '401' ? (shared.get('authorized')?.entries() ?? []) : [])
  ]
  const isFirst = ([name]: [string, Node], index: number) =>
    index === all.findIndex(([other]) => other.toLowerCase() === name.toLowerCase())
  return all.filter(isFirst)
}
