import { getOrMake } from '@contract-first/document'
import { encoded } from '../changes/normal-url.ts'
import type { Operation } from '../changes/operation.ts'
import { escaped } from '../changes/path-pattern.ts'
import { basesOf, namesIn } from '../changes/urls.ts'

/** The operation that a request is to, the names of the parameters in its path, and their texts. */
export interface Match {
  operation: Operation
  names: readonly string[]
  texts: readonly string[]
}

interface Route {
  operation: Operation
  names: readonly string[]
  /** Its parts between parameters. */
  parts: readonly string[]
  pattern: RegExp
  /** For each segment, whether it has a parameter: `001` for `/pets/{id}`. */
  shape: string
}

/**
 * Finds the operation of a request: by the base paths of its servers or, behind a proxy that removes them, by its path alone.
 * The most concrete path that has the method wins.
 */
export const routerOf = (operations: readonly Operation[]) => {
  const [whole, bare] = [tableOf(operations, basesOf), tableOf(operations, () => [''])]
  return (method: string, sent: string): Match | undefined => {
    const path = /^[!-$&-~]*$/.test(sent) ? sent : encoded(sent)
    const segments = path.split('/')
    // A server responds to HEAD as to GET, even if it is not declared.
    for (const asked of method === 'HEAD' ? [method, 'GET'] : [method])
      for (const table of [whole, bare])
        for (const [shape, routes] of table.get(`${asked} ${segments.length}`) ?? [])
          for (const { operation, names, pattern } of routes.get(literalsIn(segments, shape)) ?? []) {
            const texts = pattern.exec(path)?.slice(1)
            // Variables of servers come first, and have no names.
            if (texts !== undefined) return { operation, names, texts: texts.slice(texts.length - names.length) }
          }
    return undefined
  }
}

/** By method and number of segments, then by shape, literals before parameters, then by the literal segments. */
const tableOf = (operations: readonly Operation[], basesFor: (each: Operation) => readonly string[]) => {
  const table = new Map<string, Map<string, Map<string, Route[]>>>()
  const routes = operations.flatMap(each => basesFor(each).map(base => routeOf(base + each.path, each)))
  for (const route of routes.sort(byConcreteness)) {
    const segments = route.parts.join('*').split('/')
    const shapes = getOrMake(table, `${route.operation.method} ${segments.length}`, () => new Map())
    const sharing = getOrMake<string, Map<string, Route[]>>(shapes, route.shape, () => new Map())
    getOrMake(sharing, literalsIn(segments, route.shape), (): Route[] => []).push(route)
  }
  return table
}

/** Of paths of the same shape, `{id}.json` comes before `{id}`. */
const byConcreteness = (a: Route, b: Route) =>
  a.shape === b.shape ? b.parts.join('').length - a.parts.join('').length : a.shape < b.shape ? -1 : 1

const routeOf = (path: string, operation: Operation): Route => {
  const parts = path.split(/\{[^{}]*\}/).map(encoded)
  return {
    operation,
    names: namesIn(operation.path),
    parts,
    pattern: new RegExp(`^${parts.map(escaped).join('([^/]{1,8000})')}$`),
    shape: path
      .split('/')
      .map(each => Number(each.includes('{')))
      .join('')
  }
}

const literalsIn = (segments: readonly string[], shape: string) =>
  segments.map((each, index) => (shape[index] === '1' ? '*' : each)).join('/')
