import { jsonText, type OpenApiDocument, type Place, readDocument } from '@contract-first/document'
import { basePathOf, type Operation, operationsOf } from '../operations/operations.ts'
import { routeComparison } from './route-comparison.ts'

/** A registered route, whatever the framework. */
export interface RegisteredRoute {
  /** In upper case. */
  method: string
  /** The complete path with parameters in braces: `/v1/pets/{petId}`. */
  path: string
  /** The contract that it was registered with; undefined if it is not an operation. */
  operation?: RegisteredOperation | undefined
  /** The status of a response, if it is not an operation: 404 and 405 prove that nothing is served. */
  status?: number | undefined
}

/** An operation as in OpenAPI 3.1, without references. */
export interface RegisteredOperation {
  parameters?: readonly { name: string; in: string; required?: boolean; schema?: unknown }[]
  requestBody?: { required?: boolean; content: Content }
  /** By status, range or `default`. */
  responses?: Readonly<Record<string, { headers?: Readonly<Record<string, Header>>; content?: Content }>>
  security?: readonly Readonly<Record<string, readonly string[]>>[]
}
type Header = { required?: boolean; schema?: unknown }
type Content = Readonly<Record<string, { schema?: unknown }>>

/** A document that a service serves. */
export interface ServedDocument {
  /** Its path: `/openapi.yaml`. */
  path: string
  status: number
  bytes: Uint8Array
  /** The file that it must equal, byte for byte. */
  file: string
  fileBytes: Uint8Array
}

/** The routes and documents of a service, collected by code that knows its framework. */
export interface Registered {
  routes: readonly RegisteredRoute[]
  /** A file with the part of the contract that the service serves, if that is not all of it. */
  contract?: string | undefined
  /** Routes outside the API: `GET /docs/*`, `* /`. An entry that matches no route is a difference, too. */
  notInContract?: readonly string[]
  /** The documents that the service serves, with what they must be. */
  served?: readonly ServedDocument[]
}

/** A difference between a registered route and the contract. */
export interface RouteDifference {
  /** `GET /pets/{petId}` */
  route: string
  message: string
  /** Of the operation, if it is in the contract. */
  at?: Place
}

export interface StaticReport {
  routes: number
  failures: RouteDifference[]
}

/** Compares a service with its contract without sending requests: its routes, and the documents that it serves. */
export const checkStatic = (document: OpenApiDocument, registered: Registered): StaticReport => {
  const failures = [
    ...compareRoutes(document, registered.routes, registered.notInContract),
    ...compareServed(registered.served ?? [])
  ]
  return { routes: operationsOf(document).length, failures }
}

/** Compares in both directions: each operation has its route, each route its operation, and they are the same. */
export const compareRoutes = (
  document: OpenApiDocument,
  routes: readonly RegisteredRoute[],
  notInContract: readonly string[] = []
): RouteDifference[] => {
  const operations = operationsOf(document)
  const roots = new Set(operations.filter(({ path }) => path === '/').map(each => basePathOf(document, each)))
  // The path `/` below a base path may be registered with the last slash or without it; names of path parameters do not matter.
  const keyOf = (method: string, path: string) =>
    `${method} ${roots.has(path.replace(/\/$/, '')) ? path.replace(/\/$/, '') : path.replace(/\{[^{}]*\}/g, '{}')}`
  const fullPathOf = (operation: Operation) => basePathOf(document, operation) + operation.path.replace(/#.*/, '')
  // If operations differ only after a `#`, which clients do not send, one route serves them.
  const declared = new Map(operations.toReversed().map(each => [keyOf(each.method, fullPathOf(each)), each]))
  const registered = new Map(routes.map(each => [keyOf(each.method, each.path), each]))
  const asDocument = documentOf(routes)
  const differencesOf = routeComparison(document, asDocument)
  const implemented = new Map(operationsOf(asDocument).map(each => [each.id, each]))
  const foundIn = (operation: Operation, route: RegisteredRoute | undefined) => {
    if (route === undefined) return [`No route is registered at ${fullPathOf(operation)}.`]
    const written = route.operation && implemented.get(`${route.method} ${route.path}`)
    return written ? differencesOf(operation, written) : ['Its route is registered without a contract.']
  }
  return [
    ...[...declared].reverse().flatMap(([key, operation]) => {
      const [route, at] = [operation.id, operation.node.place]
      return foundIn(operation, registered.get(key)).map(message => ({ route, message, at }))
    }),
    ...[...registered]
      // HEAD accompanies GET.
      .filter(
        ([key, { method, path }]) => !declared.has(key) && !(method === 'HEAD' && registered.has(keyOf('GET', path)))
      )
      .filter(([, route]) => !isRefusal(route) && !notInContract.some(each => fits(each, route)))
      .map(([key, { method, path }]) => {
        const meant = operations.find(each => keyOf(each.method, each.path) === key)
        const message = meant
          ? `It is registered without the path of the server: expected ${fullPathOf(meant)}.`
          : 'It is registered, but missing in the contract.'
        return differs(`${method} ${path}`, message)
      }),
    ...notInContract
      .filter(each => !routes.some(route => fits(each, route)))
      .map(each => differs(each, 'It is listed as outside the contract, but nothing is registered there.'))
  ]
}

const differs = (route: string, message: string): RouteDifference => ({ route, message })

const isRefusal = ({ method, status = 0 }: RegisteredRoute) =>
  status === 404 || status === 405 || (method === 'OPTIONS' && status === 204)

/** Whether an entry, `GET /docs/*` (including HEAD) or `* /health`, matches a route. */
const fits = (entry: string, { method, path }: RegisteredRoute): boolean => {
  const [verb, pattern = ''] = entry.split(' ')
  const isThere = pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
  return isThere && (verb === '*' || verb === method || (verb === 'GET' && method === 'HEAD'))
}

const compareServed = (documents: readonly ServedDocument[]): RouteDifference[] =>
  documents.flatMap(({ path, status, bytes, file, fileBytes }) => {
    const route = `GET ${path}`
    if (status !== 200) return [differs(route, `It responds with ${status}, not 200 with ${file}.`)]
    if (Buffer.compare(bytes, fileBytes) === 0) return []
    return [differs(route, `It differs from ${file}.`)]
  })

/** The routes as a document, which is then read and compared like the contract. */
const documentOf = (routes: readonly RegisteredRoute[]): OpenApiDocument => {
  const paths: Record<string, object> = {}
  for (const { method, path, operation } of routes) {
    if (operation === undefined) continue
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
  }
  const info = { title: 'registered routes', version: '0' }
  return readDocument(jsonText({ openapi: '3.1.0', info, paths }), 'routes')
}
