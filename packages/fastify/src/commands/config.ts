import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { isDemoKey, keyFault, keyForm } from '../api-keys/api-key.ts'
import { ConfigError } from '../errors/config-error.ts'
import type { Timeouts } from '../http/listener.ts'
import type { Quota } from '../http/rate-limit.ts'
import { decodedReserved } from '../routing/pairs.ts'
import { type DatabaseLocation, isInMemory, urlFault, withoutPassword } from '../store/location.ts'
import { type Setting, type SettingName, settingsOf } from './settings.ts'

export interface Config {
  host: string
  /** 0: any free port. */
  port: number
  /** The number of processes that serve; with 1, this process does. */
  workers: number
  database: DatabaseLocation
  apiKeys: string[]
  logLevel: string
  production: boolean
  /** The host of the listener for health and metrics. */
  operatorHost: string
  /** 0: any free port. */
  operatorPort: number
  /** Host names of that listener, in addition to its own. */
  operatorNames: string[]
  /** How long the service keeps running after a signal, for balancers to notice. */
  shutdownDelayMs: number
  /** How long requests in progress may take after that. */
  shutdownTimeoutMs: number
  /** The file that starts an OpenTelemetry SDK; `true` if one is preloaded. */
  openTelemetry: string | boolean
  /** Origins whose pages may call the service. */
  corsOrigins: string[]
  /** Headers that those pages may send, in addition to those that the service and tracing read. */
  corsRequestHeaders: string[]
  /** Requests per key; `undefined` for no limit. */
  rateLimit: Quota | undefined
  /** Requests without a valid key per IP address, beyond which the response is 429. */
  authFailureLimit: Quota | undefined
  /** A Redis through which processes share these limits. */
  redisUrl: string | undefined
  /** IP addresses and subnets of proxies whose `X-Forwarded-For` is trusted. */
  trustProxy: string[]
  /** The most connections that may be open. */
  maxConnections: number
  /** Those that are set; the others are the service's. */
  timeouts: Partial<Timeouts>
  /** What deprecated operations do from their removal date on: keep working, or respond with 410. */
  removedOperations: 'answer' | 'gone'
}

const environments = ['production', 'development', 'test'] as const
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/**
 * The settings, each parsed to its type; an empty variable counts as unset.
 * @throws ConfigError naming every invalid setting
 */
export const readConfig = (service: { databasePath: string }, env: NodeJS.ProcessEnv = process.env): Config => {
  const faults: string[] = []
  const read = settingReader(settingsOf(service), env, faults)
  const config: Config = {
    ...serviceSettings(read),
    ...operatorSettings(read),
    ...clientSettings(read),
    timeouts: readTimeouts(read),
    production: read('NODE_ENV', oneOf(environments), 'production, development or test') === 'production',
    removedOperations: read('REMOVED_OPERATIONS', oneOf(['answer', 'gone'] as const), 'answer or gone')
  }
  faults.push(...faultsTogether(config))
  if (faults.length > 0) throw new ConfigError(faults)
  return config
}

type ReadSetting = <T>(name: SettingName, parse: (text: string) => T | undefined, expected: string) => T

const settingReader =
  (settings: Readonly<Record<SettingName, Setting>>, env: NodeJS.ProcessEnv, faults: string[]): ReadSetting =>
  <T>(name: SettingName, parse: (text: string) => T | undefined, expected: string) => {
    const text = env[name] || settings[name].byDefault
    const value = parse(text)
    if (value === undefined)
      faults.push(
        secrets[name]?.(text, expected) ??
          `${name} is ${JSON.stringify(withoutPassword(text))}, but must be ${expected}${hintOf(text)}`
      )
    return value as T
  }

/** Messages for settings whose values must not end up in a log, since they contain keys or a password. */
const secrets: Record<string, (text: string, expected: string) => string> = {
  API_KEYS: (text, expected) => `API_KEYS must be ${expected}: ${faultyKeys(text)}`,
  REDIS_URL: (_text, expected) => `REDIS_URL must be ${expected}`
}

const serviceSettings = (read: ReadSetting) => ({
  host: read('HOST', parseHost, aHost),
  port: read('PORT', parsePort, aPort),
  workers: read('WORKERS', parseWorkers, `a number from 1 to ${maxWorkers}, or auto`),
  database: readLocation(read),
  apiKeys: read('API_KEYS', parseKeys, `keys separated by commas, each ${keyForm}`),
  logLevel: read('LOG_LEVEL', oneOf(logLevels), `one of ${logLevels.join(', ')}`)
})

