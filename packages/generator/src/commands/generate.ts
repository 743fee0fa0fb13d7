import { dirname } from 'node:path'
import { lineOf } from '@contract-first/document'
import { differences, write } from '../freshness.ts'
import type { Outcome } from '../generate.ts'
import { ContractError, Report } from '../problems.ts'
import { readSettings } from '../settings.ts'
import type { Command } from './command.ts'

const flag = { type: 'boolean', default: false } as const

export const generateCommand: Command = {
  summary: 'write generated/ from the contract that package.json names',
  takesWords: false,
  options: { check: flag, 'skip-refused': flag, strict: flag },
  usage: typed => `Usage: ${typed} [${typed.startsWith('npm run ') ? '-- ' : ''}--check] [--skip-refused] [--strict]

Generates generated/ from the contract that package.json names, and lists the files that have changed.

  --check         write nothing, and fail if a file is stale
  --skip-refused  respond 501 to operations that are not supported, instead of refusing the whole contract
  --strict        refuse everything that causes a warning
  --help          this text`,

  run: async ({ check, strict, 'skip-refused': skipRefused }, _words, typed) => {
    const settings = readSettings('')
    // Loading it takes a second, too long for --help.
    const [{ generateProject, generatedFolder }, { Outcome }] = await Promise.all([
      import('../project.ts'),
      import('../generate.ts')
    ])
    const report = new Report(dirname(settings.contract))
    const outcome = skipRefused || settings.skipRefused ? new Outcome() : undefined
    const files = await generateProject('', report, outcome)
    if (strict && report.warnings.length > 0) throw new ContractError(report.warnings)
    for (const line of warningLines(report)) console.error(line)
    if (outcome !== undefined) for (const line of refusedLines(outcome)) console.error(line)
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

export const warningLines = ({ warnings }: Report): string[] =>
  warnings.map(({ place, message }) => lineOf({ place, message: `warning: ${message}` }))

/** The operations that are not served, with reasons, and how many they are. */
export const refusedLines = ({ operations, refused }: Outcome): string[] => [
  ...refused.flatMap(({ method, path, problems, isRouted }) => [
    `${method} ${path} is not served${isRouted ? ', and responds 501' : ''}:`,
    ...problems.map(problem => `  ${lineOf(problem)}`)
  ]),
  `${operations - refused.length} of ${operations} operations are served, ${refused.length} refused`
]
