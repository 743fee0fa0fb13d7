import type { Asked } from './load.ts'
import type { Server } from './servers.ts'

export interface Subject {
  server: Server
  asked: Asked
}

export interface Sample {
  cpuUsPerRequest: number
  requestsPerSecond: number
}

export interface Duration {
  rounds: number
  /** Of each subject in each round. */
  seconds: number
}

const sample = async ({ server, asked }: Subject, seconds: number): Promise<Sample> => {
  const before = await server.usage()
  const begun = performance.now()
  const answers = await server.load(asked, { ms: seconds * 1000 })
  const tookMs = performance.now() - begun
  const after = await server.usage()
  return { cpuUsPerRequest: (after.cpuUs - before.cpuUs) / answers, requestsPerSecond: (answers / tookMs) * 1000 }
}

/** Two subjects beside each other, in one figure. */
export interface Comparison {
  /** The medians. */
  a: number
  b: number
  /** Of a to b within a round: the median, and where its middle half lies. */
  ratio: number
  lower: number
  upper: number
}

/**
 * Measures both in turn, A B B A A B …, so that whatever else happens on the machine happens to both. Only one is
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
