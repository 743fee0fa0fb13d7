import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { urlFault } from '../../packages/fastify/src/store/location.ts'
import type { Duration } from './measure.ts'

export const measurements = {
  list: 'CPU of a list of 20',
  'list-100': 'CPU of a list of 100',
  get: 'CPU of one animal',
  create: 'CPU of a create',
  'refused-key': 'CPU of rejecting an unknown key',
  start: 'CPU from the start to the first response',
  memory: 'resident memory after all of these',
  pages: 'CPU of the last page, compared with an early one, and with that of 10,000 animals',
  keys: 'CPU of looking up a valid key, among 10,000',
  commits: 'creates per second, compared with one commit each',
  page: 'time until the documentation page can be used'
}
export type Measurement = keyof typeof measurements

export interface Options extends Duration {
  only: Set<Measurement>
  animals: number
  /** Into docs/. */
  write: boolean
  parts: boolean
  workers: boolean
  /** The folder of the contracts to measure. */
  contracts: string | undefined
  /** The URL of a PostgreSQL database to measure in. */
  postgres: string | undefined
  /** The commit to compare with. */
  against: string | undefined
}

export const usage = `Usage: npm run bench -- [options]

Compares the service, without log lines and with them, with servers that respond the same: bare node:http, node:http with
the same headers, checks and log lines (the floor), Fastify by hand, and fastify-openapi-glue.

  --quick        fewer and shorter rounds, and only what is compared with others: about a minute
  --rounds N     how often each server is measured, in turn (default 40)
  --seconds N    how long each time (default 0.1)
  --animals N    how many are in the database (default 100000)
  --only NAME    only this measurement; may be repeated
  --write        also measures the parts, and writes the figures into docs/performance.md
  --against REF  instead, this folder with another commit: whether it is slower; about two minutes
  --parts        instead, what each part of the service costs per request, such as its checks and its log
  --workers      instead, the service with one process and with two
  --contracts [FOLDER]
                 instead, what the Animal Store's contract and those in a folder (default ../shared/contracts) with more
                 than 100 operations cost: to generate, to compile, to start, and per request; with --write, also into
                 docs/performance.md
  --postgres URL instead, the service in this PostgreSQL database, in schemas of its own
  --help         this text

Measurements:
${Object.entries(measurements)
  .map(([name, title]) => `  ${name.padEnd(14)} ${title}`)
  .join('\n')}`

export class UsageError extends Error {}

/** @throws UsageError if the arguments are invalid */
export const readOptions = (args: string[]): Options | 'help' => {
  const { values, positionals } = parse(args)
  const { quick, only, write, parts, workers, contracts, postgres, against, help, ...given } = values
  if (help) return 'help'
  const [documents = '../shared/contracts', ...others] = positionals
  if (others.length > 0 || (!contracts && positionals.length > 0))
    throw new UsageError(`${others[0] ?? documents} is not an option`)
  if (contracts && statSync(documents, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`there is no folder ${documents}; --contracts needs one with OpenAPI documents`)
  const defaults = against !== undefined ? paired : parts ? inParts : quick ? quickly : thoroughly
  const { rounds, seconds, animals } = { ...defaults, ...given }
  const names = only ?? Object.keys(measurements).slice(0, quick ? 7 : undefined)
  for (const name of names) {
    if (!Object.hasOwn(measurements, name))
      throw new UsageError(`--only must be one of ${Object.keys(measurements).join(', ')}, not ${name}`)
  }
  if (!/^[1-9]\d{0,2}$/.test(rounds))
    throw new UsageError(`--rounds must be a whole number from 1 to 999, not ${rounds}`)
  if (!(Number(seconds) > 0 && Number(seconds) <= 60))
    throw new UsageError(`--seconds must be a number above 0, up to 60, not ${seconds}`)
  if (!/^[1-9]\d{2,7}$/.test(animals))
    throw new UsageError(`--animals must be a whole number from 100 to 99999999, not ${animals}`)
  if (write && only !== undefined) throw new UsageError('--write needs all measurements: omit --only')
  const fault = postgres === undefined ? undefined : urlFault(postgres)
  if (fault !== undefined) throw new UsageError(`--postgres needs the URL of a PostgreSQL database: ${fault}`)
  return {
    rounds: Number(rounds),
    seconds: Number(seconds),
    animals: Number(animals),
    only: new Set(names as Measurement[]),
    write,
    parts,
    workers,
    contracts: contracts ? documents : undefined,
    postgres,
    against
  }
}

// Many short rounds: on a busy machine, only what follows at once runs under the same conditions.
const thoroughly = { rounds: '40', seconds: '0.1', animals: '100000' }
const quickly = { ...thoroughly, rounds: '10', seconds: '0.08' }
// Of each of the many servers.
export const secondsOfParts = 0.03
const inParts = { ...thoroughly, rounds: '50', seconds: String(secondsOfParts) }
const paired = { ...thoroughly, rounds: '80', seconds: '0.05' }

const parse = (args: string[]) => {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        animals: { type: 'string' },
        only: { type: 'string', multiple: true },
        write: { type: 'boolean', default: false },
        parts: { type: 'boolean', default: false },
        workers: { type: 'boolean', default: false },
        contracts: { type: 'boolean', default: false },
        postgres: { type: 'string' },
        against: { type: 'string' },
        help: { type: 'boolean', default: false }
      }
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
