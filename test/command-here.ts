import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import type { Test } from 'tap'
import { animalStore } from '../src/animal-store.ts'

export interface HereOptions {
  cwd: string
  /** All variables that are set. */
  env?: Record<string, string>
  /** The open file to which it prints. */
  stdout?: number
}

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs a command of the service to its end in this process, which takes a tenth of the time of a process. Only one at a time:
 * meanwhile, the process has the command's folder, variables and output. What depends on signals, or on how the system treats
 * the output, needs `run`.
 */
export const commandHere = async (
  t: Test,
  words: readonly string[],
  { cwd, env = {}, stdout: file }: HereOptions
): Promise<{ code: number; stdout: string; stderr: string }> => {
  let stdout = ''
  let stderr = ''
  const { writeSync } = fs
  const writeHere = (fd: number, data: Uint8Array) => {
    if (fd !== 1) return writeSync(fd, data)
    if (file !== undefined) return writeSync(file, data)
    stdout += Buffer.from(data)
    return data.length
  }
  const log = (line: string) => {
    stdout += `${line}\n`
  }
  const error = (line: string) => {
    stderr += `${line}\n`
  }
  const intercepted = [
    t.intercept(fs, 'writeSync', { value: writeHere }),
    t.intercept(console, 'log', { value: log }),
    t.intercept(console, 'error', { value: error })
  ]
  const folder = process.cwd()
  const variables = process.env
  const listeners = endSignals.map(signal => process.listeners(signal))
  syncBuiltinESMExports()
  process.chdir(cwd)
  process.env = env
  try {
    await animalStore.run(words)
    return { code: Number(process.exitCode ?? 0), stdout, stderr }
  } finally {
    process.exitCode = undefined
    process.env = variables
    process.chdir(folder)
    for (const { restore } of intercepted) restore()
    syncBuiltinESMExports()
    for (const [index, signal] of endSignals.entries())
      for (const listener of process.listeners(signal))
        if (!listeners[index]?.includes(listener)) process.off(signal, listener)
  }
}
