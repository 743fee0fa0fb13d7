import type { Usage } from '../../packages/generator/trials/generality/trial.ts'
import type { ScenarioName } from './scenarios.ts'

// All goals, and the words in which a table has them.

/** In multiples of Fastify by hand. */
export const goals = {
  requests: { list: 0.9, 'list-100': 0.9, get: 1, create: 1.05, 'refused-key': 0.95 } satisfies Record<
    ScenarioName,
    number
  >,
  memory: 1.1,
  start: { cached: 1.3, uncached: 1.4 }
}

/** What a log line may add to such a multiple. */
const addedByLog = 0.08
/** In multiples of fastify-openapi-glue, whatever is measured. */
const ofGlue = 0.95

interface Ratios {
  /** To Fastify by hand. */
  ratio: number
  /** The same with log lines, less without. */
  log?: number
  toGlue: number
}

/** The goals of a figure of ours. */
export const verdicts = (max: number, { ratio, log, toGlue }: Ratios): string =>
  [
    `at most ${limit(ratio, max)}`,
    ...(log === undefined ? [] : [limit(log, addedByLog, ' more with log')]),
    limit(toGlue, ofGlue, ' × glue')
  ].join(', ')

/** Of the latency of ours, relative to that of Fastify by hand. */
export const latencyVerdicts = (p50: number, p999: number): string =>
  [verdict('p50 no higher', Number(p50.toFixed(2)) <= 1), verdict('p99.9 lower', Number(p999.toFixed(2)) < 1)].join(
    ', '
  )

const ofContracts = {
  generate: { seconds: 4 },
  'generate again': { seconds: 1 },
  mock: { seconds: 6, megabytes: 350 },
  new: { seconds: 15 },
  'compile handlers': { seconds: 10, megabytes: 500 },
  start: { seconds: 0.5, megabytes: 200 },
  generality: { of: 'digitalocean', seconds: 40 }
} satisfies Record<string, Goal>

/** Of the contract with most operations, or of another. */
type Goal = { seconds: number; megabytes?: number; of?: string }

/** What is measured of a contract. */
export type ContractFigure = keyof typeof ofContracts
export const contractFigures = Object.keys(ofContracts) as ContractFigure[]

/** `measured` are contracts by their number of operations. */
export const contractVerdict = (
  figure: ContractFigure,
  measured: readonly ({ name: string } & Record<ContractFigure, Usage>)[]
) => {
  const { of, seconds, megabytes }: Goal = ofContracts[figure]
  const judged = of === undefined ? measured.at(-1) : measured.find(({ name }) => name === of)
  if (judged === undefined) return ''
  const used = judged[figure]
  const isMet = Number(used.seconds.toFixed(1)) <= seconds && used.megabytes <= (megabytes ?? Infinity)
  const bounds = `at most ${seconds} s${megabytes === undefined ? '' : `, ${megabytes} MB`}`
  return verdict(of === undefined ? bounds : `${of}: ${bounds}`, isMet)
}

/** A figure is judged as it is printed. */
const limit = (ratio: number, max: number, of = '') =>
  verdict(`${max.toFixed(2)}${of}`, Number(ratio.toFixed(2)) <= max)

const verdict = (text: string, isMet: boolean) => `${text} (${isMet ? 'met' : 'missed'})`
