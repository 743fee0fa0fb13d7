import { getOrMake, type Node } from '@contract-first/document'
import { entriesAt, serializationOf, textAt } from '../attributes.ts'
import { encoded, host, normalUrl } from './normal-url.ts'
import type { Operation } from './operation.ts'
import { parametersOf } from './parameters.ts'
import { escaped } from './path-pattern.ts'

export interface Server {
  url: string
  /** Undefined if none is declared. */
  node?: Node
  /** The URLs that its variables produce; a variable that allows any value is left as `{}`. */
  urls: readonly string[]
}

/** What declares the servers of an operation: itself, its path or the document. */
export const holderOf = ({ node, item, document }: Operation): Node =>
  [node, item].find(each => each.get('servers') !== undefined) ?? document.root

/** Without declared servers, `/` (OpenAPI 3.1.1, 4.8.1.1). */
export const serversOf = (holder: Node): Server[] => {
  const servers = (holder.get('servers')?.items() ?? []).map((node): Server => {
    const url = textAt(node, 'url') ?? '/'
    const variables = entriesAt(node, 'variables').map(([name, each]) => [name, valuesAt(each, 'enum')] as const)
    return { url, node, urls: variables.reduce(expand, [url]).map(plainUrl) }
  })
  return servers.length === 0 ? [{ url: '/', urls: [''] }] : servers
}

const basesIn = new WeakMap<Node, readonly string[]>()

/** The paths of an operation's servers, without their hosts. */
export const basesOf = (operation: Operation): readonly string[] => {
  if (operation.kind !== 'operation') return []
  const holder = holderOf(operation)
  return getOrMake(basesIn, holder, () => {
    const urls = serversOf(holder).flatMap(each => each.urls)
    // Marks server variables, so that they are not taken for path parameters.
    return [...new Set(urls.map(url => url.replace(host, '').replaceAll('{}', '{*}')))].toSorted()
  })
}

/** The path with `{}` for parameters; for a callback, its URL without its name, as braces there contain an expression. */
export const templateOf = ({ kind, path }: Operation) =>
  kind === 'operation' ? plain(path) : path.replace(/^\S+ /, '')

/** The paths that the listed values of its parameters produce; a parameter without a list is left as `{}`. */
export const pathsOf = (operation: Operation): string[] =>
  namesIn(operation.path)
    .map(name => [name, valuesOf(operation, name, ['enum', 'const'])] as const)
    .reduce(expand, [operation.path])
    .map(plain)

/** Matches the URLs, without hosts, that an operation serves; `{}` in a URL matches any parameter. */
export const patternOf = (operation: Operation): RegExp => {
  const oneOf = (texts: readonly string[]) => `(?:${texts.map(escaped).join('|')})`
  const valuesIn = (name: string) => valuesOf(operation, name, ['enum', 'const', 'default']).map(encoded)
  const parts = normalUrl(operation.path)
    .split(/\{([^{}]*)\}/)
    .map((part, index) => (index % 2 === 0 ? escaped(part) : oneOf(['{}', ...valuesIn(part)])))
  return new RegExp(`^${oneOf(basesOf(operation))}${parts.join('')}$`)
}

export const namesIn = (path: string) => [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)

/** The values that a path parameter lists under these keywords. */
const valuesOf = (operation: Operation, name: string, keywords: readonly string[]): string[] => {
  const { document } = operation
  const node = [...parametersOf(operation).values()].find(each => each.location === 'path' && each.name === name)?.node
  const schema = node?.get('schema')
  if (schema === undefined || serializationOf(node, 'path').style !== 'simple') return []
  return keywords.flatMap(keyword => valuesAt(document.resolve(schema), keyword))
}

export const valuesAt = (node: Node, keyword: string) => [node.get(keyword)?.value ?? []].flat().map(String)

// Contracts have few servers in few regions; beyond this many URLs, a variable counts as allowing any value.
export const maxUrls = 1000

const expand = (urls: readonly string[], [name, values]: readonly [string, readonly string[]]): readonly string[] =>
  values.length === 0 || values.length * urls.length > maxUrls
    ? urls
    : values.flatMap(value => urls.map(url => url.replaceAll(`{${name}}`, () => value)))

const plain = (url: string) => normalUrl(url).replaceAll(/\{[^{}]*\}/g, '{}')
const plainUrl = (url: string) => plain(url).replace(/\/$/, '')

/** Matches the URLs that a server with variables has. */
export const coverOf = (urls: readonly string[]) => {
  const patterns = urls.map(url => new RegExp(`^${url.split('{}').map(escaped).join('[^/]+')}$`))
  return (url: string) => urls.includes(url) || patterns.some(each => each.test(url))
}
