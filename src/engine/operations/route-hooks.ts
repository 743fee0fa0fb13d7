import type { FastifyInstance, onRequestHookHandler, RouteOptions } from 'fastify'

/**
 * Adds an `onRequest` hook to those routes of the plugin's scope that need it, after the hooks that routes have already:
 * hooks run in the order in which they are added here.
 */
export const hookRoutes = (
  app: FastifyInstance,
  hookOf: (route: RouteOptions) => onRequestHookHandler | undefined
): void => {
  app.addHook('onRoute', route => {
    const hook = hookOf(route)
    if (hook !== undefined) route.onRequest = [...[route.onRequest ?? []].flat(), hook]
  })
}
