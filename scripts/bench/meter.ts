import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'

// Preloaded into each measured server and its workers: reports their usage over IPC, and exits together with the benchmark.

export interface Usage {
  /** User and system time of all threads since the process started, in microseconds. */
  cpuUs: number
  residentBytes: number
}

const ownUsage = (): Usage => {
  const { user, system } = process.cpuUsage()
  return { cpuUs: user + system, residentBytes: process.memoryUsage.rss() }
}

const usageOf = async (worker: Worker): Promise<Usage> => {
  worker.send({ isMeter: true })
  for (;;) {
    const [{ usage }] = await once(worker, 'message')
    if (usage !== undefined) return usage
  }
}

const add = (one: Usage, other: Usage): Usage => ({
  cpuUs: one.cpuUs + other.cpuUs,
  residentBytes: one.residentBytes + other.residentBytes
})

if (cluster.isWorker) {
  process.on('message', ({ isMeter }: { isMeter?: boolean }) => isMeter && process.send?.({ usage: ownUsage() }))
} else {
  process.on('message', async question => {
    if (question !== 'usage') return
    const workers = Object.values(cluster.workers ?? {}).filter(worker => worker !== undefined)
    process.send?.((await Promise.all(workers.map(usageOf))).reduce(add, ownUsage()))
  })
  process.on('disconnect', () => process.exit())
  process.channel?.unref()
}
