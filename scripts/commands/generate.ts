import { parseArgs } from 'node:util'
import { LoadError, lineOf } from '../document/load-error.ts'
import { differences, write } from '../generate/freshness.ts'
import type { Outcome } from '../generate/generate.ts'
import { ContractError, Report } from '../generate/problems.ts'

const entry = 'openapi/petstore.yaml'

const usage = `Usage: npm run generate [-- --check] [--skip-refused] [--strict]

Generates generated/ from ${entry}, and lists the files that have changed.

  --check         write nothing, and fail if a file is stale
  --skip-refused  respond 501 to operations that are not supported, instead of refusing the whole contract
  --strict        refuse everything that causes a warning
  --help          this text`

class UsageError extends Error {}

const flag = { type: 'boolean', default: false } as const

const optionsOf = (args: string[]) => {
  const options = { check: flag, 'skip-refused': flag, strict: flag, help: flag } as const
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

const run = async (args: string[]): Promise<number> => {
  const { check, help, strict, 'skip-refused': skipRefused } = optionsOf(args)
  if (help) {
    console.log(usage)
    return 0
  }
  // Loading it takes a second, too long for --help.
  const { generate, Outcome } = await import('../generate/generate.ts')
  const report = new Report()
  const outcome = skipRefused ? new Outcome() : undefined
  const files = await generate(entry, report, outcome)
  if (strict && report.warnings.length > 0) throw new ContractError(report.warnings)
  for (const { place, message } of report.warnings) console.error(lineOf({ place, message: `warning: ${message}` }))
  if (outcome !== undefined) listRefused(outcome)
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

const listRefused = ({ operations, refused }: Outcome) => {
  for (const { method, path, problems, isRouted } of refused) {
    console.error(`${method} ${path} is not served${isRouted ? ', and responds 501' : ''}:`)
    for (const problem of problems) console.error(`  ${lineOf(problem)}`)
  }
  console.error(`${operations - refused.length} of ${operations} operations are served, ${refused.length} refused`)
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
