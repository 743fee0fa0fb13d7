import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Json } from './read.ts'

/** An expression that stands in the code as it is. */
export class Code {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
export type Literal = Json | Code | undefined | Literal[] | { [key: string]: Literal }

/** A TypeScript literal. */
export const literal = (value: Literal): string => {
  if (value instanceof Code) return value.text
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return `{${entries.map(([name, each]) => `${key(name)}: ${literal(each as Literal)}`).join(', ')}}`
}

/** The same by status. A status is a number there: a string as its key would lose the reply's type. */
export const literalByStatus = (entries: [string, Literal][]): Code => {
  const status = (name: string) => (/^\d+$/.test(name) ? name : JSON.stringify(name))
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return new Code(`{${sorted.map(([name, each]) => `${status(name)}: ${literal(each)}`).join(', ')}}`)
}

// As a plain key, `__proto__` would set the prototype.
const key = (name: string) => (name === '__proto__' ? '["__proto__"]' : JSON.stringify(name))

/** A JavaScript identifier for any name, the same for the same name; `taken` keeps different names apart. */
export const identifier = (name: string, taken: Map<string, string>): string => {
  const known = [...taken].find(([, original]) => original === name)
  if (known !== undefined) return known[0]
  const base = name.replace(/[^A-Za-z0-9_$]+/g, '_').replace(/^(?=\d)/, '_')
  const safe = reserved.has(base) || base === '' ? `${base}_` : base
  let candidate = safe
  for (let count = 2; taken.has(candidate); count++) candidate = `${safe}_${count}`
  taken.set(candidate, name)
  return candidate
}

const reserved = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for ' +
    'function if implements import in instanceof interface let new null package private protected public return static super ' +
    'switch this throw true try typeof undefined var void while with yield'
  ).split(' ')
)

/** JSON text with exact integers. */
export const jsonText = (value: Json): string =>
  JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each), 2)

const root = fileURLToPath(new URL('../..', import.meta.url))
const biome = fileURLToPath(new URL('bin/biome', import.meta.resolve('@biomejs/biome/package.json')))

/** As the project's formatter writes it. */
export const format = async (file: string, source: string): Promise<string> => {
  const run = spawn(process.execPath, [biome, 'format', '--vcs-enabled=false', `--stdin-file-path=${file}`], {
    cwd: root
  })
  run.stdin.end(source)
  const exit = new Promise(resolve => run.once('close', resolve))
  const [formatted, complaint, code] = await Promise.all([text(run.stdout), text(run.stderr), exit])
  if (code !== 0) throw new Error(`formatting ${file} failed: ${complaint}`)
  return formatted
}
