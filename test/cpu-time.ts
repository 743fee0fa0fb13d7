/**
 * The CPU time of this thread, in microseconds, that it takes on average: what else the machine does has no part in it.
 * Some systems count it in steps of several milliseconds, so that it is done for much longer than that.
 */
export const cpuTimeOf = (work: () => unknown): number => {
  const before = process.threadCpuUsage()
  for (let count = 1; ; count++) {
    work()
    const { user, system } = process.threadCpuUsage(before)
    if (user + system >= 100_000) return (user + system) / count
  }
}
