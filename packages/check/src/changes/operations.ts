import type { Node, OpenApiDocument } from '@contract-first/document'
import { entriesAt, isSet, textAt } from '../attributes.ts'
import type { Direction } from '../schema/schema.ts'
import { compareContents } from './contents.ts'
import { checkSunset, compareLifecycles, isPastSunset, lifecycleOf, mayBreak, removedAsAnnounced } from './lifecycle.ts'
import { type Operation, operationsOf } from './operation.ts'
import { pairsOf } from './pairs.ts'
import { compareParameters } from './parameters.ts'
import { comparePresence, type Part } from './presence.ts'
import { compareResponses } from './responses.ts'
import { compareSecurity } from './security.ts'
import { compareServersOf } from './servers.ts'
import { type Comparison, divided, opposite, Site } from './site.ts'

/** Compares operations; with direction `response`, webhooks or callbacks, whose requests the server sends. */
export const compareOperations = (
  comparison: Comparison,
  direction: Direction,
  before: Operation[],
  after: Operation[],
  pairs = pairsOf(before, after)
) => {
  const siteOf = ({ name: place }: Operation, told: Operation) =>
    new Site({ comparison, place, use: place, direction, mayBreak: isUnstable(told), of: { operation: told.name } })
  const kept = new Set([...pairs.values()].flat())
  const added = new Set(after.filter(each => !kept.has(each)))
  const moved = new Map([...added].map(each => [idOf(each), each]))
  for (const [index, each] of before.entries()) {
    comparison.options.show?.(`${each.kind} ${index + 1} of ${before.length}`)
    const partners = pairs.get(each)
    if (partners !== undefined) {
      for (const later of partners) compareOperation(siteOf(later, each), each, later, partners)
    } else if (isPastSunset(each.node, comparison.options.today)) {
      const message = removedAsAnnounced(each.node)
      siteOf(each, each).report(`${each.kind}-removed-after-sunset`, { before: each.node, message })
    } else {
      const target = each.kind === 'operation' && idOf(each) !== undefined ? moved.get(idOf(each)) : undefined
      if (target !== undefined) added.delete(target)
      reportRemoved(siteOf(each, each), each, target)
    }
  }
  for (const each of added) reportAdded(siteOf(each, each), each)
}

const idOf = ({ node }: Operation) => textAt(node, 'operationId')
const isUnstable = ({ node, owner }: Operation): boolean => mayBreak(node) || (owner !== undefined && isUnstable(owner))

/** `serving` are all operations that now serve the URLs of the earlier one. */
const compareOperation = (site: Site, before: Operation, after: Operation, serving: readonly Operation[]) => {
  if (site.isUnreadable(before.node, after.node)) return
  const holders = [
    { place: `${site.place} `, was: before.node, is: after.node },
    { place: `${after.pathName} `, was: before.item, is: after.item },
    { place: '', was: before.document.root, is: after.document.root }
  ]
  const isReadable = (key: string) =>
    holders.every(({ place, was, is }) => !site.named(place + key).isUnreadable(was.get(key), is.get(key)))
  compareLifecycles(site, before.node, after.node)
  checkSunset(site, after.node)
  if (isReadable('operationId')) compareIds(site, before, after)
  if (after.kind === 'operation' && isReadable('servers')) compareServersOf(site, before, serving)
  if (isReadable('security')) compareSecurity(site, before, after)
  if (isReadable('parameters')) compareParameters(site, before, after)
  compareRequestBodies(site, before.node, after.node)
  const replies = site.sentBy(opposite[site.direction])
  if (isReadable('responses')) compareResponses(replies, before.node, after.node)
  if (isReadable('callbacks')) compareCallbacks(site, before, after)
}

const compareCallbacks = (site: Site, before: Operation, after: Operation) => {
  const { comparison, direction } = site
  const { before: older, after: newer } = comparison
  const named = divided(comparison, entriesAt(before.node, 'callbacks'), entriesAt(after.node, 'callbacks'))
  const items = divided(comparison, itemsOf(older, named.before), itemsOf(newer, named.after))
  for (const [key, was, is] of [...named.unreadable, ...items.unreadable])
    site.named(`${site.place} callback ${key}`).isUnreadable(was, is)
  const [earlier, later] = [callbacksOf(older, before, items.before), callbacksOf(newer, after, items.after)]
  compareOperations(comparison, opposite[direction], earlier, later)
}

const compareIds = (site: Site, before: Operation, after: Operation) => {
  const [was, is] = [idOf(before), idOf(after)]
  if (was === undefined || was === is) return
  const change = { before: before.node.get('operationId'), after: after.node.get('operationId') ?? after.node, was, is }
  const message = is === undefined ? `It no longer has the operationId ${was}.` : `It was renamed from ${was} to ${is}.`
  site.report(`operation-id-${is === undefined ? 'removed' : 'changed'}`, { ...change, message })
}

const compareRequestBodies = (site: Site, before: Node, after: Node) => {
  const [earlier, later] = [bodyOf(site.comparison.before, before), bodyOf(site.comparison.after, after)]
  const at = site.part('request body', before.get('requestBody'), after.get('requestBody')).about({ isBody: true })
  if (at.isUnreadable(before.get('requestBody'), after.get('requestBody'))) return
  comparePresence(at, 'body', earlier, later)
  compareContents(at, earlier?.node.get('content'), later?.node.get('content'))
}

const bodyOf = (document: OpenApiDocument, operation: Node): Part | undefined => {
  const reference = operation.get('requestBody')
  const node = reference && document.resolve(reference)
  return node && { node, required: isSet(node, 'required') }
}

/** By name and URL expression. */
const itemsOf = (document: OpenApiDocument, callbacks: readonly [name: string, reference: Node][]) =>
  callbacks.flatMap(([name, reference]) => {
    const items = document.resolve(reference).entries()
    return items.map(([expression, item]): [string, Node] => [`${name} ${expression}`, item])
  })

const callbacksOf = (document: OpenApiDocument, owner: Operation, items: [string, Node][]): Operation[] =>
  // By reference, a callback can be its own callback.
  operationsOf(document, 'callback', items, owner).filter(({ node }) => !hasOwner(owner, node))

const hasOwner = (operation: Operation | undefined, node: Node): boolean =>
  operation !== undefined && (operation.node === node || hasOwner(operation.owner, node))

const reportRemoved = (site: Site, { kind, name, node: before }: Operation, target: Operation | undefined) => {
  const { deprecated, sunset: until } = lifecycleOf(before)
  const early = until === undefined ? '' : ` before ${until}, the announced date`
  const undated = 'It was removed; it was deprecated, but without a date.'
  if (target !== undefined) {
    const sides = { before, after: target.node, was: name, is: target.name }
    site.report('operation-moved', { ...sides, message: `It is now ${target.name}.` })
  } else if (kind === 'operation' && deprecated && until === undefined)
    site.report('operation-removed-undated', { before, message: undated })
  else site.report(`${kind}-removed`, { before, message: `It was removed${early}.` })
}

const reportAdded = (site: Site, { kind, node }: Operation) => {
  site.report(`${kind}-added`, { after: node, message: 'It is new.' })
  compareLifecycles(site, undefined, node)
  checkSunset(site, node)
}
