import type { Service } from '../service.ts'
import { readConfig } from './config.ts'
import { closeOnSignal, runStart } from './lifetime.ts'

/** The command that runs a service until a signal ends it. */
export const runServer = (service: Service): Promise<void> => runStart(() => start(service))

const start = async (service: Service) => {
  const config = readConfig(service)
  const ending = new AbortController()
  // All that takes time comes after the handlers: to the first process of a container, a signal that finds none is lost.
  const starting = import('./service.ts').then(({ startService }) => startService(service, config, ending.signal))
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
