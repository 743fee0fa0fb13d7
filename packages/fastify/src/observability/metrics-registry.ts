import {
  AggregatorRegistry,
  collectDefaultMetrics,
  type Metric,
  type MetricType,
  Registry
} from '@platformatic/prom-client'
import type { Store } from '../store/store.ts'
import { durationBounds, type Metrics, maxKeys, type OperationFigures } from './metrics.ts'

const batchBounds = [1, 2, 5, 10, 20, 50, 100, 200, 500]

export interface MetricsSources {
  metrics: Metrics
  store: Store
  /** Log lines that were dropped. */
  droppedLogLines?: () => number
}

/** All metrics, with those of the process. */
export const metricsRegistry = ({ metrics, store, droppedLogLines = () => 0 }: MetricsSources): Registry => {
  const registry = processRegistry()
  const add = addTo(registry)
  addRequests(add, metrics)
  addStore(add, store)
  add('store_errors_total', 'counter', 'Requests that failed because the store was unavailable.', () =>
    single(metrics.storeErrors)
  )
  add(
    'rate_limit_fallbacks_total',
    'counter',
    'Requests that a rate limit counted in this process alone, since Redis could not be reached.',
    () => single(metrics.rateLimitFallbacks)
  )
  addDroppedLines(registry, droppedLogLines)
  return registry
}

/** The metrics of this process, as prom-client has them. */
export const processRegistry = (): Registry => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // Gauges named like counters, whose values are the sums of nodejs_active_handles and the like.
  for (const name of registry.getMetricsAsArray().flatMap(({ name, type }) => (isMisnamed(name, type) ? [name] : [])))
    registry.removeSingleMetric(name)
  return registry
}

const isMisnamed = (name: string, type: MetricType) => `${type}` === 'gauge' && name.endsWith('_total')

type Add = (name: string, type: `${MetricType}`, help: string, values: () => Value[]) => void

export const addTo =
  (registry: Registry): Add =>
  (name, type, help, values) =>
    // Only what a registry uses of a Metric.
    registry.registerMetric({
      name,
      get: () => ({ name, help, type, aggregator: 'sum', values: values() })
    } as unknown as Metric)

export const single = (value: number): Value[] => [{ value, labels: {} }]

const addRequests = (add: Add, { operations }: Metrics) => {
  const each = (values: (figures: OperationFigures, operation: string) => Iterable<Value>) => () =>
    [...operations].flatMap(([operation, figures]) => [...values(figures, operation)])
  add(
    'http_requests_total',
    'counter',
    'Requests by operation and status. Operation - is for requests that reached no operation, status aborted for those whose client disconnected before the response.',
    each(({ statuses }, operation) =>
      [...(statuses?.entries() ?? [])]
        .filter(([, value]) => value > 0)
        .map(([status, value]) => ({ value, labels: { operation, status: status || 'aborted' } }))
    )
  )
  const durations = 'http_request_duration_seconds'
  add(
    durations,
    'histogram',
    'Time from the parsed header section to the end of the response.',
    each((figures, operation) =>
      histogram(durations, durationBounds, figures.durations, figures.seconds, { operation })
    )
  )
  add(
    'http_deprecated_requests_total',
    'counter',
    `Requests to deprecated operations by key id; others stands for keys beyond the first ${maxKeys} of an operation.`,
    each(({ keys }, operation) => [...keys].map(([key, value]) => ({ value, labels: { operation, key } })))
  )
}

const addStore = (add: Add, store: Store) => {
  const batches = 'store_batch_size'
  add(batches, 'histogram', 'Writes per commit; the count is the number of commits.', () => {
    const { batchSizes } = store.figures()
    const counts = new Array(batchBounds.length + 1).fill(0)
    let sum = 0
    batchSizes.forEach((commits, size) => {
      const bucket = batchBounds.findIndex(bound => size <= bound)
      counts[bucket === -1 ? batchBounds.length : bucket] += commits
      sum += commits * size
    })
    return histogram(batches, batchBounds, counts, sum, {})
  })
  add('store_pending_writes', 'gauge', 'Writes that are waiting for their commit.', () =>
    single(store.figures().pending)
  )
  add('store_failed_commits_total', 'counter', 'Failed commits; all their writes failed.', () =>
    single(store.figures().failedCommits)
  )
  add(
    'store_replica_fallbacks_total',
    'counter',
    'Reads that went to the primary because the replica could not be read.',
    () => single(store.figures().fallbacks ?? 0)
  )
}

export const addDroppedLines = (registry: Registry, dropped: () => number): void =>
  addTo(registry)(
    'log_dropped_lines_total',
    'counter',
    'Log lines dropped because they could not be written fast enough, or not at all.',
    () => single(dropped())
  )

/** Metrics as they are sent from one process to another. */
export type MetricFigures = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** The metrics of several processes as one: sums, except where only the extreme makes sense. */
export const metricsTogether = (each: readonly MetricFigures[]): Registry =>
  AggregatorRegistry.aggregate(
    each.map(figures => figures.map(metric => ({ ...metric, aggregator: aggregatorOf(metric) })))
  )

/** What remains of a process that has ended: the counts of what happened, not its current state. */
export const lastingFigures = (figures: MetricFigures): MetricFigures =>
  figures.filter(({ type }) => `${type}` === 'counter' || `${type}` === 'histogram')

// The worst event loop: prom-client would take the average, which hides one that is stuck.
const aggregatorOf = ({ name, aggregator }: MetricFigures[number]) => {
  if (name === 'process_start_time_seconds') return 'min'
  return name.startsWith('nodejs_eventloop_lag_') && aggregator !== 'min' ? 'max' : aggregator
}

interface Value {
  value: number
  labels: Record<string, string | number>
  metricName?: string
}

/** Prometheus's cumulative buckets, from the count of each bucket; the last one has no upper bound. */
const histogram = (
  name: string,
  bounds: readonly number[],
  counts: readonly number[],
  sum: number,
  labels: Record<string, string>
): Value[] => {
  let below = 0
  const buckets = [...bounds, '+Inf'].map((le, i) => {
    below += counts[i] ?? 0
    return { value: below, labels: { ...labels, le }, metricName: `${name}_bucket` }
  })
  return [
    ...buckets,
    { value: sum, labels, metricName: `${name}_sum` },
    { value: below, labels, metricName: `${name}_count` }
  ]
}
