import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { ConfigError } from '../config-error.ts'
import type { Quota } from '../http/rate-limit.ts'
import { isDemoKey, keyFault, keyForm } from '../operations/api-key.ts'

export interface Config {
  host: string
  /** 0 takes any that is free. */
  port: number
  /** A file, or `:memory:`. */
  databasePath: string
  apiKeys: string[]
  logLevel: string
  production: boolean
  /** Where operators and their machines ask how the service is. */
  operatorHost: string
  /** 0 takes any that is free. */
  operatorPort: number
  /** Host names by which operators' machines ask, beside the listener's own. */
  operatorNames: string[]
  /** How long the service goes on after a signal to end, so that balancers notice first. */
  shutdownDelayMs: number
  /** How long what has arrived may take after that. */
  shutdownTimeoutMs: number
  /** The file that starts an SDK of OpenTelemetry; `true` where one is preloaded. */
  openTelemetry: string | boolean
  /** Whose pages may call the service. */
  corsOrigins: string[]
  /** Headers that those pages may send, beside those that are read here or by tracing. */
  corsRequestHeaders: string[]
  /** How often a key may be used; `undefined` for as often as its holder likes. */
  rateLimit: Quota | undefined
  /** How often an address may be refused for want of a valid key, before it is told to come back later. */
  authFailureLimit: Quota | undefined
  /** Addresses and subnets of proxies that are believed when they say whose request they hand on. */
  trustProxy: string[]
  /** Connections that may be open at once. */
  maxConnections: number
  /** What a deprecated operation does from its removal date on: goes on answering, or answers 410. */
  removedOperations: 'answer' | 'gone'
}

const environments = ['production', 'development', 'test'] as const
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/**
 * The settings, each parsed to its type; an empty variable counts as one that is not set.
 * @throws ConfigError naming every faulty setting
 */
export const readConfig = (service: { databasePath: string }, env: NodeJS.ProcessEnv = process.env): Config => {
  const faults: string[] = []
  const setting = <T>(name: string, byDefault: string, parse: (text: string) => T | undefined, expected: string): T => {
    const text = env[name] || byDefault
    const value = parse(text)
    // A key itself must not end up in a log.
    if (value === undefined)
      faults.push(`${name}${name === 'API_KEYS' ? '' : ` is ${JSON.stringify(text)}, but`} must be ${expected}`)
    return value as T
  }
  const quota = (name: string) =>
    env[name]
      ? setting(name, '', parseQuota, 'requests/seconds, as in 100/60s: 1 to 1000000 requests, 1 to 86400 seconds')
      : undefined
  const oneOf =
    <T extends string>(values: readonly T[]) =>
    (text: string) =>
      values.find(value => value === text)

  const config: Config = {
    host: setting('HOST', '127.0.0.1', parseHost, aHost),
    port: setting('PORT', '3000', parsePort, aPort),
    databasePath: setting(
      'DATABASE_URL',
      `sqlite:${service.databasePath}`,
      parseDatabase,
      'sqlite:PATH or sqlite::memory:'
    ),
    apiKeys: setting(
      'API_KEYS',
      '',
      parseKeys,
      `keys separated by commas, each ${keyForm}: ${faultyKeys(env.API_KEYS ?? '')}`
    ),
    logLevel: setting('LOG_LEVEL', 'info', oneOf(logLevels), `one of ${logLevels.join(', ')}`),
    operatorHost: setting('OPERATOR_HOST', '127.0.0.1', parseHost, aHost),
    operatorPort: setting('OPERATOR_PORT', '0', parsePort, aPort),
    operatorNames: setting(
      'OPERATOR_NAMES',
      '',
      listOf(isHostName),
      'host names separated by commas, without ports: metrics.internal'
    ),
    shutdownDelayMs: setting('SHUTDOWN_DELAY', '0', secondsFrom(0), 'a number of seconds from 0 to 600'),
    shutdownTimeoutMs: setting('SHUTDOWN_TIMEOUT', '10', secondsFrom(1), 'a number of seconds from 1 to 600'),
    openTelemetry: setting(
      'OPENTELEMETRY',
      'off',
      parseOpenTelemetry,
      'on, off, or the path of a file that starts an SDK'
    ),
    corsOrigins: setting(
      'CORS_ORIGINS',
      '',
      listOf(isOrigin),
      'origins separated by commas, each as browsers send it: https://shop.example'
    ),
    corsRequestHeaders: setting(
      'CORS_HEADERS',
      '',
      listOf(isHeaderName),
      'names of headers separated by commas: X-Client-Version'
    ),
    rateLimit: quota('RATE_LIMIT'),
    authFailureLimit: quota('AUTH_FAILURE_LIMIT'),
    trustProxy: setting(
      'TRUST_PROXY',
      '',
      listOf(isSubnet),
      'addresses of proxies separated by commas, or subnets as in 10.0.0.0/8'
    ),
    maxConnections: setting('MAX_CONNECTIONS', '5000', parseConnections, 'a number from 1 to 100000'),
    production:
      setting('NODE_ENV', 'development', oneOf(environments), 'production, development or test') === 'production',
    removedOperations: setting('REMOVED_OPERATIONS', 'answer', oneOf(['answer', 'gone'] as const), 'answer or gone')
  }
  if (config.apiKeys?.some(isDemoKey))
    faults.push(
      'API_KEYS must not hold the key of the demo, which everybody knows: npm run keys -- issue makes another'
    )
  const { host, port, operatorHost, operatorPort } = config
  if (host && port > 0 && port === operatorPort && overlap(host, operatorHost))
    faults.push(
      'PORT and OPERATOR_PORT must differ where HOST and OPERATOR_HOST overlap: ' +
        `both are ${port}, at ${host} and ${operatorHost}`
    )
  if (faults.length > 0) throw new ConfigError(faults)
  return config
}

