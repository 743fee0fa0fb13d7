import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { ConfigError } from '../config-error.ts'
import { processBounds } from '../http/overload.ts'
import { Metrics } from '../observability/metrics.ts'
import { buildOperatorApp, type ServiceState } from '../observability/operator.ts'
import { LogOutput, prettyLines, type ServiceLog } from '../observability/service-log.ts'
import { loadTracing } from '../observability/tracing.ts'
import { limitsOf } from '../operations/contract.ts'
import type { Service } from '../service.ts'
import { issueKey } from '../store/issue-key.ts'
import { openStore } from '../store/sqlite/sqlite.ts'
import type { Store } from '../store/store.ts'
import { type Config, namingDatabase } from './config.ts'

export interface RunningService {
  log: ServiceLog
  /** Shuts down; without the delay for balancers if it is sudden. */
  end(isSudden: boolean): Promise<void>
}

/** Starts the service; resolves once it accepts requests, with `undefined` if `ending` came first. */
export const startService = async (
  service: Service,
  config: Config,
  ending: AbortSignal
): Promise<RunningService | undefined> => {
  const { host, port, databasePath, production, shutdownDelayMs, shutdownTimeoutMs } = config
  let state: ServiceState = 'starting'
  let store: Store | undefined
  let app: FastifyInstance | undefined
  let operators: FastifyInstance | undefined
  const close = async (delayMs = 0) => {
    state = 'ending'
    if (delayMs > 0) {
      app?.endConnections()
      await delay(delayMs)
    }
    await app?.close()
    await store?.close()
    // Operators' connections stay to the end, but do not delay it.
    await Promise.race([operators?.close(), delay(shutdownTimeoutMs / 20)])
  }
  const goOn = async () => {
    // Signals are noticed between two turns; the first may still be this one's.
    await nextTurn()
    await nextTurn()
    ending.throwIfAborted()
  }
  try {
    const tracing = config.openTelemetry ? await loadTracing(config.openTelemetry) : undefined
    const isWatched = process.stdout.isTTY
    const output = new LogOutput(isWatched ? await prettyLines() : undefined)
    const metrics = new Metrics()
    const contract = await service.contract()
    await goOn()
    const versions: number[] = []
    const opened = openDatabase(service, config, version => versions.push(version))
    store = opened
    const isNew = databasePath !== ':memory:' && (await opened.isNew())
    const isKeyless = await lacksKey(config, opened)
    app = await service.build({
      ...config,
      store: opened,
      metrics,
      tracing,
      overload: processBounds(),
      logger: { level: config.logLevel, stream: output }
    })
    const log = app.serviceLog
    const data = databasePath === ':memory:' ? 'in memory only' : resolve(databasePath)
    const [first = 1] = versions
    if (first > 1) log.info({ data, from: first - 1, to: versions.at(-1) }, 'the database has been migrated')
    operators = await buildOperatorApp({
      limits: limitsOf(contract),
      store,
      metrics,
      log,
      droppedLogLines: () => output.dropped,
      state: () => state,
      names: [config.operatorHost, ...config.operatorNames],
      overloadReason: app.overloadReason
    })
    await listenForOperators(operators, config)
    await goOn()
    await app.listen({ host, port })
    await goOn()
    state = 'running'
    // Not earlier: a start that fails would lose the key, which is shown only once.
    const newKey = isKeyless ? await issueKey(opened.keys, { prefix: service.keyPrefix, name: 'first key' }) : undefined
    const origin = app.listeningOrigin + contract.basePath
    const documentation = `${app.listeningOrigin}/docs/`
    // On a terminal, the text below says the same.
    if (isNew && !isWatched) log[production ? 'warn' : 'info']({ data }, 'the database is new')
    if (!isWatched)
      log.info(
        { service: origin, documentation, operators: operators.listeningOrigin, data },
        `the ${service.name} runs`
      )
    // In production the output is a log, which machines read.
    if (isWatched || !production)
      console.log(`
  The ${service.name} runs, and ends with Ctrl-C.
  service        ${origin}
  documentation  ${documentation}
  operators      ${operators.listeningOrigin}/livez, /readyz, /metrics
  data           ${data}${isNew ? '\n                 new, and empty' : ''}
${newKey === undefined ? '' : `  API key        ${newKey}\n                 new, and not shown again; npm run keys -- issue makes another\n`}`)
    return {
      log,
      end: async isSudden => {
        log.info('ending')
        await close(isSudden ? 0 : shutdownDelayMs)
        log.info('ended')
        await output.flush()
      }
    }
  } catch (error) {
    await close()
    if (ending.aborted) return undefined
    throw error
  }
}

const listenForOperators = async (app: FastifyInstance, { operatorHost: host, operatorPort: port }: Config) => {
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw new ConfigError([
      `${(error as Error).message}: set OPERATOR_HOST or OPERATOR_PORT to one that this machine has and that is free.`
    ])
  }
}

const openDatabase = ({ schema }: Service, config: Config, onMigration: (version: number) => void): Store => {
  const { databasePath } = config
  try {
    refuseToBeginKeyless(config)
    return openStore(schema, { path: databasePath, onMigration })
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const { message } = error as Error
    // The right database, but the disk is full.
    const isFound = /ENOSPC|is full/.test(message)
    const named = namingDatabase(message, databasePath)
    throw new ConfigError([isFound || named !== message ? named : `${message}; set DATABASE_URL to the one to open.`])
  }
}

/** Before opening it: in production, a wrong DATABASE_URL must not create an empty database. */
const refuseToBeginKeyless = ({ production, apiKeys, databasePath }: Config) => {
  if (!production || apiKeys.length > 0 || databasePath === ':memory:') return
  if (statSync(databasePath, { throwIfNoEntry: false }) === undefined)
    throw new ConfigError([
      `There is no database ${resolve(databasePath)}, and so no API key: run npm run keys -- issue to create both, or set DATABASE_URL to the one to open, or API_KEYS.`
    ])
}

/** Whether the start must issue a key; in production it refuses to, since a key must not end up in a log. */
const lacksKey = async ({ production, apiKeys, databasePath }: Config, { keys }: Store): Promise<boolean> => {
  if (apiKeys.length > 0 || (await keys.hasValid(Date.now()))) return false
  if (!production) return true
  const place = databasePath === ':memory:' ? 'the database in memory' : resolve(databasePath)
  const what =
    (await keys.list()).length === 0
      ? `There is no API key in ${place}`
      : `All API keys in ${place} are expired or revoked (npm run keys -- list)`
  throw new ConfigError([`${what}, so nobody could call the service: run npm run keys -- issue, or set API_KEYS.`])
}
