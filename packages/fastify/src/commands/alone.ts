import type { Service } from '../service.ts'
import { announce } from './announcement.ts'
import type { Config } from './config.ts'
import type { Running } from './lifetime.ts'
import { listenForOperators } from './operators.ts'
import { startService } from './service.ts'

/** Starts the service in this process alone; resolves once it runs, with `undefined` if `ending` came first. */
export const startAlone = async (
  service: Service,
  config: Config,
  ending: AbortSignal
): Promise<Running | undefined> => {
  const running = await startService(service, config, ending, {
    isFirst: true,
    openOperators: (health, log) => listenForOperators(service, config, health, log)
  })
  if (running === undefined) return undefined
  const { started, operators = '', log, close, flush } = running
  announce(service, config, log, { ...started, operators })
  return {
    log,
    end: async isSudden => {
      log.info('shutting down')
      await close(isSudden ? 0 : config.shutdownDelayMs)
      log.info('shut down')
      await flush()
    }
  }
}
