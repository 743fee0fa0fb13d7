import { getOrMake } from '@contract-first/document'
import type { Operation } from './operation.ts'
import { basesOf, maxUrls, namesIn, pathsOf, patternOf, templateOf } from './urls.ts'

/** The operations that clients now reach at the same URLs, of which there may be several, or else at the same path. */
export const pairsOf = (before: readonly Operation[], after: readonly Operation[]): Map<Operation, Operation[]> => {
  const pairs = new Map<Operation, Operation[]>()
  const unpaired = () => before.filter(each => !pairs.has(each))
  const pairBy = (keyOf: (operation: Operation) => string) => {
    const paired = new Set([...pairs.values()].flat())
    const free = Map.groupBy(unpaired(), keyOf)
    for (const each of after) {
      const match = paired.has(each) ? undefined : free.get(keyOf(each))?.shift()
      if (match !== undefined) pairs.set(match, [each])
    }
  }
  // If several paths differ only in parameter names, those spelled the same are paired first.
  const spellings = [({ path }: Operation) => path, templateOf]
  for (const pathOf of spellings) pairBy(each => `${each.method} ${basesOf(each)} ${pathOf(each)}`)
  const serving = servingAmong(after)
  for (const each of unpaired()) {
    const partners = serving(each)
    if (partners !== undefined) pairs.set(each, partners)
  }
  for (const pathOf of spellings) pairBy(each => `${each.method} ${pathOf(each)}`)
  return pairs
}

/** Whether something has moved from a server or a parameter to a path, or back. */
export const haveMoved = (pairs: ReadonlyMap<Operation, readonly Operation[]>) =>
  [...pairs].some(([each, found]) => found.some(other => templateOf(other) !== templateOf(each)))

/** Finds the operations that serve all URLs of another one; undefined if one of the URLs is not served. */
const servingAmong = (operations: readonly Operation[]) => {
  // Paths with fewer parameters take precedence (OpenAPI 3.1.1, 4.8.8.2).
  const all = operations.toSorted((a, b) => namesIn(a.path).length - namesIn(b.path).length)
  const patterns = new Map<Operation, RegExp>()
  const serves = (each: Operation, url: string) => getOrMake(patterns, each, () => patternOf(each)).test(url)
  const servedBy = (urls: readonly string[], method: string): Operation[] | undefined => {
    const servers = new Set<Operation>()
    for (const url of urls) {
      const server = all.find(each => each.method === method && serves(each, url))
      if (server === undefined) return undefined
      servers.add(server)
    }
    return [...servers]
  }
  return (operation: Operation): Operation[] | undefined => {
    if (operation.kind !== 'operation') return undefined
    const bases = basesOf(operation)
    for (const paths of [[templateOf(operation)], pathsOf(operation)]) {
      if (paths.length * bases.length > maxUrls) return undefined
      const urls = bases.flatMap(base => paths.map(path => base + path))
      const servers = servedBy(urls, operation.method)
      if (servers !== undefined) return servers
    }
    return undefined
  }
}
