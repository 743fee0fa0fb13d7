import { basePathOf, entriesOf, getOrMake, isObject, type Json, type JsonObject } from '@contract-first/document'

/** The keys of operations that are served. */
const methods = ['get', 'put', 'post', 'delete', 'patch', 'options', 'head', 'query']

// An `import` would load all of undici as well.
const { METHODS } = process.getBuiltinModule('node:http')

/** The methods that `additionalOperations` may have: those that Node.js accepts, except CONNECT and those with keys of their own. */
const additionalMethods: ReadonlySet<string> = new Set(
  METHODS.filter(each => !['CONNECT', 'TRACE', ...methods.map(method => method.toUpperCase())].includes(each))
)
export const isAdditionalMethod = (method: string): boolean => additionalMethods.has(method)
export const isServedMethod = (method: string): boolean => methods.includes(method) || isAdditionalMethod(method)

/** The operations of a path item: by key, such as `get`, or by the method itself under `additionalOperations`. */
export const operationsOf = (item: JsonObject): [method: string, operation: JsonObject][] =>
  entriesOf(item)
    .flatMap(([key, each]) =>
      key === 'additionalOperations' ? entriesOf(each) : methods.includes(key) ? [[key, each] as [string, Json]] : []
    )
    .filter((entry): entry is [string, JsonObject] => isObject(entry[1]))

/** The operations of all paths. */
export const allOperations = (document: JsonObject) =>
  entriesOf(document.paths).flatMap(([path, item]) =>
    isObject(item) ? operationsOf(item).map(([method, operation]) => ({ path, item, method, operation })) : []
  )

/** The same without a HEAD beside a GET, which the GET's route serves. */
const routedOperationsOf = (item: JsonObject) =>
  operationsOf(item).filter(([method]) => method !== 'head' || item.get === undefined)

/** The methods of a path item's operations. */
export const methodsOf = (item: JsonObject): string[] => routedOperationsOf(item).map(([method]) => method)

/** The object that contains the operation of a method. */
export const holderOf = (item: JsonObject, method: string): JsonObject =>
  isObject(item.additionalOperations) && isAdditionalMethod(method) ? item.additionalOperations : item

/** Clients do not send what follows a `#`. */
export const withoutFragment = (path: string): string => path.replace(/#.*$/s, '')

/**
 * The operations whose requests reach another one, by method and path. `GET /pets#all` reaches `GET /pets`, if there is one, or
 * else the first operation with a fragment. So does `GET /pets?all`, which clients send as a query. `GET /pets/{name}` reaches
 * `GET /pets/{id}` if that comes first.
 */
export const reachedInstead = (document: JsonObject): ReadonlyMap<string, string> => {
  const served = new Map<string, string>()
  const others = new Map<string, string>()
  const items = entriesOf(document.paths)
  for (const [path, item] of [...items.filter(isWhole), ...items.filter(each => !isWhole(each))]) {
    if (!isObject(item)) continue
    for (const [method, operation] of routedOperationsOf(item)) {
      const key = `${method} ${basePathOf(operation, item, document)}${shapeOf(path)}`
      // Without an operation at its plain path, it reaches none.
      if (path.includes('?') && !served.has(key)) continue
      const first = getOrMake(served, key, () => path)
      if (first !== path && shapeOf(first) === shapeOf(path)) others.set(`${method} ${path}`, first)
    }
  }
  return others
}

const isWhole = ([path]: readonly [string, unknown]) => !/[#?]/.test(path)

/** A path without the names of its parameters, a query or a fragment. */
const shapeOf = (path: string) => path.replace(/[#?].*$/s, '').replace(/\{[^}]*\}/g, '{}')

/** Whether another response, or another protocol, follows a response of this status. */
export const isInterim = (status: string): boolean => status.startsWith('1')

/** Whether HTTP gives responses of this status no body. */
export const isBodiless = (status: string): boolean => status === '204' || status === '304'
