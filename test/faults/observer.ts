// Preloaded into the service: does, for each line on stdin, what only a process itself can.
import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { setImmediate as nextTurn } from 'node:timers/promises'

export interface Observation {
  /** Of JavaScript objects and of buffers, once all garbage has been collected. */
  heapBytes: number
  residentBytes: number
  /** Since the start, on all threads. */
  cpuMs: number
  /** Open files, sockets, pipes and so on. */
  descriptors: number
  /** Of the event loop, since the last observation. */
  longestStallMs: number
}

const stalls = monitorEventLoopDelay({ resolution: 1 })
stalls.enable()

const observe = async (): Promise<Observation> => {
  const longestStallMs = stalls.max / 1e6
  // What ends in one turn may let go of more in the next.
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
/** The same clock, which can be set. */
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
  // As where V8 finds that its memory is not as it must be.
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
// A test that is killed leaves no service behind.
lines.on('close', () => process.exit(1))
// Besides, the service alone decides how long the process lives.
;(process.stdin as unknown as { unref(): void }).unref()
