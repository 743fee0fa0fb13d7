import cluster, { type Worker } from 'node:cluster'
import { setTimeout as delay } from 'node:timers/promises'
import { followConnections, type GivenConnections } from '../../node/internals.ts'
import type { MetricFigures } from '../../observability/metrics-registry.ts'
import type { Started } from '../announcement.ts'
import { type EndReason, type FromWorker, type Problem, roleVariable, type ToWorker } from './messages.ts'

export interface Exit {
  code: number | null
  signal: string | null
}

interface Asked {
  problem: Problem | null
  metrics: MetricFigures
}

type Waiting = { [K in keyof Asked]?: PromiseWithResolvers<Asked[K]> | undefined }

/** A worker, as its supervisor sees it. */
export class WorkerProcess {
  /** How many orders to replace all workers the supervisor had when it forked this one. */
  generation: number
  isEnding = false
  /** When it began to serve; `undefined` until then. */
  runsSinceMs: number | undefined
  /** Its figures, as it last reported them. */
  metrics: MetricFigures = []
  readonly exited: Promise<Exit>
  /** Resolves once it serves, or with `undefined` if it exits before. */
  readonly started: Promise<Started | undefined>
  readonly #worker: Worker
  readonly #given: GivenConnections
  readonly #begun = Promise.withResolvers<Started>()
  readonly #asked: Waiting = {}

  constructor(role: 'first' | 'further', generation: number, startDeadlineMs: number) {
    this.generation = generation
    this.#worker = cluster.fork({ [roleVariable]: role })
    this.#given = followConnections(this.#worker.process)
    this.#worker.on('message', this.#receive)
    this.exited = this.#exit()
    const deadline = setTimeout(() => this.kill(), startDeadlineMs)
    this.started = Promise.race([this.#begun.promise, this.exited.then(() => undefined)]).finally(() =>
      clearTimeout(deadline)
    )
  }

  #exit(): Promise<Exit> {
    const worker = this.#worker
    return new Promise(resolve => {
      worker.once('exit', (code: number | null, signal: string | null) => {
        // Its last messages may still come.
        if (worker.isConnected()) worker.once('disconnect', () => resolve({ code, signal }))
        else resolve({ code, signal })
      })
      // A process that the system could not start emits no `exit`.
      worker.on('error', () => this.pid === undefined && resolve({ code: null, signal: null }))
    })
  }

  get pid(): number | undefined {
    return this.#worker.process.pid
  }

  get isServing(): boolean {
    return this.runsSinceMs !== undefined && !this.isEnding && !this.#worker.isDead()
  }

  get isListening(): boolean {
    return this.isServing && !this.#given.isOver
  }

  /** To be called after its exit: connections that it had not accepted go to another worker, or are closed if none listens. */
  leaveConnections(isAnyListening: boolean): void {
    if (isAnyListening) this.#given.passOn()
    else this.#given.close()
  }

  end(end: EndReason): void {
    this.isEnding = true
    this.#send({ end })
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL')
  }

  /** Why it cannot take requests; `null` if it can. */
  async problem(): Promise<Problem | null> {
    const problem = await this.#ask('problem')
    return problem === undefined ? { state: 'not responding', isOfStore: false } : problem
  }

  /** Its figures, or the last ones if it does not respond in time. */
  async figures(): Promise<MetricFigures> {
    return (await this.#ask('metrics')) ?? this.metrics
  }

  // A worker that does not respond is not asked again until it does.
  async #ask<K extends keyof Asked>(ask: K): Promise<Asked[K] | undefined> {
    if (this.#asked[ask] === undefined) {
      this.#asked[ask] = Promise.withResolvers<Asked[K]>() as Waiting[K]
      this.#send({ ask })
    }
    const { promise } = this.#asked[ask] as PromiseWithResolvers<Asked[K]>
    return Promise.race([promise, this.exited.then(() => undefined), delay(patienceMs, undefined, { ref: false })])
  }

  #receive = ({ started, problem, metrics }: FromWorker): void => {
    if (started !== undefined) {
      this.runsSinceMs = performance.now()
      this.#begun.resolve(started)
    }
    if (problem !== undefined) {
      this.#asked.problem?.resolve(problem)
      this.#asked.problem = undefined
    }
    if (metrics !== undefined) {
      this.metrics = metrics
      this.#asked.metrics?.resolve(metrics)
      this.#asked.metrics = undefined
    }
  }

  #send(message: ToWorker): void {
    if (this.#worker.isConnected()) this.#worker.send(message, () => {})
  }
}

const patienceMs = 1_000
