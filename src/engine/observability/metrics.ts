import { collectDefaultMetrics, type Metric, type MetricType, Registry } from '@platformatic/prom-client'
import type { Store } from '../store/store.ts'

/**
 * What is counted while the service runs, as plain numbers, which cost a request 25 ns. prom-client's Counter and
 * Histogram, with the children of their labels kept, look the labels up again for each count and cost 750 ns, 3 % of a
 * request: they write the page alone.
 */
export class Metrics {
  /** By operation; under `-` what came to none. */
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
  /** How many answers had each status, at that index; at 0 the requests whose client went away before. */
  readonly statuses = new Float64Array(600)
  /** How many answers took at most as long as each of `durationBounds` and longer than the one before; last the rest. */
  readonly durations: number[] = new Array(durationBounds.length + 1).fill(0)
  seconds = 0
  /** Of a deprecated operation: how often each key called it. */
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

// Whoever collects the metrics keeps a series for each.
const maxKeys = 200

export interface MetricsSources {
  metrics: Metrics
  store: Store
  /** Lines of the log that were thrown away. */
  droppedLogLines: () => number
}

/**
 * The page of all figures in Prometheus's text format, those of the process with them; made once for all who ask within
 * a second. It takes as long as dozens of requests, and whoever collects must not hold up those who are served.
 */
export const metricsPage = ({ metrics, store, droppedLogLines }: MetricsSources) => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const add = (name: string, type: `${MetricType}`, help: string, values: () => Value[]) =>
    // The part of a Metric that a registry uses.
    registry.registerMetric({ name, get: () => ({ name, help, type, values: values() }) } as unknown as Metric)
  const each = (values: (figures: OperationFigures, operation: string) => Iterable<Value>) => () =>
    [...metrics.operations].flatMap(([operation, figures]) => [...values(figures, operation)])

  const requests = 'http_requests_total'
  add(
    requests,
    'counter',
    'Requests by operation and status; the operation - is for those that came to none, the status aborted for those whose client went away before the answer.',
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
    'From a parsed header to the end of the answer.',
    each((figures, operation) =>
      histogram(durations, durationBounds, figures.durations, figures.seconds, { operation })
    )
  )
  add(
    'http_deprecated_requests_total',
    'counter',
    `Calls of deprecated operations by the id of the key, of the first ${maxKeys} keys that call one.`,
    each(({ keys }, operation) => [...keys].map(([key, value]) => ({ value, labels: { operation, key } })))
  )
  const batches = 'store_batch_size'
  add(batches, 'histogram', 'Writes per commit; its count is that of the commits.', () => {
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
  single('store_pending_writes', 'gauge', 'Writes that wait for their commit.', () => store.figures().pending)
  single('store_failed_commits_total', 'counter', 'Commits that failed, and with them their writes.', () => {
    return store.figures().failedCommits
  })
  single('store_errors_total', 'counter', 'Requests that were refused since the store was unavailable.', () => {
    return metrics.storeErrors
  })
  single(
    'log_dropped_lines_total',
    'counter',
    'Log lines thrown away, as nobody took them or they could not be written.',
    droppedLogLines
  )

  let text: Promise<string> | undefined
  const forget = () => {
    text = undefined
  }
  return {
    contentType: registry.contentType,
    text: () => {
      text ??= registry.metrics().finally(() => setTimeout(forget, keptMs).unref())
      return text
    }
  }
}

const keptMs = 1_000

interface Value {
  value: number
  labels: Record<string, string | number>
  metricName?: string
}

/** The cumulative buckets of Prometheus, from counts of each bucket alone, of which the last has no bound. */
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
