import type { FastifyInstance, onRequestHookHandler, RouteOptions } from 'fastify'

/** Adds an `onRequest` hook to the routes of the scope that need it, after those that they have. */
export const hookRoutes = (
  app: FastifyInstance,
  hookOf: (route: RouteOptions) => onRequestHookHandler | undefined
): void => {
  app.addHook('onRoute', route => {
    const hook = hookOf(route)
    if (hook !== undefined) route.onRequest = [...[route.onRequest ?? []].flat(), hook]
  })
}
