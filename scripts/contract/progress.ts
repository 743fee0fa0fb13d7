import { writeSync } from 'node:fs'
import yoctoSpinner from 'yocto-spinner'

export type Show = (what: string) => void

/** Shows the progress of work in a terminal: on stderr, and cleared when the work has ended. */
export const withProgress = async <T>(work: (show: Show) => T | Promise<T>): Promise<T> => {
  // Elsewhere it would write a line for each text.
  if (!process.stderr.isTTY || process.env.TERM === 'dumb' || 'CI' in process.env) return work(() => {})
  // A handler for signals would let Ctrl-C wait for the end of a step; without one, the cursor must not stay hidden.
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
