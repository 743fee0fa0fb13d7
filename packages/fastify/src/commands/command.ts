import { writeSync } from 'node:fs'
import { ConfigError } from '../errors/config-error.ts'
import type { Service } from '../service.ts'
import { type DatabaseLocation, describeLocation, isInMemory } from '../store/location.ts'
import type { Contents } from '../store/sqlite/backup.ts'
import { StoreUnavailable } from '../store/store.ts'
import { namingDatabase, readConfig } from './config.ts'

/** Why a command was not carried out: something prevents it (exit code 1), or its arguments are invalid (2). */
export class Refusal extends Error {
  readonly exitCode: 1 | 2
  constructor(exitCode: 1 | 2, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Prints which file or database a command has written, and what it contains. */
export const show = (what: string, path: string, { counts, keys, version, bytes }: Contents): void => {
  for (const [name, value] of Object.entries({ [what]: path, ...counts, keys, version, bytes }))
    console.log(`  ${name.padEnd(10)}${value}`)
}

/** The database's file. @throws ConfigError if it is not a file */
export const configuredPath = (service: Service): string => {
  const { database } = readConfig(service)
  if (database.path === undefined)
    throw new ConfigError([
      `DATABASE_URL is ${describeLocation(database)}: pg_dump and pg_restore of PostgreSQL back up and restore it, which docs/deployment.md shows.`
    ])
  if (isInMemory(database)) throw new ConfigError(['DATABASE_URL is sqlite::memory:, but must name a file.'])
  return database.path
}

/** Aborted by SIGINT, SIGTERM or SIGHUP. */
export const interruption = (): AbortSignal => {
  const controller = new AbortController()
  // Not `once`: Ctrl-C arrives twice, from the terminal and from npm.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => controller.abort(new Error('interrupted')))
  return controller.signal
}

/** Runs `work`; its errors about file permissions then also name DATABASE_URL. */
export const withDatabase = async <T>(location: DatabaseLocation, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Refusal ? error : new Error(namingDatabase(reasonOf(error), location), { cause: error })
  }
}

/** The error's message; for errors of the store with its cause. */
export const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error
  return error instanceof StoreUnavailable && cause instanceof Error ? `${message} (${cause.message})` : message
}

/**
 * Writes a line to stdout. console.log would not report failures, and the stream loses what a full disk rejects.
 * @throws Error if nobody reads it or the disk is full
 */
export const print = (line: string) => {
  let rest = Buffer.from(`${line}\n`)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      // The reader is slow, and another process has made the pipe non-blocking.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}

export type Command = (service: Service, args: string[]) => Promise<void>

/** Makes a command set the exit code: 0, 1 if it failed, 2 if its arguments are invalid. `--help` prints the usage. */
export const command =
  (usage: string, failure: string, main: Command): Command =>
  async (service, args) => {
    try {
      if (args.includes('--help')) print(usage)
      else await main(service, args)
    } catch (error) {
      const { message, code = '' } = error as NodeJS.ErrnoException
      const refusal = code.startsWith('ERR_PARSE_ARGS') ? new Refusal(2, `${message}\n\n${usage}`) : error
      const isExplained = refusal instanceof Refusal || refusal instanceof ConfigError
      console.error(isExplained ? refusal.message : `${failure}: ${message}`)
      process.exitCode = refusal instanceof Refusal ? refusal.exitCode : 1
    }
  }

/**
 * Whether a command that takes no arguments got none. Otherwise prints its usage: for `--help` alone, for anything else
 * with what is wrong and exit code 2.
 */
export const isWithoutArguments = (usage: string, args: readonly string[]): boolean => {
  if (args.includes('--help')) console.log(usage)
  else if (args.length > 0) {
    console.error(`It takes no arguments.\n\n${usage}`)
    process.exitCode = 2
  }
  return args.length === 0
}
