import { basePathOf } from '../document/base-path.ts'
import { entriesOf, isObject, type JsonObject } from '../document/json.ts'

/** The methods that a contract may have operations for. */
export const methods = ['get', 'put', 'post', 'delete', 'patch', 'options', 'head']

/** The methods of a path item that are operations: a HEAD beside a GET is a part of that. */
export const methodsOf = (item: JsonObject): string[] =>
  methods.filter(method => isObject(item[method]) && (method !== 'head' || item.get === undefined))

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
    for (const method of methodsOf(item)) {
      const key = `${method} ${basePathOf(item[method] as JsonObject, item, document)}${shapeOf(path)}`
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
