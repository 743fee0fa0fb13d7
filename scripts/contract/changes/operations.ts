import type { OpenApiDocument } from '../../document/document.ts'
import type { Node } from '../../document/node.ts'
import { entriesAt, isSet, textAt } from '../attributes.ts'
import type { Direction } from '../schema/schema.ts'
import { compareContents } from './contents.ts'
import { checkSunset, compareLifecycles, isPastSunset, lifecycleOf, mayBreak } from './lifecycle.ts'
import { type Operation, operationsOf } from './operation.ts'
import { compareParameters } from './parameters.ts'
import { comparePresence, type Part } from './presence.ts'
import { compareResponses } from './responses.ts'
import { compareSecurity } from './security.ts'
import { compareServersOf } from './servers.ts'
import { type Comparison, opposite, Site } from './site.ts'

/** Compares operations; with direction `response`, webhooks or callbacks, whose requests the server sends. */
export const compareOperations = (
  comparison: Comparison,
  direction: Direction,
  before: Operation[],
  after: Operation[]
) => {
  const pairs = pairsOf(before, after)
  const siteOf = (named: Operation, told = named) =>
    new Site(comparison, named.name, named.name, direction, isUnstable(told))
  const added = new Set(after.filter(each => !pairs.has(each)))
  const moved = new Map([...added].map(each => [idOf(each), each]))
  const kept = new Map([...pairs].map(([later, earlier]) => [earlier, later]))
  for (const [index, each] of before.entries()) {
    comparison.options.show?.(`${each.kind} ${index + 1} of ${before.length}`)
    const later = kept.get(each)
    if (later !== undefined) {
      compareOperation(siteOf(later, each), each, later)
    } else if (isPastSunset(each.node, comparison.options.today)) {
      const message = 'It was removed as announced.'
      siteOf(each).report(`${each.kind}-removed-after-sunset`, { before: each.node, message })
    } else {
      const target = each.kind === 'operation' && idOf(each) !== undefined ? moved.get(idOf(each)) : undefined
      if (target !== undefined) added.delete(target)
      reportRemoved(siteOf(each), each, target)
    }
  }
  for (const each of added) reportAdded(siteOf(each), each)
}

/** Pairs operations by method and path; names of path parameters do not matter. */
const pairsOf = (before: Operation[], after: Operation[]): Map<Operation, Operation> => {
  const pairs = new Map<Operation, Operation>()
  // If several paths differ only in parameter names, those spelled the same are paired first.
  for (const keyOf of [exactKeyOf, templateKeyOf]) {
    const paired = new Set(pairs.values())
    const free = Map.groupBy(
      before.filter(each => !paired.has(each)),
      keyOf
    )
    for (const each of after) {
      const match = pairs.has(each) ? undefined : free.get(keyOf(each))?.shift()
      if (match !== undefined) pairs.set(each, match)
    }
  }
  return pairs
}

const exactKeyOf = ({ method, path }: Operation) => `${method} ${path}`
// The name of a callback is not sent, and in its URL, braces hold an expression, not a name.
const templateKeyOf = ({ kind, method, path }: Operation) =>
  `${method} ${kind === 'operation' ? path.replace(/\{[^{}]*\}/g, '{}') : path.replace(/^\S+ /, '')}`

const idOf = ({ node }: Operation) => textAt(node, 'operationId')

const isUnstable = ({ node, owner }: Operation): boolean => mayBreak(node) || (owner !== undefined && isUnstable(owner))

const compareOperation = (site: Site, before: Operation, after: Operation) => {
  compareLifecycles(site, before.node, after.node)
  checkSunset(site, after.node)
  compareIds(site, before, after)
  if (after.kind === 'operation') compareServersOf(site, before, after)
  compareSecurity(site, before, after)
  compareParameters(site, before, after)
  compareRequestBodies(site, before.node, after.node)
  compareResponses(site.sentBy(opposite[site.direction]), before.node, after.node)
  const { comparison, direction } = site
  const callbacks = [callbacksOf(comparison.before, before), callbacksOf(comparison.after, after)] as const
  compareOperations(comparison, opposite[direction], ...callbacks)
}

const compareIds = (site: Site, before: Operation, after: Operation) => {
  const [was, is] = [idOf(before), idOf(after)]
  if (was === undefined || was === is) return
  const change = { before: before.node.get('operationId'), after: after.node.get('operationId') ?? after.node, was, is }
  if (is === undefined)
    site.report('operation-id-removed', { ...change, message: `Its operationId ${was} was removed.` })
  else site.report('operation-id-changed', { ...change, message: `It was renamed from ${was} to ${is}.` })
}

const compareRequestBodies = (site: Site, before: Node, after: Node) => {
  const [earlier, later] = [bodyOf(site.comparison.before, before), bodyOf(site.comparison.after, after)]
  const at = site.part('request body', before.get('requestBody'), after.get('requestBody'))
  comparePresence(at, 'body', earlier, later)
  compareContents(at, earlier?.node.get('content'), later?.node.get('content'))
}

const bodyOf = (document: OpenApiDocument, operation: Node): Part | undefined => {
  const reference = operation.get('requestBody')
  const node = reference && document.resolve(reference)
  return node && { node, required: isSet(node, 'required') }
}

/** By name and URL expression. */
const callbacksOf = (document: OpenApiDocument, owner: Operation): Operation[] => {
  const items = entriesAt(owner.node, 'callbacks').flatMap(([name, reference]) =>
    document
      .resolve(reference)
      .entries()
      .map(([expression, item]): [string, Node] => [`${name} ${expression}`, item])
  )
  // By reference, a callback can be its own callback.
  return operationsOf(document, 'callback', items, owner).filter(({ node }) => !hasOwner(owner, node))
}

const hasOwner = (operation: Operation | undefined, node: Node): boolean =>
  operation !== undefined && (operation.node === node || hasOwner(operation.owner, node))

const reportRemoved = (site: Site, { kind, name, node: before }: Operation, target: Operation | undefined) => {
  if (target !== undefined) {
    const message = `It is now ${target.name}.`
    site.report('operation-moved', { before, after: target.node, was: name, is: target.name, message })
    return
  }
  const { deprecated, sunset: until } = lifecycleOf(before)
  if (kind === 'operation' && deprecated && until === undefined) {
    const message = 'It was removed: it was deprecated, but without a date until which it stays.'
    site.report('operation-removed-undated', { before, message })
    return
  }
  const told = until === undefined ? 'without an announcement' : `before ${until}, the announced date`
  site.report(`${kind}-removed`, { before, message: `It was removed ${told}.` })
}

const reportAdded = (site: Site, { kind, node }: Operation) => {
  site.report(`${kind}-added`, { after: node, message: `This ${kind} is new.` })
  compareLifecycles(site, undefined, node)
  checkSunset(site, node)
}
