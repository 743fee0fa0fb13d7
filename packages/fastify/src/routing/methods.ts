import type { IncomingMessage } from 'node:http'

/** The methods that reach the router: those of the documentation and of the contract, and TRACE for all others. */
export const routedMethods = (contract: readonly string[]): ReadonlySet<string> =>
  new Set(['GET', 'HEAD', 'OPTIONS', standIn, ...contract])

/**
 * Lets TRACE stand for all methods that no URL allows: the router has a tree for each method, and would otherwise need
 * catch-all routes in the trees of all 35 methods that Node knows.
 */
export const routeAsKnown = (request: IncomingMessage & Renamed, routed: ReadonlySet<string>): void => {
  const { method = '' } = request
  if (routed.has(method)) return
  request.originalMethod = method
  request.method = standIn
}

/** The method as sent, for logs and errors. */
export const methodOf = (request: IncomingMessage & Renamed): string => request.originalMethod ?? request.method ?? ''

interface Renamed {
  originalMethod?: string
}

// The engine serves no contract that declares it.
const standIn = 'TRACE'
