import { type Health, NotReady } from '../../observability/health.ts'
import {
  addDroppedLines,
  addTo,
  lastingFigures,
  type MetricFigures,
  metricsTogether,
  processRegistry,
  single
} from '../../observability/metrics-registry.ts'
import { StoreUnavailable } from '../../store/store.ts'
import type { WorkerProcess } from './worker-process.ts'

export interface WorkersHealthSources {
  /** Workers that serve. */
  serving: () => readonly WorkerProcess[]
  /** Why none can serve: starting, shutting down. */
  state: () => string
  /** Workers started to replace others that had died. */
  restarts: () => number
  /** Log lines that the supervisor itself has dropped. */
  droppedLogLines: () => number
}

/** The health of all workers together. */
export class WorkersHealth implements Health {
  readonly #sources: WorkersHealthSources
  readonly #own = processRegistry()
  /** The figures of workers that have ended, since counters must never go back. */
  #ended: MetricFigures[] = []

  constructor(sources: WorkersHealthSources) {
    this.#sources = sources
    const { serving, restarts, droppedLogLines } = sources
    const add = addTo(this.#own)
    add('workers_running', 'gauge', 'Workers that serve requests.', () => single(serving().length))
    add('worker_restarts_total', 'counter', 'Workers started in place of others that had died.', () =>
      single(restarts())
    )
    addDroppedLines(this.#own, droppedLogLines)
  }

  keep(figures: MetricFigures): void {
    this.#ended.push(lastingFigures(figures))
  }

  // Ready while at least half of the workers are, since connections go to all alike. A single process, too, is ready while
  // it refuses up to half of its clients.
  async ready(): Promise<object> {
    const workers = this.#sources.serving()
    if (workers.length === 0) throw new NotReady(this.#sources.state())
    const all = await Promise.all(workers.map(async worker => ({ pid: worker.pid, problem: await worker.problem() })))
    const unready = all.flatMap(({ pid, problem }) => (problem === null ? [] : [{ pid, ...problem }]))
    if (unready.length <= workers.length / 2)
      return { workers: workers.length, ...(unready.length > 0 && { unready: unready.map(inWords) }) }
    const problems = unready.map(inWords).join('; ')
    throw unready.every(({ isOfStore }) => isOfStore)
      ? new StoreUnavailable(problems)
      : new NotReady(`not ready: ${problems}`)
  }

  async metrics() {
    const each = await Promise.all(this.#sources.serving().map(worker => worker.figures()))
    const own = await this.#own.getMetricsAsJSON()
    const ended = this.#ended
    if (ended.length > 1) {
      const together = lastingFigures(await metricsTogether(ended).getMetricsAsJSON())
      this.#ended = [together, ...this.#ended.slice(ended.length)]
    }
    return metricsTogether([own, ...this.#ended, ...each])
  }
}

const inWords = ({ pid, state, isOfStore }: { pid: number | undefined; state: string; isOfStore: boolean }) =>
  isOfStore ? `worker ${pid}: ${state}` : `worker ${pid} is ${state}`
