import type { onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { operationRemoved } from '../errors.ts'
import type { AnyOperation } from './contract.ts'

export interface LifecycleOptions {
  /** What an operation does from its removal date on. */
  removedOperations: 'answer' | 'gone'
  /** Milliseconds since 1970. */
  now: () => number
}

/** Whether an operation's removal date has passed and it is to answer 410. */
export const isGoneBy =
  ({ removedOperations = 'answer', now = Date.now }: Partial<LifecycleOptions>) =>
  ({ lifecycle: { deprecation } }: AnyOperation): boolean =>
    removedOperations === 'gone' && deprecation !== undefined && now() >= Date.parse(deprecation.removalDate)

/** Says on every answer of a deprecated operation since when it is, until when it works, and what replaces it. */
export const lifecycleHeaders = fp(async app => {
  app.addHook('onRoute', route => {
    const deprecation = route.config?.operation?.lifecycle.deprecation
    if (deprecation === undefined) return
    const announce: onRequestHookHandler = (_request, reply, done) => {
      reply.headers(deprecation.headers)
      done()
    }
    route.onRequest = [announce, ...[route.onRequest ?? []].flat()]
  })
})

/** Judges, once the caller is known, whether a deprecated operation still answers. */
export const removedOperations = fp(async (app, { removedOperations, now }: LifecycleOptions) => {
  app.addHook('onRoute', route => {
    const operation = route.config?.operation
    const deprecation = operation?.lifecycle.deprecation
    if (operation === undefined || deprecation === undefined) return
    const { operationId } = operation
    const { removalDate, replacedBy } = deprecation
    const removalTime = Date.parse(removalDate)
    let warned = false
    const judge: onRequestHookHandler = (request, _reply, done) => {
      if (now() >= removalTime) {
        if (removedOperations === 'gone') throw operationRemoved(operationId, removalDate, replacedBy)
        if (!warned)
          request.server.serviceLog.warn(
            `${operationId} is still called, though it was to be removed on ${removalDate}`
          )
        warned = true
      }
      done()
    }
    route.onRequest = [judge, ...[route.onRequest ?? []].flat()]
  })
})
