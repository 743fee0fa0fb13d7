/**
 * The average CPU time of this thread, in microseconds: independent of other load on the machine.
 * Some systems count it in steps of several milliseconds, so the work runs for much longer than that.
 */
export const cpuTimeOf = (work: () => unknown): number => {
  const before = process.threadCpuUsage()
  for (let count = 1; ; count++) {
    work()
    const { user, system } = process.threadCpuUsage(before)
    if (user + system >= 100_000) return (user + system) / count
  }
}
