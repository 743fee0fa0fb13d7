import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { documentsIn } from '../generality/documents.ts'
import { commonReasons, tableOf } from '../generality/table.ts'
import type { Trial } from '../generality/trial.ts'

const usage = `Usage: npm run generality -- FOLDER

Generates from each OpenAPI document in FOLDER, starts the result with the examples as responses, and prints how many
operations are served, how many refused, with the most frequent reasons, and how many constructs are carried: kept in
the documentation, without effect. Fails if a document does not run.

  --reasons N  print the N most frequent reasons; default: 20
  --help       this text`

const trialOf = async (document: string, folder: string): Promise<Trial> => {
  const script = join(import.meta.dirname, '../generality/try-document.ts')
  // A large contract is a matter of memory too, which the table shows.
  const child = spawn(process.execPath, ['--max-old-space-size=4096', script, document, folder], {
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (output.startsWith('{')) return JSON.parse(output) as Trial
  const failure = errors.trim() || 'the process ended without a word'
  return { operations: 0, refused: 0, refusals: [], carried: [], seconds: 0, megabytes: 0, failure }
}

const run = async (folder: string, most: number): Promise<number> => {
  const temporary = mkdtempSync(join(tmpdir(), 'generality-'))
  const trials: [string, Trial][] = []
  try {
    for (const [index, name] of documentsIn(folder).entries()) {
      trials.push([name, await trialOf(join(folder, name), join(temporary, String(index)))])
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
  console.log(tableOf(trials))
  const reasons = commonReasons(trials, most)
  if (reasons.length > 0) console.log(`\nThe most frequent reasons, by operations and documents:`)
  for (const reason of reasons) console.log(`  ${reason}`)
  const failed = trials.flatMap(([name, { failure }]) => (failure === undefined ? [] : [{ name, failure }]))
  for (const { name, failure } of failed) console.error(`\n${name} does not run:\n${firstLines(failure)}`)
  if (trials.length === 0) console.error(`${folder} contains no OpenAPI document`)
  return failed.length > 0 || trials.length === 0 ? 1 : 0
}

const firstLines = (message: string) => {
  const lines = message.split('\n')
  return [...lines.slice(0, 5), ...(lines.length > 5 ? [`… ${lines.length - 5} more`] : [])].join('\n')
}

const main = async (): Promise<number> => {
  const complain = (message: string) => {
    console.error(`${message}\n\n${usage}`)
    return 2
  }
  const options = { reasons: { type: 'string', default: '20' }, help: { type: 'boolean' } } as const
  const read = () => parseArgs({ options, allowPositionals: true })
  let given: ReturnType<typeof read>
  try {
    given = read()
  } catch (error) {
    return complain((error as Error).message)
  }
  const { values, positionals } = given
  if (values.help) {
    console.log(usage)
    return 0
  }
  const [folder, ...others] = positionals
  if (folder === undefined || others.length > 0) return complain('one folder is expected')
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    return complain(`there is no folder ${folder}`)
  if (!/^\d+$/.test(values.reasons)) return complain('--reasons must be a number')
  return run(folder, Number(values.reasons))
}

process.exitCode = await main()
