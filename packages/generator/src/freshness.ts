import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { structuredPatch } from 'diff'

/** Makes a folder contain exactly these files and returns what changed. Unchanged files are not touched. */
export const write = (
  folder: string,
  files: ReadonlyMap<string, string>
): { written: string[]; removed: string[]; unchanged: number } => {
  mkdirSync(folder, { recursive: true })
  const present = filesIn(folder)
  const written = [...files.keys()].filter(file => present.get(file) !== files.get(file))
  const removed = [...present.keys()].filter(file => !files.has(file))
  for (const file of written) writeFileSync(join(folder, file), files.get(file) ?? '')
  for (const file of removed) rmSync(join(folder, file), { recursive: true })
  return { written, removed, unchanged: files.size - written.length }
}

/** The differences between a folder and these files: a text for each file that differs. */
export const differences = (folder: string, files: ReadonlyMap<string, string>): string[] => {
  const present = filesIn(folder)
  const names = [...new Set([...files.keys(), ...present.keys()])].sort()
  return names.flatMap(name => {
    const [is, shouldBe] = [present.get(name), files.get(name)]
    const path = join(folder, name)
    if (is === shouldBe) return []
    if (is === undefined) return [`${path}: is missing`]
    if (shouldBe === undefined) return [`${path}: does not follow from the contract`]
    return [`${path}: is stale\n${lineDiff(is, shouldBe)}`]
  })
}

/** The files that were generated into a folder, by name. */
export const filesIn = (folder: string): Map<string, string> => {
  if (!existsSync(folder)) return new Map()
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !npmFiles.test(name))
  return new Map(entries.map(each => [each.name, each.isFile() ? readFileSync(join(folder, each.name), 'utf8') : '']))
}

// The folder is also a package; npm creates these.
const npmFiles = /^(?:dist|node_modules|.*\.tgz)$/

const maxLines = 20

/** The lines that differ, each with three around it. */
const lineDiff = (is: string, shouldBe: string): string => {
  // Beyond this many edits, comparing would take seconds.
  const patch = structuredPatch('', '', is, shouldBe, '', '', { context: 3, maxEditLength: 1000 })
  if (patch === undefined) return '… more than 1000 lines differ'
  const lines = patch.hunks.flatMap(({ oldStart, lines }) => [`@@ line ${oldStart} @@`, ...lines])
  const more = lines.length - maxLines
  return [...lines.slice(0, maxLines), ...(more > 0 ? [`… ${more} more`] : [])].join('\n')
}