const readLocation = (read: ReadSetting): DatabaseLocation => {
  const expected = 'sqlite:PATH, sqlite::memory: or postgres://USER:PASSWORD@HOST/DATABASE'
  const location = read('DATABASE_URL', parseLocation, expected)
  const parseReplica = (text: string) => (text === '' || urlFault(text) === undefined ? text : undefined)
  const replicaUrl = read('DATABASE_REPLICA_URL', parseReplica, 'postgres://USER:PASSWORD@HOST/DATABASE')
  return location?.url === undefined ? location : { ...location, replicaUrl: replicaUrl || undefined }
}

const operatorSettings = (read: ReadSetting) => ({
  operatorHost: read('OPERATOR_HOST', parseHost, aHost),
  operatorPort: read('OPERATOR_PORT', parsePort, aPort),
  operatorNames: read(
    'OPERATOR_NAMES',
    listOf(isHostName),
    'host names separated by commas, without ports, such as metrics.internal'
  ),
  shutdownDelayMs: read('SHUTDOWN_DELAY', secondsFrom(0), 'a number of seconds from 0 to 600'),
  shutdownTimeoutMs: read('SHUTDOWN_TIMEOUT', secondsFrom(1), 'a number of seconds from 1 to 600'),
  openTelemetry: read('OPENTELEMETRY', parseOpenTelemetry, 'on, off, or the path of a file that starts an SDK')
})

const clientSettings = (read: ReadSetting) => ({
  corsOrigins: read(
    'CORS_ORIGINS',
    listOf(isOrigin),
    'origins separated by commas, as browsers send them, such as https://shop.example'
  ),
  corsRequestHeaders: read(
    'CORS_HEADERS',
    listOf(isHeaderName),
    'names of headers separated by commas, such as X-Client-Version'
  ),
  rateLimit: readQuota(read, 'RATE_LIMIT'),
  authFailureLimit: readQuota(read, 'AUTH_FAILURE_LIMIT'),
  redisUrl:
    read(
      'REDIS_URL',
      text => (text === '' ? null : parseRedisUrl(text)),
      'redis://HOST or rediss://HOST, optionally with USER:PASSWORD@ before the host, and :PORT and /DATABASE after it; ' +
        'special characters of the password percent-encoded'
    ) ?? undefined,
  trustProxy: read(
    'TRUST_PROXY',
    listOf(isSubnet),
    'IP addresses or subnets of proxies separated by commas, such as 10.0.0.0/8'
  ),
  maxConnections: read('MAX_CONNECTIONS', parseConnections, 'a number from 1 to 100000')
})

const readTimeouts = (read: ReadSetting): Partial<Timeouts> => {
  const names = { handlerMs: 'HANDLER_TIMEOUT', requestMs: 'REQUEST_TIMEOUT', idleMs: 'IDLE_TIMEOUT' } as const
  const parse = (text: string) => (text === '' ? null : secondsFrom(1)(text))
  const all = Object.entries(names).map(([key, name]) => [key, read(name, parse, 'a number of seconds from 1 to 600')])
  return Object.fromEntries(all.filter(([, ms]) => typeof ms === 'number'))
}

const readQuota = (read: ReadSetting, name: SettingName): Quota | undefined =>
  read(
    name,
    text => (text === '' ? null : parseQuota(text)),
    'requests/seconds, such as 100/60s: 1 to 1000000 requests, 1 to 86400 seconds'
  ) ?? undefined

/** What is wrong with combinations of settings that are valid each by itself. */
const faultsTogether = (config: Config): string[] => {
  const { apiKeys, host, port, workers, database, operatorHost, operatorPort } = config
  const faults: string[] = []
  if (workers > 1 && database && isInMemory(database))
    faults.push('WORKERS must be 1 with sqlite::memory:, since each process would have a database of its own')
  if (apiKeys?.some(isDemoKey))
    faults.push('API_KEYS must not contain the public key of the demo; npm run keys -- issue makes another')
  if (host && port > 0 && port === operatorPort && overlap(host, operatorHost))
    faults.push(
      'PORT and OPERATOR_PORT must differ where HOST and OPERATOR_HOST overlap: ' +
        `both are ${port}, at ${host} and ${operatorHost}`
    )
  return faults
}

/** An error's message; if the database's file cannot be read or written, with the setting that names it. */
export const namingDatabase = (message: string, { path }: DatabaseLocation): string => {
  if (path === undefined) return message
  const database = resolve(path)
  const isInvolved = (path: string) => database.startsWith(path) || path.startsWith(`${database}-`)
  const denied = /\b(?:EACCES|EPERM|EROFS)\b.* '(.*)'/s.exec(message)?.[1]?.replace(/\/\.partial-[^/]*$/, '')
  if (denied === undefined || !isInvolved(resolve(denied))) return message
  return `${message}; DATABASE_URL names the database: it and its folder must be readable and writable.`
}

