import type { Node } from '../../document/node.ts'
import { entriesAt, textAt } from '../attributes.ts'
import type { Operation } from './operation.ts'
import type { Site } from './site.ts'

interface Server {
  url: string
  node: Node
  /** The URLs that its variables produce; a variable that allows any value is left as `{}`. */
  urls: readonly string[]
}

/** How URLs and paths of the old document are written in the new one. */
interface Move {
  urlOf: (url: string) => string
  pathOf: (path: string) => string
}

const unmoved: Move = { urlOf: url => url, pathOf: path => path }

/** `/pets` at `/v1` and `/v1/pets` at `/` are the same URL, if all servers and paths have moved like that. */
export const moveOf = (before: Node, after: Node): Move => {
  const [from, to] = [baseOf(before), baseOf(after)]
  const [earlier, later] = [before, after].map(root => entriesAt(root, 'paths'))
  const hasOwn = [...(earlier ?? []), ...(later ?? [])].some(([, item]) =>
    [item, ...item.entries().map(([, each]) => each)].some(each => each.get('servers') !== undefined)
  )
  if (from === undefined || to === undefined || from === to || hasOwn) return unmoved
  const areBelow = (paths: typeof earlier, prefix: string) => paths?.every(([path]) => path.startsWith(`${prefix}/`))
  const [toPaths, toServers] = [from.slice(to.length), to.slice(from.length)]
  if (from === to + toPaths && areBelow(later, toPaths))
    return { urlOf: url => withoutSlash(url).slice(0, -toPaths.length) || '/', pathOf: path => toPaths + path }
  if (to === from + toServers && areBelow(earlier, toServers))
    return { urlOf: url => withoutSlash(url) + toServers, pathOf: path => path.slice(toServers.length) }
  return unmoved
}

const withoutSlash = (url: string) => url.replace(/\/$/, '')

/** The path that all servers have, if any are declared; undefined if they differ. */
const baseOf = (root: Node): string | undefined => {
  const paths = new Set(
    serversOf(root)
      .flatMap(({ urls }) => urls)
      .map(url => withoutSlash(url.replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/]*/i, '')))
  )
  return paths.size > 1 ? undefined : ([...paths][0] ?? '')
}

const holderOf = ({ node, item }: Operation) => [node, item].find(each => each.get('servers') !== undefined)

/** Whether the document's own servers are those of any operation. */
export const usesSharedServers = (operations: readonly Operation[]): boolean =>
  operations.length === 0 || operations.some(each => holderOf(each) === undefined)

/** Of an operation, if it or its path declares its own servers. */
export const compareServersOf = (site: Site, before: Operation, after: Operation) => {
  const [was, is] = [holderOf(before), holderOf(after)]
  if (was === undefined && is === undefined) return
  const { comparison } = site
  compareServers(site, was ?? comparison.before.root, is ?? comparison.after.root)
}

/** Compares the URLs of the service; none is lost while another server covers it. */
export const compareServers = (site: Site, before: Node, after: Node, urlOf = unmoved.urlOf) => {
  const [earlier, later] = [serversOf(before), serversOf(after)]
  // Without declared servers, none was promised.
  for (const { url, node, urls } of earlier) {
    const lost = urls.find(expanded => !isAmong(urlOf(expanded), later))
    if (lost === undefined) continue
    const message = `${lost === plain(url) ? 'It' : lost} is no longer a URL of this interface.`
    const change = { before: node, after: after.get('servers'), was: url, message }
    site.named(`server ${url}`).report('server-removed', change)
  }
  const moved = earlier.map(each => ({ ...each, urls: each.urls.map(urlOf) }))
  for (const { url, node, urls } of later) {
    if (urls.every(expanded => isAmong(expanded, moved))) continue
    const message = 'It is a new URL of this interface.'
    site.named(`server ${url}`).report('server-added', { after: node, is: url, message })
  }
}

const serversOf = (holder: Node): Server[] =>
  (holder.get('servers')?.items() ?? []).map(node => {
    const url = textAt(node, 'url') ?? '/'
    return { url, node, urls: entriesAt(node, 'variables').reduce(expand, [url]).map(plain).map(withPlainHost) }
  })

// Contracts have few servers in few regions; beyond this many URLs, a variable counts as allowing any value.
const maxUrls = 1000

const expand = (urls: readonly string[], [name, variable]: [string, Node]): readonly string[] => {
  const values = variable.get('enum')?.items() ?? []
  if (values.length === 0 || values.length * urls.length > maxUrls) return urls
  return values.flatMap(({ value }) => urls.map(expanded => expanded.replaceAll(`{${name}}`, String(value))))
}

const plain = (expanded: string) => expanded.replaceAll(/\{[^{}]*\}/g, '{}').replace(/(?<=.)\/$/, '')

/** Scheme and host in lower case, without the port that is meant anyway. */
const withPlainHost = (url: string) =>
  url
    .replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/]*/i, text => text.toLowerCase())
    .replace(/^(https:\/\/[^/]*):443(?=\/|$)|^(http:\/\/[^/]*):80(?=\/|$)/, '$1$2')

// No servers mean `/` (OpenAPI 3.1.1, 4.8.1.1).
const isAmong = (expanded: string, servers: readonly Server[]) =>
  servers.length === 0
    ? expanded === '/'
    : servers.some(({ urls }) => urls.some(each => each === expanded || patternOf(each).test(expanded)))

const patternOf = (expanded: string) => new RegExp(`^${expanded.split('{}').map(escaped).join('[^/]+')}$`)
const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
