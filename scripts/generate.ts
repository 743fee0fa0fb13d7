import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { bundle } from './generate/bundle.ts'
import { format, jsonText } from './generate/code.ts'
import { emitOperations } from './generate/emit-operations.ts'
import { emitTypes } from './generate/emit-types.ts'
import { differences, write } from './generate/freshness.ts'
import { normalise } from './generate/normalise.ts'
import { ContractError, Report } from './generate/problems.ts'
import { checkRules } from './generate/rules.ts'

/**
 * What follows from a contract: files by name, not yet formatted.
 * @throws ContractError with everything that is wrong with the contract or not supported
 */
export const derive = async (entry: string): Promise<Map<string, string>> => {
  const report = new Report()
  const document = bundle(entry, report)
  checkRules(document, report)
  const contract = normalise(document, report)
  const operations = emitOperations(contract, report)
  report.end()

  const header = `// Generated from openapi/${basename(entry)} by \`npm run generate\`: edit that, not this.\n\n`
  const modules = {
    ...operations,
    'types.ts': await emitTypes(contract, 'number'),
    'types-bigint.ts': await emitTypes(contract, 'bigint')
  }
  return new Map([
    ['openapi.json', jsonText(document)],
    ...Object.entries(modules).map(([file, text]) => [file, header + text] as const)
  ])
}

/** The files that follow from a contract, by name. The same contract gives the same bytes. */
export const generate = async (entry: string): Promise<Map<string, string>> => {
  const files = await derive(entry)
  return new Map(await Promise.all([...files].map(async ([file, text]) => [file, await format(file, text)] as const)))
}

const usage = `usage: npm run generate [-- --check]
  --check  write nothing, and fail if generated/ does not follow from openapi/petstore.yaml`

const run = async (args: string[]): Promise<number> => {
  let check: boolean
  try {
    check = parseArgs({ args, options: { check: { type: 'boolean', default: false } } }).values.check
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`)
    return 2
  }
  try {
    const files = await generate('openapi/petstore.yaml')
    if (!check) {
      write('generated', files)
      return 0
    }
    const stale = differences('generated', files)
    for (const difference of stale) console.error(difference)
    if (stale.length > 0) console.error('generated/ is stale; run npm run generate')
    return stale.length > 0 ? 1 : 0
  } catch (error) {
    if (!(error instanceof ContractError)) throw error
    console.error(error.message)
    return 1
  }
}

if (import.meta.main) process.exitCode = await run(process.argv.slice(2))
