// Preloaded into the service: carries out commands from stdin, one per line, that only the process itself can.
import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { setImmediate as nextTurn } from 'node:timers/promises'

export interface Observation {
  /** JavaScript objects and buffers, after a garbage collection. */
  heapBytes: number
  residentBytes: number
  /** CPU time of all threads since the start. */
  cpuMs: number
  /** Open files, sockets, pipes and so on. */
  descriptors: number
  /** The longest stall of the event loop since the previous observation. */
  longestStallMs: number
}

const stalls = monitorEventLoopDelay({ resolution: 1 })
stalls.enable()

const observe = async (): Promise<Observation> => {
  const longestStallMs = stalls.max / 1e6
  // What is freed in one turn may free more in the next.
  for (let i = 0; i < 3; i++) {
    await nextTurn()
    globalThis.gc?.()
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  stalls.reset()
  return {
    heapBytes: heapUsed + external,
    residentBytes: rss,
    cpuMs: (user + system) / 1000,
    descriptors: readdirSync('/dev/fd').length,
    longestStallMs
  }
}

const RealDate = Date
let aheadMs = 0
/** A `Date` whose clock can be set. */
class SetDate extends RealDate {
  constructor(...args: []) {
    if (args.length === 0) super(SetDate.now())
    else super(...args)
  }
  static override now() {
    return RealDate.now() + aheadMs
  }
}
globalThis.Date = SetDate as DateConstructor

const commands: Record<string, (value: number) => unknown> = {
  observe,
  // Crashes as V8 does when it finds its memory corrupted.
  crash: () => new Function('%AbortJS("a crash")')(),
  setClock: time => {
    aheadMs = time - RealDate.now()
  }
}

const lines = createInterface({ input: process.stdin })
lines.on('line', async line => {
  const [number, command = '', value] = line.split(' ')
  const result = await commands[command]?.(Number(value))
  process.stdout.write(`done ${number} ${JSON.stringify(result ?? null)}\n`)
})
// A killed test leaves no service behind.
lines.on('close', () => process.exit(1))
// Otherwise stdin does not keep the process alive.
;(process.stdin as unknown as { unref(): void }).unref()
