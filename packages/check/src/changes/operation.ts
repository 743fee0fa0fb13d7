import type { Node, OpenApiDocument } from '@contract-first/document'
import { operationsIn } from '../attributes.ts'

/** A request that can be made: an operation by clients, a webhook or callback by the server. */
export interface Operation {
  kind: 'operation' | 'webhook' | 'callback'
  document: OpenApiDocument
  /** Its name in reports: `GET /pets`. */
  name: string
  method: string
  path: string
  /** The name of its path in reports. */
  pathName: string
  node: Node
  item: Node
  /** The operation that a callback belongs to. */
  owner: Operation | undefined
}

export const operationsOf = (
  document: OpenApiDocument,
  kind: Operation['kind'],
  items: [path: string, item: Node][],
  owner?: Operation
): Operation[] =>
  items.flatMap(([path, reference]) => {
    const item = document.resolve(reference)
    const pathName = [owner?.name, kind === 'operation' ? undefined : kind, path].filter(Boolean).join(' ')
    return operationsIn(item).map(([method, node]) => {
      const name = kind === 'operation' ? `${method} ${path}` : `${pathName} ${method}`
      return { kind, document, name, method, path, pathName, node, item, owner }
    })
  })
