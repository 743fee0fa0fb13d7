import cluster from 'node:cluster'
import { type Health, NotReady } from '../../observability/health.ts'
import type { ServiceLog } from '../../observability/service-log.ts'
import type { Service } from '../../service.ts'
import { StoreUnavailable } from '../../store/store.ts'
import type { Config } from '../config.ts'
import { endSignals, type Running, runUntilEnd } from '../lifetime.ts'
import { type EndReason, type FromWorker, type Problem, roleVariable, type ToWorker } from './messages.ts'

/** Runs the service as one of several processes. The supervisor has the operators' listener, and ends this process. */
export const runWorker = async (service: Service, config: Config): Promise<void> => {
  const { shutdownDelayMs, shutdownTimeoutMs } = config
  let reason: EndReason = 'shutdown'
  const { started, end } = runUntilEnd(ending => start(service, config, ending, () => reason), {
    // The supervisor handles the others, which a terminal sends to all processes.
    signals: ['SIGTERM'],
    deadlineMs: shutdownDelayMs + shutdownTimeoutMs
  })
  for (const signal of endSignals) if (signal !== 'SIGTERM') process.on(signal, () => {})
  const endFor = (why: EndReason) => {
    reason = why
    end()
  }
  process.on('message', (message: ToWorker) => {
    if ('end' in message) endFor(message.end)
  })
  cluster.worker?.once('disconnect', () => {
    // Otherwise Node would exit at once when the channel closes.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true
    endFor('fault')
  })
  await started
}

const start = async (
  service: Service,
  config: Config,
  ending: AbortSignal,
  reason: () => EndReason
): Promise<Running | undefined> => {
  const { startService } = await import('../service.ts')
  const maxConnections = Math.ceil(config.maxConnections / config.workers)
  const isFirst = process.env[roleVariable] === 'first'
  const running = await startService(service, { ...config, maxConnections }, ending, { isFirst })
  if (running === undefined) return undefined
  const { started, health, log, leaveToOthers, close, flush } = running
  process.on('message', async (message: ToWorker) => {
    if ('ask' in message) await tell(await report(message.ask, health, log))
  })
  await tell({ started })
  return {
    log,
    end: async isSudden => {
      if (reason() === 'replaced') leaveToOthers()
      await close(isSudden || reason() === 'fault' ? 0 : config.shutdownDelayMs)
      await tell(await report('metrics', health, log))
      await flush()
    }
  }
}

const report = async (asked: 'problem' | 'metrics', health: Health, log: ServiceLog): Promise<FromWorker> =>
  asked === 'problem'
    ? { problem: await problemOf(health, log) }
    : { metrics: await (await health.metrics()).getMetricsAsJSON() }

const problemOf = async (health: Health, log: ServiceLog): Promise<Problem | null> => {
  try {
    await health.ready()
    return null
  } catch (error) {
    if (error instanceof NotReady) return { state: error.state, isOfStore: false }
    if (error instanceof StoreUnavailable) {
      log.warn(error, 'the store is unavailable')
      return { state: error.message, isOfStore: true }
    }
    log.error(error)
    return { state: 'broken', isOfStore: false }
  }
}

/** Resolves once the message is sent, or cannot be sent. */
const tell = (message: FromWorker): Promise<void> =>
  new Promise(resolve => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve())
    else resolve()
  })
