import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { RegisteredOperation, RegisteredRoute } from './registered.ts'
import type { Registered, ServedDocument } from './static.ts'

/** As Fastify's hook `onRoute` has it. */
export interface FastifyRoute {
  method: string | string[]
  url: string
  schema?: unknown
  config?: unknown
}

interface FastifyApp {
  inject(options: { method: never; url: string; headers: Record<string, string> }): Promise<{
    statusCode: number
    rawPayload: Uint8Array
  }>
  close(): Promise<unknown>
}

export interface FastifyRoutesOptions {
  /** Makes the app, and with it all its routes. It is closed when all is known. */
  build: () => Promise<FastifyApp>
  /** The contract that a route was registered with; nothing for what is no operation. */
  operationOf: (route: FastifyRoute) => RegisteredOperation | undefined
  /** What opens the routes that are no operations, to see whether they only refuse. */
  headers?: Record<string, string>
  notInContract?: readonly string[]
  served?: readonly Pick<ServedDocument, 'path' | 'file' | 'fileBytes'>[]
}

/** What a Fastify app has registered, seen from outside: the app needs nothing for it. */
export const fastifyRoutes = async (options: FastifyRoutesOptions): Promise<Registered> => {
  const { build, operationOf, headers = {}, notInContract = [], served = [] } = options
  const registered: FastifyRoute[] = []
  const watch = (message: unknown) =>
    (message as { fastify: Watchable }).fastify.addHook('onRoute', route => void registered.push({ ...route }))
  subscribe('fastify.initialization', watch)
  const app = await build().finally(() => unsubscribe('fastify.initialization', watch))
  const get = (method: string, url: string) => app.inject({ method: method as never, url, headers })
  try {
    const routes: RegisteredRoute[] = []
    for (const route of registered.filter(({ url }) => canBeAskedFor(url))) {
      const operation = operationOf(route)
      for (const method of [route.method].flat()) {
        const answers = operation === undefined ? (await get(method, addressOf(route.url))).statusCode : undefined
        routes.push({ method, path: route.url.replace(/:(\w+)(?:\([^)]*\))?/g, '{$1}'), operation, answers })
      }
    }
    const documents: ServedDocument[] = []
    for (const each of served) {
      const { statusCode, rawPayload } = await get('GET', each.path)
      documents.push({ ...each, status: statusCode, bytes: rawPayload })
    }
    return { routes, notInContract, served: documents }
  } finally {
    await app.close()
  }
}

interface Watchable {
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): void
}

/** A request line ends at the first blank or control character: what has one in its URL is for the app itself. */
const canBeAskedFor = (url: string) => [...url].every(character => character > ' ')

const addressOf = (url: string) => url.replace(/:\w+(?:\([^)]*\))?|\*/g, 'any')
