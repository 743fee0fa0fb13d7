import type { Test } from 'tap'
import { animalStore } from '../src/animal-store.ts'
import { runHere } from './run-here.ts'

/** Runs a command of the Animal Store with `runHere`, with no variables but these. */
export const commandHere = async (
  t: Test,
  words: readonly string[],
  { cwd, env = {}, stdout }: { cwd: string; env?: Record<string, string>; stdout?: number }
): Promise<{ code: number; stdout: string; stderr: string }> => {
  const command = async () => {
    await animalStore.run(words)
    const code = Number(process.exitCode ?? 0)
    process.exitCode = undefined
    return code
  }
  const { status, ...output } = await runHere(t, cwd, command, { env, ...(stdout !== undefined && { stdout }) })
  return { code: status, ...output }
}
