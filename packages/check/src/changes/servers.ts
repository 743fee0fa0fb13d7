import { listed, type Node } from '@contract-first/document'
import { entriesAt } from '../attributes.ts'
import type { Operation } from './operation.ts'
import type { Site } from './site.ts'
import { coverOf, holderOf, pathsOf, serversOf, templateOf, valuesAt } from './urls.ts'

/** A path below the servers that `holder` declares. */
interface Served {
  holder: Node
  path: string
  /** The paths that the listed values of its parameters produce. */
  paths: readonly string[]
}

/** Compares the document's servers: those of all operations without servers of their own. */
export const compareServers = (site: Site) => {
  const [before, after] = [site.comparison.before, site.comparison.after].map(({ root }) => root) as [Node, Node]
  compareUrls(site, { holder: before, path: '', paths: [''] }, [{ holder: after, path: '', paths: [''] }])
}

const isOwn = (each: Operation) => holderOf(each) !== each.document.root

/** Whether any operation uses the document's servers. */
export const usesSharedServers = (operations: readonly Operation[]): boolean =>
  operations.length === 0 || !operations.every(isOwn)

/** Compares an operation's servers, if it or its path declares any, or if operations have moved between servers and paths. */
export const compareServersOf = (site: Site, before: Operation, after: readonly Operation[]) => {
  if (!site.comparison.hasMoved && ![before, ...after].some(isOwn)) return
  const served = (each: Operation) => ({ holder: holderOf(each), path: templateOf(each), paths: pathsOf(each) })
  compareUrls(site, served(before), after.map(served))
}

/** A URL that another server covers is not lost. */
const compareUrls = (site: Site, before: Served, after: readonly Served[]) => {
  const coverage = (all: readonly Served[]) =>
    coverOf(all.flatMap(({ holder, path }) => serversOf(holder).flatMap(({ urls }) => urls.map(url => url + path))))
  const [isKept, isKnown] = [coverage(after), coverage([before])]
  const isIn = (covers: typeof isKept, url: string, { path, paths }: Served) =>
    covers(url + path) || paths.every(each => covers(url + each))
  // Without declared servers, no URL was promised.
  for (const { url, node, urls } of serversOf(before.holder)) {
    const lost = urls.filter(each => !isIn(isKept, each, before))
    if (node === undefined || lost.length === 0) continue
    const same = after.flatMap(({ holder }) => serversOf(holder)).find(each => each.url === url)
    const message = valuesLeft(node, same?.node) ?? messageOf(lost, urls, 'no longer a URL', 'no longer URLs')
    const change = { before: node, after: after[0]?.holder.get('servers'), was: url, message }
    site.named(`server ${url}`).report('server-removed', change)
  }
  for (const served of after)
    for (const { url, node, urls } of serversOf(served.holder)) {
      const added = urls.filter(each => !isIn(isKnown, each, served))
      if (node === undefined || added.length === 0) continue
      const message = messageOf(added, urls, 'a new URL', 'new URLs')
      site.named(`server ${url}`).report('server-added', { after: node, is: url, message })
    }
}

/** Of a server whose URL is still there: which values its variables may have that could have any. */
const valuesLeft = (before: Node, after: Node | undefined): string | undefined => {
  const lists = entriesAt(after, 'variables').flatMap(([name, each]) => {
    const [was, values] = [before.get('variables')?.get(name)?.get('enum'), valuesAt(each, 'enum')]
    return was !== undefined || values.length === 0 ? [] : `{${name}} may now only be ${listed(values, maxListed)}`
  })
  return lists.length === 0 ? undefined : `${lists.join(', and ')}.`
}

/** Lists the URLs if the server has variables. */
const messageOf = (urls: readonly string[], all: readonly string[], one: string, several: string) => {
  const names = listed(
    urls.map(each => each || '/'),
    maxListed
  )
  return `${all.length === 1 ? 'It' : names} ${urls.length === 1 ? `is ${one}` : `are ${several}`} of this interface.`
}

const maxListed = 10
