import type { OpenApiDocument } from '../../document/document.ts'
import type { Node } from '../../document/node.ts'
import { lifecycleOf } from './lifecycle.ts'

/**
 * The headers of an operation's response, with those that the document declares once under `x-response-headers`: those of
 * `authorized` come with every response to a valid credential, which are all but 401, and those of `deprecated` with every
 * response of an operation that has a sunset.
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
