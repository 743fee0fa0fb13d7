import fp from 'fastify-plugin'
import { operationRemoved } from '../errors.ts'
import type { AnyOperation } from './contract.ts'
import { hookRoutes } from './route-hooks.ts'

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
  hookRoutes(app, ({ config }) => {
    const deprecation = config?.operation?.lifecycle.deprecation
    if (deprecation === undefined) return undefined
    return (_request, reply, done) => {
      reply.headers(deprecation.headers)
      done()
    }
  })
})

/** Judges, once the caller is known, whether a deprecated operation still answers. */
export const removals = fp(async (app, { removedOperations, now }: LifecycleOptions) => {
  hookRoutes(app, ({ config }) => {
    const operation = config?.operation
    const deprecation = operation?.lifecycle.deprecation
    if (operation === undefined || deprecation === undefined) return undefined
    const { operationId } = operation
    const { removalDate, replacedBy } = deprecation
    const removalTime = Date.parse(removalDate)
    let warned = false
    return (request, _reply, done) => {
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
  })
})
