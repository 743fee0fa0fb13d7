import { ConfigError } from '../config-error.ts'
import type { Service } from '../service.ts'
import type { Contents } from '../store/sqlite/backup.ts'
import { namingDatabase, readConfig } from './config.ts'

/** Words that a command does not understand. */
export class UsageError extends Error {}

/** What a command has made, and what that holds. */
export const show = (what: string, path: string, { counts, keys, version, bytes }: Contents): void => {
  for (const [name, value] of Object.entries({ [what]: path, ...counts, keys, version, bytes }))
    console.log(`  ${name.padEnd(10)}${value}`)
}

/** The database's file. @throws ConfigError when none is set */
export const configuredPath = (service: Service): string => {
  const { databasePath } = readConfig(service)
  if (databasePath === ':memory:') throw new ConfigError(['DATABASE_URL is sqlite::memory:, but must name a file.'])
  return databasePath
}

/** Aborted by a signal that asks the process to end. */
export const interruption = (): AbortSignal => {
  const controller = new AbortController()
  // Each time: Ctrl-C arrives twice, from the terminal and from npm.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => controller.abort(new Error('interrupted')))
  return controller.signal
}

/** Does what concerns the database at this path; where that may not be read or written, the error names its setting. */
export const withDatabase = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    const { message } = error as Error
    throw error instanceof ConfigError ? error : new Error(namingDatabase(message, path), { cause: error })
  }
}

/** Runs a command to its exit code: 0, 1 when it failed, 2 when it was not understood. */
export const runCommand = async (usage: string, failure: string, main: () => Promise<void>) => {
  try {
    await main()
  } catch (error) {
    const { message, code = '' } = error as NodeJS.ErrnoException
    const isMisused = error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS')
    console.error(isMisused ? usage : error instanceof ConfigError ? message : `${failure}: ${message}`)
    process.exitCode = isMisused ? 2 : 1
  }
}
