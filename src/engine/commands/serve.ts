import type { Service } from '../service.ts'
import { readConfig } from './config.ts'
import { closeOnSignal, runStart } from './lifetime.ts'

/** Runs the service until a signal stops it. */
export const runServer = (service: Service): Promise<void> => runStart(() => start(service))

const start = async (service: Service) => {
  const config = readConfig(service)
  const ending = new AbortController()
  // All that takes time comes after the handlers: process 1 of a container ignores signals without a handler.
  const starting = import('./alone.ts').then(({ startAlone }) => startAlone(service, config, ending.signal))
  let log: { error(what: unknown): void } = console
  const end = async (isSudden: boolean) => {
    ending.abort()
    const running = await starting.catch(() => undefined)
    await running?.end(isSudden)
  }
  closeOnSignal(end, {
    deadlineMs: config.shutdownDelayMs + config.shutdownTimeoutMs,
    log: { error: what => log.error(what) }
  })
  log = (await starting)?.log ?? log
}
