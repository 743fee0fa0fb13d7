import { writeSync } from 'node:fs'
import yoctoSpinner from 'yocto-spinner'

export type Show = (what: string) => void

/** What takes less needs no progress. */
const delayMs = 2000

/** Shows progress on stderr of a terminal if the work takes long, and clears it when the work has ended. */
export const withProgress = async <T>(work: (show: Show) => T | Promise<T>): Promise<T> => {
  // Outside a terminal, each update would print a line.
  if (!process.stderr.isTTY || process.env.TERM === 'dumb' || 'CI' in process.env) return work(() => {})
  // With its handler for signals, Ctrl-C would wait for the current step; without it, the cursor must be shown again.
  const spinner = yoctoSpinner({ handleSignals: false })
  const start = performance.now()
  let shown = ''
  const show: Show = what => {
    shown = what
    if (spinner.isSpinning) spinner.text = what
    else if (performance.now() - start > delayMs) {
      spinner.start(what)
      writeSync(2, showCursor)
    }
  }
  // For work that waits; other work keeps a timer from running.
  const timer = setTimeout(() => show(shown), delayMs + 1)
  try {
    return await work(show)
  } finally {
    clearTimeout(timer)
    spinner.stop()
  }
}

const showCursor = '\u001b[?25h'
