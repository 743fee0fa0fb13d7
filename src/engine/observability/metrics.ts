import { collectDefaultMetrics, type Metric, type MetricType, Registry } from '@platformatic/prom-client'
import type { Store } from '../store/store.ts'

/**
 * What the service counts, as plain numbers, which cost a request 25 ns. prom-client's Counter and Histogram look up their
 * labels for each count and cost 750 ns, 3 % of a request, so prom-client only writes the page.
 */
export class Metrics {
  /** By operation; `-` for requests that reached none. */
  readonly operations = new Map<string, OperationFigures>()
  storeErrors = 0

  of(operation: string): OperationFigures {
    let figures = this.operations.get(operation)
    if (figures === undefined) {
      figures = new OperationFigures()
      this.operations.set(operation, figures)
    }
    return figures
  }
}

export class OperationFigures {
  /** The number of responses with each status, at that index; at 0, requests whose client disconnected first. */
  readonly statuses = new Float64Array(600)
  /** The number of responses in each bucket of `durationBounds`, not cumulative; the last is for the rest. */
  readonly durations: number[] = new Array(durationBounds.length + 1).fill(0)
  seconds = 0
  /** For a deprecated operation: calls by key. */
  readonly keys = new Map<string, number>()

  countDuration(seconds: number): void {
    let i = 0
    while (i < durationBounds.length && seconds > (durationBounds[i] as number)) i++
    ;(this.durations[i] as number)++
    this.seconds += seconds
  }

  countKey(id: string): void {
    const name = this.keys.has(id) || this.keys.size < maxKeys ? id : 'others'
    this.keys.set(name, (this.keys.get(name) ?? 0) + 1)
  }
}

const durationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const batchBounds = [1, 2, 5, 10, 20, 50, 100, 200, 500]

// The monitoring system keeps a series for each.
const maxKeys = 200

export interface MetricsSources {
  metrics: Metrics
  store: Store
  /** Log lines that were dropped. */
  droppedLogLines?: () => number
}

/** All metrics, with those of the process. */
export const metricsRegistry = ({ metrics, store, droppedLogLines = () => 0 }: MetricsSources): Registry => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const add = (name: string, type: `${MetricType}`, help: string, values: () => Value[]) =>
    // The part of Metric that a registry uses.
    registry.registerMetric({ name, get: () => ({ name, help, type, values: values() }) } as unknown as Metric)
  const each = (values: (figures: OperationFigures, operation: string) => Iterable<Value>) => () =>
    [...metrics.operations].flatMap(([operation, figures]) => [...values(figures, operation)])

  const requests = 'http_requests_total'
  add(
    requests,
    'counter',
    'Requests by operation and status. Operation - is for requests that reached no operation, status aborted for those whose client disconnected before the response.',
    each(({ statuses }, operation) =>
      [...statuses.entries()]
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
  const single = (name: string, type: `${MetricType}`, help: string, value: () => number) =>
    add(name, type, help, () => [{ value: value(), labels: {} }])
  single('store_pending_writes', 'gauge', 'Writes that are waiting for their commit.', () => store.figures().pending)
  single('store_failed_commits_total', 'counter', 'Failed commits; all their writes failed.', () => {
    return store.figures().failedCommits
  })
  single('store_errors_total', 'counter', 'Requests that failed because the store was unavailable.', () => {
    return metrics.storeErrors
  })
  single(
    'log_dropped_lines_total',
    'counter',
    'Log lines dropped because they could not be written fast enough, or not at all.',
    droppedLogLines
  )

  return registry
}

interface Value {
  value: number
  labels: Record<string, string | number>
  metricName?: string
}

/** Prometheus's cumulative buckets from the counts of each bucket; the last has no bound. */
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
