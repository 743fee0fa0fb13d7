import { writeSync } from 'node:fs'
import yoctoSpinner from 'yocto-spinner'

export type Show = (what: string) => void

/** Shows progress on stderr of a terminal, and clears it when the work has ended. */
export const withProgress = async <T>(work: (show: Show) => T | Promise<T>): Promise<T> => {
  // Outside a terminal, each update would print a line.
  if (!process.stderr.isTTY || process.env.TERM === 'dumb' || 'CI' in process.env) return work(() => {})
  // With its handler for signals, Ctrl-C would wait for the current step; without it, the cursor must be shown again.
  const spinner = yoctoSpinner({ handleSignals: false })
  try {
    return await work(what => {
      if (spinner.isSpinning) {
        spinner.text = what
        return
      }
      spinner.start(what)
      writeSync(2, showCursor)
    })
  } finally {
    spinner.stop()
  }
}

const showCursor = '\u001b[?25h'
