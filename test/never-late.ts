// Preloaded into a service whose overload is not what a test is about: its event loop never counts as late, however much
// else the machine has to do.
import { syncBuiltinESMExports } from 'node:module'
import perfHooks from 'node:perf_hooks'

const { monitorEventLoopDelay } = perfHooks
perfHooks.monitorEventLoopDelay = (options = {}) => {
  const { resolution = 10 } = options
  // Each look at the loop takes as long as it is meant to.
  return Object.defineProperties(monitorEventLoopDelay(options), {
    count: { value: 1 },
    mean: { value: resolution * 1e6 },
    max: { value: resolution * 1e6 }
  })
}
syncBuiltinESMExports()
