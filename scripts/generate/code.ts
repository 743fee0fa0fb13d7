import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isObject, type Json, type JsonObject } from './read.ts'

/** An expression that stands in the code as it is. */
export class Code {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
export type Literal = Json | Code | undefined | Literal[] | { [key: string]: Literal }

/** A TypeScript literal. Keys that look like numbers are numbers: a string key would lose the reply's type. */
export const literal = (value: Literal): string => {
  if (value instanceof Code) return value.text
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  // As a plain key, `__proto__` would set the prototype.
  const key = (name: string) =>
    name === '__proto__' ? '["__proto__"]' : /^[1-9]\d*$/.test(name) ? name : JSON.stringify(name)
  return `{${entries.map(([name, each]) => `${key(name)}: ${literal(each as Literal)}`).join(', ')}}`
}

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
  `${JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each), 2)}\n`

/** As the project's formatter writes it. */
export const format = (file: string, text: string): string => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const command = fileURLToPath(new URL('../../node_modules/@biomejs/biome/bin/biome', import.meta.url))
  const run = spawnSync(process.execPath, [command, 'format', `--stdin-file-path=${file}`], {
    cwd: root,
    input: text,
    encoding: 'utf8',
    maxBuffer: 2 ** 28
  })
  if (run.status !== 0) throw new Error(`formatting ${file} failed: ${run.stderr}`)
  return run.stdout
}

export const isEmpty = (object: JsonObject) => isObject(object) && Object.keys(object).length === 0
