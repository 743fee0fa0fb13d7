import { parseArgs } from 'node:util'
import { urlFault } from '../../src/engine/store/location.ts'
import type { Duration } from './measure.ts'

export const measurements = {
  list: 'CPU of a list of 20',
  'list-100': 'CPU of a list of 100',
  get: 'CPU of one animal',
  create: 'CPU of a create',
  'refused-key': 'CPU of rejecting an unknown key',
  pages: 'CPU of the last page, compared with an early one',
  keys: 'CPU of looking up a valid key, among 10,000',
  commits: 'creates per second, compared with one commit each',
  start: 'CPU from the start to the first response',
  memory: 'resident memory',
  page: 'time until the documentation page can be used'
}
export type Measurement = keyof typeof measurements

export interface Options extends Duration {
  only: Set<Measurement>
  full: boolean
  workers: boolean
  /** The URL of a PostgreSQL database to measure in. */
  postgres: string | undefined
}

export const usage = `Usage: npm run bench -- [options]

Compares the service with the floor: the same store and the same responses on bare node:http.

  --rounds N     how often each server is measured, in turn (default 20)
  --seconds N    how long each time (default 0.2)
  --only NAME    only this measurement; may be repeated
  --workers      instead, the service with one process and with two
  --postgres URL instead, the service in this PostgreSQL database, in schemas of its own
  --full         a million animals instead of 100,000, and memory after a million requests
  --help         this text

Measurements:
${Object.entries(measurements)
  .map(([name, title]) => `  ${name.padEnd(14)} ${title}`)
  .join('\n')}`

export class UsageError extends Error {}

/** @throws UsageError if the arguments are invalid */
export const readOptions = (args: string[]): Options | 'help' => {
  const { rounds, seconds, only, full, workers, postgres, help } = parse(args)
  if (help) return 'help'
  const names = only ?? Object.keys(measurements)
  for (const name of names) {
    if (!Object.hasOwn(measurements, name))
      throw new UsageError(`--only must be one of ${Object.keys(measurements).join(', ')}, not ${name}`)
  }
  if (!/^[1-9]\d{0,2}$/.test(rounds))
    throw new UsageError(`--rounds must be a whole number from 1 to 999, not ${rounds}`)
  if (!(Number(seconds) > 0 && Number(seconds) <= 60))
    throw new UsageError(`--seconds must be a number above 0, up to 60, not ${seconds}`)
  const fault = postgres === undefined ? undefined : urlFault(postgres)
  if (fault !== undefined) throw new UsageError(`--postgres needs the URL of a PostgreSQL database: ${fault}`)
  return {
    rounds: Number(rounds),
    seconds: Number(seconds),
    only: new Set(names as Measurement[]),
    full,
    workers,
    postgres
  }
}

const parse = (args: string[]) => {
  try {
    return parseArgs({
      args,
      options: {
        rounds: { type: 'string', default: '20' },
        seconds: { type: 'string', default: '0.2' },
        only: { type: 'string', multiple: true },
        full: { type: 'boolean', default: false },
        workers: { type: 'boolean', default: false },
        postgres: { type: 'string' },
        help: { type: 'boolean', default: false }
      }
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
