import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { LoadError } from './contract/document/load-error.ts'
import { bundle } from './generate/bundle.ts'
import { formatted, jsonText } from './generate/code.ts'
import { emitChangelog } from './generate/emit-changelog.ts'
import { emitClient, fixedParts } from './generate/emit-client.ts'
import { emitIndex } from './generate/emit-index.ts'
import { emitOperations } from './generate/emit-operations.ts'
import { emitPackage } from './generate/emit-package.ts'
import { emitSchemas } from './generate/emit-schemas.ts'
import { emitTypes } from './generate/emit-types.ts'
import { differences, write } from './generate/freshness.ts'
import { warnOfMissingStatuses } from './generate/missing-statuses.ts'
import { type Contract, normalise } from './generate/normalise.ts'
import { ContractError, Report } from './generate/problems.ts'
import { checkRules } from './generate/rules.ts'

/** A contract as all that follows from it is derived from; what is wrong with it, or would be better, is in the report. */
export const readContract = (entry: string, report: Report): Contract => {
  const document = bundle(entry, report)
  checkRules(document, report)
  const contract = normalise(document, report)
  warnOfMissingStatuses(contract, report)
  return contract
}

/**
 * What follows from a contract: files by name, not yet formatted.
 * @throws ContractError with everything that is wrong with the contract or not supported
 * @throws LoadError when a release of it cannot be read
 */
export const derive = async (entry: string, report = new Report()): Promise<Map<string, string>> => {
  const contract = readContract(entry, report)
  const { document } = contract
  const operations = emitOperations(contract, report)
  const client = emitClient(contract, report)
  report.end()

  const header = `// Generated from openapi/${basename(entry)} by \`npm run generate\`: edit that, not this.\n\n`
  const modules = {
    ...operations,
    'index.ts': emitIndex(contract, './types.ts'),
    'bigint.ts': emitIndex(contract, './types-bigint.ts'),
    ...client,
    'schemas.ts': emitSchemas(operations['request-schemas.ts'], client['received-schemas.ts'] ?? ''),
    'types.ts': await emitTypes(contract, 'number'),
    'types-bigint.ts': await emitTypes(contract, 'bigint')
  }
  return new Map([
    ['openapi.json', jsonText(document)],
    ...emitPackage(document, entry),
    ['CHANGELOG.md', await emitChangelog(document, entry)],
    ...fixedParts(),
    ...Object.entries(modules).map(([file, text]) => [file, header + text] as const)
  ])
}

/** The files that follow from a contract, by name. The same contract gives the same bytes. */
export const generate = async (entry: string, report?: Report): Promise<Map<string, string>> =>
  formatted(await derive(entry, report))

const entry = 'openapi/petstore.yaml'

const usage = `Usage: npm run generate [-- --check]

Writes what follows from ${entry} to generated/, and says which files it has written.

  --check  write nothing, and fail if generated/ does not follow from ${entry}
  --help   this text`

class UsageError extends Error {}

const optionsOf = (args: string[]): { check: boolean; help: boolean } => {
  const options = { check: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } } as const
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

const run = async (args: string[]): Promise<number> => {
  const { check, help } = optionsOf(args)
  if (help) {
    console.log(usage)
    return 0
  }
  const report = new Report()
  const files = await generate(entry, report)
  for (const { at, message } of report.warnings)
    console.error(`${at.file}:${at.line}:${at.column}: warning: ${message}`)
  if (!check) {
    const { written, removed, unchanged } = write('generated', files)
    for (const file of written) console.log(`  written  generated/${file}`)
    for (const file of removed) console.log(`  removed  generated/${file}`)
    console.log(`generated/: ${written.length} written, ${removed.length} removed, ${unchanged} unchanged`)
    return 0
  }
  const stale = differences('generated', files)
  for (const difference of stale) console.error(difference)
  if (stale.length > 0) console.error('generated/ is stale; run npm run generate')
  else console.log(`generated/: ${files.size} files, as ${entry} has them`)
  return stale.length > 0 ? 1 : 0
}

const main = async (args: string[]): Promise<number> => {
  try {
    return await run(args)
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ContractError || error instanceof LoadError)) throw error
    console.error(error instanceof UsageError ? `${error.message}\n\n${usage}` : error.message)
    return error instanceof UsageError ? 2 : 1
  }
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2))
