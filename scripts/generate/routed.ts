import { entriesOf, isObject, type JsonObject } from '../document/json.ts'
import { basePathOf } from './base-path.ts'

/** The methods that a contract may have operations for. */
export const methods = ['get', 'put', 'post', 'delete', 'patch', 'options', 'head']

/** The methods of a path item that are operations: a HEAD beside a GET is a part of that. */
export const methodsOf = (item: JsonObject): string[] =>
  methods.filter(method => isObject(item[method]) && (method !== 'head' || item.get === undefined))

/** Clients do not send what follows a `#`. */
export const withoutFragment = (path: string): string => path.replace(/#.*$/s, '')

/**
 * The paths with a `#` whose requests reach another operation, by method and path: `GET /pets#all` reaches `GET /pets`, if
 * there is one, or else the first of those with a fragment.
 */
export const reachedInstead = (document: JsonObject): ReadonlyMap<string, string> => {
  const served = new Map<string, string>()
  const others = new Map<string, string>()
  const items = entriesOf(document.paths)
  for (const [path, item] of [...items.filter(isWhole), ...items.filter(each => !isWhole(each))]) {
    if (!isObject(item)) continue
    for (const method of methodsOf(item)) {
      const url = basePathOf(item[method] as JsonObject, item, document) + withoutFragment(path)
      const first = served.getOrInsertComputed(`${method} ${url}`, () => path)
      if (first !== path && path.includes('#')) others.set(`${method} ${path}`, first)
    }
  }
  return others
}

const isWhole = ([path]: readonly [string, unknown]) => !path.includes('#')

/** Whether HTTP gives responses of this status no body. */
export const isBodiless = (status: string): boolean => status === '204' || status === '304'
