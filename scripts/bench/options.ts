import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type ScenarioName, scenarioNames } from './scenarios.ts'

export type Figure = ScenarioName | 'start'
const figures: readonly Figure[] = [...scenarioNames, 'start']

export const usage = `Usage: npm run bench -- [options]

Compares the CPU time and the memory of the service with that of servers that respond the same: bare node:http, Fastify by
hand, and fastify-openapi-glue.

  --rounds N     how often each server is measured, in turn (default 40; 80 with --against, 6 with --contracts
                 as well, 10 with --latency)
  --requests N   how many it gets each time (default 1000; 300 with --against, 20000 with --latency)
  --animals N    how many are in the database (default 100000)
  --only NAME    only one of ${figures.join(', ')}; may be repeated
  --write        also writes the figures into docs/performance.md
  --against REF  instead, this folder with another commit: whether it is slower; about two minutes
  --latency      instead, latencies at constant rates of requests, beside Fastify by hand; up to five minutes
  --contracts FOLDER
                 instead, what the Animal Store's contract and those in a folder with more than 100 operations cost: to
                 generate, to mock, to make a project of, to compile, to start, and to call as npm run generality does;
                 with --against, whether that has become worse: a quarter of an hour for a thousand operations
  --help         this text`

export class UsageError extends Error {}

/** @throws UsageError if the arguments are invalid */
export const readOptions = (args: string[]) => {
  const { help, only, write = false, latency = false, contracts, against, ...given } = parse(args)
  if (help) return 'help'
  const number = (name: keyof typeof given, byDefault: number, least: number, most: number) => {
    const value = Number(given[name] ?? byDefault)
    if (value >= least && value <= most && Number.isInteger(value)) return value
    throw new UsageError(`--${name} must be a whole number from ${least} to ${most}, not ${given[name]}`)
  }
  // Many short rounds: on a busy machine, only what follows at once runs under the same conditions.
  const byDefault = latency
    ? { rounds: 10, requests: 20_000 }
    : against === undefined
      ? { rounds: 40, requests: 1_000 }
      : { rounds: contracts === undefined ? 80 : 6, requests: 300 }
  const rounds = number('rounds', byDefault.rounds, 1, 999)
  const requests = number('requests', byDefault.requests, 1, 999_999)
  const animals = number('animals', 100_000, 100, 99_999_999)
  const unknown = only?.find(name => !figures.includes(name as Figure))
  if (unknown !== undefined) throw new UsageError(`--only must be one of ${figures.join(', ')}, not ${unknown}`)
  if (write && (only !== undefined || against !== undefined))
    throw new UsageError('--write needs all figures: omit --only and --against')
  if (latency && (against !== undefined || contracts !== undefined))
    throw new UsageError('--latency is not possible with --against or --contracts')
  if (contracts !== undefined && statSync(contracts, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`there is no folder ${contracts}; --contracts needs one with OpenAPI documents`)
  return {
    rounds,
    requests,
    animals,
    only: (only as Figure[] | undefined) ?? figures,
    write,
    latency,
    contracts,
    against
  }
}

const parse = (args: string[]) => {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const numbers = { rounds: text, requests: text, animals: text }
  const options = { ...numbers, against: text, contracts: text, latency: flag, write: flag, help: flag }
  try {
    return parseArgs({ args, options: { ...options, only: { ...text, multiple: true } } }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
