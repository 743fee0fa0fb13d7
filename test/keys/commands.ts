import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Test } from 'tap'
import { digestOf, keyIdOf } from '../../packages/fastify/src/api-keys/api-key.ts'
import { commandHere } from '../command-here.ts'
import { openSqliteStore } from '../open-store.ts'
import { type Running, run, scriptPath } from '../start-server.ts'

export const dayMs = 86_400_000

/** Runs the command to its end, in this process. */
export const keys = (t: Test, cwd: string, words: readonly string[], env: Record<string, string> = {}) =>
  commandHere(t, ['keys', ...words], { cwd, env })

/** Starts the command as a process. */
export const startKeys = (t: Test, cwd: string, words: readonly string[], env: Record<string, string> = {}): Running =>
  run(t, process.execPath, [scriptPath('src/main.js'), 'keys', ...words], { cwd, env })

/** A key issued by the command, and its id. */
export const issued = async (t: Test, cwd: string, ...words: string[]) => {
  const { code, stdout, stderr } = await keys(t, cwd, ['issue', ...words])
  t.equal(code, 0)
  const key = stdout.trimEnd()
  return { key, id: keyIdOf(digestOf(key)), stdout, stderr }
}

/** The store in the default place below the folder, closed with the test. */
export const openStore = (t: Test, cwd: string) => {
  const store = openSqliteStore({ path: join(cwd, 'data', 'animals.db') })
  t.teardown(() => store.close())
  return store
}

/** Lets keys be added, but not changed. */
export const fixKeys = (cwd: string) => {
  const db = new DatabaseSync(join(cwd, 'data', 'animals.db'))
  db.exec("CREATE TRIGGER fixed BEFORE UPDATE ON keys BEGIN SELECT raise(ABORT, 'no change'); END")
  db.close()
}
