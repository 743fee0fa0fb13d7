import { METHODS } from 'node:http'
import { basePathOf, entriesOf, isObject, type Json, type JsonObject } from '@contract-first/document'

/** The keys of operations that are served. */
const methods = ['get', 'put', 'post', 'delete', 'patch', 'options', 'head', 'query']

/** The methods that `additionalOperations` may have: those that Node.js reads, but for tunnels and for what has a key. */
const additionalMethods: ReadonlySet<string> = new Set(
  METHODS.filter(each => !['CONNECT', 'TRACE', ...methods.map(method => method.toUpperCase())].includes(each))
)
export const isAdditionalMethod = (method: string): boolean => additionalMethods.has(method)
export const isServedMethod = (method: string): boolean => methods.includes(method) || isAdditionalMethod(method)

/** The operations of a path item by method: by their keys, such as `get`, and those of `additionalOperations` as they are sent. */
export const operationsOf = (item: JsonObject): [method: string, operation: JsonObject][] =>
  entriesOf(item)
    .flatMap(([key, each]) =>
      key === 'additionalOperations' ? entriesOf(each) : methods.includes(key) ? [[key, each] as [string, Json]] : []
    )
    .filter((entry): entry is [string, JsonObject] => isObject(entry[1]))

/** The same without a HEAD beside a GET, which is a part of that. */
const routedOperationsOf = (item: JsonObject) =>
  operationsOf(item).filter(([method]) => method !== 'head' || item.get === undefined)

/** The methods of a path item's operations. */
export const methodsOf = (item: JsonObject): string[] => routedOperationsOf(item).map(([method]) => method)

/** What has the operation of a method as an entry. */
export const holderOf = (item: JsonObject, method: string): JsonObject =>
  isObject(item.additionalOperations) && isAdditionalMethod(method) ? item.additionalOperations : item

/** Clients do not send what follows a `#`. */
export const withoutFragment = (path: string): string => path.replace(/#.*$/s, '')

/**
 * The operations whose requests reach another one, by method and path. `GET /pets#all` reaches `GET /pets`, if there is one,
 * or else the first of those with a fragment; `GET /pets?all` reaches it too, as clients send that as a query; and `GET
 * /pets/{name}` reaches `GET /pets/{id}`, if that comes first.
 */
export const reachedInstead = (document: JsonObject): ReadonlyMap<string, string> => {
  const served = new Map<string, string>()
  const others = new Map<string, string>()
  const items = entriesOf(document.paths)
  for (const [path, item] of [...items.filter(isWhole), ...items.filter(each => !isWhole(each))]) {
    if (!isObject(item)) continue
    for (const [method, operation] of routedOperationsOf(item)) {
      const key = `${method} ${basePathOf(operation, item, document)}${shapeOf(path)}`
      // Alone, it has no path that could be served.
      if (path.includes('?') && !served.has(key)) continue
      const first = served.getOrInsertComputed(key, () => path)
      if (first !== path && shapeOf(first) === shapeOf(path)) others.set(`${method} ${path}`, first)
    }
  }
  return others
}

const isWhole = ([path]: readonly [string, unknown]) => !/[#?]/.test(path)

/** A path without the names of its parameters, and without what is no part of it. */
const shapeOf = (path: string) => path.replace(/[#?].*$/s, '').replace(/\{[^}]*\}/g, '{}')

/** Whether a response of this status is followed by another one, or by another protocol. */
export const isInterim = (status: string): boolean => status.startsWith('1')

/** Whether HTTP gives responses of this status no body. */
export const isBodiless = (status: string): boolean => status === '204' || status === '304'