/** An error's message, ended by the setting that is to blame where the database may not be read or written. */
export const namingDatabase = (message: string, databasePath: string): string => {
  const database = resolve(databasePath)
  const isOnTheWay = (path: string) => database.startsWith(path) || path.startsWith(`${database}-`)
  const denied = /\b(?:EACCES|EPERM|EROFS)\b.* '(.*)'/s.exec(message)?.[1]?.replace(/\/\.partial-[^/]*$/, '')
  if (denied === undefined || !isOnTheWay(resolve(denied))) return message
  return `${message}; DATABASE_URL names the database: it and its folder must be readable and writable.`
}

const aHost = 'an address or a host name'
const parseHost = (text: string) => {
  // For a name that is two addresses, Fastify makes a second server, which lacks what our plugins do to the first.
  if (text === 'localhost') return '127.0.0.1'
  // In brackets, as URLs have it.
  const [, bracketed] = /^\[(.*)\]$/.exec(text) ?? []
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? bracketed : undefined
  return /[\s[\]/]/.test(text) ? undefined : text
}
/** Whether both are known to be one address; of two names it is not. */
const overlap = (one: string, other: string) => one === other || covers(one, other) || covers(other, one)
const covers = (host: string, other: string) =>
  (host === '::' && isIP(other) !== 0) || (host === '0.0.0.0' && isIP(other) === 4)
const aPort = 'a number from 0 to 65535'
const parsePort = (text: string) => (/^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : undefined)
const secondsFrom = (least: number) => (text: string) =>
  /^\d{1,3}$/.test(text) && Number(text) >= least && Number(text) <= 600 ? Number(text) * 1000 : undefined
const parseDatabase = (text: string) => /^sqlite:(.+)$/.exec(text)?.[1]
const parseConnections = (text: string) =>
  /^[1-9]\d{0,5}$/.test(text) && Number(text) <= 100_000 ? Number(text) : undefined
const parseQuota = (text: string): Quota | undefined => {
  const [, requests = 0, windowSeconds = 0] = (/^([1-9]\d{0,6})\/([1-9]\d{0,4})s$/.exec(text) ?? []).map(Number)
  if (requests < 1 || requests > 1_000_000 || windowSeconds > 86_400) return undefined
  return { requests, windowSeconds }
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
/** Which they are, counted from 1, and why. */
const faultyKeys = (text: string) =>
  itemsOf(text)
    .map((item, index) => ({ number: index + 1, fault: keyFault(item) }))
    .flatMap(({ number, fault }) => (fault === undefined ? [] : [`number ${number} ${fault}`]))
    .join(', ')
// To URL an asterisk is a host like any other; here it would look as if it stood for all.
const isOrigin = (text: string) => URL.parse(text)?.origin === text && /^https?:[^*]*$/.test(text)
// To browsers an asterisk alone stands for all headers.
const isHeaderName = (text: string) => /^[\w!#$%&'*+.^`|~-]+$/.test(text) && text !== '*'
const isHostName = (text: string) => /^[\w-]+(?:\.[\w-]+)*$/.test(text)
const isSubnet = (text: string) => {
  const [, address = '', bits] = /^([^/]+)(?:\/([1-9]\d{0,2}))?$/.exec(text) ?? []
  const family = isIP(address)
  return family !== 0 && (bits === undefined || Number(bits) <= (family === 4 ? 32 : 128))
}
