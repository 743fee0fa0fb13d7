import type { Registry } from '@platformatic/prom-client'
import { ApiError } from '../errors/api-error.ts'
import type { MetricsSources } from './metrics-registry.ts'

/** What operators can see of the service. */
export interface Health {
  /** What a service that can take requests reports of itself. @throws NotReady or StoreUnavailable if it cannot */
  ready(): Promise<object>
  metrics(): Promise<Registry>
}

export type ServiceState = 'starting' | 'running' | 'shutting down'

export interface HealthSources extends MetricsSources {
  state: () => ServiceState
  /** Why the service is overloaded, if it is. */
  overloadReason?: (() => string | undefined) | undefined
}

/** The health of this process. */
export const healthOf = (sources: HealthSources): Health => {
  const { store, state, overloadReason } = sources
  let registry: Promise<Registry> | undefined
  // Loaded at the first request for metrics: prom-client is 4 % of the start.
  const makeRegistry = async () => (await import('./metrics-registry.ts')).metricsRegistry(sources)
  return {
    ready: async () => {
      if (state() !== 'running') throw new NotReady(state())
      const reason = overloadReason?.()
      if (reason !== undefined) throw new NotReady(`overloaded: ${reason}`)
      await store.check()
      return {}
    },
    metrics: () => {
      registry ??= makeRegistry()
      return registry
    }
  }
}

/** The response of a service that cannot take requests now. */
export class NotReady extends ApiError {
  readonly state: string

  constructor(state: string) {
    super(503, 'service_unavailable', `The service is ${state}.`, { 'retry-after': '1' })
    this.state = state
  }
}
