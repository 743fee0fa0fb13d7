import { parseArgs } from 'node:util'
import { LoadError, lineOf } from '../document/load-error.ts'
import { differences, write } from '../generate/freshness.ts'
import { ContractError, Report } from '../generate/problems.ts'

const entry = 'openapi/petstore.yaml'

const usage = `Usage: npm run generate [-- --check]

Generates generated/ from ${entry}, and lists the files that have changed.

  --check  write nothing, and fail if a file is stale
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
  // Loading it takes a second, too long for --help.
  const { generate } = await import('../generate/generate.ts')
  const report = new Report()
  const files = await generate(entry, report)
  for (const { place, message } of report.warnings) console.error(lineOf({ place, message: `warning: ${message}` }))
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
  else console.log(`generated/: ${files.size} files, all up to date`)
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

process.exitCode = await main(process.argv.slice(2))
