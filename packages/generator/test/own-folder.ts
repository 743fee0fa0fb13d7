import { mkdirSync, rmSync } from 'node:fs'
import type { Test } from 'tap'

/** An empty folder for all tests of a file, and of no other file that runs in the same process. It goes when they have ended. */
export const ownFolder = (t: Pick<Test, 'testdirName' | 'teardown'>, name: string): string => {
  const folder = `${t.testdirName}-${name}`
  const remove = () => rmSync(folder, { recursive: true, force: true })
  remove()
  mkdirSync(folder, { recursive: true })
  t.teardown(remove)
  return folder
}