const oneOf =
  <T extends string>(values: readonly T[]) =>
  (text: string) =>
    values.find(value => value === text)
const aHost = 'an IP address or a host name'
const parseHost = (text: string) => {
  // For a name with two addresses, Fastify makes a second server, which our plugins do not reach.
  if (text === 'localhost') return '127.0.0.1'
  // In brackets, as in URLs.
  const [, bracketed] = /^\[(.*)\]$/.exec(text) ?? []
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? bracketed : undefined
  return /[\s[\]/]/.test(text) ? undefined : text
}
/** Whether two hosts are known to overlap; of different names, nothing is known. */
const overlap = (one: string, other: string) => one === other || covers(one, other) || covers(other, one)
const covers = (host: string, other: string) =>
  (host === '::' && isIP(other) !== 0) || (host === '0.0.0.0' && isIP(other) === 4)
const aPort = 'a number from 0 to 65535'
const parsePort = (text: string) => (/^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : undefined)
const maxWorkers = 64
const parseWorkers = (text: string) => {
  if (text === 'auto') return Math.min(availableParallelism(), maxWorkers)
  return /^[1-9]\d?$/.test(text) && Number(text) <= maxWorkers ? Number(text) : undefined
}
const secondsFrom = (least: number) => (text: string) =>
  /^\d{1,3}$/.test(text) && Number(text) >= least && Number(text) <= 600 ? Number(text) * 1000 : undefined
/** Where `DATABASE_URL` leads; `undefined` if it is invalid. */
export const parseLocation = (text: string): DatabaseLocation | undefined => {
  const [, path] = /^sqlite:(.+)$/.exec(text) ?? []
  if (path !== undefined) return { path }
  return urlFault(text) === undefined ? { url: text } : undefined
}
/** What is wrong with a URL of PostgreSQL, to follow what it must be. */
export const hintOf = (text: string) => (/^postgres(?:ql)?:/.test(text) ? `: ${urlFault(text)}` : '')
const parseConnections = (text: string) =>
  /^[1-9]\d{0,5}$/.test(text) && Number(text) <= 100_000 ? Number(text) : undefined
const parseQuota = (text: string): Quota | undefined => {
  const [, requests = 0, windowSeconds = 0] = (/^([1-9]\d{0,6})\/([1-9]\d{0,4})s$/.exec(text) ?? []).map(Number)
  if (requests < 1 || requests > 1_000_000 || windowSeconds > 86_400) return undefined
  return { requests, windowSeconds }
}
const parseRedisUrl = (text: string) => {
  // No query: the client would read options from it.
  const isRedis = /^rediss?:\/\/(?:[^/?#@]*@)?[^/?#@]+(?:\/\d{0,5})?$/.test(text)
  return isRedis && URL.canParse(text) && decodedReserved(text) !== undefined ? text : undefined
}
const parseOpenTelemetry = (text: string) =>
  text.includes('/') ? text : text === 'on' || (text === 'off' ? false : undefined)
const itemsOf = (text: string) =>
  text
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '')
const listOf = (isValid: (item: string) => boolean) => (text: string) => {
  const items = itemsOf(text)
  return items.every(isValid) ? items : undefined
}
const parseKeys = listOf(item => keyFault(item) === undefined)
/** The position of each invalid key, from 1, and what is wrong with it. */
const faultyKeys = (text: string) =>
  itemsOf(text)
    .map((item, index) => ({ number: index + 1, fault: keyFault(item) }))
    .flatMap(({ number, fault }) => (fault === undefined ? [] : [`number ${number} ${fault}`]))
    .join(', ')
// URL accepts an asterisk in a host; here it would look like a wildcard.
const isOrigin = (text: string) => URL.parse(text)?.origin === text && /^https?:[^*]*$/.test(text)
// For browsers, an asterisk alone means all headers.
const isHeaderName = (text: string) => /^[\w!#$%&'*+.^`|~-]+$/.test(text) && text !== '*'
const isHostName = (text: string) => /^[\w-]+(?:\.[\w-]+)*$/.test(text)
const isSubnet = (text: string) => {
  const [, address = '', bits] = /^([^/]+)(?:\/([1-9]\d{0,2}))?$/.exec(text) ?? []
  const family = isIP(address)
  return family !== 0 && (bits === undefined || Number(bits) <= (family === 4 ? 32 : 128))
}
