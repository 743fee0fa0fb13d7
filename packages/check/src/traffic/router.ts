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
      for (const { shapes, routes } of [whole, bare])
        for (const shape of shapes.get(`${asked} ${segments.length}`) ?? [])
          for (const { operation, names, pattern } of routes.get(keyOf(asked, segments, shape)) ?? []) {
            const texts = pattern.exec(path)?.slice(1)
            // Variables of servers come first, and have no names.
            if (texts !== undefined) return { operation, names, texts: texts.slice(texts.length - names.length) }
          }
    return undefined
  }
}

/** Shapes by method and number of segments, literals before parameters; then routes, `{id}.json` before `{id}`. */
const tableOf = (operations: readonly Operation[], basesFor: (each: Operation) => readonly string[]) => {
  const all = operations
    .flatMap(each => basesFor(each).map(base => routeOf(base + each.path, each)))
    .toSorted((a, b) => (a.shape === b.shape ? b.literals.length - a.literals.length : a.shape < b.shape ? -1 : 1))
  const shapes = new Map<string, Set<string>>()
  for (const { operation, shape } of all)
    getOrMake(shapes, `${operation.method} ${shape.length}`, () => new Set<string>()).add(shape)
  return {
    shapes,
    routes: Map.groupBy(all, ({ operation, path, shape }) => keyOf(operation.method, path.split('/'), shape))
  }
}

const keyOf = (method: string, segments: readonly string[], shape: string) =>
  `${method} ${segments.map((each, index) => (shape[index] === '1' ? '*' : each)).join('/')}`

const routeOf = (path: string, operation: Operation) => {
  const parts = path.split(/\{[^{}]*\}/).map(encoded)
  return {
    operation,
    names: namesIn(operation.path),
    path: parts.join('*'),
    literals: parts.join(''),
    pattern: new RegExp(`^${parts.map(escaped).join('([^/]{1,8000})')}$`),
    /** For each segment, whether it has a parameter: `001` for `/pets/{id}`. */
    shape: path
      .split('/')
      .map(each => Number(each.includes('{')))
      .join('')
  }
}
