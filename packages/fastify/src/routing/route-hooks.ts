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

/**
 * Adds many routes to a scope of our own. Fastify asks to be called back after each of them, which takes a tenth of the start of
 * a large contract; here it is called back once, for all of them.
 */
export const addRoutes = (scope: FastifyInstance, add: () => void): void => {
  const callbacks: Callback[] = []
  // The method itself is inherited.
  Object.assign(scope, { after: (callback: Callback) => void callbacks.push(callback) })
  add()
  delete (scope as Partial<FastifyInstance>).after
  const callBack: Callback = (error, done) => {
    let waiting = callbacks.length + 1
    const next = (failure: Error | null) => {
      if (--waiting === 0) done(failure)
    }
    for (const each of callbacks) each(error, next)
    next(error)
  }
  scope.after(callBack as (error: Error | null) => void)
}
type Callback = (error: Error | null, done: (failure: Error | null) => void) => void
