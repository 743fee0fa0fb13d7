import { spawnSync } from 'node:child_process'
import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { backup, newDatabase } from './backups.ts'
import { resultOf, run, scriptPath } from './start-server.ts'

// Root can read and write everything, so a process without its privileges is needed.
const withoutPrivileges = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []
const [setpriv = 'true', ...bounds] = withoutPrivileges
const canDrop = spawnSync(setpriv, [...bounds, 'true']).status === 0

export const onlyWithoutPrivileges = canDrop ? {} : { skip: 'root cannot drop its privileges here' }

/** A folder with a database and its backup `copy.db`, in which commands are refused. */
export const prepare = async (t: Test) => {
  const cwd = t.testdir({ locked: {} })
  const path = newDatabase(cwd, 3)
  t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
  return {
    cwd,
    path,
    /** What the command prints when it is refused. */
    refused: async (script: string, words: string[] = [], env: Record<string, string> = {}) => {
      const command = [process.execPath, scriptPath('src/main.js'), script, ...words]
      const [first = '', ...args] = [...withoutPrivileges, ...command]
      const { code, stdout, stderr } = await resultOf(run(t, first, args, { cwd, env: { PORT: '0', ...env } }))
      t.strictSame({ code, stdout }, { code: 1, stdout: '' })
      return stderr
    },
    /** Does the work while the file or folder has this mode. */
    withMode: async (name: string, mode: number, work: () => Promise<void>) => {
      const { mode: before } = statSync(join(cwd, name))
      chmodSync(join(cwd, name), mode)
      await work()
      chmodSync(join(cwd, name), before)
    }
  }
}

/** How a line ends that names what may not be done, and the setting. */
export const namesSetting = /EACCES: .*'; DATABASE_URL names the database: [^\n]+\n$/
