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

/**
 * Finds the operation of a request: by the base paths of its servers or, behind a proxy that removes them, by its path alone.
 * The most concrete path that has the method wins.
 */
export const routerOf = (operations: readonly Operation[]) => {
  const [whole, bare] = [tableOf(operations, basesOf), tableOf(operations, () => [''])]
  return (method: string, sent: string): Match | undefined => {
    const path = /^[!-$&-~]*$/.test(sent) ? sent : encoded(sent)
    const count = path.split('/').length
    // A server responds to HEAD as to GET, even if it is not declared.
    for (const asked of method === 'HEAD' ? [method, 'GET'] : [method])
      for (const table of [whole, bare])
        for (const { operation, names, pattern } of table.get(`${asked} ${count}`) ?? []) {
          const texts = pattern.exec(path)?.slice(1)
          // Variables of servers come first, and have no names.
          if (texts !== undefined) return { operation, names, texts: texts.slice(texts.length - names.length) }
        }
    return undefined
  }
}

/** By method and number of segments: literals before parameters, and `{id}.json` before `{id}`. */
const tableOf = (operations: readonly Operation[], basesFor: (each: Operation) => readonly string[]) => {
  const routes = operations.flatMap(each => basesFor(each).map(base => routeOf(base + each.path, each)))
  const byConcreteness = routes.toSorted((a, b) => {
    return a.shape === b.shape ? b.literals.length - a.literals.length : a.shape < b.shape ? -1 : 1
  })
  return Map.groupBy(byConcreteness, ({ operation, shape }) => `${operation.method} ${shape.length}`)
}

const routeOf = (path: string, operation: Operation) => {
  const parts = path.split(/\{[^{}]*\}/).map(encoded)
  return {
    operation,
    names: namesIn(operation.path),
    literals: parts.join(''),
    pattern: new RegExp(`^${parts.map(escaped).join('([^/]{1,8000})')}$`),
    /** For each segment, whether it has a parameter: `001` for `/pets/{id}`. */
    shape: path
      .split('/')
      .map(each => Number(each.includes('{')))
      .join('')
  }
}
