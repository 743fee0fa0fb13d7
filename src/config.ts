import { apiKeyForm, isApiKey } from './api-key.ts'

export interface Config {
  host: string
  /** 0 takes any that is free. */
  port: number
  /** A file, or `:memory:`. */
  databasePath: string
  apiKeys: string[]
  logLevel: string
  production: boolean
  /** What a deprecated operation does from its removal date on: goes on answering, or answers 410. */
  removedOperations: 'answer' | 'gone'
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** Every fault of the environment, one line each, so that all can be mended at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(faults: string[]) {
    super(faults.join('\n'))
  }
}

/**
 * The settings, each parsed to its type; an empty variable counts as one that is not set.
 * @throws ConfigError naming every faulty setting
 */
export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config => {
  const faults: string[] = []
  const setting = <T>(name: string, byDefault: string, parse: (text: string) => T | undefined, expected: string): T => {
    const text = env[name] || byDefault
    const value = parse(text)
    // The key itself must not end up in a log.
    if (value === undefined)
      faults.push(`${name}${name === 'API_KEYS' ? '' : ` is ${JSON.stringify(text)}, but`} must be ${expected}`)
    return value as T
  }
  const oneOf =
    <T extends string>(values: readonly T[]) =>
    (text: string) =>
      values.find(value => value === text)

  const config: Config = {
    host: setting('HOST', '127.0.0.1', text => (/\s/.test(text) ? undefined : text), 'an address or a host name'),
    port: setting('PORT', '3000', parsePort, 'a number from 0 to 65535'),
    databasePath: setting('DATABASE_URL', 'sqlite:data/animals.db', parseDatabase, 'sqlite:PATH or sqlite::memory:'),
    apiKeys: setting(
      'API_KEYS',
      '',
      parseKeys,
      `keys separated by commas, each ${apiKeyForm}, the last 6 of them its checksum`
    ),
    logLevel: setting('LOG_LEVEL', 'info', oneOf(logLevels), `one of ${logLevels.join(', ')}`),
    production: setting('NODE_ENV', 'development', text => text === 'production', ''),
    removedOperations: setting('REMOVED_OPERATIONS', 'answer', oneOf(['answer', 'gone'] as const), 'answer or gone')
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return config
}

const parsePort = (text: string) => (/^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : undefined)
const parseDatabase = (text: string) => /^sqlite:(.+)$/.exec(text)?.[1]
const parseKeys = (text: string) => {
  const keys = text
    .split(',')
    .map(key => key.trim())
    .filter(key => key !== '')
  return keys.every(isApiKey) ? keys : undefined
}
