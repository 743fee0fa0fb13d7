import { readConfig } from '../engine/commands/config.ts'
import { closeOnSignal, runStart } from '../engine/commands/lifetime.ts'

const start = async () => {
  const config = readConfig()
  const ending = new AbortController()
  // All that takes time comes after the handlers: to the first process of a container, a signal that finds none is lost.
  const starting = import('../engine/commands/service.ts').then(({ startService }) =>
    startService(config, ending.signal)
  )
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

await runStart(start)
