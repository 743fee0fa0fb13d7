import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import findMyWay from 'find-my-way'
import type { AnyOperation } from '../contract/contract.ts'
import { type ApiError, methodNotAllowed, pathNotFound } from '../errors/api-error.ts'
import { getOrMake } from '../node/get-or-make.ts'
import { methodOf } from './methods.ts'
import { pathIn, routedPath } from './targets.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** All methods that a request can have in the router. */
    routedMethods: ReadonlySet<string>
  }
  interface FastifyContextConfig {
    /** Whether a request for no operation needs no credentials, since one of its URL's operations needs none. */
    isPublic?: (request: FastifyRequest) => boolean
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
  /** What is declared at a URL path; `null` if the contract has no such URL, `undefined` if the path lacks a parameter. */
  declaredAt: (path: string) => Declared | null | undefined
  /** Routes without which the router would take a request to another URL's operation. */
  routes: readonly Route[]
  /** Routes for URLs with an empty parameter. */
  emptyRoutes: () => Route[]
}
interface Declared {
  /** The methods, as `Allow` lists them. */
  allow: string
  isPublic: boolean
}
interface Route extends Url {
  /** `null` where the contract has no such URL. */
  declared: Declared | null
}
interface Url {
  /** Whether an operation needs no credentials, so that anybody may know the URL. */
  isPublic: boolean
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
    declared: declaredIn(declared)
  }))
  // Catch-all routes below each base path.
  const catchAlls = [...entriesBelow.keys()].flatMap(prefix => ['', '/', '/*'].map(rest => prefix + rest))
  return {
    declaredAt: lookUpOf(urls, catchAlls),
    routes: refused,
    emptyRoutes: () =>
      emptyParameters(
        routed.map(({ declared, methods }) => ({ ...declared, methods })),
        catchAlls
      )
  }
}

/** Adds routes for what no operation below the app's prefix handles, as far as `others` match it. */
export const respondToUnmatched = (
  app: FastifyInstance,
  routes: readonly Route[],
  others: readonly string[],
  declaredAt: Unmatched['declaredAt']
): void => {
  const respondAs = (find: (request: FastifyRequest) => Declared | null | undefined) => {
    const respond: Respond = (request, reply) => {
      const { allow } = find(request) ?? {}
      // The router of an application may not take what the contract allows, such as a long parameter.
      const isAllowed = request.method !== 'OPTIONS' && allow?.split(', ').includes(request.method)
      if (allow === undefined || isAllowed) throw notFound(request)
      otherMethod(allow)(request, reply)
    }
    return [respond, (request: FastifyRequest) => find(request)?.isPublic === true] as const
  }
  const isOwn = (url: string) => !ignoresTrailingSlash(app) || !url.endsWith('/')
  for (const { prefix, url, methods, declared } of routes)
    if (prefix === app.prefix && isOwn(url)) respondAt(app, url, methods, ...respondAs(() => declared))
  for (const url of new Set(others.filter(isOwn))) {
    // Without a base path, the documentation has `/` unless the contract does.
    const isFree = (method: string) => !app.hasRoute({ method: method as HTTPMethods, url: app.prefix + url })
    const atRequest = respondAs(({ raw }) => declaredAt(raw.url ?? ''))
    respondAt(app, url, [...app.routedMethods].filter(isFree), ...atRequest)
  }
}

/** Whether `/a` and `/a/` are the same to the application's router. */
export const ignoresTrailingSlash = ({ initialConfig }: FastifyInstance): boolean =>
  (initialConfig.routerOptions ?? initialConfig).ignoreTrailingSlash === true

/** To the router, URLs that differ in the names of their parameters are one. */
const declaredUrls = (prefix: string, entries: readonly AnyOperation[]): Url[] =>
  [...Map.groupBy(entries, each => shapeOf(each.url)).values()].map(group => {
    const [{ url }] = group as [AnyOperation]
    const isPublic = group.some(each => each.security.length === 0)
    return { prefix, url: routedPath(url), methods: withHead(group.map(each => each.method)), isPublic }
  })

