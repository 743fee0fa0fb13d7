import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import findMyWay from 'find-my-way'
import type { AnyOperation } from '../contract/contract.ts'
import { type ApiError, methodNotAllowed, pathNotFound } from '../errors/api-error.ts'
import { methodOf } from './methods.ts'
import { routedPath } from './targets.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** All methods that a request can have in the router. */
    routedMethods: ReadonlySet<string>
  }
}

/** OPTIONS for a URL that only has GET, and a 405 for all others (RFC 9110, sections 9.3.7 and 15.5.6). */
export const allowOnlyGet = (app: FastifyInstance, url: string) => {
  const methods = withHead(['GET'])
  respondAt(app, url, without(methods, app.routedMethods), otherMethod(allowOf(methods)))
}

export const notFound = ({ url }: FastifyRequest): ApiError => pathNotFound(url.split('?', 1)[0] ?? url)

/** The same error for every method of a URL. */
export const refuseAll = (app: FastifyInstance, url: string, error: (request: FastifyRequest) => ApiError) =>
  respondAt(app, url, app.routedMethods, request => {
    throw error(request)
  })

/**
 * Responses where the contract has no operation: to OPTIONS, to other methods (405) and to other URLs (404). Most are
 * looked up at the request: with a route for each other method of each URL, the start would take a third longer.
 */
export interface Unmatched {
  /** The methods of a URL path, as `Allow` lists them; `null` if the contract has no such URL. */
  allowAt: (path: string) => string | null
  /** Routes without which the router would take a request to another URL's operation. */
  routes: readonly Route[]
}
interface Route extends Url {
  /** `null` where the contract has no such URL. */
  allow: string | null
}
interface Url {
  prefix: string
  /** Below the prefix. */
  url: string
  methods: ReadonlySet<string>
}

export const unmatchedOf = (entriesBelow: ReadonlyMap<string, readonly AnyOperation[]>): Unmatched => {
  const urls = [...entriesBelow].flatMap(([prefix, entries]) => declaredUrls(prefix, entries))
  const routed = withOverlaps(urls)
  const refused = routed.map(({ declared, methods }) => ({
    ...declared,
    methods: new Set(without(declared.methods, methods)),
    allow: allowOf(declared.methods)
  }))
  // Catch-all routes below each base path.
  const catchAlls = [...entriesBelow.keys()].flatMap(prefix => ['', '/', '/*'].map(rest => prefix + rest))
  const empties = emptyParameters(
    routed.map(({ declared, methods }) => ({ ...declared, methods })),
    catchAlls
  )
  return { allowAt: lookUpOf(urls, catchAlls), routes: [...refused, ...empties] }
}

/** Adds routes for what no operation below the app's prefix handles, as far as `others` match it. */
export const respondToUnmatched = (
  app: FastifyInstance,
  { allowAt, routes }: Unmatched,
  others: readonly string[]
): void => {
  const respond = (request: FastifyRequest, reply: FastifyReply, allow: string | null) => {
    // The router of an application may not take what the contract allows, such as a long parameter.
    const isAllowed = request.method !== 'OPTIONS' && allow?.split(', ').includes(request.method)
    if (allow === null || isAllowed) throw notFound(request)
    otherMethod(allow)(request, reply)
  }
  const isOwn = (url: string) => !ignoresTrailingSlash(app) || !url.endsWith('/')
  for (const { prefix, url, methods, allow } of routes)
    if (prefix === app.prefix && isOwn(url))
      respondAt(app, url, methods, (request, reply) => respond(request, reply, allow))
  for (const url of new Set(others.filter(isOwn))) {
    // Without a base path, the documentation has `/` unless the contract does.
    const isFree = (method: string) => !app.hasRoute({ method: method as HTTPMethods, url: app.prefix + url })
    respondAt(app, url, [...app.routedMethods].filter(isFree), (request, reply) =>
      respond(request, reply, allowAt(request.raw.url ?? ''))
    )
  }
}

/** Whether `/a` and `/a/` are the same to the application's router. */
export const ignoresTrailingSlash = ({ initialConfig }: FastifyInstance): boolean =>
  (initialConfig.routerOptions ?? initialConfig).ignoreTrailingSlash === true

