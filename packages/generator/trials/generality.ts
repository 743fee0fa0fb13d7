import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { withProgress } from '../../fastify/src/commands/progress.ts'
import { documentsIn } from './generality/documents.ts'
import { commonReasons, tableOf } from './generality/table.ts'
import type { Trial } from './generality/trial.ts'
import { tryDocument } from './generality/try-document.ts'

const usage = `Usage: npm run generality -- FOLDER

Generates from each OpenAPI document in FOLDER, starts the result, and calls every operation that is served: with requests
that its contract allows, which have to reach its handler with the values that were sent; with requests that have one thing
wrong, which have to get a 4xx that names it; and with responses that its contract allows, which have to arrive as they are.
Examples are among them. The compiler has to accept handlers that return the same. Prints a table, what failed, and the most frequent reasons for which operations are refused. Fails
if a document does not run, or an operation that is served does not do what its contract says.

  --seed N      the same seed sends the same requests; default: 1
  --jobs N      documents at the same time; default: as many as there are processors and memory for
  --failures N  print at most N failures of each document; default: 10
  --reasons N   print the N most frequent reasons; default: 20
  --help        this text`

const bytesPerJob = 2 ** 31
const defaults = {
  seed: 1,
  jobs: Math.max(1, Math.min(availableParallelism(), Math.floor(freemem() / bytesPerJob))),
  failures: 10,
  reasons: 20
}
type Options = typeof defaults

const run = async (folder: string, options: Options): Promise<number> => {
  const temporary = mkdtempSync(join(tmpdir(), 'generality-'))
  const names = documentsIn(folder)
  const trials = new Map<string, Trial>()
  try {
    await withProgress(async show => {
      const open = names.entries()
      const work = async () => {
        for (const [index, name] of open) {
          const showHere = (step: string) => show(`${trials.size} of ${names.length} documents; ${name}: ${step} …`)
          const own = join(temporary, String(index))
          trials.set(name, await tryDocument(join(folder, name), own, options.seed, showHere))
        }
      }
      await Promise.all(Array.from({ length: options.jobs }, work))
    })
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
  return report(
    folder,
    names.map(name => [name, trials.get(name) as Trial]),
    options
  )
}

const report = (
  folder: string,
  trials: [string, Trial][],
  { failures: most, reasons: mostReasons }: Options
): number => {
  console.log(tableOf(trials))
  const reasons = commonReasons(trials, mostReasons)
  if (reasons.length > 0) console.log(`\nThe most frequent reasons for refusals, by operations and documents:`)
  for (const reason of reasons) console.log(`  ${reason}`)
  let isWell = trials.length > 0
  for (const [name, { failure, called, typed }] of trials) {
    const { untried = [] } = called ?? {}
    const failures = [...(called?.failures ?? []), ...(typed?.failures ?? [])]
    for (const each of untried) console.log(`\n${name} ${each}`)
    if (failure !== undefined) console.error(`\n${name} does not run:\n${firstLines(failure)}`)
    for (const { operation, what } of failures.slice(0, most)) console.error(`\n${name} ${operation}: ${what}`)
    if (failures.length > most) console.error(`\n${name}: ${failures.length - most} more failures`)
    if (failure !== undefined || failures.length > 0) isWell = false
  }
  if (trials.length === 0) console.error(`${folder} contains no OpenAPI document`)
  return isWell ? 0 : 1
}

const firstLines = (message: string) => {
  const lines = message.split('\n')
  return [...lines.slice(0, 5), ...(lines.length > 5 ? [`… ${lines.length - 5} more`] : [])].join('\n')
}

/** Undefined for `--help`. */
const readArguments = (): { folder: string; options: Options } | undefined => {
  const text = { type: 'string' } as const
  const names = { seed: text, jobs: text, failures: text, reasons: text, help: { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ options: names, allowPositionals: true })
  const { help, ...texts } = values
  if (help) return undefined
  const [folder, ...others] = positionals
  if (folder === undefined || others.length > 0) throw new Error('one folder is expected')
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`there is no folder ${folder}`)
  const wrong = Object.entries(texts).find(([, each]) => !/^\d{1,9}$/.test(each))
  if (wrong !== undefined) throw new Error(`--${wrong[0]} must be a number`)
  const numbers = Object.fromEntries(Object.entries(texts).map(([name, each]) => [name, Number(each)]))
  const options: Options = { ...defaults, ...numbers }
  if (options.jobs === 0) throw new Error('--jobs must be a number, 1 or more')
  return { folder, options }
}

const main = async (): Promise<number> => {
  let given: ReturnType<typeof readArguments>
  try {
    given = readArguments()
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    return 2
  }
  if (given !== undefined) return run(given.folder, given.options)
  console.log(usage)
  return 0
}

process.exitCode = await main()
