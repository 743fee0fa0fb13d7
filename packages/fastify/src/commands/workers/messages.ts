import type { MetricFigures } from '../../observability/metrics-registry.ts'
import type { Started } from '../announcement.ts'

/**
 * The variable that makes a process a worker of ours: the first one, which may issue the first key, or a further
 * one. `cluster.isWorker` does not tell: another program that uses node:cluster may have started this one.
 */
export const roleVariable = 'WORKER_ROLE'

/** From a supervisor to a worker. */
export type ToWorker = { ask: 'problem' | 'metrics' } | { end: EndReason }

/** Why a worker ends: with the whole service, suddenly because of a fault, or because it has been replaced. */
export type EndReason = 'shutdown' | 'fault' | 'replaced'

/** From a worker to its supervisor. */
export interface FromWorker {
  /** It has started to serve. */
  started?: Started
  /** Why it cannot take requests; `null` if it can. */
  problem?: Problem | null
  metrics?: MetricFigures
}

export interface Problem {
  /** Completes "The service is …": overloaded. */
  state: string
  isOfStore: boolean
}
