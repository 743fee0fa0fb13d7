import cluster from 'node:cluster'
import { setTimeout as delay } from 'node:timers/promises'
import { type ServiceLog, serviceLog, standardOutput } from '../../observability/service-log.ts'
import type { Service } from '../../service.ts'
import { announce, type Started } from '../announcement.ts'
import type { Config } from '../config.ts'
import { endSignals, type Running, runUntilEnd } from '../lifetime.ts'
import { listenForOperators } from '../operators.ts'
import type { EndReason } from './messages.ts'
import { type Exit, WorkerProcess } from './worker-process.ts'
import { WorkersHealth } from './workers-health.ts'

export interface Pace {
  /** How long to wait before replacing a worker that has died; doubled each time, up to the maximum. */
  firstDelayMs: number
  longestDelayMs: number
  /** After a worker that has run for this long, the delay begins at its minimum again. */
  settledMs: number
  /** How many starts in a row may fail. */
  failedStarts: number
  /** How long a start may take. */
  startMs: number
}

const defaultPace: Pace = {
  firstDelayMs: 100,
  longestDelayMs: 10_000,
  settledMs: 10_000,
  // Some 15 s of waiting, plus the starts themselves.
  failedStarts: 8,
  startMs: 60_000
}

/** Runs the service in several processes; this one starts and stops them, and has the operators' listener. */
export const runSupervisor = async (service: Service, config: Config, pace: Partial<Pace> = {}): Promise<void> => {
  // Not `reusePort`: each process would have its own queue of connections, and one that closes its listener, or dies, resets
  // those that wait in it. Not SCHED_NONE: of 100 connections opened one by one, four workers took 44, 34, 16 and 6. Here,
  // this process accepts them all, and gives them to the workers in turn: 25, 25, 25 and 25.
  cluster.schedulingPolicy = cluster.SCHED_RR
  // JSON would lose NaN, which metrics may have.
  cluster.setupPrimary({ serialization: 'advanced' })
  const { shutdownDelayMs, shutdownTimeoutMs } = config
  let supervisor: Supervisor | undefined
  const start = async (ending: AbortSignal) => {
    supervisor = await startSupervisor(service, config, { ...defaultPace, ...pace }, ending)
    return supervisor
  }
  // SIGHUP means that the terminal was closed.
  const replacing: NodeJS.Signals[] = process.stdout.isTTY ? [] : ['SIGHUP']
  for (const signal of replacing) process.on(signal, () => supervisor?.replaceAll())
  // After an orderly shutdown, there are none to kill.
  process.on('exit', () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL')
  })
  await runUntilEnd(start, {
    signals: endSignals.filter(signal => !replacing.includes(signal)),
    // A little longer than the workers' own deadline.
    deadlineMs: shutdownDelayMs + shutdownTimeoutMs + 500
  }).started
}

/** The supervisor, once its first worker serves; `undefined` if `ending` came first. */
const startSupervisor = async (service: Service, config: Config, pace: Pace, ending: AbortSignal) => {
  const output = await standardOutput(true)
  const log = serviceLog({ level: config.logLevel, stream: output })
  const supervisor = new Supervisor(config, pace, log, () => output.dropped)
  const operators = await listenForOperators(service, config, supervisor.health, log)
  supervisor.atEnd(async () => {
    await Promise.race([operators.close(), delay(config.shutdownTimeoutMs / 20)])
    await output.flush()
  })
  ending.addEventListener('abort', () => supervisor.endAll('shutdown'))
  const started = ending.aborted ? undefined : await supervisor.startFirst()
  if (ending.aborted) {
    await supervisor.endAll('shutdown')
    return undefined
  }
  // It has logged why.
  if (started === undefined) process.exit(1)
  announce(service, config, log, { ...started, operators: operators.listeningOrigin })
  supervisor.fill()
  return supervisor
}

/** Keeps as many workers running as are wanted, and starts one at a time. */
class Supervisor implements Running {
  readonly log: ServiceLog
  readonly health: WorkersHealth
  readonly #pace: Pace
  readonly #wanted: number
  readonly #workers = new Set<WorkerProcess>()
  readonly #ending = new AbortController()
  #close = async () => {}
  /** Counts the orders to replace all workers. */
  #generation = 0
  /** Whether the first worker has run. */
  #isBegun = false
  #isAtWork = false
  #failedStarts = 0
  /** How long to wait before the next start. */
  #pauseMs = 0
  #restarts = 0
  #hasFailed = false
  #death = Promise.withResolvers<void>()

