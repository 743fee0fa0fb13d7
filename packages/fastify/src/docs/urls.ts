import type { Contract } from '../contract/contract.ts'

/**
 * The path before `/docs/`, `/openapi.json` and the others: none, unless the contract has operations there; then `/-`, or
 * more hyphens.
 */
export const docsPrefixOf = (contract: Operations): string => {
  const urls = urlsOf(contract)
  const firstSegments = new Set(urls.map(url => url.split('/')[1] ?? ''))
  const isTaken = (segment: string) => firstSegments.has(segment)
  const hasParameter = [...firstSegments].some(each => each.includes('{'))
  if (!hasParameter && !rootSegments.some(isTaken)) return ''
  let segment = '-'
  while (isTaken(segment)) segment += '-'
  return `/${segment}`
}

/** Whether `/docs`, with a slash at its end or without, belongs to an operation. */
export const hasDocsPath = (contract: Operations): boolean =>
  urlsOf(contract).some(url => /^\/(?:docs|[^/]*\{[^/]*)\/?$/.test(url))

type Operations = Pick<Contract, 'basePath' | 'operations'>

const urlsOf = ({ basePath, operations }: Operations) =>
  Object.values(operations).map(({ path, basePath: own }) => (own ?? basePath) + path)

const rootSegments = ['', 'docs', 'openapi.yaml', 'openapi.json', 'changelog.md']
export interface Server {
  url: string
  variables?: object
}

/** The document with other servers: its own, those of paths and those of operations. */
export const withServers = <Whole extends object>(document: Whole, change: (servers: Server[]) => Server[]): Whole => {
  const own = <T>(part: T): T => {
    const { servers } = (part ?? {}) as { servers?: Server[] }
    return Array.isArray(servers) ? { ...part, servers: change(servers) } : part
  }
  const { paths = {} } = document as { paths?: object }
  const item = (each: object) => mapped(own(each), own)
  return { ...own(document), paths: mapped(paths, item) }
}

const mapped = <T>(all: object, change: (value: T) => unknown): object =>
  Object.fromEntries(Object.entries(all).map(([key, value]) => [key, change(value)]))
