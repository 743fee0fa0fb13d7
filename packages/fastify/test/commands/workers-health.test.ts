import t from 'tap'
import type { Problem } from '../../src/commands/workers/messages.ts'
import type { WorkerProcess } from '../../src/commands/workers/worker-process.ts'
import { WorkersHealth } from '../../src/commands/workers/workers-health.ts'
import { Metrics } from '../../src/observability/metrics.ts'
import { type MetricFigures, metricsRegistry } from '../../src/observability/metrics-registry.ts'
import { openFixtureStore } from '../fixture-store.ts'
import { namingFaults } from '../observability/naming-faults.ts'

const healthOf = (serving: () => readonly Partial<WorkerProcess>[]) =>
  new WorkersHealth({
    serving: () => serving() as WorkerProcess[],
    state: () => 'starting',
    restarts: () => 3,
    droppedLogLines: () => 1
  })

const full: Problem = { state: 'overloaded: the heap is full', isOfStore: false }
const gone: Problem = { state: 'the file is gone', isOfStore: true }

t.test('the service is ready while at least half of its workers are', async t => {
  let problems: (Problem | null)[] = []
  const health = healthOf(() => problems.map((problem, i) => ({ pid: i + 1, problem: async () => problem })))
  await t.rejects(health.ready(), { message: 'The service is starting.' }, 'there is none')
  problems = [null, null]
  t.strictSame(await health.ready(), { workers: 2 })
  problems = [null, full]
  t.strictSame(await health.ready(), { workers: 2, unready: ['worker 2 is overloaded: the heap is full'] })
  problems = [full]
  await t.rejects(health.ready(), { message: 'The service is not ready: worker 1 is overloaded: the heap is full.' })
  problems = [gone, null, full]
  await t.rejects(health.ready(), {
    message: 'The service is not ready: worker 1: the file is gone; worker 3 is overloaded: the heap is full.'
  })
  problems = [gone, gone, null]
  await t.rejects(
    health.ready(),
    { name: 'StoreUnavailable', message: 'worker 1: the file is gone; worker 2: the file is gone' },
    'as in one process, whose response names no path'
  )
})

t.test('metrics are summed, with those of ended workers; for the event loop, the worst counts', async t => {
  const figuresOf = async (requests: number, lagSeconds: number): Promise<MetricFigures> => {
    const metrics = new Metrics()
    for (let i = 0; i < requests; i++) {
      metrics.of('listThings').count(200)
      metrics.of('listThings').countDuration(0.001)
    }
    const store = openFixtureStore()
    t.teardown(() => store.close())
    const figures = await metricsRegistry({ metrics, store, droppedLogLines: () => 2 }).getMetricsAsJSON()
    const lag = figures.find(({ name }) => name === 'nodejs_eventloop_lag_p99_seconds')
    if (lag) lag.values = [{ value: lagSeconds, labels: {} }]
    // The form in which they are sent.
    return structuredClone(figures)
  }
  const serving = [await figuresOf(1, 5), await figuresOf(2, 7)]
  const health = healthOf(() => serving.map(figures => ({ figures: async () => figures })))
  const sample = async (name: string) => {
    const page = await (await health.metrics()).metrics()
    const values = page.split('\n').filter(line => line.startsWith(`${name} `))
    t.equal(values.length, 1, name)
    return Number(values[0]?.split(' ')[1])
  }
  const successful = 'http_requests_total{operation="listThings",status="200"}'
  t.equal(await sample(successful), 3)
  t.equal(await sample('http_request_duration_seconds_bucket{operation="listThings",le="+Inf"}'), 3)
  t.equal(await sample('log_dropped_lines_total'), 5, 'with those of the supervisor')
  t.equal(await sample('nodejs_eventloop_lag_p99_seconds'), 7)
  t.equal(await sample('workers_running'), 2)
  t.equal(await sample('worker_restarts_total'), 3)
  const started = await sample('process_start_time_seconds')
  t.ok(Math.abs(started - performance.timeOrigin / 1000) < 60, 'a time, not a sum')
  t.strictSame(namingFaults(await (await health.metrics()).metrics()), [])
  for (const requests of [10, 20, 30]) health.keep(await figuresOf(requests, 9))
  for (let i = 0; i < 2; i++) {
    t.equal(await sample(successful), 63)
    t.equal(await sample('log_dropped_lines_total'), 11)
    t.equal(await sample('nodejs_eventloop_lag_p99_seconds'), 7, 'only of those that run')
  }
  health.keep(await figuresOf(40, 9))
  t.equal(await sample(successful), 103)
})
