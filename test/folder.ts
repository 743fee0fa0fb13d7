// node test/folder.ts FOLDER runs the tests of every day that stand in a folder, one file after the other in this process.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Begins a file of tests that cannot share a process, with the reason. */
export const alone = '// In a process of its own: '

if (process.argv[1] === import.meta.filename) {
  // Absolute, since tests may change the working directory while others are still to be loaded.
  const files = globSync(join(import.meta.dirname, '..', `${process.argv[2]}/*.test.ts`)).toSorted()
  for (const file of files)
    if (!file.endsWith('.full.test.ts') && !readFileSync(file, 'utf8').startsWith(alone)) await import(file)
}
