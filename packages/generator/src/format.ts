import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseModules } from './parse.ts'
import { showStep } from './progress.ts'

const format = fileURLToPath(new URL('../format.json', import.meta.url))
const maxBytes: number = JSON.parse(readFileSync(format, 'utf8')).files.maxSize
const biome = fileURLToPath(new URL('bin/biome', import.meta.resolve('@biomejs/biome/package.json')))

/**
 * The files in the project's format, as they are written; those for people, such as Markdown, are unchanged. Modules that are the
 * same in `present` were parsed when that was written.
 * @throws EmittedError if one is a module that no engine would load
 */
export const formatted = async (
  files: ReadonlyMap<string, string>,
  present: ReadonlyMap<string, string> = new Map()
): Promise<Map<string, string>> => {
  showStep('formatting')
  // One process for all takes a tenth of the time of one per file.
  const folder = mkdtempSync(join(tmpdir(), 'generated-'))
  try {
    // A lone surrogate, which a comment may contain, is replaced when it is written.
    const result = new Map([...files].map(([file, text]) => [file, text.toWellFormed()]))
    // Compiled files are not for people, and Biome leaves large ones alone.
    const isFormatted = ([file, text]: [string, string]) =>
      /\.(?:ts|json)$/.test(file) && Buffer.byteLength(text) <= maxBytes
    const names = [...result].filter(isFormatted).map(([file]) => file)
    for (const file of names) writeFileSync(join(folder, file), result.get(file) as string)
    copyFileSync(format, join(folder, 'biome.json'))
    if (names.length > 0)
      await promisify(execFile)(process.execPath, [biome, 'format', '--write', ...names], { cwd: folder }).catch(
        async error => {
          // Biome fails on code that does not parse; find out where.
          await parseModules(files)
          throw error
        }
      )
    for (const file of names) result.set(file, readFileSync(join(folder, file), 'utf8'))
    showStep('parsing what was made')
    await parseModules(new Map([...result].filter(([file, text]) => present.get(file) !== text)))
    return result
  } finally {
    rmSync(folder, { recursive: true })
  }
}