/**
 * Each URL with the methods that need a route there: its own, and those of URLs that would otherwise match its requests. These
 * have a parameter where it has a text, and the methods may be a third URL's.
 */
const withOverlaps = (urls: readonly Url[]) => {
  const all = urls.map(declared => {
    const segments = (declared.prefix + declared.url).split('/')
    return { declared, segments, openness: segments.map(opennessOf).join(''), methods: new Set(declared.methods) }
  })
  const pairs = [...Map.groupBy(all, each => each.segments.length).values()].flatMap(group =>
    group.flatMap(one =>
      group
        .filter(other => one !== other && one.openness <= other.openness && overlap(one.segments, other.segments))
        .map(other => ({ one, other }))
    )
  )
  const adds = ({ one, other }: (typeof pairs)[number]) => {
    const { size } = one.methods
    for (const method of other.methods) one.methods.add(method)
    return one.methods.size > size
  }
  // Until nothing is added.
  while (pairs.filter(adds).length > 0);
  return all
}

/** The router prefers texts to parameters, and parameters within a segment to those that are all of it. */
const opennessOf = (segment: string) => (!segment.includes(':') ? 0 : wholeParameter.test(segment) ? 2 : 1)
const wholeParameter = /^:\w+$/

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
    return known.has(shape) ? [] : { ...(group[0] as Url), methods, declared: null }
  })
}

const withEmptyParameter = (url: string) =>
  // Only whole segments: within a segment, the router itself requires a parameter not to be empty.
  [...url.matchAll(/(?<!:):\w+(?=\/|$)/g)].map(
    ({ 0: parameter, index }) => url.slice(0, index) + (index + parameter.length === url.length ? '' : '/*')
  )

const lookUpOf = (urls: readonly Url[], catchAlls: readonly string[]): Unmatched['declaredAt'] => {
  const declared = urls.flatMap(each =>
    (each.url === '/' ? ['', '/'] : [each.url]).map(end => [each.prefix + end, declaredIn(each)] as const)
  )
  const others = catchAlls.map(each => [each, null] as const)
  const routerOf = (routes: readonly (readonly [string, Declared | null])[]) => {
    const router = findMyWay({ maxParamLength: Number.POSITIVE_INFINITY })
    for (const [url, found] of new Map(routes)) if (url !== '') router.on('GET', url, () => undefined, found)
    return router
  }
  // A router for each number of segments, made when it is first needed: one for all URLs would be a long wait.
  const byLength = Map.groupBy(declared, ([path]) => path.split('/').length)
  const routers = new Map<number, ReturnType<typeof routerOf>>()
  return path => {
    const { length } = pathIn(path).split('/')
    const ofLength = byLength.get(length) ?? []
    const router = getOrMake(routers, ofLength.length === 0 ? 0 : length, () => routerOf([...others, ...ofLength]))
    const { store = null, params = {} } = router.find('GET', path) ?? {}
    return store !== null && Object.values(params).includes('') ? undefined : store
  }
}

const declaredIn = ({ methods, isPublic }: Url): Declared => ({ allow: allowOf(methods), isPublic })

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

const respondAt = (
  app: FastifyInstance,
  url: string,
  methods: Iterable<string>,
  respond: Respond,
  isPublic?: (request: FastifyRequest) => boolean
) => {
  const { OPTIONS = [], others = [] } = Object.groupBy(methods, each => (each === 'OPTIONS' ? each : 'others'))
  // Apart, since it needs no key.
  for (const method of [...OPTIONS, ...(others.length > 0 ? [others] : [])] as HTTPMethods[])
    app.route({
      method,
      url,
      exposeHeadRoute: false,
      ...beforeBody(respond),
      config: { ...(isPublic && { isPublic }) }
    })
}

/** A route that responds before any body is read. */
export const beforeBody = (respond: Respond) => ({ preParsing: respond, handler: respond })
