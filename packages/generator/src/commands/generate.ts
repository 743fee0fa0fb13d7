import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { LoadError, lineOf, listed } from '@contract-first/document'
import { differences, write } from '../freshness.ts'
import type { Outcome } from '../generate.ts'
import { groupedLines, Report } from '../problems.ts'
import { readSettings } from '../settings.ts'
import { type Command, UsageError } from './command.ts'

const flag = { type: 'boolean', default: false } as const

export const generateCommand: Command = {
  summary: 'write generated/ from the contract that package.json names',
  takesWords: false,
  options: { check: flag, fix: flag, 'skip-refused': flag, strict: flag },
  usage:
    typed => `Usage: ${typed} [${typed.startsWith('npm run ') ? '-- ' : ''}--check | --fix] [--skip-refused] [--strict]

Generates generated/ from the contract that package.json names, and lists the files that have changed.

  --check         write nothing, and fail if a file is stale
  --fix           before that, add to the contract the responses that the service itself may send, and to the sources
                  what is missing of handlers and tests; print what has to be added by hand
  --skip-refused  respond 501 to operations that are not supported, instead of refusing the whole contract
  --strict        refuse everything that causes a warning
  --help          this text`,

  run: async ({ check, fix, strict, 'skip-refused': skipRefused }, _words, typed) => {
    if (check && fix) throw new UsageError('--check writes nothing, so --fix cannot be used with it')
    const settings = readSettings('')
    // Loading it takes a second, too long for --help.
    const [{ generateProject, generatedFolder }, { Outcome }] = await Promise.all([
      import('../project.ts'),
      import('../generate.ts')
    ])
    const isPartial = skipRefused === true || settings.skipRefused === true
    if (fix) for (const line of await fixContract(settings.contract, isPartial)) console.log(line)
    const report = new Report(dirname(settings.contract))
    const outcome = isPartial ? new Outcome() : undefined
    const files = await generateProject('', report, outcome)
    if (strict && report.warnings.length > 0) throw new LoadError(groupedLines(report.warnings))
    for (const line of warningLines(report)) console.error(line)
    if (outcome !== undefined) for (const line of refusedLines(outcome)) console.error(line)
    if (fix) for (const line of await addStubs(files)) console.log(line)
    if (!check) {
      const { written, removed, unchanged } = write(generatedFolder, files)
      for (const file of written) console.log(`  written  generated/${file}`)
      for (const file of removed) console.log(`  removed  generated/${file}`)
      console.log(`generated/: ${written.length} written, ${removed.length} removed, ${unchanged} unchanged`)
      return 0
    }
    const stale = differences(generatedFolder, files)
    for (const difference of stale) console.error(difference)
    if (stale.length > 0) console.error(`generated/ is stale; run ${typed}`)
    else console.log(`generated/: ${files.size} files, all up to date`)
    return stale.length > 0 ? 1 : 0
  }
}

/** Adds missing responses to the contract; resolves to lines that say what was added, and what could not be. */
const fixContract = async (contract: string, isPartial: boolean): Promise<string[]> => {
  const [{ Outcome, read }, { fixMissingResponses }] = await Promise.all([
    import('../generate.ts'),
    import('../fix/missing-responses.ts')
  ])
  const reading = read(contract, new Report(dirname(contract)), isPartial ? new Outcome() : undefined)
  const { files, responses, components, byHand } = fixMissingResponses(reading.contract)
  for (const [file, text] of files) writeFileSync(file, text)
  const added = [`${responses} response${responses === 1 ? '' : 's'}`, ...components.map(each => `components/${each}`)]
  return [
    ...(files.size > 0 ? [`${[...files.keys()].join(', ')}: added ${listed(added, added.length)}`] : []),
    ...byHand
  ]
}

/** Adds what is missing of handlers and tests; resolves to lines like those of `fixContract`. */
const addStubs = async (generated: ReadonlyMap<string, string>): Promise<string[]> => {
  const { stubsFor } = await import('../fix/stubs.ts')
  const { files, byHand } = await stubsFor(generated)
  for (const [file, text] of files) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return [...[...files.keys()].map(file => `  written  ${file}`), ...byHand]
}

export const warningLines = ({ warnings }: Report): string[] =>
  groupedLines(warnings.map(({ place, message }) => ({ place, message: `warning: ${message}` })))

/** The operations that are not served, with reasons, and how many they are. */
export const refusedLines = ({ operations, refused }: Outcome): string[] => [
  ...refused.flatMap(({ method, path, problems, isRouted }) => [
    `${method} ${path} is not served${isRouted ? ', and responds 501' : ''}:`,
    ...problems.map(problem => `  ${lineOf(problem)}`)
  ]),
  `${operations - refused.length} of ${operations} operations are served, ${refused.length} refused`
]
