import type { Node } from './node.ts'

// What stands below these is data, in which `$ref` would be a name like any other.
const data = new Set(['const', 'default', 'enum', 'example', 'examples'])

// The keys of these are names, which may be `default` or `x-rate-limit` and mean nothing by it.
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

/** Visits what a part of a document consists of, but no data and no extensions; below a node only if `visit` says so. */
export const walk = (node: Node, visit: (node: Node) => boolean, keysAreNames = false): void => {
  if (typeof node.value !== 'object' || !visit(node)) return
  for (const item of node.items()) walk(item, visit)
  for (const [key, child] of node.entries()) {
    if (keysAreNames) walk(child, visit)
    else if (!data.has(key) && !key.startsWith('x-')) walk(child, visit, named.has(key))
  }
}
