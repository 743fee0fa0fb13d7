import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { documentAt, shellOf } from './documents.ts'
import { resultOf, run } from './start-server.ts'

/** A guide in docs/ with its files in a folder: the code blocks whose first line is a comment with a file's name. */
export const guideIn = (t: Test, path: string, folder: string, env: Record<string, string> = {}, only?: string[]) => {
  for (const { code } of documentAt(path).blocks) {
    const name = /^(?:\/\/|#) ([\w./-]+\.\w+)\n/.exec(code)?.[1]
    if (name === undefined || only?.includes(name) === false) continue
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), code)
  }
  const start = (code: string) => run(t, 'sh', ['-ec', code], { cwd: folder, env, detached: true })
  return {
    start,
    /** Runs the shell block that begins like this, with these texts in place of others. */
    perform: async (beginning: string, places: Record<string, string> = {}): Promise<string> => {
      let code = shellOf(path, beginning)
      for (const [documented, here] of Object.entries(places)) code = code.replaceAll(documented, here)
      const result = await resultOf(start(code))
      t.match(result, { code: 0 }, `${path}: ${beginning}`)
      return result.stdout
    }
  }
}
