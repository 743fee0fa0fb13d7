import type { Node } from '../../document/node.ts'
import { entriesAt, textAt } from './attributes.ts'
import type { Operation } from './operation.ts'
import type { Site } from './site.ts'

interface Server {
  url: string
  node: Node
  /** The URLs that its variables produce; a variable that allows any value is left as `{}`. */
  addresses: readonly string[]
}

/** Compares the URLs of the service; none is lost while another server covers it. */
export const compareServers = (site: Site, before: Node, after: Node) => compareLists(site, before, after)

/** Of an operation, if it or its path declares its own servers. */
export const compareServersOf = (site: Site, before: Operation, after: Operation) => {
  const holderOf = ({ node, item }: Operation) => [node, item].find(each => each.get('servers') !== undefined)
  const [was, is] = [holderOf(before), holderOf(after)]
  if (was === undefined && is === undefined) return
  const { comparison } = site
  compareLists(site, was ?? comparison.before.root, is ?? comparison.after.root)
}

const compareLists = (site: Site, before: Node, after: Node) => {
  const [earlier, later] = [serversOf(before), serversOf(after)]
  // Without declared servers, none was promised.
  for (const { url, node, addresses } of earlier) {
    const lost = addresses.find(address => !isAmong(address, later))
    if (lost === undefined) continue
    const message = `${lost === plain(url) ? 'It' : lost} is no longer a URL of this interface.`
    site
      .named(`server ${url}`)
      .report('server-removed', { before: node, after: after.get('servers'), was: url, message })
  }
  for (const { url, node, addresses } of later) {
    if (addresses.every(address => isAmong(address, earlier))) continue
    const message = 'It is a new URL of this interface.'
    site.named(`server ${url}`).report('server-added', { after: node, is: url, message })
  }
}

const serversOf = (holder: Node): Server[] =>
  (holder.get('servers')?.items() ?? []).map(node => {
    const url = textAt(node, 'url') ?? '/'
    return { url, node, addresses: entriesAt(node, 'variables').reduce(expand, [url]).map(plain) }
  })

// Contracts have few servers in few regions; beyond this many URLs, a variable counts as allowing any value.
const mostAddresses = 1000

const expand = (addresses: readonly string[], [name, variable]: [string, Node]): readonly string[] => {
  const values = variable.get('enum')?.items() ?? []
  if (values.length === 0 || values.length * addresses.length > mostAddresses) return addresses
  return values.flatMap(({ value }) => addresses.map(address => address.replaceAll(`{${name}}`, String(value))))
}

const plain = (address: string) => address.replaceAll(/\{[^{}]*\}/g, '{}').replace(/(?<=.)\/$/, '')

const isAmong = (address: string, servers: readonly Server[]) =>
  servers.some(({ addresses }) => addresses.some(each => each === address || patternOf(each).test(address)))

const patternOf = (address: string) => new RegExp(`^${address.split('{}').map(escaped).join('[^/]+')}$`)
const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
