import type { Test } from 'tap'

interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

/**
 * Runs a command in a folder, and returns how it ended and what it printed. It runs in this process, as starting one for it
 * would take most of the time.
 */
export const runHere = async (t: Test, folder: string, command: () => Promise<number>): Promise<Ended> => {
  const before = process.cwd()
  const [out, err] = [t.capture(console, 'log'), t.capture(console, 'error')]
  const textOf = (printed: typeof out) =>
    printed()
      .map(({ args: [each] }) => `${each instanceof Error ? each.stack : each}\n`)
      .join('')
  process.chdir(folder)
  delete process.env.FORCE_COLOR
  try {
    const status = await command()
    return { status, stdout: textOf(out), stderr: textOf(err) }
  } finally {
    out.restore()
    err.restore()
    process.chdir(before)
  }
}
