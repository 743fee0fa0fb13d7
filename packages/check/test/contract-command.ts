import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { runHere } from '../../../test/run-here.ts'
import { contract } from '../src/contract.ts'

/**
 * A folder with these files, and functions that work there; contracts are compared on a fixed day. It is in no git
 * repository until it is made one: the history of the one around it would be searched for its releases.
 */
export const folderWith = (t: Test, files: Readonly<Record<string, string>> = {}) => {
  const folder = t.testdir()
  process.env.GIT_CEILING_DIRECTORIES = dirname(folder)
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  const here = (...args: string[]) => runHere(t, folder, () => contract(args))
  return {
    folder,
    write,
    read: (name: string) => readFileSync(join(folder, name), 'utf8'),
    contract: here,
    changes: (...args: string[]) => here('check', 'changes', '--today', '2026-11-20', ...args),
    git: (...args: string[]) => {
      const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost']
      const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' })
      if (status !== 0) throw new Error(stderr)
    }
  }
}

/** A contract with one operation, whose parameter `limit` has this maximum. */
export const animals = ({
  version = '1.0.0',
  maximum = 100,
  operationId = 'listPets',
  more = '',
  draft = false
} = {}): string =>
  `openapi: 3.1.0
info: { title: Animals, version: ${version}${draft ? ', x-draft: true' : ''} }
paths:
  /pets:
    get:
      operationId: ${operationId}
      parameters:
        - name: limit
          in: query
          schema:
            type: integer
            minimum: 1
            maximum: ${maximum}
      responses:
        '200': { description: All }
${more}`
