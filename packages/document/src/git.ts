import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { Unreadable } from './load-error.ts'

/**
 * The output of git; undefined if it fails.
 * @throws Unreadable when there is no git, or `folder` is not in a repository
 */
export const git = (folder: string, ...args: string[]): Buffer | undefined => {
  const { error, status, stdout, stderr } = spawnSync('git', ['-C', folder, ...args], {
    maxBuffer: 2 ** 30,
    env: { ...process.env, ...ofHook(), LC_ALL: 'C' }
  })
  if (error !== undefined) {
    throw new Unreadable('code' in error && error.code === 'ENOENT' ? 'git is not installed' : error.message)
  }
  if (status === 0) return stdout
  const message = stderr.toString()
  if (message.includes('not a git repository'))
    throw new Unreadable(`there is no such file, and ${folder} is not in a git repository`)
  if (message.includes('dubious ownership')) throw new Unreadable(message.split('\n', 1).join())
  return undefined
}

/** In a hook, git sets the repository relative to the current folder; made absolute, it also holds for commands in other folders. */
const ofHook = () => {
  const { GIT_DIR: folder, GIT_WORK_TREE: tree = '.' } = process.env
  return folder === undefined ? {} : { GIT_DIR: resolve(folder), GIT_WORK_TREE: resolve(tree) }
}
