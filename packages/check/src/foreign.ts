import { relative } from 'node:path'
import { decoded, LoadError } from '@contract-first/document'
import { UsageError } from './options.ts'

const maxMinutes = 10

/** Runs code of the configuration. It may end the process or never finish, and neither must pass for a success. */
export const foreign = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const onExit = () => {
    console.error(`${what} ended the process, or waits for something that never happens`)
    process.exitCode = 3
  }
  const late = () => reject(`not done after ${maxMinutes} minutes`)
  const timer = setTimeout(late, maxMinutes * 60_000).unref()
  process.once('exit', onExit).once('uncaughtException', reject)
  try {
    run().then(resolve, reject)
    return await promise
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new LoadError([`${what}: ${error instanceof Error ? error.message : error}${placeIn(error)}`])
  } finally {
    clearTimeout(timer)
    process.off('exit', onExit).off('uncaughtException', reject)
  }
}

/** Where an error was thrown, so that it can be corrected. */
const placeIn = (error: unknown): string => {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  // The stack of a syntax error begins with its place.
  const [, file, line] = /^(?:file:\/\/)?(\/[^?\n]+?)(?:\?\w+)?(:\d+)\n/.exec(stack) ?? []
  const [, thrown] = /^ +at (?:.* \()?(?:file:\/\/)?(\/[^()]+:\d+:\d+)\)?$/m.exec(stack) ?? []
  const place = file === undefined ? thrown : `${file}${line}`
  return place === undefined ? '' : ` (${relative('', decoded(place))})`
}