/** To the router, URLs that differ in the names of their parameters are one. */
const declaredUrls = (prefix: string, entries: readonly AnyOperation[]): Url[] =>
  [...Map.groupBy(entries, each => shapeOf(each.url)).values()].map(group => {
    const [{ url }] = group as [AnyOperation]
    return { prefix, url: routedPath(url), methods: withHead(group.map(each => each.method)) }
  })

/** Each URL with the methods of all URLs that may match the same requests, directly or through a third one. */
const withOverlaps = (urls: readonly Url[]) => {
  let groups: { declared: Url; segments: string[] }[][] = []
  for (const declared of urls) {
    const segments = (declared.prefix + declared.url).split('/')
    const { joined = [], apart = [] } = Object.groupBy(groups, group =>
      group.some(each => overlap(each.segments, segments)) ? 'joined' : 'apart'
    )
    groups = [...apart, [{ declared, segments }, ...joined.flat()]]
  }
  return groups.flatMap(group => {
    const methods = new Set(group.flatMap(each => [...each.declared.methods]))
    return group.map(({ declared }) => ({ declared, methods }))
  })
}

const overlap = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length &&
  some.every((one, index) => {
    const other = others[index] ?? ''
    return one === other || one.includes(':') || other.includes(':')
  })

/**
 * Routes with 404 for URLs with an empty parameter, which the router allows. Each covers whatever follows that parameter:
 * many URLs begin alike, and every route takes time at the start.
 */
const emptyParameters = (urls: readonly Url[], catchAlls: readonly string[]): Route[] => {
  const known = new Set([...catchAlls, ...urls.map(({ prefix, url }) => shapeOf(prefix + url))])
  const empties = urls.flatMap(each => withEmptyParameter(each.url).map(url => ({ ...each, url })))
  const byShape = Map.groupBy(empties, ({ prefix, url }) => shapeOf(prefix + url))
  return [...byShape].flatMap(([shape, group]) => {
    const methods = new Set(group.flatMap(each => [...each.methods]))
    return known.has(shape) ? [] : { ...(group[0] as Url), methods, allow: null }
  })
}

const withEmptyParameter = (url: string) =>
  // Only whole segments: within a segment, the router itself requires a parameter not to be empty.
  [...url.matchAll(/(?<!:):\w+(?=\/|$)/g)].map(
    ({ 0: parameter, index }) => url.slice(0, index) + (index + parameter.length === url.length ? '' : '/*')
  )

const lookUpOf = (urls: readonly Url[], catchAlls: readonly string[]): Unmatched['allowAt'] => {
  const allowed = new Map<string, string | null>(catchAlls.map(each => [each, null]))
  for (const { prefix, url, methods } of urls)
    for (const each of url === '/' ? ['', url] : [url]) allowed.set(prefix + each, allowOf(methods))
  allowed.delete('')
  const router = findMyWay({ maxParamLength: Number.POSITIVE_INFINITY })
  for (const [url, allow] of allowed) router.on('GET', url, () => undefined, allow)
  return path => {
    const found = router.find('GET', path)
    return found === null || Object.values(found.params).includes('') ? null : found.store
  }
}

const shapeOf = (url: string) => url.replaceAll(/(?<!:):(?!:)\w+/g, ':')

const withHead = (methods: readonly string[]) => new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : [])])

const without = (some: ReadonlySet<string>, all: ReadonlySet<string>) => [...all].filter(each => !some.has(each))

const allowOf = (methods: ReadonlySet<string>) => [...new Set([...methods, 'OPTIONS'])].join(', ')

type Respond = (request: FastifyRequest, reply: FastifyReply) => void

const otherMethod =
  (allow: string): Respond =>
  ({ raw }, reply) => {
    if (raw.method !== 'OPTIONS') throw methodNotAllowed(methodOf(raw), allow)
    reply.code(204).header('allow', allow).send()
  }

const respondAt = (app: FastifyInstance, url: string, methods: Iterable<string>, respond: Respond) => {
  const { OPTIONS = [], others = [] } = Object.groupBy(methods, each => (each === 'OPTIONS' ? each : 'others'))
  // Apart, since it needs no key.
  for (const method of [...OPTIONS, ...(others.length > 0 ? [others] : [])] as HTTPMethods[])
    app.route({ method, url, exposeHeadRoute: false, ...beforeBody(respond) })
}

/** A route that responds before any body is read. */
export const beforeBody = (respond: Respond) => ({ preParsing: respond, handler: respond })
