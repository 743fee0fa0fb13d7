import type { Service } from '../service.ts'
import { isWithoutArguments } from './command.ts'
import { type Config, readConfig } from './config.ts'
import { runStart, runUntilEnd } from './lifetime.ts'
import { roleVariable } from './workers/messages.ts'

const usage = `Usage: npm start

Runs the service until a signal stops it. Its settings are environment variables, such as PORT and DATABASE_URL.`

/** Runs the service until a signal stops it. */
export const runServer = async (service: Service, args: string[]): Promise<void> => {
  if (isWithoutArguments(usage, args)) await runStart(() => run(service, readConfig(service)))
}

// Signal handlers come before anything that takes time: process 1 of a container ignores signals without a handler.
const run = async (service: Service, config: Config) => {
  // Not imported without need: it loads node:child_process, 2 % of the start.
  if (roleVariable in process.env && (await import('node:cluster')).default.isWorker) {
    const { runWorker } = await import('./workers/worker.ts')
    return runWorker(service, config)
  }
  if (config.workers > 1) {
    const { runSupervisor } = await import('./workers/supervisor.ts')
    return runSupervisor(service, config)
  }
  const { shutdownDelayMs, shutdownTimeoutMs } = config
  const start = async (ending: AbortSignal) => (await import('./service.ts')).startAlone(service, config, ending)
  await runUntilEnd(start, { deadlineMs: shutdownDelayMs + shutdownTimeoutMs }).started
}
