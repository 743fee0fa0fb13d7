import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { docsPrefixOf } from '../docs/urls.ts'
import { ConfigError } from '../errors/config-error.ts'
import { processBounds } from '../http/overload.ts'
import { type Health, healthOf, type ServiceState } from '../observability/health.ts'
import { Metrics } from '../observability/metrics.ts'
import { outageLog, type ServiceLog, standardOutput } from '../observability/service-log.ts'
import type { Service } from '../service.ts'
import { describeLocation, isInMemory } from '../store/location.ts'
import type { Store, StoreEvents } from '../store/store.ts'
import { announce, logMigration, type Started } from './announcement.ts'
import { type Config, namingDatabase } from './config.ts'
import type { Running } from './lifetime.ts'
import { connectionsWithin, openFilesLimit } from './open-files.ts'
import { listenForOperators } from './operators.ts'

export interface RunningService {
  started: Started
  /** The origin of the operators' listener, if this process has it. */
  operators: string | undefined
  log: ServiceLog
  health: Health
  /** Accepts no further connections, since other processes do. */
  leaveToOthers(): void
  /** Shuts down after this delay for load balancers. */
  close(delayMs: number): Promise<void>
  /** Resolves once the log is written, or after a second. */
  flush(): Promise<void>
}

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

/** What a service has open and closes when it ends. */
interface Opened {
  state: ServiceState
  store?: Store
  app?: FastifyInstance
  operators?: FastifyInstance | undefined
}

export interface Role {
  /** Whether this is the service's first process, which issues a missing key or refuses to start without one. */
  isFirst: boolean
  /** Opens the operators' listener, if this process has it. */
  openOperators?(health: Health, log: ServiceLog): Promise<FastifyInstance>
}

/** Starts the service; resolves once it accepts requests, with `undefined` if `ending` came first. */
export const startService = async (
  service: Service,
  config: Config,
  ending: AbortSignal,
  role: Role
): Promise<RunningService | undefined> => {
  const opened: Opened = { state: 'starting' }
  try {
    return await start(service, config, ending, opened, role)
  } catch (error) {
    await close(opened, config)
    if (ending.aborted) return undefined
    throw error
  }
}

const start = async (
  service: Service,
  config: Config,
  ending: AbortSignal,
  opened: Opened,
  { isFirst, openOperators }: Role
): Promise<RunningService> => {
  const { host, port, database } = config
  const tracing = config.openTelemetry ? await tracingOf(config.openTelemetry) : undefined
  const output = await standardOutput(config.workers > 1)
  const metrics = new Metrics()
  const contract = await service.contract()
  await refuseIfEnding(ending)
  const versions: number[] = []
  const replica = outageLog(
    () => opened.app?.serviceLog,
    'the replica cannot be read: reads go to the primary',
    'the replica can be read again: reads go to it'
  )
  const store = await openDatabase(service, config, {
    onMigration: version => versions.push(version),
    onReplicaFailure: err => replica.fail({ err }),
    onReplicaReturn: replica.succeed
  })
  opened.store = store
  const isNew = !isInMemory(database) && (await store.isNew())
  const logger = { level: config.logLevel, stream: output }
  const openFiles = openFilesLimit()
  const maxConnections = connectionsWithin(config.maxConnections, openFiles)
  const app = await service.build({
    ...config,
    maxConnections,
    store,
    metrics,
    tracing,
    overload: processBounds(),
    logger
  })
  opened.app = app
  const isKeyless = isFirst && app.takesKeys && (await lacksKey(config, store))
  const { serviceLog: log, overloadReason } = app
  if (isFirst && maxConnections < config.maxConnections)
    log.warn(
      { openFiles, maxConnections },
      'MAX_CONNECTIONS is too high for the open files that the system allows (ulimit -n)'
    )
  const data = describeLocation(database)
  logMigration(log, data, versions)
  const state = () => opened.state
  const health = healthOf({ metrics, store, droppedLogLines: () => output.dropped, state, overloadReason })
  opened.operators = await openOperators?.(health, log)
  await refuseIfEnding(ending)
  await app.listen({ host, port })
  await refuseIfEnding(ending)
  opened.state = 'running'
  // Last: if the start failed after that, the key, which is shown only once, would be lost.
  const newKey = isKeyless ? await firstKey(service, store) : undefined
  return {
    started: {
      origin: app.listeningOrigin,
      basePath: contract.basePath,
      docsPath: `${docsPrefixOf(contract)}/docs/`,
      data,
      isNew,
      newKey
    },
    operators: opened.operators?.listeningOrigin,
    log,
    health,
    leaveToOthers: () => app.leaveToOthers(),
    close: delayMs => close(opened, config, delayMs),
    flush: () => output.flush()
  }
}

// What few starts need is loaded when it is needed.
const tracingOf = async (sdk: string | true) => (await import('../observability/tracing.ts')).loadTracing(sdk)

const firstKey = async ({ keyPrefix }: Service, { keys }: Store) =>
  (await import('../store/issue-key.ts')).issueKey(keys, { prefix: keyPrefix, name: 'first key' })

const close = async (opened: Opened, { shutdownTimeoutMs }: Config, delayMs = 0) => {
  const { store, app, operators } = opened
  opened.state = 'shutting down'
  if (delayMs > 0) {
    app?.endConnections()
    await delay(delayMs)
  }
  await app?.close()
  await store?.close()
  // The operators' listener stays until the end, but does not delay it.
  await Promise.race([operators?.close(), delay(shutdownTimeoutMs / 20)])
}

/** @throws if a signal has ended the start, even one that Node has not reported yet */
const refuseIfEnding = async (ending: AbortSignal) => {
  // Signals are reported between turns of the event loop, and one may have arrived in this turn.
  await nextTurn()
  await nextTurn()
  ending.throwIfAborted()
}

const openDatabase = async (service: Service, config: Config, events: StoreEvents): Promise<Store> => {
  const { database } = config
  try {
    if (await service.needsKeys()) refuseKeylessStart(config)
    return await service.openStore({ ...database, ...events })
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const { message } = error as Error
    // If the disk is full, or a table is not there yet, it is the right database.
    const isFound = /ENOSPC|is full|^the definition of/.test(message)
    const named = namingDatabase(message, database)
    throw new ConfigError([isFound || named !== message ? named : `${message}; set DATABASE_URL to the one to open.`])
  }
}

/** Runs before the database is opened: in production, a wrong DATABASE_URL must not create an empty one. */
const refuseKeylessStart = ({ production, apiKeys, database }: Config) => {
  const { path } = database
  if (!production || apiKeys.length > 0 || path === undefined || isInMemory(database)) return
  if (statSync(path, { throwIfNoEntry: false }) === undefined)
    throw new ConfigError([
      `There is no database ${resolve(path)}, and so no API key: run npm run keys -- issue to create both, or set DATABASE_URL to the one to open, or API_KEYS.`
    ])
}

/** Whether the start must issue a key; in production it refuses to, since a key must not end up in a log. */
const lacksKey = async ({ production, apiKeys, database }: Config, { keys }: Store): Promise<boolean> => {
  if (apiKeys.length > 0 || (await keys.hasValid(await keys.now()))) return false
  if (!production) return true
  const place = isInMemory(database) ? 'the database in memory' : describeLocation(database)
  const what =
    (await keys.list()).length === 0
      ? `There is no API key in ${place}`
      : `All API keys in ${place} are expired or revoked (npm run keys -- list)`
  throw new ConfigError([`${what}, so nobody could call the service: run npm run keys -- issue, or set API_KEYS.`])
}
