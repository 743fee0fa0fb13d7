import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Json } from '../document/json.ts'

/** An expression, emitted unchanged. */
export class Code {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
export type Literal = Json | Code | undefined | Literal[] | { [key: string]: Literal }

export const literal = (value: Literal): string => {
  if (value instanceof Code) return value.text
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return `{${entries.map(([name, each]) => `${key(name)}: ${literal(each as Literal)}`).join(', ')}}`
}

/** The same by status. Keys are numbers: string keys would lose the type of the response. */
export const literalByStatus = (entries: [string, Literal][]): Code => {
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return new Code(`{${sorted.map(([name, each]) => `${statusKey(name)}: ${literal(each)}`).join(', ')}}`)
}

export const statusKey = (status: string) => (/^\d+$/.test(status) ? status : JSON.stringify(status))

/** A property name. Unquoted, `__proto__` would set the prototype. */
export const key = (name: string) => (name === '__proto__' ? '["__proto__"]' : JSON.stringify(name))

/** Makes a JavaScript identifier for any name, always the same for the same name, and none of `unusable`. */
export const identifiers = (unusable: Iterable<string> = []): ((name: string) => string) => {
  const taken = new Set(unusable)
  const known = new Map<string, string>()
  const make = (name: string) => {
    const base = name.replace(/[^A-Za-z0-9_$]+/g, '_').replace(/^(?=\d)/, '_')
    const safe = reserved.has(base) || base === '' ? `${base}_` : base
    let candidate = safe
    for (let count = 2; taken.has(candidate); count++) candidate = `${safe}_${count}`
    taken.add(candidate)
    return candidate
  }
  return name => known.getOrInsertComputed(name, make)
}

const reserved = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for ' +
    'function if implements import in instanceof interface let new null package private protected public return static super ' +
    'switch this throw true try typeof undefined var void while with yield'
  ).split(' ')
)

const format = fileURLToPath(new URL('format.json', import.meta.url))
const biome = fileURLToPath(new URL('bin/biome', import.meta.resolve('@biomejs/biome/package.json')))

/** The files in the project's format; those for people, such as Markdown, are unchanged. */
export const formatted = async (files: ReadonlyMap<string, string>): Promise<Map<string, string>> => {
  // One process for all takes a tenth of the time of one per file.
  const folder = mkdtempSync(join(tmpdir(), 'generated-'))
  try {
    for (const [file, text] of files) writeFileSync(join(folder, file), text)
    copyFileSync(format, join(folder, 'biome.json'))
    // What is compiled is for machines.
    const readable = [...files.keys()].filter(file => /\.(?:ts|json)$/.test(file))
    await promisify(execFile)(process.execPath, [biome, 'format', '--write', ...readable], { cwd: folder })
    return new Map([...files.keys()].map(file => [file, readFileSync(join(folder, file), 'utf8')]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
