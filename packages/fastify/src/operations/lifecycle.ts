import fp from 'fastify-plugin'
import type { AnyOperation } from '../contract/contract.ts'
import { operationRemoved } from '../errors/api-error.ts'
import { hookRoutes } from '../routing/route-hooks.ts'

export interface LifecycleOptions {
  /** What happens to an operation from its removal date on. */
  removedOperations: 'answer' | 'gone'
  /** Milliseconds since 1970. */
  now: () => number
}

/** Whether requests to the operation get a 410, since its removal date has passed. */
export const isGoneBy =
  ({ removedOperations = 'answer', now = Date.now }: Partial<LifecycleOptions>) =>
  ({ lifecycle: { deprecation } }: AnyOperation): boolean =>
    // Without a date, this compares with NaN, so it is false.
    removedOperations === 'gone' && now() >= Date.parse(deprecation?.removalDate ?? '')

/** Adds `Deprecation`, `Sunset` and `Link`, as far as they are declared, to every response of a deprecated operation. */
export const lifecycleHeaders = fp(
  async app => {
    hookRoutes(app, ({ config }) => {
      const deprecation = config?.operation?.lifecycle.deprecation
      if (deprecation === undefined) return undefined
      const named = Object.entries(deprecation.headers).map(([name, value]) => [name.toLowerCase(), value])
      // In lower case, or Fastify would make new strings of the names for every response.
      const headers: Record<string, string> = Object.fromEntries(named)
      return (_request, reply, done) => {
        reply.headers(headers)
        done()
      }
    })
  },
  { name: 'lifecycle-headers' }
)

/** After authentication, rejects requests to removed operations, or warns of the first. */
export const removals = fp(
  async (app, { removedOperations, now }: LifecycleOptions) => {
    hookRoutes(app, ({ config }) => {
      const operation = config?.operation
      const { removalDate, replacedBy } = operation?.lifecycle.deprecation ?? {}
      if (operation === undefined || removalDate === undefined) return undefined
      const { operationId } = operation
      const removalTime = Date.parse(removalDate)
      let warned = false
      return (request, _reply, done) => {
        if (now() >= removalTime) {
          if (removedOperations === 'gone') throw operationRemoved(operationId, removalDate, replacedBy)
          if (!warned)
            request.server.serviceLog.warn(`${operationId} is still called after its removal date, ${removalDate}`)
          warned = true
        }
        done()
      }
    })
  },
  { name: 'removals', dependencies: ['auth'] }
)
