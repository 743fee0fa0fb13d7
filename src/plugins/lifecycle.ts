import fp from 'fastify-plugin'
import { operations } from '../../generated/operations.ts'
import { operationRemoved } from '../errors.ts'
import type { AnyOperation, OperationId } from '../operations.ts'

export interface LifecycleOptions {
  /** What an operation does from its removal date on. */
  removedOperations: 'answer' | 'gone'
  /** Milliseconds since 1970. */
  now: () => number
}

/** Whether an operation's removal date has passed and it is to answer 410. */
export const removal = ({ removedOperations, now }: LifecycleOptions) => {
  const isPast = (operation: AnyOperation) => {
    const date = operation.lifecycle.deprecation?.removalDate
    return date !== undefined && now() >= Date.parse(date)
  }
  return {
    isPast,
    isGone: (id: OperationId) => removedOperations === 'gone' && isPast(operations[id])
  }
}

/** Says on every answer of a deprecated operation since when it is, until when it works, and what replaces it. */
export const lifecycleHeaders = fp(async app => {
  app.addHook('onRequest', (request, reply, done) => {
    const deprecation = request.routeOptions.config.operation?.lifecycle.deprecation
    if (deprecation !== undefined) reply.headers(deprecation.headers)
    done()
  })
})

/** Judges, once the caller is known, whether a deprecated operation still answers. */
export const removedOperations = fp(async (app, options: LifecycleOptions) => {
  const { isPast, isGone } = removal(options)
  const warned = new Set<string>()
  app.addHook('onRequest', (request, _reply, done) => {
    const operation = request.routeOptions.config.operation
    const deprecation = operation?.lifecycle.deprecation
    if (operation === undefined || deprecation === undefined || !isPast(operation)) return done()
    if (isGone(operation.operationId as OperationId)) {
      throw operationRemoved(operation.operationId, deprecation.removalDate, deprecation.replacedBy)
    }
    if (!warned.has(operation.operationId)) {
      warned.add(operation.operationId)
      request.log.warn(
        `${operation.operationId} is still called, though it was to be removed on ${deprecation.removalDate}`
      )
    }
    done()
  })
})
