import type { Node, OpenApiDocument } from '@contract-first/document'
import { entriesAt } from '../attributes.ts'
import { SchemaComparer } from '../schema/comparer.ts'
import { errorReader } from './error-bodies.ts'
import { Findings } from './findings.ts'
import { isPastSunset, mayBreak } from './lifecycle.ts'
import { operationsOf } from './operation.ts'
import { compareOperations } from './operations.ts'
import { haveMoved, pairsOf } from './pairs.ts'
import { Properties } from './properties.ts'
import { compareSchemaNames, reachableSchemas } from './sdk.ts'
import { compareUnusedScopes } from './security.ts'
import { compareServers, usesSharedServers } from './servers.ts'
import { type CompareOptions, type Comparison, opposite, Site } from './site.ts'
import { kinFinder } from './subtypes.ts'

export type { CompareOptions } from './site.ts'

/**
 * What changes for a client that was written against `before`, most severe first, and the lifecycle mistakes in `after`.
 * The same documents and options give the same findings in the same order.
 */
export const compareDocuments = (before: OpenApiDocument, after: OpenApiDocument, options: CompareOptions) => {
  const schemas = new SchemaComparer(before, after, options)
  const documents = { before, after }
  const [earlier, later] = [calledIn(before), calledIn(after)]
  const pairs = pairsOf(earlier.operations, later.operations)
  const properties = new Properties(documents, options.today)
  const comparison: Comparison = {
    ...documents,
    options,
    schemas,
    isKnownError: errorReader(
      documents,
      schemas,
      earlier.operations.map(({ node }) => node)
    ),
    properties,
    findings: new Findings(),
    kinWithin: kinFinder(before, after),
    hasMoved: haveMoved(pairs)
  }
  const whole = new Site(comparison, 'contract')
  if (!comparison.hasMoved && [earlier, later].every(({ operations }) => usesSharedServers(operations)))
    compareServers(whole)
  compareUnusedScopes(whole, later.operations)
  compareOperations(comparison, 'request', earlier.operations, later.operations, pairs)
  compareOperations(comparison, opposite.request, earlier.webhooks, later.webhooks)
  properties.report()
  // A schema that is used only by what may be removed may be removed with it.
  const mayBeRemoved = (node: Node) => isPastSunset(node, options.today) || mayBreak(node)
  compareSchemaNames(
    whole,
    reachableSchemas(before, mayBeRemoved),
    reachableSchemas(after, () => false)
  )
  const all = [later, earlier].flatMap(({ operations, webhooks }) => [...operations, ...webhooks])
  return comparison.findings.list(
    all.map(({ name }) => name),
    documents,
    options.impacts
  )
}

const calledIn = (document: OpenApiDocument) => ({
  operations: operationsOf(document, 'operation', entriesAt(document.root, 'paths')),
  webhooks: operationsOf(document, 'webhook', entriesAt(document.root, 'webhooks'))
})
