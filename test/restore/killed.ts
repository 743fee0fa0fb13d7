import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { restore } from '../../packages/fastify/src/store/sqlite/backup.ts'
import { animalSchema } from '../../src/store/sqlite/schema.ts'
import { addAnimals, backup, idsIn, look, newDatabase, unheard } from '../backups.ts'
import { run, scriptPath } from '../start-server.ts'

const canTrace = spawnSync('strace', ['true'], { stdio: 'ignore' }).status === 0

export const onlyTraced = canTrace ? {} : { skip: 'needs strace, and permission to use it' }

/** Runs a restore that is killed when it makes this system call for the given time; whether it has made it. */
export const restoreKilledAt = async (t: Test) => {
  const cwd = t.testdir()
  const path = newDatabase(cwd, 3)
  t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
  look(path, db => addAnimals(db, 2))
  copyFileSync(path, join(cwd, 'before.db'))
  return async (call: string, time: number): Promise<boolean> => {
    rmSync(join(cwd, 'data'), { recursive: true })
    mkdirSync(join(cwd, 'data'))
    copyFileSync(join(cwd, 'before.db'), path)
    const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:signal=KILL:when=${time}`]
    const args = ['-f', '-qq', '-o', '/dev/null', ...inject, process.execPath, scriptPath('src/main.js'), 'restore']
    const { code } = await run(t, 'strace', [...args, 'copy.db', '--replace'], { cwd }).ended
    if (code === 0) return false
    const { length } = idsIn(path)
    t.ok(length === 5 || length === 3, `${call} ${time}: ${length} animals`)
    look(path, db => t.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok'))
    const again = await restore(join(cwd, 'copy.db'), path, { schema: animalSchema, replace: true, signal: unheard })
    t.equal(again.idsLost, undefined)
    t.strictSame(idsIn(path), [1, 2, 3])
    t.strictSame(
      readdirSync(join(cwd, 'data')).filter(name => name.startsWith('.partial-')),
      []
    )
    return true
  }
}
