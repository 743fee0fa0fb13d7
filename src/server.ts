import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { basePath } from '../generated/operations.ts'
import { buildApp } from './app.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { issueKey } from './keys.ts'
import { closeOnSignal, runStart } from './lifetime.ts'
import { Metrics } from './metrics.ts'
import { buildOperatorApp, type ServiceState } from './operator.ts'
import { processBounds } from './plugins/overload.ts'
import { LogOutput, prettyLines } from './plugins/service-log.ts'
import { loadTracing } from './plugins/tracing.ts'
import { stateOf } from './store/keys.ts'
import { openSqliteStore } from './store/sqlite/sqlite.ts'
import type { Store } from './store/store.ts'

const start = async () => {
  const config = readConfig()
  const { host, port, databasePath, production } = config
  const tracing = config.openTelemetry ? await loadTracing() : undefined
  const isWatched = process.stdout.isTTY
  const output = new LogOutput(isWatched ? await prettyLines() : undefined)
  const metrics = new Metrics()
  const store = openStore(databasePath)
  let state: ServiceState = 'starting'
  let app: FastifyInstance | undefined
  let operators: FastifyInstance | undefined
  const close = async (delayMs = 0) => {
    state = 'ending'
    app?.endConnections()
    if (delayMs > 0) await delay(delayMs)
    await app?.close()
    await store.close()
    await operators?.close()
  }
  try {
    const isKeyless = await lacksKey(config, store)
    app = await buildApp({
      ...config,
      store,
      metrics,
      tracing,
      overload: processBounds(config.maxConnections),
      logger: { level: config.logLevel, stream: output }
    })
    const log = app.serviceLog
    operators = await buildOperatorApp({
      store,
      metrics,
      log,
      droppedLogLines: () => output.dropped,
      state: () => state
    })
    await listenForOperators(operators, config)
    await app.listen({ host, port })
    state = 'running'
    const { shutdownDelayMs, shutdownTimeoutMs } = config
    const end = async (isSudden: boolean) => {
      log.info('ending')
      await close(isSudden ? 0 : shutdownDelayMs)
      log.info('ended')
      await output.flush()
    }
    closeOnSignal(end, { deadlineMs: shutdownDelayMs + shutdownTimeoutMs, log })
    // Not before: a start that fails would take the one showing of the key with it.
    const newKey = isKeyless ? await issueKey(store.keys, { name: 'first key' }) : undefined
    const service = app.listeningOrigin + basePath
    const documentation = `${app.listeningOrigin}/docs/`
    const data = databasePath === ':memory:' ? 'in memory only' : resolve(databasePath)
    log.info({ service, documentation, operators: operators.listeningOrigin, data }, 'the Animal Store runs')
    // In production the output is a log, which machines read.
    if (isWatched || !production)
      console.log(`
  The Animal Store runs, and ends with Ctrl-C.
  service        ${service}
  documentation  ${documentation}
  operators      ${operators.listeningOrigin}/livez, /readyz, /metrics
  data           ${data}
${newKey === undefined ? '' : `  API key        ${newKey}\n                 new, and shown this once; npm run keys -- issue makes another\n`}`)
  } catch (error) {
    await close()
    throw error
  }
}

const listenForOperators = async (app: FastifyInstance, { operatorHost: host, operatorPort: port }: Config) => {
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw new ConfigError([
      `${(error as Error).message}: set OPERATOR_HOST or OPERATOR_PORT to an address that this machine has and that is free.`
    ])
  }
}

const openStore = (path: string): Store => {
  try {
    return openSqliteStore({ path })
  } catch (error) {
    throw new ConfigError([`${(error as Error).message}; DATABASE_URL says which one to open.`])
  }
}

/** Whether the start has to make a key. In production nobody watches the terminal, and a key must not end up in a log. */
const lacksKey = async ({ production, apiKeys }: Config, { keys }: Store): Promise<boolean> => {
  if (apiKeys.length > 0) return false
  const issued = await keys.list()
  if (issued.some(key => stateOf(key, Date.now()) === 'valid')) return false
  if (!production) return true
  const what =
    issued.length === 0 ? 'There is no API key' : 'All API keys are expired or revoked (npm run keys -- list)'
  throw new ConfigError([
    `${what}, so that nobody could call the service: npm run keys -- issue makes one, or set API_KEYS.`
  ])
}

await runStart(start)
