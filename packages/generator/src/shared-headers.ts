import { entriesOf, isObject, type Json, type JsonObject, put } from '@contract-first/document'
import { isReference } from './pointer.ts'
import { derive } from './read.ts'
import { allOperations } from './routed.ts'
import { resolverOf } from './rules.ts'

/**
 * Adds the headers that `x-response-headers` declares once to the responses of operations: those of `authorized` to every
 * response except a 401, those of `deprecated` to every response of an operation with a removal date. A response's own
 * declarations win. The generated code and the JSON document only contain plain OpenAPI.
 */
export const expandSharedHeaders = (document: JsonObject): void => {
  const shared = document['x-response-headers']
  delete document['x-response-headers']
  if (!isObject(shared)) return
  const uses = usesOf(document, shared)
  for (const [target, those] of Map.groupBy(uses, each => each.target)) {
    const [first, ...others] = those.map(({ headers }) => Object.entries(headers))
    const common = first?.filter(([name]) => others.every(each => each.some(([other]) => other === name))) ?? []
    // A shared response gets the headers that all its users need; an operation that needs more gets a copy.
    for (const { responses, status, response, headers } of those) {
      if (!isReference(response) || Object.keys(headers).length === common.length) continue
      // A reference may have its own description (OpenAPI 3.1, Reference Object).
      const { $ref: _, ...words } = response as JsonObject
      const copy = derive({ ...target, ...words } as JsonObject, target)
      put(responses, status, copy)
      addHeaders(copy, Object.entries(headers))
    }
    addHeaders(target, common)
  }
}

interface Use {
  responses: JsonObject
  status: string
  response: Json
  /** The response, or the target of its reference. */
  target: JsonObject
  headers: JsonObject
}

const usesOf = (document: JsonObject, shared: JsonObject): Use[] => {
  const resolve = resolverOf(document)
  return allOperations(document).flatMap(({ operation }) => {
    const { responses, deprecated, security = document.security } = operation
    const isSecured = Array.isArray(security) && security.length > 0
    const isEnding = deprecated === true && (operation['x-deprecated-sunset'] ?? operation['x-sunset']) !== undefined
    if (!isObject(responses)) return []
    return entriesOf(responses).flatMap(([status, response]) => {
      const target = resolve(response)
      const headers = {
        ...(isEnding && (shared.deprecated as JsonObject)),
        ...(isSecured && status !== '401' && (shared.authorized as JsonObject))
      }
      return target === undefined ? [] : [{ responses, status, response, target, headers }]
    })
  })
}

const addHeaders = (response: JsonObject, headers: [string, Json][]) => {
  const own = entriesOf(response.headers)
  const isOwn = (name: string) => own.some(([each]) => each.toLowerCase() === name.toLowerCase())
  const added = headers.filter(([name]) => !isOwn(name))
  if (added.length === 0) return
  const all = derive({} as JsonObject, isObject(response.headers) ? response.headers : response)
  for (const [name, header] of [...own, ...added]) put(all, name, header)
  response.headers = all
}
