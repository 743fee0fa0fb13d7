import { writeSync } from 'node:fs'
import yoctoSpinner from 'yocto-spinner'

export type Show = (what: string) => void

/** Shows the progress of work on a terminal's stderr, until it ends. */
export const withProgress = async <T>(work: (show: Show) => T | Promise<T>): Promise<T> => {
  // Otherwise the spinner would write a line for each text.
  if (!process.stderr.isTTY || process.env.TERM === 'dumb' || 'CI' in process.env) return work(() => {})
  // Its signal handler would make Ctrl-C wait for the current step. Without it, the cursor must not stay hidden.
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
