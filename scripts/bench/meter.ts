// Preloaded into a server that is measured: tells over IPC what the process has used, and ends it with the benchmark.

export interface Usage {
  /** User and system time of all threads since the process began, in microseconds. */
  cpuUs: number
  residentBytes: number
}

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuUs: user + system, residentBytes: process.memoryUsage.rss() } satisfies Usage)
})
process.on('disconnect', () => process.exit())
process.channel?.unref()
