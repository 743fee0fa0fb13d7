import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseModules } from './parse.ts'
import { showStep } from './progress.ts'

const format = fileURLToPath(new URL('../format.json', import.meta.url))
const configuration = readFileSync(format, 'utf8')
const maxBytes: number = JSON.parse(configuration).files.maxSize
const manifest = fileURLToPath(import.meta.resolve('@biomejs/biome/package.json'))
const biome = join(dirname(manifest), 'bin/biome')

/** What an earlier run has left. */
export interface Present {
  /** The generated files by name. */
  files: ReadonlyMap<string, string>
  /** The path of a file with hashes that say of which text each is the formatted form. */
  notes?: string | undefined
}

/**
 * The files in the project's format, as they are written; those for people, such as Markdown, are unchanged. What is the same as in
 * an earlier run was formatted and parsed then.
 * @throws EmittedError if one is a module that no engine would load
 */
export const formatted = async (
  files: ReadonlyMap<string, string>,
  { files: present, notes: notesFile }: Present = { files: new Map() }
): Promise<Map<string, string>> => {
  // With these, what Biome does depends on other files.
  const { BIOME_BINARY: binary, BIOME_CONFIG_PATH: path } = process.env
  const notes = binary === undefined && path === undefined ? notesFile : undefined
  showStep('formatting')
  // One process for all takes a tenth of the time of one per file.
  const folder = mkdtempSync(join(tmpdir(), 'generated-'))
  try {
    // A lone surrogate, which a comment may contain, is replaced when it is written.
    const result = new Map([...files].map(([file, text]) => [file, text.toWellFormed()]))
    // Compiled files are not for people, and Biome leaves large ones alone.
    const isFormatted = ([file, text]: [string, string]) =>
      /\.(?:ts|json)$/.test(file) && Buffer.byteLength(text) <= maxBytes
    const all = [...result].filter(isFormatted)
    const noted = notesIn(notes)
    const names: string[] = []
    for (const [file, text] of all) {
      const made = present.get(file)
      if (made !== undefined && noted.has(noteOf(file, text, made))) result.set(file, made)
      else {
        names.push(file)
        writeFileSync(join(folder, file), text)
      }
    }
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
    if (notes !== undefined && names.length > 0)
      keepNotes(
        notes,
        all.map(([file, text]) => noteOf(file, text, result.get(file) as string))
      )
    showStep('parsing what was made')
    await parseModules(new Map([...result].filter(([file, text]) => present.get(file) !== text)))
    return result
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What the formatter makes of a text depends on nothing else. */
const formatter = configuration + readFileSync(manifest, 'utf8')

/** Says that the formatter has made one text of the other. */
const noteOf = (...parts: [file: string, text: string, made: string]): string =>
  hash('sha256', [formatter, ...parts].map(each => hash('sha256', each)).join(), 'base64')

const notesIn = (file = ''): ReadonlySet<string> => {
  try {
    return new Set(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return new Set()
  }
}

const keepNotes = (file: string, notes: readonly string[]) => {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(notes))
  } catch {
    // Where nothing can be written, the next run formats everything again.
  }
}
