import type { Node } from './node.ts'

// These contain data, in which `$ref` is an ordinary name.
const data = new Set(['const', 'default', 'enum', 'example', 'examples'])

// The keys in these are names, so `default` or `x-rate-limit` has no special meaning there.
const named = new Set([
  '$defs',
  'callbacks',
  'content',
  'definitions',
  'dependentSchemas',
  'encoding',
  'headers',
  'links',
  'parameters',
  'pathItems',
  'patternProperties',
  'properties',
  'requestBodies',
  'responses',
  'schemas',
  'securitySchemes',
  'variables',
  'webhooks'
])

export const holdsData = (key: string): boolean => data.has(key) || key.startsWith('x-')
export const holdsNames = (key: string): boolean => named.has(key)

/** Visits the parts of a document, except data and extensions; the children of a node only if `visit` returns true. */
export const walk = (node: Node, visit: (node: Node) => boolean, keysAreNames = false): void => {
  if (typeof node.value !== 'object' || !visit(node)) return
  for (const item of node.items()) walk(item, visit)
  for (const [key, child] of node.entries()) {
    if (keysAreNames) walk(child, visit)
    else if (!holdsData(key)) walk(child, visit, holdsNames(key))
  }
}
