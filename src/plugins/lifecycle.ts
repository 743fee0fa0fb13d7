import type { onRequestHookHandler, onSendHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { operationRemoved } from '../errors.ts'
import type { AnyOperation } from '../operations.ts'

export interface LifecycleOptions {
  /** What an operation does from its removal date on. */
  removedOperations: 'answer' | 'gone'
  /** Milliseconds since 1970. */
  now: () => number
}

/** Whether an operation's removal date has passed, and whether it answers 410 then. */
export const removal = ({ removedOperations, now }: LifecycleOptions) => {
  const isPast = ({ lifecycle: { deprecation } }: AnyOperation) =>
    deprecation !== undefined && now() >= Date.parse(deprecation.removalDate)
  return { isPast, isGone: (operation: AnyOperation) => removedOperations === 'gone' && isPast(operation) }
}

/** Says on every answer of a deprecated operation since when it is, until when it works, and what replaces it. */
export const lifecycleHeaders = fp(async app => {
  app.addHook('onRoute', route => {
    const deprecation = route.config?.operation?.lifecycle.deprecation
    if (deprecation === undefined) return
    const announce: onSendHookHandler = (_request, reply, payload, done) => {
      reply.headers(deprecation.headers)
      done(null, payload)
    }
    route.onSend = [announce, ...[route.onSend ?? []].flat()]
  })
})

/** Judges, once the caller is known, whether a deprecated operation still answers. */
export const removedOperations = fp(async (app, options: LifecycleOptions) => {
  const { isPast, isGone } = removal(options)
  app.addHook('onRoute', route => {
    const operation = route.config?.operation
    const deprecation = operation?.lifecycle.deprecation
    if (operation === undefined || deprecation === undefined) return
    const { operationId } = operation
    let warned = false
    const judge: onRequestHookHandler = (request, _reply, done) => {
      if (isGone(operation)) throw operationRemoved(operationId, deprecation.removalDate, deprecation.replacedBy)
      if (!warned && isPast(operation)) {
        warned = true
        request.log.warn(`${operationId} is still called, though it was to be removed on ${deprecation.removalDate}`)
      }
      done()
    }
    route.onRequest = [judge, ...[route.onRequest ?? []].flat()]
  })
})
