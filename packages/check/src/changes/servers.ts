import { listed, type Node } from '@contract-first/document'
import type { Operation } from './operation.ts'
import type { Site } from './site.ts'
import { coverOf, holderOf, namesIn, pathsOf, type Server, serversOf, templateOf, valuesAt } from './urls.ts'

/** `paths` are those that the listed values of the path's parameters produce. */
type Served = { holder: Node; path: string; paths: readonly string[] }

/** Compares the document's servers: those of all operations without servers of their own. */
export const compareServers = (site: Site) => {
  const [before, after] = [site.comparison.before, site.comparison.after].map(({ root }) => root) as [Node, Node]
  compareUrls(site, { holder: before, path: '', paths: [''] }, [{ holder: after, path: '', paths: [''] }])
}

const isOwn = (each: Operation) => holderOf(each) !== each.document.root

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
    const same = after.flatMap(({ holder }) => serversOf(holder)).find(each => plain(each.url) === plain(url))
    const message = valuesLeft({ url, node }, same) ?? messageOf(lost, urls, 'no longer a URL', 'no longer URLs')
    const change = { before: node, after: same?.node ?? after[0]?.holder.get('servers'), was: url, message }
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

const plain = (url: string) => url.replaceAll(/\{[^{}]*\}/g, '{}')

type Declared = Pick<Server, 'url' | 'node'>

/** Of a server whose URL is still there: which values its variables may have that could have others. */
const valuesLeft = (before: Declared, after: Declared | undefined) => {
  if (after === undefined) return undefined
  const valuesIn = ({ url, node }: Declared) =>
    namesIn(url).map(name => ({ name, values: node ? valuesAt(node.get('variables')?.get(name) ?? node, 'enum') : [] }))
  const olds = valuesIn(before)
  const limited = valuesIn(after).filter(({ values }, index) => {
    const old = olds[index]?.values ?? []
    return values.length > 0 && (old.length === 0 || old.some(each => !values.includes(each)))
  })
  if (limited.length === 0) return undefined
  return `${limited.map(({ name, values }) => `\`{${name}}\` may now only be ${either(values)}`).join(', and ')}.`
}

const either = (values: readonly string[]): string => {
  const names = values.map(each => `\`${each}\``)
  return names.length > maxListed ? listed(names, maxListed) : names.join(', ').replace(/, (?=[^,]*$)/, ' or ')
}

/** Lists the URLs if the server has variables. */
const messageOf = (urls: readonly string[], all: readonly string[], one: string, several: string) => {
  const roots = urls.map(each => each || '/')
  const names = listed(roots, maxListed)
  return `${all.length === 1 ? 'It' : names} ${urls.length === 1 ? `is ${one}` : `are ${several}`} of this interface.`
}

const maxListed = 10
