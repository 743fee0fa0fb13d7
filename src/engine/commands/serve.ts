import { readConfig } from './config.ts'
import type { ServiceDefinition } from './definition.ts'
import { closeOnSignal, runStart } from './lifetime.ts'

/** The command that runs a service until a signal ends it. */
export const runServer = <T extends object>(definition: ServiceDefinition<T>): Promise<void> =>
  runStart(() => start(definition))

const start = async <T extends object>(definition: ServiceDefinition<T>) => {
  const config = readConfig(definition)
  const ending = new AbortController()
  // All that takes time comes after the handlers: to the first process of a container, a signal that finds none is lost.
  const starting = import('./service.ts').then(({ startService }) => startService(definition, config, ending.signal))
  let log: { error(what: unknown): void } = console
  const end = async (isSudden: boolean) => {
    ending.abort()
    const service = await starting.catch(() => undefined)
    await service?.end(isSudden)
  }
  closeOnSignal(end, {
    deadlineMs: config.shutdownDelayMs + config.shutdownTimeoutMs,
    log: { error: what => log.error(what) }
  })
  log = (await starting)?.log ?? log
}
