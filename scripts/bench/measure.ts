import type { Scenario } from './load.ts'
import type { Server } from './servers.ts'

export interface Subject {
  server: Server
  scenario: Scenario
}

export interface Sample {
  cpuUsPerRequest: number
  /** Of this process, which sends the requests. */
  generatorUsPerRequest: number
  requestsPerSecond: number
}

export interface Duration {
  rounds: number
  /** Of each subject in each round. */
  seconds: number
}

export const sample = async ({ server, scenario }: Subject, seconds: number): Promise<Sample> => {
  const before = await server.usage()
  const ownBefore = process.cpuUsage()
  const begunMs = performance.now()
  const requests = await server.load(scenario, { ms: seconds * 1000 })
  const tookMs = performance.now() - begunMs
  const { user, system } = process.cpuUsage(ownBefore)
  const after = await server.usage()
  return {
    cpuUsPerRequest: (after.cpuUs - before.cpuUs) / requests,
    generatorUsPerRequest: (user + system) / requests,
    requestsPerSecond: (requests / tookMs) * 1000
  }
}

/** These in the order of a round: each is first as often as the others, and follows each neighbour as often as it precedes it. */
export const inTurn = <Item>(items: readonly Item[], round: number): Item[] => {
  const first = round % items.length
  const order = [...items.slice(first), ...items.slice(0, first)]
  return Math.floor(round / items.length) % 2 === 0 ? order : order.toReversed()
}

/**
 * The same code is a little faster or slower in each process that runs it, so there are several of each: the rounds of
 * every one.
 */
export const roundsOfProcesses = (rounds: number): number[] =>
  Array.from({ length: Math.ceil(rounds / roundsOfProcess) }, (_, i) =>
    Math.min(roundsOfProcess, rounds - i * roundsOfProcess)
  )

const roundsOfProcess = 10

/** A median with its quartiles. */
export interface Spread {
  middle: number
  lower: number
  upper: number
}

export const spreadOf = (values: readonly number[]): Spread => ({
  middle: quantile(values, 0.5),
  lower: quantile(values, 0.25),
  upper: quantile(values, 0.75)
})

/** Of each round's first figure to its second: what else the machine does in a round affects both. */
export const ratioOf = (values: readonly number[], base: readonly number[]): Spread =>
  spreadOf(values.map((value, round) => value / (base[round] ?? Number.NaN)))

/** One figure of two subjects. */
export interface Comparison {
  /** The medians. */
  a: number
  b: number
  /** Of a to b. */
  ratio: Spread
}

/** Measures both in turn, A B B A A B …; only one is loaded at a time. */
export const compare = async (
  figure: keyof Sample,
  a: Subject,
  b: Subject,
  { rounds, seconds }: Duration
): Promise<Comparison> => {
  const subjects = [a, b].map(subject => ({ subject, figures: [] as number[] }))
  for (let round = 0; round < rounds; round++)
    for (const { subject, figures } of inTurn(subjects, round)) figures.push((await sample(subject, seconds))[figure])
  const [first = [], second = []] = subjects.map(({ figures }) => figures)
  return { a: quantile(first, 0.5), b: quantile(second, 0.5), ratio: ratioOf(first, second) }
}

export const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = part * (sorted.length - 1)
  const [below = Number.NaN, above = Number.NaN] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]]
  return below + (above - below) * (at % 1)
}
