import { performance } from 'node:perf_hooks'

// Preloaded into each measured server: reports its usage over IPC, and exits together with the benchmark.

export interface Usage {
  /** User and system time of all threads since the process started, in microseconds. */
  cpuUs: number
  /** Of the event loop since the process started. */
  turns: number
  residentBytes: number
}

process.on('message', question => {
  if (question !== 'usage') return
  const { user, system } = process.cpuUsage()
  const turns = performance.nodeTiming.uvMetricsInfo.loopCount
  process.send?.({ cpuUs: user + system, turns, residentBytes: process.memoryUsage.rss() } satisfies Usage)
})
process.on('disconnect', () => process.exit())
process.channel?.unref()
