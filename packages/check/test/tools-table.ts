// The findings of the contract check, `redocly diff` and oasdiff in pairs that are known to break clients or not:
// node packages/check/test/tools-table.ts [--oasdiff FILE] [FOLDER]
// FOLDER has real contracts, each of which is compared with itself, rewritten without changing its meaning.

import { spawnSync } from 'node:child_process'
import { accessSync, constants, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { loadDocument } from '../../document/src/document.ts'
import { rules } from '../src/changes/rules.ts'
import { documentOf } from './frames.ts'
import { minimalPairs } from './minimal-pairs.ts'
import { refactorings, textOf } from './refactorings.ts'

interface Case {
  group: string
  before: string
  after: string
  breaks: boolean
}
type Result = 'breaks' | 'passes' | 'refused'
interface Tool {
  /** Two files. */
  command: (before: string, after: string) => string[]
  resultOf: (status: number | null, stdout: string) => Result
}

const { values, positionals } = parseArgs({ options: { oasdiff: { type: 'string' } }, allowPositionals: true })
if (values.oasdiff !== undefined) accessSync(values.oasdiff, constants.X_OK)
const scratch = mkdtempSync(join(tmpdir(), 'tools-'))

const byExitCode = (status: number | null): Result => (status === 0 ? 'passes' : status === 1 ? 'breaks' : 'refused')
const check = resolve('packages/check/bin/contract.js')
const tools: Record<string, Tool> = {
  'contract check': {
    command: (before, after) => [
      process.execPath,
      ...[check, 'check', 'changes', '--contract', after, '--against', before, '--today', '2026-11-20']
    ],
    resultOf: byExitCode
  },
  'redocly diff': {
    command: (before, after) => [resolve('node_modules/.bin/redocly'), 'diff', before, after, '--format=json'],
    resultOf: (_status, stdout) => {
      try {
        return JSON.parse(stdout).summary.major > 0 ? 'breaks' : 'passes'
      } catch {
        return 'refused'
      }
    }
  },
  ...(values.oasdiff !== undefined && {
    oasdiff: {
      command: (before: string, after: string) => [
        ...[resolve(values.oasdiff ?? ''), 'breaking', before, after, '--fail-on', 'ERR']
      ],
      resultOf: byExitCode
    }
  })
}

const write = (name: string, text: string): string => {
  const file = join(scratch, name)
  writeFileSync(file, text)
  return file
}

function* cases(): Generator<Case> {
  let count = 0
  const pair = (group: string, before: string, after: string, breaks: boolean, extension = '.yaml'): Case => {
    count++
    const [left, right] = [write(`${count}-before${extension}`, before), write(`${count}-after${extension}`, after)]
    return { group, before: left, after: right, breaks }
  }
  const ofCode = new Set(rules.filter(({ category }) => category === 'sdk').map(({ id }) => `breaking ${id}`))
  for (const pairs of minimalPairs.values())
    for (const { in: frame, before, after, breaks = [] } of pairs) {
      if (breaks.length > 0 && breaks.every(each => ofCode.has(each.split(':', 1).join()))) continue
      yield pair('minimal pairs', documentOf(frame, before), documentOf(frame, after), breaks.length > 0)
    }
  for (const { level, category, example, lasting } of rules) {
    // Skips what depends on generated code, --strict or a date, or is undecided: it has no right answer for all tools.
    if (category !== 'wire' || lasting === true || level === 'undecided') continue
    if (example.strict === true || example.today !== undefined) continue
    const [before, after] = [documentOf(example.in, example.before), documentOf(example.in, example.after)]
    yield pair('examples of rules', before, after, level === 'breaking')
  }
  for (const folder of positionals)
    for (const file of globSync('**/*.{yaml,yml,json}', { cwd: folder }).map(each => join(folder, each))) {
      const document = read(file)
      if (document === undefined) continue
      for (const refactor of Object.values(refactorings)) {
        const other = refactor(document)
        if (other === undefined) continue
        const after = write(`${++count}-after.json`, textOf(other))
        yield { group: `real contracts, rewritten`, before: resolve(file), after, breaks: false }
      }
    }
}

/** Undefined if the file is not a contract by itself. */
const read = (file: string) => {
  try {
    return loadDocument(file)
  } catch {
    return undefined
  }
}

const runIn = ({ before, after }: Case, { command, resultOf }: Tool) => {
  // `times` prints the time that the shell's children have taken.
  const { status, stdout, stderr } = spawnSync(
    'sh',
    ['-c', '"$@"; code=$?; times >&2; exit $code', 'sh', ...command(before, after)],
    {
      cwd: scratch,
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
      timeout: 600_000,
      env: {
        ...process.env,
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true'
      }
    }
  )
  const spent = stderr.trimEnd().split('\n').at(-1) ?? ''
  const seconds = [...spent.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + Number(m) * 60 + Number(s), 0)
  return { result: resultOf(status, stdout), seconds }
}

const names = Object.keys(tools)
const tables = new Map<
  string,
  { breaks: number; passes: number; tools: Map<string, Record<'found' | 'alarms' | 'refused' | 'seconds', number>> }
>()
try {
  for (const each of cases()) {
    const row = tables.get(each.group) ?? {
      breaks: 0,
      passes: 0,
      tools: new Map(names.map(name => [name, { found: 0, alarms: 0, refused: 0, seconds: 0 }]))
    }
    tables.set(each.group, row)
    row[each.breaks ? 'breaks' : 'passes']++
    for (const [name, tool] of Object.entries(tools)) {
      const { result, seconds } = runIn(each, tool)
      const cell = row.tools.get(name)
      if (cell === undefined) continue
      cell.seconds += seconds
      if (result === 'refused') cell.refused++
      else if (result === 'breaks') cell[each.breaks ? 'found' : 'alarms']++
      const isRight = result === (each.breaks ? 'breaks' : 'passes')
      if (!isRight && process.env.VERBOSE) console.error(name, result, each)
    }
  }
} finally {
  rmSync(scratch, { recursive: true })
}

console.log('| pairs | tool | breaking, found | compatible, false alarms | refused | CPU seconds each |')
console.log('| --- | --- | --- | --- | --- | --- |')
for (const [group, { breaks, passes, tools }] of tables)
  for (const [name, { found, alarms, refused, seconds }] of tools) {
    const each = (seconds / (breaks + passes)).toFixed(2)
    console.log(`| ${group} | ${name} | ${found} of ${breaks} | ${alarms} of ${passes} | ${refused} | ${each} |`)
  }
