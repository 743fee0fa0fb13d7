import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fixedParts } from '../src/emit-client.ts'

/**
 * Writes what is generated from many contracts, each to a new folder beside `shared`. Modules that are the same for all are
 * only in `shared`, and exported again from there, so that they are loaded and compiled once: the compiler takes links to
 * a file for different files.
 */
export const folderWriter = (shared: string) => {
  const fixed = fixedParts()
  mkdirSync(shared)
  for (const [name, text] of fixed) writeFileSync(join(shared, name), text)
  const again = new Map([...fixed.keys()].map(name => [name, `export * from '../${basename(shared)}/${name}'\n`]))
  return (folder: string, files: ReadonlyMap<string, string>) => {
    mkdirSync(folder)
    for (const [name, text] of files)
      writeFileSync(join(folder, name), (text === fixed.get(name) && again.get(name)) || text)
  }
}
