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

/** One figure of two subjects. */
export interface Comparison {
  /** The medians. */
  a: number
  b: number
  /** The ratio of a to b within a round: its median and quartiles. */
  ratio: number
  lower: number
  upper: number
}

/**
 * Measures both in turn, A B B A A B …, so that other load on the machine affects both. Only one is
 * loaded at a time, and each round gives one ratio.
 */
export const compare = async (figure: keyof Sample, a: Subject, b: Subject, { rounds, seconds }: Duration) => {
  const figures = { a: [] as number[], b: [] as number[] }
  const measure = async (name: 'a' | 'b') => {
    figures[name].push((await sample(name === 'a' ? a : b, seconds))[figure])
  }
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? (['a', 'b'] as const) : (['b', 'a'] as const)) await measure(name)
  }
  const ratios = figures.a.map((value, round) => value / (figures.b[round] ?? Number.NaN))
  const comparison: Comparison = {
    a: quantile(figures.a, 0.5),
    b: quantile(figures.b, 0.5),
    ratio: quantile(ratios, 0.5),
    lower: quantile(ratios, 0.25),
    upper: quantile(ratios, 0.75)
  }
  return comparison
}

export const quantile = (values: number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = part * (sorted.length - 1)
  const [below = Number.NaN, above = Number.NaN] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]]
  return below + (above - below) * (at % 1)
}
