import type { Node, OpenApiDocument } from '@contract-first/document'
import { entriesAt } from '../attributes.ts'
import { SchemaComparer } from '../schema/comparer.ts'
import { errorReader } from './error-bodies.ts'
import { type Documents, Findings } from './findings.ts'
import { isPastSunset, mayBreak } from './lifecycle.ts'
import { operationsOf } from './operation.ts'
import { compareOperations } from './operations.ts'
import { haveMoved, pairsOf } from './pairs.ts'
import { Properties } from './properties.ts'
import { Scope } from './scope.ts'
import { compareSchemaNames, reachableSchemas } from './sdk.ts'
import { compareUnusedScopes } from './security.ts'
import { compareServers, usesSharedServers } from './servers.ts'
import { type CompareOptions, type Comparison, divided, opposite, Site, unreadable } from './site.ts'
import { kinFinder } from './subtypes.ts'

export type { CompareOptions } from './site.ts'

/** What changes for a client of `before`, most severe first, and the lifecycle mistakes in `after`; always the same. */
export const compareDocuments = (before: OpenApiDocument, after: OpenApiDocument, options: CompareOptions) => {
  const documents = { before, after }
  const { scope = new Scope({}) } = options
  const properties = new Properties(documents, options.today)
  const schemas = new SchemaComparer(before, after, options, properties.masks)
  const paths = partsAt(documents, 'paths', plainPath)
  const moved = paths.before.map(([path, item]): Items[number] => [scope.movedPath(path), item])
  const webhooks = partsAt(documents, 'webhooks')
  const earlier = calledIn(before, moved, webhooks.before, scope)
  const later = calledIn(after, paths.after, webhooks.after, scope)
  const pairs = pairsOf(earlier.operations, later.operations)
  const nodes = earlier.operations.map(({ node }) => node)
  const comparison: Comparison = {
    ...{ ...documents, options, schemas, properties, findings: new Findings() },
    isKnownError: errorReader(documents, schemas, nodes),
    kinWithin: kinFinder(before, after),
    hasMoved: haveMoved(pairs)
  }
  const whole = new Site({ comparison, place: 'contract' })
  for (const [key, was, is] of [...paths.unreadable, ...webhooks.unreadable]) whole.named(key).isUnreadable(was, is)
  if (!comparison.hasMoved && [earlier, later].every(({ operations }) => usesSharedServers(operations)))
    if (!whole.named('servers').isUnreadable(before.root.get('servers'), after.root.get('servers')))
      compareServers(whole)
  compareUnusedScopes(whole, later.operations)
  compareOperations(comparison, 'request', earlier.operations, later.operations, pairs)
  compareOperations(comparison, opposite.request, earlier.webhooks, later.webhooks)
  properties.report()
  // A schema that is used only by what may be removed may be removed with it.
  const mayBeRemoved = (node: Node) => scope.isExcluded(node) || isPastSunset(node, options.today) || mayBreak(node)
  if ([before, after].every(hasNames))
    compareSchemaNames(whole, reachableSchemas(before, mayBeRemoved), reachableSchemas(after, scope.isExcluded))
  const all = [later, earlier].flatMap(({ operations, webhooks }) => [...operations, ...webhooks])
  const names = all.map(({ name }) => name)
  return comparison.findings.list(names, documents, options.impacts)
}

const partsAt = (documents: Documents, key: string, keyOf?: (path: string) => string): ReturnType<typeof divided> => {
  const [was, is] = [documents.before.root, documents.after.root].map(root => root.get(key) ?? root)
  const isBroken = unreadable(documents.before, was) !== undefined || unreadable(documents.after, is) !== undefined
  if (isBroken) return { before: [], after: [], unreadable: [[is?.parent === undefined ? 'contract' : key, was, is]] }
  return divided(documents, entriesAt(documents.before.root, key), entriesAt(documents.after.root, key), keyOf)
}

const hasNames = (document: OpenApiDocument): boolean => {
  const components = document.root.get('components')
  return [document.root, components, components?.get('schemas')].every(each => unreadable(document, each) === undefined)
}

const plainPath = (path: string) => path.replace(/\{[^{}]*\}/g, '{}')
type Items = [path: string, item: Node][]

const calledIn = (document: OpenApiDocument, paths: Items, webhooks: Items, scope: Scope) => ({
  operations: operationsOf(document, 'operation', paths).filter(each => scope.isCompared(each)),
  webhooks: operationsOf(document, 'webhook', webhooks).filter(each => scope.isCompared(each))
})
