import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Registered, RegisteredOperation, RegisteredRoute, ServedDocument } from './static.ts'

/** As Fastify passes it to `onRoute` hooks. */
export interface FastifyRoute {
  method: string | string[]
  url: string
  schema?: unknown
  config?: unknown
}

interface FastifyApp {
  inject(options: object): Promise<{ statusCode: number; rawPayload: Uint8Array }>
  close(): Promise<unknown>
}

export interface FastifyRoutesOptions extends Omit<Registered, 'routes' | 'served'> {
  /** Builds the app with all its routes; it is closed afterwards. */
  build: () => Promise<FastifyApp>
  /** The contract that a route was registered with; undefined if it is not an operation. */
  operationOf: (route: FastifyRoute) => RegisteredOperation | undefined
  /** Credentials for routes that are not operations, to see whether they only reject requests. */
  headers?: Record<string, string>
  query?: Record<string, string>
  served?: readonly Pick<ServedDocument, 'path' | 'file' | 'fileBytes'>[]
}

/** The routes that a Fastify app registers, collected by a hook: the app needs no change. */
export const fastifyRoutes = async (options: FastifyRoutesOptions): Promise<Registered> => {
  const { build, operationOf, headers = {}, query = {}, served = [], ...rest } = options
  const registered: FastifyRoute[] = []
  const watch = (message: unknown) =>
    (message as { fastify: Watchable }).fastify.addHook('onRoute', route => void registered.push({ ...route }))
  subscribe('fastify.initialization', watch)
  const app = await build().finally(() => unsubscribe('fastify.initialization', watch))
  const get = (method: string, url: string) => app.inject({ method, url, headers, query })
  try {
    const routes: RegisteredRoute[] = []
    for (const route of registered.filter(({ url }) => canBeAskedFor(url))) {
      const operation = operationOf(route)
      for (const method of [route.method].flat()) {
        const status = operation === undefined ? (await get(method, sampleUrlOf(route.url))).statusCode : undefined
        routes.push({ method, path: pathOf(route.url), operation, status })
      }
    }
    const documents: ServedDocument[] = []
    for (const each of served) {
      const { statusCode, rawPayload } = await get('GET', each.path)
      documents.push({ ...each, status: statusCode, bytes: rawPayload })
    }
    return { ...rest, routes, served: documents }
  } finally {
    await app.close()
  }
}

interface Watchable {
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): void
}

/** A request line ends at a blank or control character, so routes with one in their URL cannot be requested. */
const canBeAskedFor = (url: string) => [...url].every(character => character > ' ')

const pathOf = (url: string) => withParameters(url, name => `{${name}}`)

const sampleUrlOf = (url: string) => withParameters(url, () => 'any').replaceAll('*', 'any')

/** A double colon is an escaped colon. */
const withParameters = (url: string, convert: (name: string) => string) =>
  url.replace(/::|:(\w+)(?:\([^)]*\))?/g, (_, name?: string) => (name === undefined ? ':' : convert(name)))
