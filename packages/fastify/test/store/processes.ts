import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'

export interface Child {
  process: ChildProcessByStdio<Writable, Readable, null>
  /** The next line it prints, or `undefined` once it has ended. */
  line(): Promise<string | undefined>
  /** All lines not read yet, once it has ended. */
  rest(): Promise<string[]>
  exitCode: Promise<number | null>
}

export interface ProcessOptions {
  /** A shell command to run first. */
  first?: string
  /** A command, with its arguments, that starts Node. */
  inside?: string
}

/** Starts a script of this folder, or another one by its URL, and ends it with the test. */
export const startProcess = (
  t: Test,
  script: string | URL,
  args: string[],
  { first = ':', inside = '' }: ProcessOptions = {}
): Child => {
  const path = fileURLToPath(new URL(script, import.meta.url))
  // tap sets NODE_OPTIONS for every child process: its loader slows the start, and handles signals.
  const command = `export NODE_OPTIONS=--conditions=@contract-first/source; ${first}; exec ${inside} "$0" "$@"`
  const child = spawn('sh', ['-c', command, process.execPath, path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const exitCode = once(child, 'close').then(([code]) => code)
  // Always read at once: a full pipe would block the child.
  const lines: string[] = []
  let taken = 0
  const reader = createInterface({ input: child.stdout }).on('line', line => lines.push(line))
  const ended = once(reader, 'close')
  return {
    process: child,
    exitCode,
    line: async () => {
      if (taken === lines.length) await Promise.race([once(reader, 'line'), ended])
      return lines[taken++]
    },
    rest: async () => {
      await Promise.all([ended, exitCode])
      return lines.slice(taken)
    }
  }
}
