import { extent } from './extent.ts'

/**
 * The average CPU time of this thread, in microseconds, in the best of several rounds: independent of other load on the
 * machine, which may delay the threads that compile hot code.
 * Some systems count it in steps of several milliseconds, so the work runs for much longer than that.
 */
export const cpuTimeOf = (work: () => unknown): number =>
  Math.min(...Array.from({ length: rounds }, () => averageOf(work)))

const rounds = 4
const leastUs = extent(40_000, 100_000)

const averageOf = (work: () => unknown): number => {
  const before = process.threadCpuUsage()
  for (let count = 1; ; count++) {
    work()
    const { user, system } = process.threadCpuUsage(before)
    if (user + system >= leastUs) return (user + system) / count
  }
}
