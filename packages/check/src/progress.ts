import { writeSync } from 'node:fs'
import yoctoSpinner from 'yocto-spinner'

export type Show = (what: string) => void

/** Shorter work shows no progress. */
const delayMs = 2000
/** The least time between two updates: a large contract has thousands of operations. */
const intervalMs = 100

/** Shows progress on stderr of a terminal if the work takes long, and clears it when the work has ended. */
export const withProgress = async <T>(work: (show: Show) => T | Promise<T>): Promise<T> => {
  // Outside a terminal, each update would print a line.
  if (!process.stderr.isTTY || process.env.TERM === 'dumb' || 'CI' in process.env) return work(() => {})
  // Its signal handler would make Ctrl-C wait for the current step; without it, the cursor must be shown again.
  const spinner = yoctoSpinner({ handleSignals: false })
  const start = performance.now()
  let shown = ''
  let next = start + delayMs
  const show: Show = what => {
    shown = what
    if (performance.now() <= next) return
    next = performance.now() + intervalMs
    if (spinner.isSpinning) spinner.text = what
    else {
      spinner.start(what)
      writeSync(2, showCursor)
    }
  }
  // Helps asynchronous work only: synchronous work keeps the timer from running.
  const timer = setInterval(() => show(shown), intervalMs)
  try {
    return await work(show)
  } finally {
    clearInterval(timer)
    spinner.stop()
  }
}

const showCursor = '\u001b[?25h'