  constructor({ workers }: Config, pace: Pace, log: ServiceLog, droppedLogLines: () => number) {
    this.log = log
    this.#pace = pace
    this.#wanted = workers
    this.health = new WorkersHealth({
      serving: () => [...this.#workers].filter(worker => worker.isServing),
      state: () => (this.#ending.signal.aborted ? 'shutting down' : 'starting'),
      restarts: () => this.#restarts,
      droppedLogLines
    })
  }

  /** Sets what to close after the last worker has ended. */
  atEnd(close: () => Promise<void>): void {
    this.#close = close
  }

  /** The first worker migrates the database and issues the first key; if it fails, others would too. */
  async startFirst(): Promise<Started | undefined> {
    const first = this.#fork('first')
    const started = await first.started
    this.#isBegun = started !== undefined
    const { signal } = this.#isBegun ? {} : await first.exited
    if (signal && !this.#ending.signal.aborted)
      throw new Error(`The first worker was ended by ${signal} before it ran.`)
    return started
  }

  /** Replaces all current workers, one by one; if that is already in progress, once more afterwards. */
  replaceAll(): void {
    this.#generation++
    this.log.info('replacing the workers')
    this.fill()
  }

  /** Starts what is missing, and replaces what is outdated. */
  fill(): void {
    if (this.#isAtWork) return
    this.#isAtWork = true
    // A rejection shuts this process down, with exit code 1, like any uncaught error.
    void this.#work().finally(() => {
      this.#isAtWork = false
    })
  }

  async end(isSudden: boolean): Promise<void> {
    this.log.info('shutting down')
    await this.endAll(isSudden ? 'fault' : 'shutdown')
    this.log.info('shut down')
    await this.#close()
    if (this.#hasFailed) process.exit(1)
  }

  async endAll(reason: EndReason): Promise<void> {
    this.#ending.abort()
    await Promise.all(
      [...this.#workers].map(worker => {
        worker.end(reason)
        return worker.exited
      })
    )
  }

  async #work(): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      const missing = this.#wanted - this.#staying().length
      const outdated = this.#staying().find(({ generation }) => generation < this.#generation)
      if (missing > 0) await this.#add()
      else if (outdated) await this.#replace(outdated)
      else return
    }
  }

  #staying(): WorkerProcess[] {
    return [...this.#workers].filter(worker => !worker.isEnding)
  }

  /** @throws Error if too many starts in a row have failed */
  async #add(): Promise<void> {
    const { signal } = this.#ending
    if (this.#pauseMs > 0) {
      await delay(this.#pauseMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      this.#restarts++
    }
    const isStarted = (await this.#fork().started) !== undefined
    this.#failedStarts = isStarted ? 0 : this.#failedStarts + 1
    if (this.#failedStarts >= this.#pace.failedStarts && !signal.aborted)
      throw new Error(`giving up: ${this.#failedStarts} starts of workers in a row have failed`)
  }

  async #replace(old: WorkerProcess): Promise<void> {
    const fresh = this.#fork()
    const { generation } = fresh
    if ((await fresh.started) === undefined) {
      if (this.#ending.signal.aborted) return
      this.log.error('no worker was replaced: the new one could not start')
      for (const worker of this.#workers) worker.generation = generation
      return
    }
    // Another worker may have died meanwhile; then the new one takes its place.
    if (this.#staying().length <= this.#wanted) return
    old.end('replaced')
    this.log.info({ worker: old.pid, by: fresh.pid }, 'a worker was replaced')
    await Promise.race([old.exited, this.#death.promise])
  }

  #fork(role: 'first' | 'further' = 'further'): WorkerProcess {
    const worker = new WorkerProcess(role, this.#generation, this.#pace.startMs)
    this.#workers.add(worker)
    worker.exited.then(exit => this.#bury(worker, exit))
    return worker
  }

  #bury(worker: WorkerProcess, { code, signal }: Exit): void {
    this.#workers.delete(worker)
    worker.leaveConnections([...this.#workers].some(other => other.isListening))
    this.health.keep(worker.metrics)
    const exit = { worker: worker.pid, ...(signal ? { signal } : { code }) }
    if (worker.isEnding) {
      if (code === 0) return
      this.#hasFailed = this.#ending.signal.aborted
      this.log.error(exit, 'a worker did not shut down cleanly')
      return
    }
    if (!this.#isBegun) return
    const { firstDelayMs, longestDelayMs, settledMs } = this.#pace
    const ranMs = performance.now() - (worker.runsSinceMs ?? performance.now())
    this.#pauseMs = ranMs > settledMs ? firstDelayMs : Math.min(this.#pauseMs * 2 || firstDelayMs, longestDelayMs)
    this.log.error(
      exit,
      worker.runsSinceMs === undefined ? 'a worker could not start' : 'a worker has exited unexpectedly'
    )
    this.#death.resolve()
    this.#death = Promise.withResolvers()
    this.fill()
  }
}
