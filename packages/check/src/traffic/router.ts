import { encoded } from '../changes/normal-url.ts'
import type { Operation } from '../changes/operation.ts'
import { basesOf, escaped, namesIn } from '../changes/urls.ts'

/** The operation that a request is to, the names of the parameters in its path, and their texts. */
export interface Match {
  operation: Operation
  names: readonly string[]
  texts: readonly string[]
}

interface Route {
  operation: Operation
  names: readonly string[]
  pattern: RegExp
  order: string
}

/**
 * Finds the operation of a request: by the base paths of its servers or, behind a proxy that removes them, by its path alone.
 * The most concrete path that has the method wins.
 */
export const routerOf = (operations: readonly Operation[]) => {
  const routesWith = (basesFor: (each: Operation) => readonly string[]) => {
    const routes = operations.flatMap(each => basesFor(each).map(base => routeOf(base, each)))
    return Map.groupBy(
      routes.sort((a, b) => (a.order < b.order ? -1 : 1)),
      ({ operation: { method }, order }) => `${method} ${order.split(slash).length - 1}`
    )
  }
  const [whole, bare] = [routesWith(basesOf), routesWith(() => [''])]
  return (method: string, sent: string): Match | undefined => {
    const path = /^[!-$&-~]*$/.test(sent) ? sent : encoded(sent)
    const length = path.split('/').length
    // A server responds to HEAD as to GET, even if it is not declared.
    for (const asked of method === 'HEAD' ? [method, 'GET'] : [method])
      for (const routes of [whole, bare])
        for (const { operation, names, pattern } of routes.get(`${asked} ${length}`) ?? []) {
          const texts = pattern.exec(path)?.slice(1)
          // Variables of servers come first, and have no names.
          if (texts !== undefined) return { operation, names, texts: texts.slice(texts.length - names.length) }
        }
    return undefined
  }
}

/** Sorted by these, texts come before parameters, and `{id}.json` before `{id}`. */
const [parameter, slash] = ['\uffff', '\ufffe']

const routeOf = (base: string, operation: Operation): Route => {
  const parts = (base + operation.path).split(/\{[^{}]*\}/).map(encoded)
  return {
    operation,
    names: namesIn(operation.path),
    pattern: new RegExp(`^${parts.map(escaped).join('([^/]{1,8000})')}$`),
    order: parts.join(parameter).replaceAll('/', slash) + slash
  }
}
