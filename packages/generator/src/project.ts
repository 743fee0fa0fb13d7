import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LoadError } from '@contract-first/document'
import { differences, filesIn } from './freshness.ts'
import { generate, type Naming, Outcome } from './generate.ts'
import { Report } from './problems.ts'
import { readSettings, type Settings } from './settings.ts'

/** The folder of the generated files, in a project. */
export const generatedFolder = 'generated'

/**
 * The files generated from a project's contract, by name. With an `outcome`, or if the project's settings say so, some
 * operations may be refused.
 * @throws ContractError with all problems of the contract
 * @throws LoadError if the project's settings, the contract or a release of it cannot be read
 */
export const generateProject = (folder: string, report?: Report, outcome?: Outcome): Promise<Map<string, string>> => {
  const settings = readSettings(folder)
  const skipped = outcome ?? (settings.skipRefused === true ? new Outcome() : undefined)
  const contract = join(folder, settings.contract)
  const modules = join(folder, 'node_modules')
  const present = {
    files: filesIn(join(folder, generatedFolder)),
    notes: existsSync(modules) ? join(modules, '.cache/contract-first/formatted.json') : undefined
  }
  return generate(contract, report ?? new Report(dirname(contract)), skipped, namingOf(folder, settings), present)
}

const namingOf = (folder: string, { contract, client, clientReadme, examples, dates, enums }: Settings): Naming => ({
  contract,
  client,
  examples,
  dates,
  enums,
  readme: clientReadme === undefined ? undefined : { file: clientReadme, text: required(folder, clientReadme) },
  license: existsSync(join(folder, 'LICENSE')) ? required(folder, 'LICENSE') : undefined
})

const required = (folder: string, file: string): string => {
  if (!existsSync(join(folder, file))) throw new LoadError([`package.json: there is no ${file}, which generator names`])
  return readFileSync(join(folder, file), 'utf8')
}

/** A text for each file in the generated folder of a project that differs from what its contract produces. */
export const differencesIn = async (folder: string): Promise<string[]> =>
  differences(join(folder, generatedFolder), await generateProject(folder))
